import { z } from "zod";
import { IdentityError } from "../../provider/http/errors";
import { closeAll, failure, startTenant } from "../../testkit/client";

afterEach(closeAll);

const PROFILES = "/api/v2/connection-profiles";
const LIST = { method: "GET", path: "/connection-profiles", scopes: [], answer: z.unknown() } as const;
const CREATE = { ...LIST, method: "POST", body: { name: "a" } } as const;

test("an abort ends a call at once, wherever it is", async () => {
  const { simulator, client } = await startTenant({ limits: { maxConcurrency: 1 } });
  await client.send(LIST);
  simulator.fail({ path: PROFILES, action: { delay: 60_000 } });
  const abort = new AbortController();
  const sent = failure(client.send(LIST, { signal: abort.signal }));
  const queued = failure(client.send(LIST, { signal: abort.signal }));
  while (client.statistics.requests < 2) await new Promise((resolve) => setImmediate(resolve));
  abort.abort(new Error("given up"));
  expect([(await sent).message, (await queued).message]).toEqual(["given up", "given up"]);
  simulator.reset();
  await client.send(LIST);
});

test("a signal that was given before keeps a call from being sent", async () => {
  const { simulator, client } = await startTenant();
  const reason = new Error("too late");
  expect(await failure(client.send(LIST, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(simulator.log()).toEqual([]);
});

describe("after the run was cancelled", () => {
  const message = "POST /connection-profiles was not sent: the run was cancelled.";

  test("what is on its way goes on to its answer, and what waits is not sent", async () => {
    const { simulator, client } = await startTenant({ limits: { maxConcurrency: 1 } });
    await client.send(LIST);
    simulator.reset();
    simulator.fail({ method: "POST", action: { delay: 100 } });
    const onItsWay = client.send(CREATE);
    const queued = failure(client.send(CREATE));
    await new Promise((resolve) => setTimeout(resolve, 30));
    client.cancel();
    client.cancel("again");
    expect(await queued).toMatchObject({ message, outcome: "not sent" });
    expect(simulator.log()).toEqual([]);
    expect(await onItsWay).toMatchObject({ name: "a" });
    expect(await failure(client.send(CREATE))).toMatchObject({ message, outcome: "not sent" });
    expect(simulator.log()).toEqual([`POST ${PROFILES} 201`]);
    expect(client.statistics.running).toBe(0);
  });

  test("what waits for its next attempt ends, and says what became of the first", async () => {
    const { simulator, client } = await startTenant();
    await client.send(LIST);
    simulator.reset();
    const slowDown = { headers: { "retry-after": "60" } };
    simulator.fail(
      { method: "POST", action: { status: 429, ...slowDown } },
      { method: "GET", action: { status: 503, ...slowDown } },
    );
    const refused = failure(client.send(CREATE));
    const failing = failure(client.send(LIST));
    while (client.statistics.retries < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    client.cancel("the engine has cancelled");
    expect(await refused).toMatchObject({
      message: "POST /connection-profiles was not sent again: the engine has cancelled.",
      outcome: "not sent",
    });
    // A read has no effect, so the result of its first attempt doesn't matter.
    expect(await failing).toMatchObject({
      message: "GET /connection-profiles was not sent again: the engine has cancelled.",
      outcome: "not sent",
    });
    expect(simulator.log()).toEqual([`POST ${PROFILES} 429`, `GET ${PROFILES} 503`]);
  });

  test("a token that was asked for is no reason to send the call", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/oauth/token", action: { delay: 300 } });
    const sent = failure(client.send(CREATE));
    // It's counted before it's written.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(client.statistics.tokenRequests).toBe(1);
    client.cancel();
    const error = await sent;
    expect(error).toBeInstanceOf(IdentityError);
    expect(error).toMatchObject({ message, outcome: "not sent" });
    while (simulator.log().length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(simulator.log()).toEqual(["POST /oauth/token 200"]);
  });

  test("nothing keeps the process from ending", async () => {
    const { client } = await startTenant({ rate: { burst: 2, perSecond: 0.01 } });
    await client.send(LIST);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const waiting = [
      failure(client.send(CREATE)),
      failure(client.send(CREATE)),
      failure(client.send(CREATE)),
    ];
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(timers()).toBeGreaterThan(before);
    client.cancel();
    await Promise.allSettled(waiting);
    // Timers of other tests may have ended in the meantime.
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
