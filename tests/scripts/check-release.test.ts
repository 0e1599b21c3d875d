import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { useFolder } from "../../testkit/folder";

const root = resolve(__dirname, "../..");

describe("a release is checked", () => {
  const sources = useFolder();
  beforeEach(() => {
    mkdirSync(join(sources, "simulator"));
    mkdirSync(join(sources, ".ci"));
    cpSync(join(root, ".ci/check-release.mjs"), join(sources, ".ci/check-release.mjs"));
    for (const folder of [".", "simulator"])
      writeFileSync(join(sources, folder, "package.json"), JSON.stringify({ version: "1.2.3" }));
    writeFileSync(join(sources, "CHANGELOG.md"), "# Changelog\n\n## [1.2.3]\n");
  });

  function check(tag: string): { status: number | null; stderr: string } {
    const { status, stderr } = spawnSync(process.execPath, [join(sources, ".ci/check-release.mjs"), tag], {
      encoding: "utf8",
    });
    return { status, stderr };
  }

  test("and passes with its tag and changelog", () => {
    expect(check("v1.2.3")).toEqual({ status: 0, stderr: "" });
  });

  test.each(["1.2.3", "v1.2.4", "v1.2.3-rc", ""])("against the tag %j", (tag) => {
    expect(check(tag)).toEqual({
      status: 1,
      stderr: `The tag ${JSON.stringify(tag)} is not v1.2.3, the version in package.json.\n`,
    });
  });

  test("against the version of the simulator", () => {
    writeFileSync(join(sources, "simulator/package.json"), JSON.stringify({ version: "1.2.2" }));
    expect(check("v1.2.3")).toEqual({
      status: 1,
      stderr: "simulator/package.json has the version 1.2.2, and package.json 1.2.3.\n",
    });
  });

  test("against the changelog", () => {
    writeFileSync(join(sources, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n");
    expect(check("v1.2.3")).toEqual({ status: 1, stderr: 'CHANGELOG.md has no section "## [1.2.3]".\n' });
  });
});
