import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pluginFindings } from "../../../cli/doctor/plugin";
import { useFolder } from "../../../testkit/folder";

/* The plugin entry of a project, in each way that people write it. */

const folder = useFolder();
beforeEach(() => {
  for (const bin of ["my modules/.bin", "node_modules/.bin"]) {
    mkdirSync(join(folder, bin), { recursive: true });
    writeFileSync(join(folder, bin, "pulumi-resource-identity"), "");
  }
});

async function found(text: string, name = "Pulumi.yaml", env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const findings = await pluginFindings({ file, folder, name: "test" }, env);
  return findings.map(({ status, says }) => `${status}: ${says}`);
}

const MISSING = "error: Pulumi.yaml has no plugin entry for identity";
const entry = (path: string) => `plugins: {providers: [{name: identity, path: ${path}}]}`;

test.each([
  ["runtime: yaml", [MISSING]],
  ["runtime: python", [MISSING]],
  ["runtime: {name: go}", [MISSING]],
  ["runtime: dotnet", [MISSING]],
  ["runtime: java", [MISSING]],
  ["runtime: {options: {compiler: cue}, name: yaml}", [MISSING]],
  ["runtime: yaml\nplugins:\n  analyzers:\n    - {name: identity, path: node_modules/.bin}", [MISSING]],
  ["runtime: yaml # nodejs\n# plugins: {providers: [{name: identity}]}", [MISSING]],
  ["runtime: nodejs", []],
  ["runtime: {name: nodejs, options: {typescript: true}}", []],
  ["description: 'a: b, runtime: yaml'\nruntime: nodejs", []],
  [`runtime: yaml\n${entry('"my modules/.bin"')}`, ["ok: pulumi-resource-identity in my modules/.bin"]],
  ["runtime: yaml\nplugins:\n- x\n", ["error: Pulumi.yaml can't be read as a project"]],
  ["runtime: 'yaml", ["error: Pulumi.yaml can't be read as a project"]],
])("%j: %j", async (text, says) => {
  expect(await found(text)).toEqual(says);
});

test("without an entry, Pulumi uses a plugin on the PATH", async () => {
  expect(await found("runtime: yaml", "Pulumi.yaml", { PATH: join(folder, "node_modules/.bin") })).toEqual([
    `warning: Pulumi.yaml has no plugin entry for identity; Pulumi uses that of the PATH`,
  ]);
});

test("Pulumi.json, indented by tabs", async () => {
  const text = JSON.stringify(
    { runtime: "python", plugins: { providers: [{ name: "identity", path: "node_modules/.bin" }] } },
    null,
    "\t",
  );
  expect(await found(text, "Pulumi.json")).toEqual(["ok: pulumi-resource-identity in node_modules/.bin"]);
});
