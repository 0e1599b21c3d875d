import fc from "../../testkit/properties";
import { NetworkError } from "../../provider/http/errors";
import {
  type AttemptResult,
  type Failure,
  noAnswer,
  Retry,
  RETRY_POLICY,
  retryDelay,
} from "../../provider/http/retry";
import { failure } from "../../testkit/client";
import { VirtualTime } from "../../testkit/rate-limit/virtual-time";

const method = fc.constantFrom("GET", "DELETE", "POST", "PATCH");
const wait = fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined });
const anyFailure: fc.Arbitrary<Failure> = fc.oneof(
  fc.record({
    outcome: fc.constantFrom("refused" as const, "unknown" as const),
    status: fc.integer({ min: 300, max: 599 }),
    retryAfterMs: wait,
  }),
  fc.record({ outcome: fc.constantFrom("not sent" as const, "unknown" as const) }),
);
const isPassing = (status = 0) => [408, 502, 503, 504].includes(status) || (status >= 520 && status <= 529);
const unit = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

test("a write is repeated only when the service certainly did nothing", () => {
  fc.assert(
    fc.property(fc.constantFrom("POST", "PATCH"), anyFailure, unit, (method, failed, random) => {
      const harmless = failed.status === 429 || failed.outcome === "not sent";
      expect(retryDelay(method, failed, 1, () => random) !== undefined).toBe(harmless);
    }),
  );
});

test("a read or a delete is repeated when it got no answer, or one that may be better next time", () => {
  fc.assert(
    fc.property(fc.constantFrom("GET", "DELETE"), anyFailure, unit, (method, failed, random) => {
      const passing = failed.status === undefined || failed.status === 429 || isPassing(failed.status);
      expect(retryDelay(method, failed, 1, () => random) !== undefined).toBe(passing);
    }),
  );
});

test("the service's wish is honoured, and otherwise the delay is random below a bound that doubles", () => {
  fc.assert(
    fc.property(
      method,
      anyFailure,
      fc.integer({ min: 1, max: 3 }),
      unit,
      (method, failed, attempts, random) => {
        const delay = retryDelay(method, failed, attempts, () => random);
        if (delay === undefined) return;
        const wished = failed.retryAfterMs ?? 0;
        expect(delay).toBeGreaterThanOrEqual(wished);
        expect(delay).toBeLessThanOrEqual(Math.max(wished, RETRY_POLICY.baseMs * 2 ** (attempts - 1)));
      },
    ),
  );
  const delays = [0, 0.5, 1].map((random) => retryDelay("GET", { outcome: "unknown" }, 3, () => random));
  expect(delays).toEqual([0, 500, 1000]);
});

test("failures other than 429 are given up after the fourth attempt, 429 only when the time is up", () => {
  const refused: Failure = { outcome: "refused", status: 429 };
  expect(retryDelay("GET", { outcome: "not sent" }, 4, () => 0.5)).toBeUndefined();
  expect(
    retryDelay("GET", { outcome: "unknown", status: 503, retryAfterMs: 0 }, 4, () => 0.5),
  ).toBeUndefined();
  expect(retryDelay("POST", refused, 100, () => 0.5)).toBe(4_000);
});

describe("an operation", () => {
  const time = () => {
    const clock = new VirtualTime();
    return { clock, retry: new Retry({ maxWaitMs: 60_000, clock, random: () => 0.5 }) };
  };
  const refusal = (retryAfterMs?: number): AttemptResult<string> => ({
    failure: { outcome: "refused", status: 429, retryAfterMs },
    error: new Error("refused"),
  });

  test("always ends within its time, whatever happens", async () => {
    await fc.assert(
      fc.asyncProperty(
        method,
        fc.array(anyFailure, { minLength: 1, maxLength: 20 }),
        async (method, failures) => {
          const { clock, retry } = time();
          const start = clock.now();
          const run = retry.run(method, (number) =>
            Promise.resolve({
              failure: failures[number % failures.length] as Failure,
              error: new Error("failed"),
            }),
          );
          expect(await failure(clock.run(run))).toEqual(new Error("failed"));
          expect(clock.now() - start).toBeLessThanOrEqual(60_000);
        },
      ),
      { examples: [["GET", [{ outcome: "refused", status: 429, retryAfterMs: 0 }]]] },
    );
  });

  test("tells of every repetition and returns the value in the end", async () => {
    const { clock, retry } = time();
    const outcomes = [refusal(2_000), refusal(), { value: "done" }];
    const retries: number[] = [];
    const run = retry.run(
      "POST",
      (number) => Promise.resolve(outcomes[number - 1] as AttemptResult<string>),
      {
        onRetry: () => retries.push(clock.now()),
      },
    );
    expect(await clock.run(run)).toBe("done");
    expect(retries).toEqual([1_000, 3_000]);
    expect(clock.now()).toBe(3_250);
  });

  test("does not begin a wait that would end too late", async () => {
    const { clock, retry } = time();
    const run = retry.run("POST", () => Promise.resolve(refusal(60_001)));
    expect((await failure(clock.run(run))).message).toBe("refused");
    expect(clock.now()).toBe(1_000);
  });

  test("ends at once when it is aborted, between attempts too", async () => {
    const { clock, retry } = time();
    const abort = new AbortController();
    let attempts = 0;
    const run = retry.run(
      "GET",
      () => {
        attempts++;
        return Promise.resolve(refusal(10_000));
      },
      { signal: abort.signal },
    );
    clock.after(3_000, () => abort.abort(new Error("enough")));
    expect((await failure(clock.run(run))).message).toBe("enough");
    expect({ attempts, now: clock.now() }).toEqual({ attempts: 1, now: 4_000 });
    const again = retry.run("GET", () => Promise.resolve(refusal()), { signal: abort.signal });
    expect((await failure(again)).message).toBe("enough");
  });
});

test("only network errors count as no answer", () => {
  const lost = new NetworkError("lost", "unknown");
  expect(noAnswer(lost)).toEqual({ failure: { outcome: "unknown" }, error: lost });
  expect(() => noAnswer(new TypeError("bug"))).toThrow(TypeError);
});
