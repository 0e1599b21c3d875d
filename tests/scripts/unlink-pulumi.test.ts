import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

test("`npm start` runs the Pulumi CLI on the PATH: `npm ci` leaves no link to npm's", () => {
  const clone = mkdtempSync(join(tmpdir(), "pulumi-identity-clone-"));
  try {
    const bin = join(clone, "node_modules", ".bin");
    for (const folder of ["scripts", "node_modules/.bin"])
      mkdirSync(join(clone, folder), { recursive: true });
    for (const name of ["pulumi", "pulumi.cmd", "tsx"]) writeFileSync(join(bin, name), "");
    const script = join(clone, "scripts", "unlink-pulumi.mjs");
    copyFileSync(join(root, "scripts", "unlink-pulumi.mjs"), script);
    execFileSync(process.execPath, [script]);
    expect(readdirSync(bin)).toEqual(["tsx"]);
  } finally {
    rmSync(clone, { recursive: true });
  }
});
