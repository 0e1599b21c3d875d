import { StandIn } from "../../../testkit/code-host";
import {
  type Beside,
  HOSTS,
  markerText,
  Poster,
  type ReviewMarker,
} from "../../../testkit/code-host/posting";
import { MEMBER, OTHER_BOT } from "../../../testkit/code-host/repository";

let standIn: StandIn;
beforeEach(async () => {
  standIn = new StandIn();
  await standIn.open();
});
afterEach(() => standIn.close());

const KEY = "access%2Fprod";
const drift = (fingerprint: string, key = KEY) => `${markerText({ key, fingerprint }, "drift")}\nthe drift`;
const [ONE, TWO, NONE] = ["1".repeat(32), "2".repeat(32), "0".repeat(32)];

describe.each(HOSTS)("%s", (name) => {
  /** Returns the addresses of the issues that it had to leave open. */
  async function report(fingerprint: string): Promise<string[]> {
    const { outdated } = await reportAs({ key: KEY, fingerprint }, () => drift(fingerprint));
    return outdated.map(({ url }) => url);
  }

  function reportAs(
    marker: ReviewMarker,
    body: (beside: Beside) => string,
    gone: string[] = [],
  ): Promise<Beside> {
    const isDrifted = marker.fingerprint !== NONE;
    return new Poster(name, standIn[name]({})).issue(marker, { isDrifted, body, gone });
  }
  const issues = () =>
    standIn.repository.issues.map(({ isOpen, body, comments }) => ({
      isOpen,
      body,
      comments: comments.map((comment) => comment.body),
    }));

  test("one issue opens, follows the drift, and closes with it; the next drift opens another", async () => {
    await report(NONE);
    expect(issues()).toEqual([]);
    await report(ONE);
    await report(ONE);
    await report(TWO);
    expect(issues()).toEqual([{ isOpen: true, body: drift(TWO), comments: [] }]);
    expect(standIn.repository.issues[0]?.title).toBe("Drift");
    await report(NONE);
    await report(NONE);
    const closed = { isOpen: false, body: drift(TWO), comments: [drift(NONE)] };
    expect(issues()).toEqual([closed]);
    await report(ONE);
    expect(issues()).toEqual([closed, { isOpen: true, body: drift(ONE), comments: [] }]);
  });

  test("an issue that somebody has just deleted is opened anew, unless the drift is over", async () => {
    const deletedMeanwhile = async (fingerprint: string) => {
      const reads = name === "github" ? 1 : 2;
      standIn.before(standIn.requests.length + reads, () => standIn.repository.issues.splice(0));
      await report(fingerprint);
    };
    await report(ONE);
    await deletedMeanwhile(TWO);
    expect(issues()).toEqual([{ isOpen: true, body: drift(TWO), comments: [] }]);
    await deletedMeanwhile(NONE);
    expect(issues()).toEqual([]);
  });

  test("issues of others, of other stacks and with other markers are left alone", async () => {
    standIn.repository.addIssue("Drift", drift(ONE), MEMBER);
    standIn.repository.addIssue("Drift", drift(ONE, "access%2Ftest"));
    standIn.repository.addIssue("Drift", `> ${drift(ONE)}`);
    const before = issues();
    await report(NONE);
    expect(issues()).toEqual(before);
    await report(TWO);
    expect(issues()).toEqual([...before, { isOpen: true, body: drift(TWO), comments: [] }]);
  });

  test("the issue of a former bot is closed, with the drift or for the new one", async () => {
    standIn.repository.addIssue("Drift", drift(ONE), OTHER_BOT);
    expect(await report(NONE)).toEqual([]);
    expect(issues()).toEqual([{ isOpen: false, body: drift(ONE), comments: [drift(NONE)] }]);
    standIn.repository.addIssue("Drift", drift(ONE), OTHER_BOT);
    expect(await report(ONE)).toEqual([]);
    expect(issues().slice(1)).toEqual([
      { isOpen: false, body: drift(ONE), comments: ["Another issue tells of the same drift."] },
      { isOpen: true, body: drift(ONE), comments: [] },
    ]);
  });

  test("one that the token may not close is named", async () => {
    const { id } = standIn.repository.addIssue("Drift", drift(ONE), OTHER_BOT);
    standIn.rights.write = false;
    const page = name === "github" ? "github.example/example/access" : "gitlab.example/example/access/-";
    expect(await report(NONE)).toEqual([`https://${page}/issues/${id}`]);
    expect(issues()).toMatchObject([{ isOpen: true }]);
  });

  test("it is found among 230 open ones", async () => {
    for (let index = 0; index < 229; index++) standIn.repository.addIssue("Other", `${index}`);
    standIn.repository.addIssue("Drift", drift(ONE));
    await report(TWO);
    expect(issues()).toHaveLength(230);
    expect(issues().at(-1)?.body).toBe(drift(TWO));
  });

  test("of two that two runs have made at the same time, one stays open", async () => {
    for (let index = 0; index < 2; index++) standIn.repository.addIssue("Drift", drift(ONE));
    await report(TWO);
    expect(issues()).toEqual([
      { isOpen: true, body: drift(TWO), comments: [] },
      { isOpen: false, body: drift(ONE), comments: ["Another issue tells of the same drift."] },
    ]);
  });

  describe("a stack of another name", () => {
    const [DEV, TEST] = ["access%2Fdev", "access%2Ftest"];
    const marked = (key: string, fingerprint: string, job = "drift"): ReviewMarker => ({
      key,
      fingerprint,
      job,
      commit: key.length.toString(16).repeat(20),
    });
    const run = (marker: ReviewMarker, gone?: string[]) =>
      reportAs(
        marker,
        ({ replaced }) =>
          `${markerText({ ...marker, replaced }, "drift")}\n${replaced.map(({ url }) => url).join(" ")}`,
        gone,
      );
    const page = (id?: number) =>
      name === "github"
        ? `https://github.example/example/access/issues/${id}`
        : `https://gitlab.example/example/access/-/issues/${id}`;

    test("the issue of its former name is closed, and linked from the new one from now on", async () => {
      await run(marked(DEV, ONE));
      const [former] = standIn.repository.issues;
      for (const _ of ["opened", "edited"]) {
        await run(marked(TEST, TWO), ["access/dev"]);
        expect(standIn.repository.issues).toHaveLength(2);
        expect(standIn.repository.issues[1]?.body.split("\n")[1]).toBe(page(former?.id));
      }
      expect(issues()).toMatchObject([
        {
          isOpen: false,
          comments: ["Another issue tells of the drift of `access/test`, and takes the place of this one."],
        },
        { isOpen: true },
      ]);
    });

    test("without a drift it is closed, and none is opened", async () => {
      await run(marked(DEV, ONE));
      const { replaced } = await run(marked(TEST, NONE), ["access/dev"]);
      expect(replaced).toMatchObject([{ key: DEV, url: page(standIn.repository.issues[0]?.id) }]);
      expect(issues()).toMatchObject([{ isOpen: false }]);
    });

    test("that of another stack, and of another job's, stays open", async () => {
      await run(marked(DEV, ONE));
      await run(marked(TEST, TWO));
      await run(marked(KEY, TWO, "other"), ["access/dev", "access/test"]);
      expect(issues()).toMatchObject([{ isOpen: true }, { isOpen: true }, { isOpen: true }]);
    });
  });
});
