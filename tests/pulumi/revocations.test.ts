import { Revocations } from "../../provider/pulumi/revocations";
import fc from "../properties";

const SETTING = { name: "the limit", raise: (count: number) => `set ${count}` };
const guard = (limit?: number) => new Revocations(limit, SETTING);

/** Whether a request was allowed. */
const allowed = (request: Promise<void>) =>
  request.then(
    () => true,
    () => false,
  );

test(
  "whatever is planned and asked for, at once or in turn, no more than the number is allowed",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 6 }),
        fc.array(
          fc.record({
            isPlan: fc.boolean(),
            things: fc.array(fc.constantFrom(..."abcdefghij"), { maxLength: 4 }),
            isAwaited: fc.boolean(),
          }),
          { maxLength: 6 },
        ),
        async (limit, steps) => {
          const revocations = guard(limit);
          const taken = new Set<string>();
          const requests: Promise<void>[] = [];
          for (const { isPlan, things, isAwaited } of steps) {
            if (isPlan) {
              revocations.plan(
                "planned",
                things.map((of) => ({ of })),
              );
              continue;
            }
            const request = allowed(revocations.request("asked for", things)).then((isAllowed) => {
              if (isAllowed) for (const thing of things) taken.add(thing);
            });
            requests.push(request);
            if (isAwaited) await request;
          }
          await Promise.all(requests);
          expect(taken.size).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 10, endOnFailure: true },
    ),
  60_000,
);

test("without a limit nothing is refused, and nothing waits", async () => {
  const started = performance.now();
  await guard().request("a", ["x", "y"]);
  expect(performance.now() - started).toBeLessThan(100);
});

test("what is found while a removal waits counts, and a check that is under way is waited for", async () => {
  const revocations = guard(1);
  const first = allowed(revocations.request("a", ["x"]));
  void revocations.during(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    revocations.plan("b", [{ of: "y" }]);
  });
  expect(await first).toBe(false);
});

test("what turns out to be kept does not count", async () => {
  const revocations = guard(1);
  let isKept = false;
  revocations.plan("a", [{ of: "x", isOff: () => isKept }, { of: "y" }]);
  expect(revocations.problem()).toContain("at least 2");
  isKept = true;
  expect(revocations.problem()).toBeUndefined();
  expect(await allowed(revocations.request("a", ["y"]))).toBe(true);
});

test("the same thing counts once, for whoever planned it", async () => {
  const revocations = guard(2);
  revocations.plan("a", [{ of: "x" }, { of: "y" }]);
  revocations.plan("b", [{ of: "x" }]);
  expect(await allowed(revocations.request("role", ["x", "y"]))).toBe(true);
  await expect(revocations.request("c", ["z"])).rejects.toThrow(
    "Nothing was changed: this run takes away at least 3 roles of groups and device credentials, and the limit allows 2. " +
      "Most are taken away by a (2), c (1). Review the change; if it is meant, set 3.",
  );
});

test("the three largest contributors are named, and the others counted", () => {
  const revocations = guard(0);
  for (const [by, count] of [
    ["a", 1],
    ["b", 3],
    ["c", 2],
    ["d", 1],
    ["e", 1],
  ] as const) {
    revocations.plan(
      by,
      Array.from({ length: count }, (_, i) => ({ of: `${by}${i}` })),
    );
  }
  expect(revocations.problem()).toContain("Most are taken away by b (3), c (2), a (1) and 2 more.");
});
