import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { useFolder } from "../../testkit/folder";

const root = resolve(__dirname, "../..");
const clone = useFolder();

test("the build links commands that npm couldn't link when it installed, as they weren't built", () => {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  };
  const bin = "./dist/main.js";
  const packages = {
    ".": {
      name: "pulumi-identity",
      bin: { "pulumi-identity": bin, "pulumi-resource-identity": bin },
      workspaces: ["simulator"],
      devDependencies: { "pulumi-identity": "file:." },
    },
    simulator: { name: "pulumi-identity-simulator", bin: { "pulumi-identity-simulator": bin } },
  };
  for (const [folder, of] of Object.entries(packages))
    write(join(folder, "package.json"), JSON.stringify({ version: "1.0.0", ...of }));
  mkdirSync(join(clone, "scripts"));
  for (const name of ["link-commands.mjs", "process.mjs"])
    copyFileSync(join(root, "scripts", name), join(clone, "scripts", name));
  const shell = process.platform === "win32";
  execFileSync("npm", ["install", "--offline", "--no-audit"], { cwd: clone, stdio: "ignore", shell });
  for (const folder of Object.keys(packages)) write(join(folder, "dist/main.js"), "");

  execFileSync(process.execPath, [join(clone, "scripts/link-commands.mjs")], { stdio: "ignore" });

  expect(readdirSync(join(clone, "node_modules/.bin")).sort()).toEqual([
    "pulumi-identity",
    "pulumi-identity-simulator",
    "pulumi-resource-identity",
  ]);
});
