import { type MeasuredEngine } from "./engine-cost";
import { type FleetResult } from "./fleet";
import { type Reality } from "./reality";
import { PROFILES, WORKS } from "./scenarios";

/** docs/simulation.json. */
export interface SimulationResults {
  engine: MeasuredEngine;
  reality: Reality;
  rows: Row[];
}

export interface Row extends Omit<FleetResult, "done" | "sendingMs"> {
  work: string;
  profilesOfStack: number;
  workers: number;
  requests: number;
}

/** Lines of a Markdown table: one line for each stack size and number of workers. */
export function fleetTable({ rows }: SimulationResults, work: string): string[] {
  const header = ["Stacks of", "Workers", "Time", "÷ least possible", "Refused (429)", "Engines at work"];
  const lines = rows
    .filter((row) => row.work === work)
    .map(({ profilesOfStack, workers, elapsedMs, leastMs, refused, engineShare }) => [
      profilesOfStack.toLocaleString("en-US"),
      String(workers),
      hoursAndMinutes(elapsedMs),
      (elapsedMs / leastMs).toFixed(2),
      String(refused),
      `${(100 * engineShare).toFixed(0)} %`,
    ]);
  return linesOf([header, ...lines]);
}

/** Lines of a Markdown table: the time of all works with one size of stacks, for docs/scale.md. */
export function timesTable(
  { rows }: SimulationResults,
  profilesOfStack: number,
  workers: number[],
): string[] {
  const header = ["Work", ...workers.map((number) => `${number} worker${number === 1 ? "" : "s"}`)];
  const lines = WORKS.map(({ name }) => [
    name,
    ...workers.map((number) => {
      const isWanted = (row: Row) =>
        row.work === name && row.profilesOfStack === profilesOfStack && row.workers === number;
      return hoursAndMinutes(rows.find(isWanted)?.elapsedMs ?? NaN);
    }),
  ]);
  return linesOf([header, ...lines]);
}

/** Lines of a Markdown table: the same work, over real HTTP and in virtual time. */
export function realityTable({ reality }: SimulationResults): string[] {
  const header = ["Work", "Least, s", "Real, s", "Simulated, s", "Refused, real", "Simulated"];
  const lines = reality.compared.map(({ work, leastSeconds, real, simulated }) => [
    work,
    leastSeconds.toFixed(1),
    real.seconds.toFixed(1),
    simulated.seconds.toFixed(1),
    String(real.refused),
    String(simulated.refused),
  ]);
  return linesOf([header, ...lines]);
}

/** Lines of a Markdown table: the engine's own time. */
export function engineTable(costs: { profiles: number; up: number; refresh: number }[]): string[] {
  const header = [
    "Profiles of the stack",
    "`up`, CPU s",
    "`refresh`, CPU s",
    "`up` of all in such stacks, CPU h",
  ];
  const lines = costs.map(({ profiles, up, refresh }) => [
    profiles.toLocaleString("en-US"),
    up.toFixed(1),
    refresh.toFixed(1),
    // One profile per stack shows the cost of starting.
    profiles === 1 ? "" : ((PROFILES / profiles) * (up / 3600)).toFixed(1),
  ]);
  return linesOf([header, ...lines]);
}

function linesOf([header = [], ...rows]: string[][]): string[] {
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/** `1 h 44 min` */
export function hoursAndMinutes(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
