import { Engine, type EngineOptions } from "./engine";
import { inProcess } from "./hosts/host-in-process";
import { PluginInProcess } from "./hosts/plugin-in-process";

export type WayName = "the classes" | "the classes of /plugin" | "YAML";

export type Way = [name: WayName, start: (options?: EngineOptions) => Engine];

/** The ways in, for what must hold through each: they differ in what a program's resources bring along. */
export function ways(tenant: ConstructorParameters<typeof Engine>[0]): Way[] {
  const by = (startHost: NonNullable<EngineOptions["startHost"]>) => (options?: EngineOptions) =>
    new Engine(tenant, { startHost, ...options });
  return [
    ["the classes", by(inProcess)],
    ["the classes of /plugin", by((_, moment) => PluginInProcess.start({ listings: true, moment }))],
    ["YAML", by((_, moment) => PluginInProcess.start({ moment }))],
  ];
}
