import { Run, type RunOptions } from "../run";
import { HostsFile } from "../hosts-file";
import { EXPLICIT_PROVIDER_KEY, readProviderSettings, readSettings, tenantOf } from "../settings";
import { misspeltSettings, unknownSettings, wrongVariables } from "../settings-table";
import { type Door, type HostConfig } from "./door";
import { outliveOutput } from "./end-of-run";
import { restraintsInFiles } from "./stack-files";

/** Returns the run of the tenant that a kind is configured for. */
export function runOf(config: HostConfig | undefined, door: Door): Run {
  const { engine, runs, write, whenCancelled, folder } = door;
  const provider = config?.get(EXPLICIT_PROVIDER_KEY);
  const get = (setting: string) => config?.get(`identity:${setting}`);
  const { settings, source } =
    provider === undefined
      ? { settings: readSettings(get, process.env), source: { from: "stack" } as const }
      : readProviderSettings(provider, get, process.env);
  const { rawConfig = {}, projectName } = config ?? {};
  const unknown = unknownIn(source.from === "stack" ? config : undefined);
  const key = JSON.stringify([source, settings, engine, unknown]);
  const known = runs.get(key);
  if (known !== undefined) return known;
  const run = new Run(settings, source, {
    configured: configuredTenant(config),
    file: engine === undefined ? undefined : new HostsFile(engine),
    ...(write !== undefined && { write }),
    isCurrent: config?.isCurrent === true,
    ...(source.from === "stack" && lookingIn(folder, { rawConfig, projectName })),
    unknown,
  });
  if (runs.size === 0) outliveOutput();
  runs.set(key, run);
  whenCancelled((reason) => run.cancel(reason));
  return run;
}

function unknownIn({ rawConfig = {}, todaysKeys = [], projectName }: Partial<HostConfig> = {}) {
  return {
    keys: unknownSettings(Object.keys(rawConfig), projectName),
    todays: misspeltSettings(todaysKeys, projectName),
    variables: wrongVariables(process.env),
  };
}

/** Where the program's folder may show today's settings. */
function lookingIn(
  folder: string | undefined,
  { rawConfig = {}, projectName }: Pick<HostConfig, "rawConfig" | "projectName">,
): Pick<RunOptions, "today"> {
  if (folder === undefined) return {};
  const project = process.env["PULUMI_PROJECT"] ?? projectName;
  const keys = Object.keys(rawConfig);
  return { today: (stack) => restraintsInFiles({ folder, project, stack, keys }) };
}

function configuredTenant(config: HostConfig | undefined): string | undefined {
  const domain = config?.get("identity:domain");
  return domain === undefined ? undefined : tenantOf({ domain });
}
