// npm's `dependencies`, after each `npm ci` in a clone, which nobody who installs the package is asked to
// allow: removes the link to the npm package `pulumi`, of which only scripts/pulumi-cli makes use. npm puts
// such links in front of the PATH, so `npm start` in an example and `npx` would run that package's version,
// and download it first, in place of the Pulumi CLI that is installed.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules", ".bin");
for (const name of ["pulumi", "pulumi.cmd", "pulumi.ps1"]) rmSync(join(bin, name), { force: true });
