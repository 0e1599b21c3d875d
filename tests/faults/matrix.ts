import { setTimeout as sleep } from "node:timers/promises";
import { type Hit, type Outcome, prepare, type Prepared, run, type Surroundings } from "./cell";
import { classOf } from "./classes";
import { AT_THE_FIRST, type FaultKind, faultsAt, isMet, type Place } from "./faults";
import { type Operation, OPERATIONS } from "./operations";
import { problemsOf } from "./oracle";
import { type Class } from "./outcomes";
import { placesOf } from "./places";
import { type CredentialKind } from "./tenants";

/** An operation with one kind of credentials, which gets its own table. */
export interface Section {
  title: string;
  prepared: Prepared;
  credentials: CredentialKind;
  normal: Outcome;
  cells: Cell[];
}

export interface Cell extends Hit {
  section: Section;
  /** The family of its fault. */
  family: string;
  /** `create a connection profile / POST /connection-profiles / 503 / once` */
  name: string;
}

export interface Result {
  cell: Cell;
  class: Class;
  problems: string[];
}

const CREDENTIALS: Record<CredentialKind, string> = {
  token: "",
  secret: ", with a client secret",
  key: ", with a private key",
};

/** Operations that begin with the token request; the client sends it alike for all others. */
const WITH_TOKEN_REQUEST: Record<Exclude<CredentialKind, "token">, readonly string[]> = {
  secret: [
    "create a connection profile",
    "refresh several connection profiles",
    "change the groups of a role",
    "preview an adoption",
    "getUser",
  ],
  key: ["delete a device credential"],
};
const ABOUT_TOKENS = /^40[13]\b|^tenant's clock/;

/** `only`: text in the names of the wanted cells, or a whole name; operations without any are left out. */
export async function sectionsOf(
  surroundings: Surroundings,
  only = "",
  operations: readonly Operation[] = OPERATIONS,
): Promise<Section[]> {
  const [wanted = "", ...place] = only.split(" / ");
  const isWanted = (title: string) => (place.length > 0 ? title.endsWith(wanted) : title.includes(wanted));
  const sectionsOfOne = async (operation: Operation) => {
    const kinds = (["token", "secret", "key"] as const)
      .filter((kind) => kind === "token" || WITH_TOKEN_REQUEST[kind].includes(operation.name))
      .map((credentials) => ({ credentials, title: operation.name + CREDENTIALS[credentials] }))
      .filter(({ title }) => isWanted(title));
    if (kinds.length === 0) return [];
    const prepared = await prepare(operation, surroundings);
    return Promise.all(
      kinds.map(async ({ credentials, title }) => {
        const normal = await run(prepared, credentials, undefined, surroundings);
        const section: Section = { title, prepared, credentials, normal, cells: [] };
        section.cells = cellsOf(section);
        return section;
      }),
    );
  };
  let ready = Promise.resolve();
  const all = operations.map((operation) => (ready = ready.then(idle)).then(() => sectionsOfOne(operation)));
  return (await Promise.all(all)).flat().filter(({ cells }) => cells.length > 0);
}

function cellsOf(section: Section): Cell[] {
  const {
    prepared: { operation },
    normal,
  } = section;
  return placesOf(operation, normal).flatMap((place, i) =>
    faultsAt(place)
      .filter(({ kind }) => isFor(section, place, kind, i === 0))
      .flatMap(({ family, kind }) =>
        (["once", "always"] as const)
          .filter((times) => kind.only === undefined || kind.only === times)
          .map((times) => ({
            section,
            family,
            kind,
            place,
            times,
            name: [section.title, place.label, kind.name, times].join(" / "),
          })),
      ),
  );
}

function isFor(
  { prepared: { operation }, credentials }: Section,
  place: Place,
  kind: FaultKind,
  isFirst: boolean,
): boolean {
  if (AT_THE_FIRST.has(kind.name)) return isFirst && (operation.meets === "all" || credentials !== "token");
  if (kind.refused && place.isAfterLost) return false;
  if (kind.action !== undefined && kind.action(place) === undefined) return false;
  if (operation.isEmpty && place.method === "GET" && kind.name.includes("/0")) return false;
  if (credentials !== "token" && !place.target.startsWith("/oauth/"))
    return credentials === "secret" && ABOUT_TOKENS.test(kind.name);
  return isMet(kind, operation.meets);
}

/** Runs cells, this many at once, and calls `onResult` for each. Returns the number of repeated cells. */
export async function runAll(
  cells: readonly Cell[],
  surroundings: Surroundings,
  onResult: (result: Result) => void,
  mostAtOnce = 300,
): Promise<number> {
  const stalls = new Stalls();
  const running = new Set<Promise<void>>();
  let repeated = 0;
  const runOne = async (cell: Cell) => {
    for (let attempt = 1; ; attempt++) {
      const start = performance.now();
      const result = await runCell(cell, surroundings);
      if (attempt === MOST_ATTEMPTS || !stalls.anySince(start)) return onResult(result);
      repeated++;
    }
  };
  for (const cell of cells) {
    while (running.size >= mostAtOnce) await Promise.race(running);
    await idle();
    const one = runOne(cell).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  stalls.end();
  return repeated;
}

const MOST_ATTEMPTS = 3;
const STALL_MS = 1_000;

/** Notices if this process was stalled long enough for requests to time out without a fault. */
class Stalls {
  #last = performance.now();
  #latest = -Infinity;
  readonly #timer = setInterval(() => {
    const now = performance.now();
    if (now - this.#last > STALL_MS) this.#latest = now;
    this.#last = now;
  }, 50);

  anySince(start: number): boolean {
    return this.#latest >= start;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Waits until the process keeps up: requests must not time out because others keep it busy. */
async function idle(): Promise<void> {
  for (;;) {
    const start = performance.now();
    await sleep(1);
    if (performance.now() - start < 50) return;
  }
}

async function runCell(cell: Cell, surroundings: Surroundings): Promise<Result> {
  const {
    section: { prepared, credentials, normal },
  } = cell;
  try {
    const outcome = await run(prepared, credentials, cell, surroundings);
    const given = { prepared, credentials, hit: cell, normal, outcome };
    return { cell, class: classOf(given), problems: problemsOf(given) };
  } catch (error) {
    return { cell, class: "error", problems: [`It broke the test: ${(error as Error).stack}`] };
  }
}
