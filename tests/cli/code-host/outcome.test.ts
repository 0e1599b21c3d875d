import { MERGE, useMergedChange } from "../../../testkit/code-host/merged-change";
import {
  HOSTS,
  markerText,
  Poster,
  type ReviewMarker,
  type RunOutcome,
} from "../../../testkit/code-host/posting";
import { MEMBER, OTHER_BOT } from "../../../testkit/code-host/repository";

const here = useMergedChange();

const REVIEWED: ReviewMarker = { key: "access%2Fprod", fingerprint: "1".repeat(32) };
const MARKER = markerText(REVIEWED, "review");
const REVIEW = "### The review\n\n- a row\n";

describe.each(HOSTS)("%s", (name) => {
  const RUN =
    name === "github"
      ? "[run 17](https://github.example/example/access/actions/runs/4711)"
      : "[job 4711](https://gitlab.example/example/access/-/jobs/4711)";

  const poster = (commit = MERGE) => new Poster(name, here.standIn[name]({ commit }));
  const end = (outcome: RunOutcome, left?: string | null, commit?: string) =>
    poster(commit).outcome(REVIEWED, outcome, left);
  const comment = () => here.change.comments.at(-1)?.body ?? "";
  const written = (outcome: RunOutcome, text: string) =>
    `${MARKER}\n<!-- pulumi-identity outcome ${outcome} -->\n${text}\n---\n\n<!-- pulumi-identity end of outcome -->\n${REVIEW}`;

  test("the comment says how each run ended, the last one only, and still counts as the review", async () => {
    here.standIn.repository.addComment(here.change, "thanks", MEMBER);
    here.standIn.repository.addComment(here.change, `${MARKER}\n${REVIEW}`);
    expect(await end("refused", "- all\n")).toBeUndefined();
    expect(comment()).toBe(
      written(
        "refused",
        `**❌ Not applied**: ${RUN} refused it, and its log says why. It would do this now:\n\n- all\n`,
      ),
    );
    await end("failed", "- half\n");
    expect(comment()).toBe(
      written(
        "failed",
        `**❌ Applied in part, or not at all**, by ${RUN}. This is left to do, and the rest of what was reviewed stands:\n\n- half\n`,
      ),
    );
    await end("applied");
    expect(comment()).toBe(written("applied", `**✅ Applied** by ${RUN}.\n`));
    expect(await poster().difference(REVIEWED)).toBeUndefined();
    expect(here.change.comments).toHaveLength(2);
  });

  test.each<[RunOutcome, string | null, string]>([
    ["failed", "", `**❌ Applied in part, or not at all**, by ${"RUN"}. Nothing is left to do.\n`],
    [
      "failed",
      null,
      `**❌ Applied in part, or not at all**, by ${"RUN"}. What is left isn't known: the preview after it failed.\n`,
    ],
    [
      "applied",
      "- more\n",
      `**✅ Applied** by ${"RUN"}. A preview after it would still do this:\n\n- more\n`,
    ],
  ])("%s, with %j left", async (outcome, left, text) => {
    here.standIn.repository.addComment(here.change, `${MARKER}\n${REVIEW}`);
    await end(outcome, left);
    expect(comment()).toBe(written(outcome, text.replace("RUN", RUN)));
  });

  test("an old run that is started again and refused leaves what an earlier one did", async () => {
    here.standIn.repository.addComment(here.change, `${MARKER}\n${REVIEW}`);
    for (const outcome of ["applied", "failed"] as const) {
      await end(outcome);
      const before = comment();
      expect(await end("refused", "- all\n")).toBeUndefined();
      expect(comment()).toBe(before);
    }
  });

  test("no comment is made where none was reviewed, and the reason is returned", async () => {
    here.standIn.repository.addComment(here.change, `${MARKER}\n${REVIEW}`, OTHER_BOT);
    expect(await end("applied")).toMatch(
      /^(pull|merge) request .7 has no review of access\/prod by the owner of this token, so no comment says how/,
    );
    expect(await end("applied", "", "e".repeat(40))).toMatch(/^No merged pull request brought this commit/);
    expect(comment()).toBe(`${MARKER}\n${REVIEW}`);
  });

  test("a comment without room refers to the run", async () => {
    const most = name === "github" ? 65_536 : 1_000_000;
    here.standIn.repository.addComment(here.change, `${MARKER}\n${"x".repeat(most - MARKER.length - 2_500)}`);
    await end("failed", "y".repeat(most));
    expect(comment()).toContain("What is left is in the review of that run.");
    expect(comment().length).toBeLessThanOrEqual(most);
    here.change.comments.splice(0);
    here.standIn.repository.addComment(here.change, `${MARKER}\n${"x".repeat(most - 10_000)}`);
    await end("failed", "y".repeat(most));
    expect(comment()).toContain("yyyy");
    expect(comment().length).toBeLessThanOrEqual(most);
  });
});

test("on GitHub a comment that somebody else has edited stays so: another edit would make it count", async () => {
  const comment = here.standIn.repository.addComment(here.change, `${MARKER}\n${REVIEW}`);
  here.standIn.repository.edit(comment, `${MARKER}\n${REVIEW}forged`, MEMBER);
  const poster = new Poster("github", here.standIn.github({ commit: MERGE }));
  await expect(poster.outcome(REVIEWED, "applied")).rejects.toThrow(
    "The outcome was not written: somebody else has edited the review in pull request #7.",
  );
  expect(comment.editor).toBe(MEMBER);
});
