import { AuthenticationError } from "../../provider/http/errors";
import { listConnectionProfilePage, postConnectionProfile } from "./profiles";
import { closeAll, failure, startTenant } from "../../testkit/client";

afterEach(closeAll);

const WRONG = { type: "client-secret", clientId: "simulatorClient", clientSecret: "wrong-secret" } as const;
const LIST = "GET /api/v2/connection-profiles?take=10";
const NOT_SENT =
  "POST /connection-profiles was not sent: the tenant refused the credentials earlier in this run: see the first message.";

const createMany = (client: Parameters<typeof postConnectionProfile>[0], count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) => failure(postConnectionProfile(client, { name: `p${i}` }))),
  );

/** Counts the errors by message. */
function counted(errors: Error[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { message } of errors) counts[message] = (counts[message] ?? 0) + 1;
  return counts;
}

describe("a refused secret", () => {
  test("costs one request and is explained once, however many need a token, at once or later", async () => {
    const { simulator, client } = await startTenant({ credentials: WRONG });
    const errors = [...(await createMany(client, 64)), ...(await createMany(client, 36))];
    expect(errors.every((error) => error instanceof AuthenticationError)).toBe(true);
    expect(errors.map((error) => (error as AuthenticationError).outcome)).toEqual(
      Array(100).fill("not sent"),
    );
    expect(counted(errors)).toEqual({
      [`POST /oauth/token answered 401 access_denied: Unauthorized. The tenant ${simulator.url} gave no token: check ` +
      "identity:clientId and identity:clientSecret, because it knows no such pair. Pass new credentials."]: 1,
      [`${NOT_SENT} Check identity:clientId and identity:clientSecret.`]: 99,
    });
    expect(simulator.log()).toEqual(["POST /oauth/token 401"]);
  });

  test.each([
    [400, 4],
    [403, 1],
    [404, 2],
  ])("is remembered after %i, when each form of the request was tried", async (status, asked) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/oauth/token*", times: 99, action: { status } });
    await createMany(client, 3);
    expect(simulator.log()).toHaveLength(asked);
    await createMany(client, 3);
    expect(simulator.log()).toHaveLength(asked);
  });

  test.each([
    [{ status: 500 }, 1],
    [{ status: 429, headers: { "retry-after": "999" } }, 1],
    [{ status: 408 }, 4],
    [{ drop: "before" } as const, 4],
  ])("is not what %j means: the next call asks again", async (action, times) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/oauth/token", times, action });
    expect(await failure(listConnectionProfilePage(client, undefined))).toMatchObject({
      outcome: "not sent",
    });
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log().slice(-2)).toEqual(["POST /oauth/token 200", `${LIST} 200`]);
  });
});

describe("when every token is refused", () => {
  test("one new token is asked for, and then nothing any more", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/api/v2/*", times: 999, action: { status: 401 } });
    const first = await failure(listConnectionProfilePage(client, undefined));
    expect(first).toMatchObject({ name: "AuthenticationError", outcome: "refused" });
    expect(first.message).toContain(
      "The token was not accepted, though the tenant itself gave it. Check identity:audience and identity:domain.",
    );
    expect(simulator.log()).toEqual([
      "POST /oauth/token 200",
      `${LIST} 401`,
      "POST /oauth/token 200",
      `${LIST} 401`,
    ]);
    expect(counted(await createMany(client, 100))).toEqual({
      [`${NOT_SENT} Check identity:clientId and identity:clientSecret.`]: 100,
    });
    expect(simulator.log()).toHaveLength(4);
  });

  test("by calls at once, one is told in full", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/api/v2/*", times: 999, action: { status: 401 } });
    const errors = await createMany(client, 100);
    expect(errors.filter(({ message }) => message.includes("The token was not accepted"))).toHaveLength(1);
    const log = simulator.log();
    expect(log.filter((line) => line.startsWith("POST /oauth"))).toHaveLength(2);
    expect(log.length).toBeLessThan(60);
  });

  test("a given one is not used any more", async () => {
    const { simulator, client } = await startTenant({
      credentials: { type: "access-token", accessToken: "wrong-token" },
    });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toBe(
      "GET /connection-profiles answered 401: Invalid token. The token was not accepted: it may have expired, or be " +
        "another tenant's. Check identity:accessToken and identity:domain. Pass new credentials.",
    );
    expect(counted(await createMany(client, 5))).toEqual({ [`${NOT_SENT} Check identity:accessToken.`]: 5 });
    expect(simulator.log()).toEqual([`${LIST} 401`]);
  });

  test("but not for good: a token that was accepted in between gives the next refusal a new chance", async () => {
    const { simulator, client } = await startTenant();
    const refuse = () => simulator.fail({ path: "/api/v2/*", action: { status: 401 } });
    for (let i = 0; i < 3; i++) {
      refuse();
      await listConnectionProfilePage(client, undefined);
    }
    expect(client.statistics.tokenRequests).toBe(4);
  });

  test("by something that is not the service, no token is to blame", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/api/v2/*", action: { status: 401, body: "<html>sign in</html>" } });
    const error = await failure(postConnectionProfile(client, { name: "a" }));
    expect(error).toMatchObject({ name: "UnexpectedAnswerError", outcome: "unknown" });
    await listConnectionProfilePage(client, undefined);
    expect(client.statistics.tokenRequests).toBe(1);
  });
});
