import { PluginHost } from "./hosts/plugin-host";
import { Engine, type EngineOptions } from "./engine";
import { inProcess } from "./hosts/host-in-process";

export type Way = [name: string, start: (options?: EngineOptions) => Engine];

/** The ways in, for what must hold through each: they differ in what a program's resources bring along. */
export function ways(tenant: ConstructorParameters<typeof Engine>[0]): Way[] {
  const by = (startHost: NonNullable<EngineOptions["startHost"]>) => (options?: EngineOptions) =>
    new Engine(tenant, { startHost, ...options });
  return [
    ["the classes", by(inProcess)],
    ["the classes of /plugin", by(() => PluginHost.start({ listings: true }))],
    ["YAML", by(() => PluginHost.start())],
  ];
}
