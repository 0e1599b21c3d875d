import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useFolder } from "../../../testkit/folder";
import { reported } from "./set-up";

/* The versions beside a program: of Node.js and the Pulumi CLI on the PATH, and of npm's packages. */

const parent = useFolder();

interface Case {
  runtime?: string;
  /** Scripts of `sh`, by name; none: there is no such command. */
  commands?: Record<string, string>;
  /** Manifests by package. */
  packages?: Record<string, object>;
}

/** Of the doctor's report: the findings with this id. */
async function found(finding: string, { runtime = "nodejs", commands = {}, packages = {} }: Case) {
  // What isn't found is remembered by its path.
  const folder = mkdtempSync(join(parent, "program-"));
  writeFileSync(join(folder, "Pulumi.yaml"), `name: test\nruntime: ${runtime}\n`);
  for (const [name, script] of Object.entries(commands))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const [name, manifest] of Object.entries(packages)) {
    const at = join(folder, "node_modules", name);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), JSON.stringify(manifest));
  }
  const { findings } = await reported(folder, { PATH: folder, PULUMI_HOME: folder }, ["--no-read"]);
  return findings.filter(({ id }) => id === finding).map(({ status, says }) => `${status}: ${says}`);
}

test.each([
  ["echo v22.11.0", "ok: Node.js 22.11.0; supported: >=20.19"],
  ["echo v20.19.0", "ok: Node.js 20.19.0; supported: >=20.19"],
  ["echo v20.18.9", "error: Node.js 20.18.9; supported: >=20.19"],
  ["echo none", "ok: Node.js none; supported: >=20.19"],
  ["exit 3", "error: the `node` on the PATH can't be started"],
  [undefined, "error: there is no `node` on the PATH, and the program runs on it"],
])("what counts is the `node` that Pulumi finds: %j", async (node, expected) => {
  expect(await found("program.node", { commands: node === undefined ? {} : { node } })).toEqual([expected]);
});

test.each([
  ["v3.199.9", "warning"],
  ["v3.200.0", "ok"],
])("Pulumi CLI %s: %s", async (version, status) => {
  const [said] = await found("program.pulumi", { commands: { pulumi: `echo ${version}` } });
  expect(said).toBe(`${status}: Pulumi CLI ${version.slice(1)}; supported: >=3.200.0`);
});

test.each([
  ["3.215.9", "warning"],
  ["3.216.1-alpha.5+build", "ok"],
  ["4.0.0", "warning"],
])("Pulumi's SDK %s: %s", async (version, status) => {
  const [said] = await found("program.sdk", { packages: { "@pulumi/pulumi": { version } } });
  expect(said).toBe(`${status}: @pulumi/pulumi ${version}; supported: ^3.216.0`);
});

test.each([
  [">=999", "warning: @pulumi/pulumi 3.230.0 wants Node.js >=999, and this is "],
  [">=18 <21", "ok: "],
])("an SDK that wants Node.js %s", async (node, says) => {
  const packages = { "@pulumi/pulumi": { version: "3.230.0", engines: { node } } };
  expect(await found("program.sdk", { packages })).toEqual([expect.stringContaining(says)]);
});

test.each([
  ["nodejs", "7.0.2", ["error: typescript 7.0.2 stops every program before its first line"]],
  ["nodejs", "6.0.0", []],
  ["yaml", "7.0.2", []],
])("a program in %s beside TypeScript %s: %j", async (runtime, version, says) => {
  expect(await found("program.typescript", { runtime, packages: { typescript: { version } } })).toEqual(says);
});

test("the supported ranges are those of the package", async () => {
  const { engines, peerDependencies } = JSON.parse(
    readFileSync(join(__dirname, "../../../package.json"), "utf8"),
  ) as { engines: { node: string }; peerDependencies: Record<string, string> };
  const [ofNode] = await found("program.node", { commands: { node: "echo v24.0.0" } });
  expect(ofNode).toContain(`supported: ${engines.node}`);
  const [ofSdk] = await found("program.sdk", { packages: { "@pulumi/pulumi": { version: "3.230.0" } } });
  expect(ofSdk).toContain(`supported: ${peerDependencies["@pulumi/pulumi"]}`);
});
