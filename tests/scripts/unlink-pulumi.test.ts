import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { useFolder } from "../../testkit/folder";

const root = resolve(__dirname, "../..");
const clone = useFolder();

test("`npm start` runs the Pulumi CLI on the PATH: `npm ci` leaves no link to npm's", () => {
  const bin = join(clone, "node_modules", ".bin");
  for (const folder of ["scripts", "node_modules/.bin"]) mkdirSync(join(clone, folder), { recursive: true });
  for (const name of ["pulumi", "pulumi.cmd", "tsx"]) writeFileSync(join(bin, name), "");
  const script = join(clone, "scripts", "unlink-pulumi.mjs");
  copyFileSync(join(root, "scripts", "unlink-pulumi.mjs"), script);
  execFileSync(process.execPath, [script]);
  expect(readdirSync(bin)).toEqual(["tsx"]);
});
