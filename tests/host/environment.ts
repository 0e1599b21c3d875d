import { type EngineOptions } from "../../testkit/engine";

type StartHost = NonNullable<EngineOptions["startHost"]>;

let names: readonly string[] = [];

/**
 * Starts hosts of this process as if the engine had given them these variables. They stay until the next such
 * host starts, or the test ends, so a run without variables takes `within({}, …)`.
 */
export function within(env: Readonly<Record<string, string>>, startHost: StartHost): StartHost {
  return (...given) => {
    withVariables(env);
    return startHost(...given);
  };
}

export function withVariables(env: Readonly<Record<string, string>>): void {
  withoutVariables();
  Object.assign(process.env, env);
  names = Object.keys(env);
}

export function withoutVariables(): void {
  for (const name of names) delete process.env[name];
  names = [];
}
