import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInRange, nodeFinding, SUPPORTED, typescriptFindings } from "../../../cli/doctor/program";
import { useFolder } from "../../../testkit/folder";

const folder = useFolder();

test.each([
  ["20.19.0", ">=20.19", true],
  ["v20.18.9", ">=20.19", false],
  ["3.215.9", "^3.216.0", false],
  ["3.216.1-alpha.5+build", "^3.216.0", true],
  ["4.0.0", "^3.216.0", false],
  ["20.0.0", ">=20", true],
  ["none", ">=20", undefined],
  ["20.0.0", ">=18 <21", undefined],
])("%s in %s: %s", (version, range, expected) => {
  expect(isInRange(version, range)).toBe(expected);
});

test.each([
  ["nodejs", "7.0.2", ["typescript 7.0.2 stops every program before its first line"]],
  ["nodejs", "6.0.0", []],
  ["yaml", "7.0.2", []],
])("a program in %s beside TypeScript %s: %j", async (runtime, version, says) => {
  const file = join(folder, "Pulumi.yaml");
  writeFileSync(file, `name: test\nruntime: ${runtime}\n`);
  mkdirSync(join(folder, "node_modules/typescript"), { recursive: true });
  writeFileSync(join(folder, "node_modules/typescript/package.json"), JSON.stringify({ version }));

  const findings = await typescriptFindings({ file, folder, name: "test" });

  expect(findings.map((finding) => finding.says)).toEqual(says);
});

test.each([
  ["echo v22.11.0", "ok: Node.js 22.11.0; supported: >=20.19"],
  ["echo v18.20.8", "error: Node.js 18.20.8; supported: >=20.19"],
  ["exit 3", "error: the `node` on the PATH can't be started"],
  [undefined, "error: there is no `node` on the PATH, and the program runs on it"],
])("what counts is the `node` that Pulumi finds: %j", async (script, expected) => {
  if (script !== undefined) {
    writeFileSync(join(folder, "node"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "node"), 0o755);
  }

  const { status, says } = await nodeFinding({ PATH: folder }, "the program runs on it");

  expect(`${status}: ${says}`).toBe(expected);
});

test("the supported ranges are those of the package and of its tests", () => {
  const read = (path: string) => readFileSync(join(__dirname, "../../..", path), "utf8");
  const manifest = JSON.parse(read("package.json")) as {
    engines: { node: string };
    peerDependencies: Record<string, string>;
  };
  expect(SUPPORTED).toMatchObject({
    node: manifest.engines.node,
    sdk: manifest.peerDependencies["@pulumi/pulumi"],
  });
});
