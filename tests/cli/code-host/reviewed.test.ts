import { MERGE, useMergedChange } from "../../../testkit/code-host/merged-change";
import { HOSTS, markerText, Poster, type ReviewMarker } from "../../../testkit/code-host/posting";
import { MEMBER, NAMESAKE, OTHER_BOT } from "../../../testkit/code-host/repository";

const here = useMergedChange();

const [THIS, OTHER] = ["1".repeat(32), "2".repeat(32)];
const REVIEWED = { key: "access%2Fprod", fingerprint: THIS };
const review = (marked: Partial<ReviewMarker> = {}) =>
  `${markerText({ ...REVIEWED, ...marked }, "review")}\nthe review`;

describe.each(HOSTS)("%s", (name) => {
  const poster = (commit = MERGE) => new Poster(name, here.standIn[name]({ commit }));
  const difference = (commit?: string) => poster(commit).difference(REVIEWED);

  test("the same fingerprint, behind 120 other comments", async () => {
    for (let index = 0; index < 120; index++)
      here.standIn.repository.addComment(here.change, `${index}`, MEMBER);
    here.standIn.repository.addComment(here.change, review());
    expect(await difference()).toBeUndefined();
    expect(here.standIn.requests.filter((line) => /mutation|POST \/api|PUT|DELETE/.test(line))).toEqual([]);
  });

  test.each([
    ["the last commit of the default branch", MERGE, true],
    ["an earlier one", "a".repeat(40), false],
  ])("%s", async (_, commit, isHead) => {
    expect(await poster(commit).isHead()).toBe(isHead);
  });

  test("another fingerprint", async () => {
    here.standIn.repository.addComment(here.change, review({ fingerprint: OTHER }));
    expect(await difference()).toMatch(
      /^The effects are not those that were reviewed in .+7: the fingerprint is 1{32}, not 2{32}\.$/,
    );
  });

  test("two own comments, one of them with another fingerprint", async () => {
    for (const fingerprint of [THIS, OTHER])
      here.standIn.repository.addComment(here.change, review({ fingerprint }));
    expect(await difference()).toContain(`not ${OTHER}`);
  });

  test.each([
    ["no comment", () => undefined],
    ["a comment of a person", () => here.standIn.repository.addComment(here.change, review(), MEMBER)],
    [
      "a comment of a person named like the bot",
      () => here.standIn.repository.addComment(here.change, review(), NAMESAKE),
    ],
    [
      "a review of another stack",
      () => here.standIn.repository.addComment(here.change, review({ key: "access%2Ftest" })),
    ],
    ["a quotation", () => here.standIn.repository.addComment(here.change, `look:\n${review()}`)],
  ])("%s is no review", async (_, prepare) => {
    prepare();
    expect(await difference()).toMatch(
      /^The effects were not reviewed: .+7 has no review of access\/prod by the owner of this token\.$/,
    );
  });

  test("a review by a former bot doesn't count, and it is named", async () => {
    here.standIn.repository.addComment(here.change, review(), OTHER_BOT);
    const author = name === "github" ? OTHER_BOT.login : `project_17_bot_${OTHER_BOT.id}`;
    expect(await difference()).toContain(
      `no review of access/prod by the owner of this token, and that of ${author} doesn't count.`,
    );
  });

  test("a commit that no pull request brought, or one that is not merged", async () => {
    here.standIn.repository.addComment(here.change, review());
    expect(await difference("e".repeat(40))).toMatch(/^No merged pull request brought this commit/);
    here.change.isMerged = false;
    expect(await difference()).toMatch(/^No merged pull request brought this commit/);
  });
});

test("on GitHub a review that somebody else has edited does not count", async () => {
  const comment = here.standIn.repository.addComment(here.change, review({ fingerprint: OTHER }));
  here.standIn.repository.edit(comment, review());
  const poster = new Poster("github", here.standIn.github({ commit: MERGE }));
  expect(await poster.difference(REVIEWED)).toBeUndefined();
  here.standIn.repository.edit(comment, review(), MEMBER);
  expect(await poster.difference(REVIEWED)).toBe(
    "The review in pull request #7 does not count: somebody else has edited it.",
  );
  here.standIn.repository.edit(comment, review(), NAMESAKE);
  expect(await poster.difference(REVIEWED)).toContain("somebody else has edited it");
});
