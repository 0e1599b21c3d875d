import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The environment of the shell that ran npx. npx puts the commands of the project's packages in front of the
 * `PATH`, our plugin among them, while `pulumi up` from the shell takes the plugin that the program names. A
 * folder with a `pulumi` of its own stays.
 */
export function shellEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (environment["npm_command"] !== "exec" || environment["PATH"] === undefined) return environment;
  const folders = environment["PATH"].split(delimiter);
  return { ...environment, PATH: folders.filter((folder) => !isOfNpm(folder)).join(delimiter) };
}

function isOfNpm(folder: string): boolean {
  const isBin = /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder);
  return isBin && !["pulumi", "pulumi.cmd"].some((name) => existsSync(join(folder, name)));
}
