import { type Fault, StandIn } from "../../../testkit/code-host";
import { HOSTS, markerText, Poster } from "../../../testkit/code-host/posting";

/* Messages and retries when the code host doesn't do as requested. */

let standIn: StandIn;
beforeEach(async () => {
  standIn = new StandIn();
  await standIn.open();
  standIn.repository.addChange(7);
});
afterEach(() => standIn.close());

const MARKED = { key: "access%2Fprod", fingerprint: "0".repeat(32) };
const json = { "content-type": "application/json" };

describe.each(HOSTS)("%s", (name) => {
  async function post(
    environment: Record<string, string> = {},
    body = "the review",
    change: { number?: number } = { number: 7 },
  ): Promise<string> {
    try {
      const given = { ...standIn[name](change), ...environment };
      const text = `${markerText(MARKED, "review")}\n${body}`;
      await new Poster(name, given, { request: 0.5, wait: 2 }).comment(MARKED, () => text);
      return "";
    } catch (error) {
      expect((error as Error).constructor.name).toBe("CodeHostError");
      const { message } = error as Error;
      expect(message).not.toContain(standIn.token);
      return message;
    }
  }
  const comments = () => standIn.repository.changes[0]?.comments.length;
  const token = name === "github" ? "GITHUB_TOKEN" : "GITLAB_TOKEN";
  const address = name === "github" ? "GITHUB_GRAPHQL_URL" : "CI_API_V4_URL";

  test("no token, an empty one, one with a line break within, and a wrong one", async () => {
    expect(await post({ [token]: "" })).toMatch(new RegExp(`^${token} is not set\\. (Give|Make) `));
    expect(await post({ [token]: "a\nb" })).toMatch(`${token} holds a character that no token has.`);
    expect(standIn.requests).toEqual([]);
    expect(await post({ [token]: "ghs_wrong0wrong0" })).toMatch(
      new RegExp(
        `answered 401 to .+(Bad credentials|401 Unauthorized)".+Check that the token in ${token} is valid`,
      ),
    );
    // Blanks around a pasted token don't belong to it.
    expect(await post({ [token]: ` ${standIn.token}\n` })).toBe("");
  });

  test("a token that may only read, and one that may not even read", async () => {
    standIn.rights.write = false;
    expect(await post()).toMatch(
      new RegExp(
        `(FORBIDDEN to addComment: "Resource not accessible|403 to POST ).+The token in ${token} may not do this.+(pull-requests: write|scope api)`,
      ),
    );
    standIn.rights.read = false;
    expect(await post()).toMatch(
      new RegExp(`(NOT_FOUND|404) to .+The token in ${token} may not do this, or it isn't there`),
    );
    expect(comments()).toBe(0);
  });

  test("no pull request, and one that is not there", async () => {
    expect(await post({}, "the review", {})).toMatch(/^This (run|pipeline) is for no (pull|merge) request/);
    standIn.repository.changes.pop();
    expect(await post()).toMatch(/(NOT_FOUND to the query for the comments|404 to GET )/);
  });

  test.each([
    ["http://code.example.com", "must be an address such as https://"],
    ["https://me:secret@code.example.com", "must be an address such as https://"],
    ["nonsense", "must be an address such as https://"],
    ["http://127.0.0.1:1", "the connection was refused, as nothing listens there. Check "],
  ])("the address %s", async (url, message) => {
    const said = await post({ [address]: url });
    expect(said).toContain(message);
    expect(said).toContain(address);
    expect(said).not.toContain("secret");
  });

  test.each<[string, Fault[]]>([
    ["a 502 and a broken connection", [{ status: 502, body: "<html>" }, "drop"]],
    ["a rate limit by 429", [{ status: 429, headers: { "retry-after": "1" } }]],
    ["a rate limit by 403", [{ status: 403, headers: { ...json, "retry-after": "1" }, body: "{}" }]],
    [
      "a rate limit that says until when",
      [
        {
          status: 403,
          headers: {
            "x-ratelimit-remaining": "0",
            "x-ratelimit-reset": `${Math.ceil(Date.now() / 1000)}`,
          },
        },
      ],
    ],
  ])("%s is waited for, and tried again", async (_, faults) => {
    standIn.fail(...faults);
    expect(await post()).toBe("");
    expect(comments()).toBe(1);
  });

  test.each<[string, Fault, RegExp]>([
    [
      "a rate limit of an hour",
      { status: 429, headers: { "retry-after": "3600" } },
      /The rate limit of the token is used up/,
    ],
    [
      "HTML",
      { status: 200, headers: { "content-type": "text/html" }, body: "<title>Log in</title>" },
      /is not JSON \(text\/html\)/,
    ],
    [
      "another API",
      { status: 200, headers: json, body: `{"hello":1}` },
      /in a form that this release does not know/,
    ],
    [
      "a redirect",
      { status: 302, headers: { location: "https://evil.example.com/" } },
      /answered 302.+so that the token goes to no other host/,
    ],
    [
      "a secret that comes back",
      { status: 400, headers: json, body: `{"message":"no TOKEN"}` },
      /answered 400.+"no \[secret\]"/,
    ],
  ])("%s", async (_, fault, message) => {
    if (typeof fault === "object") fault.body = fault.body?.replace("TOKEN", standIn.token) ?? "";
    standIn.fail(fault);
    expect(await post()).toMatch(message);
    expect(standIn.requests).toHaveLength(1);
  });

  test("a host that stays silent, and one that stays broken", async () => {
    standIn.fail("hang", "hang", "hang", "hang");
    expect(await post()).toMatch(/did not answer .+ within 0\.5 s\. Run this again later\./);
    standIn.fail(...Array.from({ length: 4 }, (): Fault => ({ status: 503 })));
    expect(await post()).toMatch(/answered 503 to .+\. Run this again later\./);
  });

  test("a comment whose answer is lost is not sent twice, and the next run finds it", async () => {
    const last = name === "github" ? 1 : 3;
    standIn.failAfter(last, "drop after it is done");
    expect(await post()).toMatch(/the connection broke before an answer came/);
    expect(comments()).toBe(1);
    expect(await post()).toBe("");
    expect(comments()).toBe(1);
  });

  test("a review that is too long for a comment", async () => {
    expect(await post({}, "x".repeat(1_100_000))).toMatch(
      /is too long \(maximum is (65536|1000000) characters\)/,
    );
    expect(comments()).toBe(0);
  });
});
