import { Engine, type EngineOptions } from "./engine";
import { inProcess } from "./hosts/host-in-process";
import { PluginInProcess, RunsInProcess } from "./hosts/plugin-in-process";

export type WayName = "the classes" | "the classes of /plugin" | "YAML";

export type Way = [name: WayName, start: (options?: EngineOptions) => Engine];

type StartHost = NonNullable<EngineOptions["startHost"]>;

/** For a test file: how each way in starts its hosts, in this process. */
export function hostsOfWays(): Record<WayName, StartHost> {
  const runs = new RunsInProcess();
  afterAll(() => runs.stop());
  const plugin =
    (listings: boolean): StartHost =>
    (engine, moment) =>
      PluginInProcess.start({ listings, engine, moment, runs });
  return { "the classes": inProcess, "the classes of /plugin": plugin(true), YAML: plugin(false) };
}

/** The ways in, for what must hold through each: they differ in what a program's resources bring along. */
export function ways(tenant: ConstructorParameters<typeof Engine>[0]): Way[] {
  return Object.entries(hostsOfWays()).map(([name, startHost]) => [
    name as WayName,
    (options) => new Engine(tenant, { startHost, ...options }),
  ]);
}
