import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failedText, groups, made, previewText, step } from "../../testkit/cli/previews";
import { reviewCommand } from "../../cli/review/command";
import { runCommand } from "../../testkit/cli/in-process";
import { StandIn } from "../../testkit/code-host";
import { OTHER_BOT } from "../../testkit/code-host/repository";
import { useFolder } from "../../testkit/folder";

/* The command with a code host: its output, and its exit code. */

const steps = [step({ name: "a", after: groups("grp_a") })];
const grant = previewText(steps);
const failed = failedText(steps);
/** The engine's preview if nothing changes. */
const nothing = unchanged("same");
const noDrift = unchanged("refresh");
function unchanged(op: string): string {
  return previewText([{ op, urn: "urn:pulumi:prod::access::pulumi:pulumi:Stack::access-prod" }]);
}
const { fingerprint } = made(steps);
const COMMIT = "f".repeat(40);

let standIn: StandIn;
const folder = useFolder();
beforeEach(async () => {
  standIn = new StandIn();
  await standIn.open();
  standIn.repository.addChange(7);
});
afterEach(() => standIn.close());

function review(preview: string, env: Record<string, string>, ...args: string[]) {
  const file = join(folder, "preview.json");
  writeFileSync(file, preview);
  return run(env, [file, ...args]);
}
function run(env: Record<string, string>, args: readonly string[], cwd = folder) {
  const { PATH, TMPDIR } = process.env;
  return runCommand(reviewCommand(), ["--no-read", ...args], { env: { PATH, TMPDIR, ...env }, cwd });
}
type Result = Awaited<ReturnType<typeof review>>;

const comments = () => standIn.repository.changes[0]?.comments.map(({ body }) => body) ?? [];
const REVIEW = /^<!-- pulumi-identity review \S+ [0-9a-f]{32}(?: \w+=\S+)* -->\n(###|\*\*)/;

test("the comment and the summary are what is printed", async () => {
  const GITHUB_STEP_SUMMARY = join(folder, "summary.md");
  const result = await review(grant, { ...standIn.github({ number: 7 }), GITHUB_STEP_SUMMARY }, "--github");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(comments()).toEqual([result.stdout]);
  expect(readFileSync(GITHUB_STEP_SUMMARY, "utf8")).toBe(result.stdout);
});

test("a text is printed, and Markdown posted; what does not change is one line", async () => {
  const args = ["--gitlab", "--format", "text"];
  const { stdout } = await review(nothing, standIn.gitlab({ number: 7 }), ...args);
  expect(stdout).toMatch(/^Access review of /);
  expect(comments()).toHaveLength(1);
  expect(comments()[0]).toMatch(REVIEW);
  expect(
    comments()[0]
      ?.split("\n")
      .filter((line) => line !== ""),
  ).toHaveLength(3);
});

test("a summary has room for what a comment must leave out, and stays below 1 MiB", async () => {
  const GITHUB_STEP_SUMMARY = join(folder, "summary.md");
  const environment = { ...standIn.github({ number: 7 }), GITHUB_STEP_SUMMARY };
  const many = Array.from({ length: 5_000 }, (_, index) =>
    step({ name: `ä-${index}`, after: groups(`grp_${index}`) }),
  );
  expect((await review(previewText(many), environment, "--github")).code).toBe(0);
  expect(comments()[0]?.length).toBeLessThanOrEqual(60_000);
  expect(comments()[0]).toContain("more, which there is no room for");
  const summary = readFileSync(GITHUB_STEP_SUMMARY);
  expect(summary.length).toBeGreaterThan(3 * 60_000);
  expect(summary.length).toBeLessThan(1024 * 1024);
});

test.each<[string, number, string, string[], RegExp]>([
  ["a category that is there", 6, grant, ["--fail-on", "any"], /may not do this/],
  ["a failed preview", 4, failed, [], /may not do this/],
  ["no category", 6, grant, [], /may not do this/],
])(
  "a token that may only read, and %s: exit %d, and the review is printed",
  async (_, code, text, args, said) => {
    standIn.rights.write = false;
    const result = await review(text, standIn.github({ number: 7 }), "--github", ...args);
    expect(result.code).toBe(code);
    expect(result.stdout).toMatch(REVIEW);
    expect(result.stderr).toMatch(said);
    expect(result.stderr.trim().split("\n")).toHaveLength(1);
  },
);

test("what names no stack is printed and not posted: no later run would find it", async () => {
  const nameless = JSON.stringify({ diagnostics: [{ message: "error: no\n", severity: "error" }] });
  for (const [text, code] of [
    [nameless, 4],
    ['{"steps":[]}', 6],
  ] as const) {
    const result = await review(text, standIn.github({ number: 7 }), "--github");
    expect(result).toMatchObject({
      code,
      stderr: "The review was not posted: nothing names its stack. Add --stack NAME.\n",
    });
    expect(result.stdout).toContain("Access review");
  }
  expect(standIn.requests).toEqual([]);
});

test("without a pull request the review is printed, and the summary is there", async () => {
  const GITHUB_STEP_SUMMARY = join(folder, "summary.md");
  const result = await review(grant, { ...standIn.github({}), GITHUB_STEP_SUMMARY }, "--github");
  expect(result).toMatchObject({ code: 6, stderr: expect.stringContaining("for no pull request") as string });
  expect(readFileSync(GITHUB_STEP_SUMMARY, "utf8")).toBe(result.stdout);
});

test.each([
  [
    "--github",
    () => ({ ...standIn.github({}), GITHUB_EVENT_NAME: "merge_group" }),
    "a merge queue, and its changes were reviewed on their pull requests",
  ],
  [
    "--gitlab",
    () => ({ ...standIn.gitlab({ number: 7 }), CI_MERGE_REQUEST_EVENT_TYPE: "merge_train" }),
    "a merge train, and its changes were reviewed on their merge requests",
  ],
])("%s: a queue asks for the check only: nothing is read, and exit 0", async (host, environment, queue) => {
  const result = await review("no preview", environment(), host, "--fail-on", "any");
  expect(result).toEqual({ code: 0, stdout: "", stderr: `Nothing to do: this run is for ${queue}.\n` });
  expect(standIn.requests).toEqual([]);
});

test("a longer limit than the host's is capped, and it says so", async () => {
  const many = Array.from({ length: 2_000 }, (_, index) =>
    step({ name: `a-${index}`, after: groups(`grp_${index}`) }),
  );
  const args = ["--github", "--max-length", "100000"];
  const result = await review(previewText(many), standIn.github({ number: 7 }), ...args);
  expect(result).toMatchObject({
    code: 0,
    stderr: "A comment holds 65,536 characters at most, so --max-length is 65536.\n",
  });
  expect(comments()[0]!.length).toBeGreaterThan(60_000);
  expect(comments()[0]!.length).toBeLessThanOrEqual(65_536);
});

test("a review of a former bot: the comment and the output say that it is out of date, and link to it", async () => {
  const [change] = standIn.repository.changes;
  if (change === undefined) throw new Error("There is no change.");
  const old = (await review(nothing, standIn.github({ number: 7 }), "--github")).stdout;
  change.comments.splice(0);
  const { id } = standIn.repository.addComment(change, old, OTHER_BOT);
  const page = `https://github.example/example/access/issues#issuecomment-${id}`;
  const { code, stderr } = await review(grant, standIn.github({ number: 7 }), "--github");
  expect(code).toBe(0);
  expect(stderr).toBe(
    `The comment of renovate is out of date: ${page}. This run's comment says so. Delete the old one.\n`,
  );
  expect(change.comments[0]?.body).toBe(old);
  expect(change.comments[1]?.body.split("\n")[1]).toBe(
    `**⚠️ Out of date: [the review of \`renovate\`](${page}). This one replaces it.**`,
  );
});

test("a set of stacks that changes: the comment of the former one says so, and the new one links to it", async () => {
  const files = ["dev", "prod"].map((stack) => {
    const file = join(folder, `${stack}.json`);
    writeFileSync(file, grant.replaceAll(":prod::", `:${stack}::`));
    return file;
  });
  const reviewed = (named: string[]) => run(standIn.github({ number: 7 }), [...named, "--github"]);
  expect(await reviewed(files.slice(0, 1))).toMatchObject({ code: 0, stderr: "" });
  const { stdout, stderr } = await reviewed(files);
  const page = `https://github.example/example/access/issues#issuecomment-${standIn.repository.changes[0]?.comments[0]?.id}`;
  expect(stderr).toBe(
    `The comment on access/dev is out of date: ${page}. It says so now, and this run's comment takes its place.\n`,
  );
  expect(comments()[0]).not.toContain("grp_a");
  expect(comments()[1]).toContain(
    `\n**⚠️ Out of date: [the review of \`access/dev\`](${page}). This one replaces it.**\n`,
  );
  expect(comments()[1]).toContain(stdout.split("\n").slice(1).join("\n"));
});

test("SARIF of several stacks is one category, and none that another file of the job has", async () => {
  const categories = [];
  for (const args of [[], ["--drift"]]) {
    const input = args.length === 0 ? grant : noDrift;
    const { stdout } = await review(input, {}, "--format", "sarif", ...args);
    const { runs } = JSON.parse(stdout) as { runs: { automationDetails: { id: string } }[] };
    categories.push(runs[0]?.automationDetails.id);
  }
  expect(categories).toEqual(["pulumi-identity/review/access/prod/", "pulumi-identity/drift/access/prod/"]);
});

test("an apply is held to the comment, and changes nothing on the host", async () => {
  await review(grant, standIn.github({ number: 7 }), "--github");
  const [change] = standIn.repository.changes;
  if (change !== undefined) standIn.repository.merge(change, COMMIT);
  const before = comments();
  const apply = (input: string, ...args: string[]) =>
    review(input, standIn.github({ commit: COMMIT }), "--github", ...args);

  expect(await apply(grant, "--expect-reviewed")).toMatchObject({ code: 0, stderr: "" });
  const moved = await apply(nothing, "--expect-reviewed", "--fail-on", "any");
  expect(moved.code).toBe(5);
  expect(moved.stderr).toContain("in pull request #7: the fingerprint is ");
  expect(moved.stderr).toMatch(
    /Read the review of this run\. If it is what you want, run this again with --expect /,
  );
  expect((await apply(failed, "--expect-reviewed")).code).toBe(4);
  expect(await apply(grant, "--expect", fingerprint)).toMatchObject({ code: 0, stderr: "" });
  standIn.fail({ status: 401 });
  expect((await apply(grant, "--expect-reviewed")).code).toBe(6);
  expect(comments()).toEqual(before);
});

test("after a run the comment and the summary say how it ended", async () => {
  await review(grant, standIn.github({ number: 7 }), "--github");
  const [before = ""] = comments();
  const [change] = standIn.repository.changes;
  if (change !== undefined) standIn.repository.merge(change, COMMIT);
  const GITHUB_STEP_SUMMARY = join(folder, "summary.md");
  const environment = { ...standIn.github({ commit: COMMIT }), GITHUB_STEP_SUMMARY };
  const end = (input: string, outcome: string) =>
    review(input, environment, "--github", "--outcome", outcome);

  const failing = await end(grant, "failed");
  expect(failing).toMatchObject({ code: 0, stderr: "" });
  const left = failing.stdout.split("\n").slice(1).join("\n");
  const RUN = "[run 17](https://github.example/example/access/actions/runs/4711)";
  const said = `**❌ Applied in part, or not at all**, by ${RUN}. This is left to do, and the rest of what was reviewed stands:\n\n${left}`;
  expect(readFileSync(GITHUB_STEP_SUMMARY, "utf8")).toBe(said);
  expect(comments()[0]).toContain(said);
  expect(await end(nothing, "applied")).toMatchObject({ code: 0, stderr: "" });
  expect(comments()[0]).toBe(
    before.replace(
      "\n",
      () =>
        `\n<!-- pulumi-identity outcome applied -->\n**✅ Applied** by ${RUN}.\n\n---\n\n<!-- pulumi-identity end of outcome -->\n`,
    ),
  );
  expect(await end(failed, "failed")).toMatchObject({ code: 4 });
  expect(comments()[0]).toContain("What is left isn't known");
});

test("a refresh that failed leaves the issue as it is", async () => {
  const args = ["--gitlab", "--drift", "--issue", "Drift"];
  const drift = previewText([step({ name: "a", before: groups("grp_a"), after: groups("grp_b") })]);
  expect((await review(drift, standIn.gitlab({}), ...args)).code).toBe(0);
  expect(standIn.repository.issues).toMatchObject([{ title: "Drift", isOpen: true }]);
  expect((await review(failed, standIn.gitlab({}), ...args)).code).toBe(4);
  expect(standIn.repository.issues).toMatchObject([{ isOpen: true, comments: [] }]);
  expect((await review(noDrift, standIn.gitlab({}), ...args)).code).toBe(0);
  expect(standIn.repository.issues).toMatchObject([{ isOpen: false }]);
});

describe.each(["github", "gitlab"] as const)("%s: rules that change in the same pull request", (name) => {
  const [strict, lax] = ["allow:\n  rol_1: []\n", 'allow:\n  rol_1: "*"\n'];
  /** Reviews a change in a subfolder; `own`: its file, `base`: that of the branch. */
  async function judged(own: string | undefined, base: string | undefined): Promise<Result> {
    mkdirSync(join(folder, ".git"));
    mkdirSync(join(folder, "infra"));
    writeFileSync(join(folder, "infra/Pulumi.yaml"), "name: access\n");
    if (own !== undefined) writeFileSync(join(folder, "infra/rules.yaml"), own);
    if (base !== undefined) standIn.repository.files.set("main:infra/rules.yaml", base);
    const args = ["--rules", "rules.yaml", "--fail-on", "rules", `--${name}`, "--format", "text"];
    const preview = join(folder, "preview.json");
    writeFileSync(preview, grant);
    return run(standIn[name]({ number: 7 }), [preview, ...args], join(folder, "infra"));
  }
  const says = ({ stdout }: Result) => /\nRules:\n((?: {2}- .*\n)+)/.exec(stdout)?.[1]?.trimEnd().split("\n");
  const SHA = "\\(sha256 [0-9a-f]{16}\\)";
  const line = (text: string) => expect.stringMatching(new RegExp(`^ {2}- ${text}$`)) as string;

  test("one that allows what the branch forbids is judged by both, and the line says whose", async () => {
    const result = await judged(lax, strict);
    expect(result.code).toBe(3);
    expect(result.stdout).toContain("grp_a has rol_1, which main:rules.yaml:2 doesn't allow");
    expect(says(result)).toEqual([
      line(`Nothing breaks rules.yaml ${SHA}`),
      line("This change changes rules.yaml, so that of main judges it too"),
      line(`1 breach of main:rules.yaml ${SHA}`),
    ]);
  });

  test("one that forbids more counts, too; what both forbid is said once", async () => {
    expect((await judged(strict, lax)).code).toBe(3);
  });

  test("the same file judges once", async () => {
    const result = await judged(strict, strict);
    expect(result.code).toBe(3);
    expect(result.stdout.match(/doesn't allow/g)).toHaveLength(1);
    expect(says(result)).toEqual([line(`1 breach of rules.yaml ${SHA}`), line("main has the same file")]);
  });

  test("a byte order mark changes no rule", async () => {
    const result = await judged(`\ufeff${strict}`, strict);
    expect(result.code).toBe(3);
    expect(says(result)).toEqual([line(`1 breach of rules.yaml ${SHA}`), line("main has the same file")]);
  });

  test("a pass isn't like no rules at all", async () => {
    const result = await judged(lax, lax);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(says(result)?.[0]).toEqual(line(`Nothing breaks rules.yaml ${SHA}`));
  });

  test("one that the branch doesn't have is said", async () => {
    const result = await judged(lax, undefined);
    expect(result.code).toBe(0);
    expect(says(result)?.[1]).toEqual(line("main has no rules.yaml: only this change's own file judges it"));
  });

  test("one that the change removes still judges", async () => {
    const result = await judged(undefined, strict);
    expect(result.code).toBe(3);
    expect(says(result)?.[1]).toEqual(line("This change removes rules.yaml, which main has"));
  });

  test("one that is on neither side is an error", async () => {
    expect(await judged(undefined, undefined)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "rules.yaml could not be read (no such file).\n",
    });
  });

  test("what can't be read counts as broken", async () => {
    standIn.fail({ status: 401 });
    const result = await judged(lax, lax);
    expect(result.code).toBe(3);
    expect(result.stdout).toMatch(
      /\nNot reviewable:\n {2}- the rules of the base branch could not be read \(.*401/,
    );
  });

  test("what is no file of rules on the branch counts as broken", async () => {
    const result = await judged(lax, "allow: 1\n");
    expect(result.code).toBe(3);
    expect(result.stdout).toContain("the rules of main could not be read (main:rules.yaml:1: allow must map");
  });
});
