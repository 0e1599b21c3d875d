import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(__dirname, "..");

/** The entries of the package, and what to load them costs beyond `@pulumi/pulumi`. */
export const ENTRIES = ["pulumi-identity", "pulumi-identity/runtime"] as const;

/** Milliseconds that a new process takes to load an entry when it has loaded the SDK already. */
export function loadMilliseconds(entry: (typeof ENTRIES)[number]): number {
  const script = `
    require("@pulumi/pulumi");
    const begin = performance.now();
    const entry = require(${JSON.stringify(entry)});
    // Exports are loaded when they are first named: the classes in a program, the handlers in the host.
    for (const name of ["ConnectionProfile", "RoleGroupAssignment", "DeviceCredentialRemoval", "connectionProfile"]) entry[name];
    console.log(performance.now() - begin);`;
  return Number(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
}
