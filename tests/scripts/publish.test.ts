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

const all = [asset("SHA256SUMS"), asset("a.tar.gz")];
const another = { digest: `sha256:${"0".repeat(64)}` };
const SIMULATOR = "npm view pulumi-identity-simulator@1.2.3 version";
const MAIN = "npm view pulumi-identity@1.2.3 version";
const refs = (name: string, sha: string) => ({
  [REFS]: JSON.stringify([{ ref: `refs/tags/${name}`, object: { sha } }]),
});
const TAG = `gh api --method POST repos/{owner}/{repo}/git/refs -f ref=refs/tags/sdk/go/v1.2.3 -f sha=${HEAD}`;
type Answers = Record<string, string | null>;

test.each<[what: string, step: string, answers: Answers, done: string[], said?: string]>([
  [
    "a draft is made with the changelog's notes and all files",
    "draft",
    releases(),
    [CREATE, "A change.", upload("SHA256SUMS", "a.tar.gz")],
  ],
  ["it gets a file that it lacks", "draft", drafted(asset("SHA256SUMS")), [upload("a.tar.gz")]],
  ...[{ state: "starter" }, another, { digest: null }].map((of): [string, string, Answers, string[]] => [
    `a file with ${JSON.stringify(of)} is replaced`,
    "draft",
    drafted(asset("SHA256SUMS", of), asset("a.tar.gz")),
    [upload("SHA256SUMS")],
  ]),
  ["a draft that has all stays", "draft", drafted(...all), [], "The draft of v1.2.3 has all files."],
  [
    "a published one keeps its files",
    "draft",
    published(asset("SHA256SUMS"), asset("a.tar.gz", another)),
    [],
    "v1.2.3 is published, and keeps its files.",
  ],
  [
    // Of a package that isn't there, and of a version that isn't.
    "npm's packages are published",
    "npm",
    { [SIMULATOR]: null, [MAIN]: "" },
    [`${PUBLISH} --workspace pulumi-identity-simulator`, PUBLISH],
  ],
  ["one that is there is left alone", "npm", { [SIMULATOR]: "1.2.3", [MAIN]: "" }, [PUBLISH]],
  ["both are left alone", "npm", { [SIMULATOR]: "1.2.3", [MAIN]: "1.2.3", [PUBLISH]: null }, []],
  ["Go's tag is made, whatever longer names are there", "go", refs("sdk/go/v1.2.30", "2"), [TAG]],
  ["it is left alone", "go", refs("sdk/go/v1.2.3", HEAD), [], "sdk/go/v1.2.3 is there."],
  ["the draft is published", "release", drafted(), ["gh release edit v1.2.3 --draft=false --latest"]],
  ["what is published stays", "release", published(), [], "v1.2.3 is published."],
])("%s", (_, step, answers, done, ...[said]) => {
  const result = publish([step, "v1.2.3", ...(step === "draft" ? ["archives"] : [])], answers);
  expect(result).toMatchObject({ status: 0, done, ...(said !== undefined && { said }) });
});

test.each<[step: string, answers: Answers, said: string]>([
  ["draft", published(asset("SHA256SUMS")), "v1.2.3 is published without a.tar.gz. Release another version."],
  ["draft", { [RELEASES]: null }, ""],
  ["npm", { [SIMULATOR]: "1.2.3", [MAIN]: "", [PUBLISH]: null }, `${PUBLISH} failed`],
  ["go", refs("sdk/go/v1.2.3", "2"), `The tag sdk/go/v1.2.3 is at 2, not at ${HEAD}.`],
  ["release", releases(), "v1.2.3 has no draft."],
])("%s fails with %j: %s", (step, answers, said) => {
  const result = publish([step, "v1.2.3", ...(step === "draft" ? ["archives"] : [])], answers);
  expect(result).toMatchObject({ status: 1, done: [] });
  expect(result.said.startsWith(said)).toBe(true);
});

test.each([[], ["draft", "v1.2.3"], ["toString", "v1.2.3"], ["npm"]])("%j is no step", (...args) => {
  expect(publish(args, {})).toMatchObject({
    status: 1,
    done: [],
    said: expect.stringMatching("^Usage") as unknown,
  });
});
