import type * as pulumi from "@pulumi/pulumi";
import { Run } from "../run";
import { HostsFile } from "../hosts-file";
import {
  environmentOfProviders,
  EXPLICIT_PROVIDER_KEY,
  readSettings,
  type SettingsSource,
  tenantOf,
} from "../settings";
import { misspeltVariables, unknownSettings } from "../settings-table";
import { outliveOutput, whenCancelled } from "./end-of-run";
import { keepWebAssemblyPlain } from "./plain-web-assembly";

/** Where the engine listens that has started this process as a provider host, e.g. `127.0.0.1:43117`. */
export function engineOfHost(): string | undefined {
  const [, script = "", address] = process.argv;
  return /dynamic-provider/.test(script) ? address : undefined;
}

/** All kinds of one host process share the run of each tenant that they are configured for. */
const runs = new Map<string, Run>();

/** Members of the SDK's configuration that it does not promise: without them, unknown keys go unnoticed. */
interface WholeConfig {
  rawConfig?: Record<string, unknown>;
  projectName?: string;
}

/** The run of the tenant that a kind is configured for. `engine`: the address of the engine. */
export function runOf(config: pulumi.dynamic.Config | undefined, engine: string | undefined): Run {
  const provider = config?.get(EXPLICIT_PROVIDER_KEY);
  const source: SettingsSource =
    provider === undefined ? { kind: "stack" } : { kind: "provider", name: provider };
  // A Provider takes exactly what it is given, but for what holds a run to its review.
  const environment = source.kind === "provider" ? environmentOfProviders(process.env) : process.env;
  const settings = readSettings((setting) => config?.get(`identity:${setting}`), environment);
  const { rawConfig = {}, projectName } = (config ?? {}) as WholeConfig;
  const keys = source.kind === "stack" ? unknownSettings(Object.keys(rawConfig), projectName) : [];
  const variables = misspeltVariables(process.env);
  const key = JSON.stringify([source, settings, engine, keys, variables]);
  const known = runs.get(key);
  if (known !== undefined) return known;
  const configured = config?.get("identity:domain");
  const run = new Run(settings, source, {
    configured: configured === undefined ? undefined : tenantOf({ domain: configured }),
    file: engine === undefined ? undefined : new HostsFile(engine),
    unknown: { keys, variables },
  });
  if (runs.size === 0) {
    outliveOutput();
    keepWebAssemblyPlain();
  }
  runs.set(key, run);
  whenCancelled((reason) => run.cancel(reason));
  return run;
}
