import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(__dirname, "..");

/** The package's entries, measured on top of `@pulumi/pulumi`. */
export const ENTRIES = ["pulumi-identity", "pulumi-identity/runtime"] as const;

/** Milliseconds to load an entry in a new process that has already loaded the SDK. */
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
