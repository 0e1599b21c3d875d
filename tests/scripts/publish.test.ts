import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { useFolder } from "../../testkit/folder";

/* .ci/publish.mjs, with commands that answer from a table and record what else they are asked. */

const root = resolve(__dirname, "../..");
const folder = useFolder();
const HEAD = "1111111111111111111111111111111111111111";
const RELEASES = "gh api repos/{owner}/{repo}/releases?per_page=100";
const REFS = "gh api repos/{owner}/{repo}/git/matching-refs/tags/sdk/go/v1.2.3";
const CREATE = "gh release create v1.2.3 --draft --verify-tag --title v1.2.3 --notes-file -";
const PUBLISH = "npm publish --ignore-scripts --provenance --access public";
const files = { "a.tar.gz": "first", SHA256SUMS: "sums" };
const path = (name: string) => join(folder, "archives", name);

beforeEach(() => {
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "archives"));
  mkdirSync(join(folder, "simulator"));
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text);
  cpSync(join(root, ".ci/publish.mjs"), join(folder, ".ci/publish.mjs"));
  for (const [file, name] of [
    ["package.json", "pulumi-identity"],
    ["simulator/package.json", "pulumi-identity-simulator"],
  ] as const)
    writeFileSync(join(folder, file), JSON.stringify({ name, version: "1.2.3" }));
  writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## [1.2.3]\n\nA change.\n\n## [1.2.2]\n");
  for (const name of ["gh", "git", "npm"]) {
    writeFileSync(
      join(folder, "bin", name),
      `#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
const command = ["${name}", ...process.argv.slice(2)].join(" ");
const answers = JSON.parse(readFileSync("answers.json", "utf8"));
if (command in answers) {
  if (answers[command] === null) process.exit(1);
  console.log(answers[command]);
} else appendFileSync("log", (command + "\\n" + readFileSync(0, "utf8")).trim() + "\\n");
`,
    );
    chmodSync(join(folder, "bin", name), 0o755);
  }
});

/** `answers`: what a command prints, null if it fails. Other commands are recorded. */
function publish(args: string[], answers: Record<string, string | null>) {
  writeFileSync(join(folder, "answers.json"), JSON.stringify({ "git rev-parse HEAD": HEAD, ...answers }));
  const { status, stdout, stderr } = spawnSync(process.execPath, [".ci/publish.mjs", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: join(folder, "bin") },
  });
  const log = join(folder, "log");
  const done = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  return { status, done, said: status === 0 ? stdout.trim() : stderr.trim() };
}

const asset = (name: keyof typeof files, of: object = {}) => ({
  name,
  state: "uploaded",
  digest: `sha256:${createHash("sha256").update(files[name]).digest("hex")}`,
  ...of,
});
const releases = (...of: object[]) => ({
  [RELEASES]: JSON.stringify([...of, { tag_name: "v1.2.2", draft: false, assets: [] }]),
});
const drafted = (...assets: object[]) => releases({ tag_name: "v1.2.3", draft: true, assets });
const published = (...assets: object[]) => releases({ tag_name: "v1.2.3", draft: false, assets });
const upload = (...names: string[]) => `gh release upload v1.2.3 --clobber ${names.map(path).join(" ")}`;

describe("a draft", () => {
  const draft = (answers: Record<string, string | null>) => publish(["draft", "v1.2.3", "archives"], answers);

  test("is made with the changelog's notes and all files", () => {
    const { status, done } = draft(releases());
    expect({ status, done }).toEqual({
      status: 0,
      done: [CREATE, "A change.", upload("SHA256SUMS", "a.tar.gz")],
    });
  });

  test("gets the files that it lacks, that broke off or that were built again", () => {
    expect(draft(drafted(asset("SHA256SUMS"))).done).toEqual([upload("a.tar.gz")]);
  });

  test.each([{ state: "starter" }, { digest: `sha256:${"0".repeat(64)}` }, { digest: null }])(
    "replaces a file with %j",
    (of) => {
      expect(draft(drafted(asset("SHA256SUMS", of), asset("a.tar.gz"))).done).toEqual([upload("SHA256SUMS")]);
    },
  );

  test("stays as it is when it has all", () => {
    const { done, said } = draft(drafted(asset("SHA256SUMS"), asset("a.tar.gz")));
    expect({ done, said }).toEqual({ done: [], said: "The draft of v1.2.3 has all files." });
  });

  test("is none once it is published: it keeps its files, or lacks some for good", () => {
    const again = { digest: `sha256:${"0".repeat(64)}` };
    expect(draft(published(asset("SHA256SUMS"), asset("a.tar.gz", again)))).toEqual({
      status: 0,
      done: [],
      said: "v1.2.3 is published, and keeps its files.",
    });
    expect(draft(published(asset("SHA256SUMS")))).toEqual({
      status: 1,
      done: [],
      said: "v1.2.3 is published without a.tar.gz. Release another version.",
    });
  });

  test("isn't made when GitHub doesn't answer", () => {
    expect(draft({ [RELEASES]: null })).toMatchObject({ status: 1, done: [] });
  });
});

describe("npm's packages", () => {
  const SIMULATOR = "npm view pulumi-identity-simulator@1.2.3 version";
  const MAIN = "npm view pulumi-identity@1.2.3 version";
  const npm = (answers: Record<string, string | null>) => publish(["npm", "v1.2.3"], answers);

  test("are published", () => {
    // Of a package that isn't there, and of a version that isn't.
    expect(npm({ [SIMULATOR]: null, [MAIN]: "" }).done).toEqual([
      `${PUBLISH} --workspace pulumi-identity-simulator`,
      PUBLISH,
    ]);
  });

  test("are left alone when they are there", () => {
    expect(npm({ [SIMULATOR]: "1.2.3", [MAIN]: "" }).done).toEqual([PUBLISH]);
    expect(npm({ [SIMULATOR]: "1.2.3", [MAIN]: "1.2.3", [PUBLISH]: null }).status).toBe(0);
  });

  test("fail aloud", () => {
    expect(npm({ [SIMULATOR]: "1.2.3", [MAIN]: "", [PUBLISH]: null })).toMatchObject({
      status: 1,
      said: expect.stringMatching(`^${PUBLISH} failed`) as unknown,
    });
  });
});

describe("Go's tag", () => {
  const go = (refs: object[]) => publish(["go", "v1.2.3"], { [REFS]: JSON.stringify(refs) });
  const ref = (name: string, sha: string) => ({ ref: `refs/tags/${name}`, object: { sha } });

  test("is made, whatever longer names are there", () => {
    expect(go([ref("sdk/go/v1.2.30", "2")]).done).toEqual([
      `gh api --method POST repos/{owner}/{repo}/git/refs -f ref=refs/tags/sdk/go/v1.2.3 -f sha=${HEAD}`,
    ]);
  });

  test("is left alone, and refused at another commit", () => {
    expect(go([ref("sdk/go/v1.2.3", HEAD)])).toEqual({
      status: 0,
      done: [],
      said: "sdk/go/v1.2.3 is there.",
    });
    expect(go([ref("sdk/go/v1.2.3", "2")])).toMatchObject({
      status: 1,
      done: [],
      said: expect.stringMatching(`^The tag sdk/go/v1.2.3 is at 2, not at ${HEAD}\\.`) as unknown,
    });
  });
});

test("the release is published once", () => {
  const release = (answers: Record<string, string | null>) => publish(["release", "v1.2.3"], answers);
  expect(release(releases())).toEqual({ status: 1, done: [], said: "v1.2.3 has no draft." });
  expect(release(published())).toEqual({ status: 0, done: [], said: "v1.2.3 is published." });
  expect(release(drafted()).done).toEqual(["gh release edit v1.2.3 --draft=false --latest"]);
});

test.each([[], ["draft", "v1.2.3"], ["toString", "v1.2.3"], ["npm"]])("%j is no step", (...args) => {
  expect(publish(args, {})).toMatchObject({
    status: 1,
    done: [],
    said: expect.stringMatching("^Usage") as unknown,
  });
});
