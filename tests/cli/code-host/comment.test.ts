import { StandIn } from "../../../testkit/code-host";
import {
  type Beside,
  HOSTS,
  markerText,
  Poster,
  type ReviewMarker,
} from "../../../testkit/code-host/posting";
import {
  type Change,
  MEMBER,
  NAMESAKE,
  OTHER_BOT,
  OWNER,
  WRITER,
} from "../../../testkit/code-host/repository";

let standIn: StandIn;
beforeEach(async () => {
  standIn = new StandIn();
  await standIn.open();
});
afterEach(() => standIn.close());

const KEY = "access%2Fprod";
const [OLD, NEW] = ["0".repeat(32), "1".repeat(32)];
const comment = (key = KEY, fingerprint = OLD) => `${markerText({ key, fingerprint }, "review")}\nthe review`;

describe.each(HOSTS)("%s", (name) => {
  /** Returns the addresses of others' comments that this one calls out of date. */
  async function post(): Promise<string[]> {
    let named: string[] = [];
    const { outdated } = await postAs({ key: KEY, fingerprint: NEW }, (beside) => {
      named = beside.outdated.map(({ url }) => url);
      return comment(KEY, NEW);
    });
    expect(outdated.map(({ url }) => url)).toEqual(named);
    return named;
  }

  const postAs: Poster["comment"] = (...given) =>
    new Poster(name, standIn[name]({ number: 7 })).comment(...given);

  /** The authors and texts, in the order of the page. */
  const comments = () =>
    standIn.repository.changes[0]?.comments.map(({ author, body }) => [author.login, body.split("\n")[0]]);

  const MINE = [OWNER.login, comment(KEY, NEW).split("\n")[0]];

  test("one comment is made, and afterwards updated in place", async () => {
    standIn.repository.addChange(7);
    await post();
    expect(comments()).toEqual([MINE]);
    const [first] = standIn.repository.changes[0]?.comments ?? [];
    standIn.repository.addComment(standIn.repository.changes[0] ?? { comments: [] }, "thanks", MEMBER);
    await post();
    expect(comments()).toEqual([MINE, [MEMBER.login, "thanks"]]);
    expect(standIn.repository.changes[0]?.comments[0]).toBe(first);
  });

  /** Another run acts between this one's look and its first change. */
  function meanwhile(change: Change, act: (change: Change) => void): void {
    const looked = standIn.requests.length + (name === "github" ? 1 : 3);
    standIn.before(looked, () => act(change));
  }

  test("a comment that another run has just removed is made anew", async () => {
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, comment());
    meanwhile(change, ({ comments }) => comments.splice(0));
    await post();
    expect(comments()).toEqual([MINE]);
  });

  test("of two runs that each remove what the other has left, none fails", async () => {
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, comment());
    standIn.repository.addComment(change, comment());
    meanwhile(change, ({ comments }) => comments.splice(1));
    await post();
    expect(comments()).toEqual([MINE]);
    meanwhile(change, () => standIn.repository.addComment(change, comment()));
    await post();
    standIn.repository.addComment(change, comment());
    meanwhile(change, ({ comments }) => comments.splice(0, 1));
    await post();
    expect(comments()).toEqual([MINE]);
  });

  test("a comment that is there, and may not be changed, is looked for twice", async () => {
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, comment());
    const looks = () => standIn.requests.filter((request) => /query$|\/notes\?/.test(request)).length;
    const refused =
      name === "github"
        ? { status: 200, body: '{"errors":[{"type":"NOT_FOUND","message":"no"}]}' }
        : { status: 404, body: '{"message":"404 Not found"}' };
    const reads = name === "github" ? 1 : 3;
    standIn.failAfter(reads, refused);
    standIn.failAfter(reads, refused);
    await expect(post()).rejects.toThrow("may not do this, or it isn't there");
    expect(looks()).toBe(2);
    expect(change.comments).toHaveLength(1);
  });

  test("it is found behind 250 comments of others", async () => {
    const change = standIn.repository.addChange(7);
    for (let index = 0; index < 250; index++)
      standIn.repository.addComment(change, `comment ${index}`, MEMBER);
    const mine = standIn.repository.addComment(change, comment());
    standIn.repository.addComment(change, "the last one", MEMBER);
    await post();
    expect(change.comments).toHaveLength(252);
    expect(mine.body).toBe(comment(KEY, NEW));
  });

  test.each([
    ["a person", MEMBER],
    ["a person named like the bot", NAMESAKE],
    ["another bot", OTHER_BOT],
  ])("a comment of %s with the same marker is left alone", async (_, author) => {
    const change = standIn.repository.addChange(7);
    const foreign = standIn.repository.addComment(change, comment(), author);
    await post();
    expect(foreign.body).toBe(comment());
    expect(comments()).toEqual([[author.login, comment().split("\n")[0]], MINE]);
  });

  test.each([
    ["another bot", OTHER_BOT, true],
    ["a person who may push", WRITER, true],
    ["a person who may not", MEMBER, false],
  ])("a review by %s that says something else is out of date, if anybody may believe it", async (...row) => {
    const [, author, isTrusted] = row;
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, comment(KEY, NEW), author);
    standIn.repository.addComment(change, comment("access%2Ftest"), author);
    expect(await post()).toEqual([]);
    const { id } = standIn.repository.addComment(change, comment(), author);
    const page =
      name === "github"
        ? `https://github.example/example/access/issues#issuecomment-${id}`
        : `https://gitlab.example/example/access/-/merge_requests/7#note_${id}`;
    // The comment is made by the one post and edited by the other.
    for (const _ of ["made", "edited"]) expect(await post()).toEqual(isTrusted ? [page] : []);
  });

  test.each([
    ["with the marker further down", `> ${comment()}`],
    ["for another stack", comment("access%2Ftest")],
    ["about a drift", markerText({ key: KEY, fingerprint: OLD }, "drift")],
    ["without a marker", "the review"],
  ])("an own comment %s is left alone", async (_, body) => {
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, body);
    await post();
    expect(change.comments.map((one) => one.body)).toEqual([body, comment(KEY, NEW)]);
  });

  test("a bot that is gone has left its review to the host's ghost", async () => {
    if (name !== "gitlab") return;
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, comment(), { id: 99, login: "ghost", isBot: false });
    expect(await post()).toHaveLength(1);
  });

  test("a note that the host itself wrote is left alone", async () => {
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, comment(), OWNER, { isSystem: true });
    await post();
    expect(change.comments).toHaveLength(2);
  });

  test("of two that two runs have made at the same time, one stays", async () => {
    const change = standIn.repository.addChange(7);
    for (const fingerprint of [OLD, NEW]) standIn.repository.addComment(change, comment(KEY, fingerprint));
    await post();
    expect(comments()).toEqual([MINE]);
  });

  test("the comment on a merged one stays as it was reviewed", async () => {
    const change = standIn.repository.addChange(7);
    standIn.repository.addComment(change, comment());
    standIn.repository.merge(change, "f".repeat(40));
    await expect(post()).rejects.toThrow(/^The review was not posted: .+7 is merged/);
    expect(change.comments.map(({ body }) => body)).toEqual([comment()]);
  });

  describe("comments on other stacks", () => {
    const [DEV, PROD, BOTH] = ["access%2Fdev", "access%2Fprod", "access%2Fdev,access%2Fprod"];
    const [FIRST, SECOND] = ["a".repeat(40), "b".repeat(40)];
    const marked = (key: string, more: Partial<ReviewMarker> = {}): ReviewMarker => ({
      key,
      fingerprint: OLD,
      job: "review",
      commit: SECOND,
      ...more,
    });
    const textOf = (marker: ReviewMarker, { replaced }: Pick<Beside, "replaced"> = { replaced: [] }) =>
      `${markerText({ ...marker, replaced }, "review")}\n${replaced.map(({ url }) => url).join(" ")}\nthe gains of ${marker.key}`;

    /** Posts these one after the other. Returns the first line of each text without marker, or its stacks. */
    async function posted(...runs: (ReviewMarker & { gone?: string[] })[]): Promise<string[]> {
      const change = standIn.repository.addChange(7);
      for (const { gone, ...marker } of runs) await postAs(marker, (beside) => textOf(marker, beside), gone);
      return change.comments.map(({ body }) => /^<!-- \S+ review (\S+)/.exec(body)?.[1] ?? body.trim());
    }
    const outOfDate = (former: string, now: string) =>
      `**⚠️ Out of date:** the review of \`${now}\` takes the place of this one, which was of \`${former}\`.`;
    const firstPage = () => {
      const [one] = standIn.repository.changes[0]?.comments ?? [];
      return name === "github"
        ? `https://github.example/example/access/issues#issuecomment-${one?.id}`
        : `https://gitlab.example/example/access/-/merge_requests/7#note_${one?.id}`;
    };

    test.each<[string, ReviewMarker, ReviewMarker & { gone?: string[] }, string, string]>([
      ["more stacks", marked(DEV, { commit: FIRST }), marked(BOTH), "access/dev", "access/dev, access/prod"],
      ["fewer", marked(BOTH, { commit: FIRST }), marked(DEV), "access/dev, access/prod", "access/dev"],
      ["more, for the same commit", marked(DEV), marked(BOTH), "access/dev", "access/dev, access/prod"],
      [
        "a job of another name",
        marked(BOTH, { commit: FIRST, job: "former" }),
        marked(DEV),
        "access/dev, access/prod",
        "access/dev",
      ],
      [
        "a renamed stack",
        marked(DEV, { commit: FIRST }),
        { ...marked(PROD), gone: ["access/dev"] },
        "access/dev",
        "access/prod",
      ],
      [
        "one by an earlier release",
        marked(DEV, { commit: undefined, job: undefined }),
        marked(BOTH),
        "access/dev",
        "access/dev, access/prod",
      ],
    ])("%s: the former one is out of date, says so, and is linked from now on", async (_, ...runs) => {
      const [former, next, was, is] = runs;
      expect(await posted(former, next)).toEqual([outOfDate(was, is), next.key]);
      const [, present] = standIn.repository.changes[0]?.comments ?? [];
      expect(present?.body.split("\n")[1]).toBe(firstPage());
      // A later run has nothing to replace, and still says what it did.
      const { replaced } = await postAs(next, (beside) => textOf(next, beside));
      expect(replaced).toEqual([]);
      expect(present?.body.split("\n")[1]).toBe(firstPage());
    });

    test.each<[string, ReviewMarker, ReviewMarker & { gone?: string[] }]>([
      ["another stack in the same job, as of a matrix", marked(DEV, { commit: FIRST }), marked(PROD)],
      ["another job for the same commit, with a stack in common", marked(DEV, { job: "dev" }), marked(BOTH)],
      [
        "another job, whose stack this run's Pulumi doesn't know",
        marked(DEV, { commit: FIRST, job: "dev" }),
        { ...marked(PROD), gone: ["access/dev"] },
      ],
      [
        "nobody's job",
        marked(DEV, { job: undefined }),
        { ...marked(PROD, { job: undefined }), gone: ["access/dev"] },
      ],
    ])("the comment of %s stays", async (_, former, next) => {
      expect(await posted(former, next)).toEqual([former.key, next.key]);
      expect(standIn.repository.changes[0]?.comments[0]?.body).toBe(textOf(former));
    });

    test("one by a former bot is named, and stays", async () => {
      const change = standIn.repository.addChange(7);
      standIn.repository.addComment(change, textOf(marked(DEV, { commit: FIRST })), OTHER_BOT);
      const next = marked(BOTH);
      const { outdated, replaced } = await postAs(next, (beside) => textOf(next, beside));
      expect(outdated.map(({ url }) => url)).toEqual([firstPage()]);
      expect(replaced).toEqual([]);
      expect(change.comments[0]?.body).toBe(textOf(marked(DEV, { commit: FIRST })));
    });
  });
});
