import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { PACKAGE_VERSION } from "../../provider/http/package-version";

const PLUGIN = resolve(__dirname, "../../dist/provider/plugin.js");
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PLUGIN, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
};

test("a person who starts the plugin gets a sentence, and it ends", () => {
  const help = run("--help");
  expect(help).toMatchObject({ status: 0, stderr: "" });
  expect(help.stdout).toMatch(/^pulumi-resource-identity is the plugin of pulumi-identity: Pulumi starts it/);
  expect(run()).toEqual({ ...help, status: 2 });
  expect(run("--version")).toEqual({ status: 0, stdout: `${PACKAGE_VERSION}\n`, stderr: "" });
});
