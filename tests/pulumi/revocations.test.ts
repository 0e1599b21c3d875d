import { Revocations } from "../../provider/pulumi/revocations";
import { type Act } from "../../provider/review/act";
import fc from "../../testkit/properties";

const SETTING = { name: "the limit", raise: (count: number) => `set ${count}` };
const acts = (...losses: string[]): Act[] => losses.map((id) => ({ act: "remove credential", id }));
const revoked = (group: string, when?: "perhaps"): Act => ({
  act: "revoke",
  edge: { role: "r", holder: { group } },
  when,
});
const guard = (limit?: number) => new Revocations(() => limit, SETTING);

test("whatever is planned and asked for, no more than the number is allowed, and each request whole or not at all", () =>
  fc.assert(
    fc.property(
      fc.nat({ max: 6 }),
      fc.array(
        fc.record({
          isPlan: fc.boolean(),
          losses: fc.array(fc.constantFrom(..."abcdefghij"), { maxLength: 4 }),
        }),
        { maxLength: 6 },
      ),
      (limit, steps) => {
        const revocations = guard(limit);
        const allowed = new Set<string>();
        for (const { isPlan, losses } of steps) {
          if (isPlan) {
            if (revocations.count("planned", acts(...losses)) === undefined)
              losses.forEach((loss) => allowed.add(loss));
            continue;
          }
          const fits = new Set([...allowed, ...losses]).size <= limit;
          const isNew = losses.some((loss) => !allowed.has(loss));
          const request = () => revocations.request("asked for", acts(...losses));
          if (isNew && !fits) expect(request).toThrow("asked for was not changed: ");
          else {
            request();
            losses.forEach((loss) => allowed.add(loss));
          }
          expect(allowed.size).toBeLessThanOrEqual(limit);
        }
      },
    ),
  ));

test("without a limit nothing is refused", () => {
  expect(guard().count("a", acts("x", "y"))).toBeUndefined();
  guard().request("a", acts("x", "y"));
});

test("the same loss counts once, for whoever planned it, and as many as allowed are fine", () => {
  const revocations = guard(2);
  expect(revocations.count("a", acts("x", "y"))).toBeUndefined();
  expect(revocations.count("b", acts("x"))).toBeUndefined();
  revocations.request("role", acts("x", "y"));
  expect(() => revocations.request("c", acts("z"))).toThrow(
    "c was not changed: this run would revoke at least 3 grants and device credentials, and the limit allows 2. " +
      "Most are revoked by a (2), c (1). Review the change; if you mean it, set 3.",
  );
});

test("a refused change counts nothing: a smaller one still fits", () => {
  const revocations = guard(2);
  expect(revocations.count("a", acts("x", "y", "z"))).toContain("at least 3");
  revocations.request("b", acts("v", "w"));
});

test("the three largest contributors are named, and the others counted", () => {
  const revocations = guard(7);
  for (const [by, count] of [
    ["a", 1],
    ["b", 3],
    ["c", 2],
    ["d", 1],
  ] as const)
    revocations.count(by, acts(...Array.from({ length: count }, (_, i) => `${by}${i}`)));
  expect(revocations.count("e", acts("e0"))).toContain("Most are revoked by b (3), c (2), a (1) and 2 more.");
});

test("only what this very change takes away counts", () => {
  const grant: Act = { act: "grant", edge: { role: "r", holder: { group: "a" } } };
  const others: Act[] = [grant, { act: "delete profile", id: "cop_1" }, revoked("b", "perhaps")];

  expect(guard(0).count("a", others)).toBeUndefined();
  expect(guard(0).count("a", [revoked("a")])).toContain("at least 1 grant");
});

test("a loss that may come warns, and counts once with what is certain", () => {
  const revocations = guard(1);

  expect(revocations.warning([revoked("a", "perhaps")])).toBeUndefined();
  expect(revocations.count("a", [revoked("a")])).toBeUndefined();
  expect(revocations.warning([revoked("a", "perhaps")])).toBeUndefined();
  expect(revocations.warning([revoked("b", "perhaps")])).toContain("may revoke 2 grants");
});

test("a warning counts what is certain, but what is certain doesn't warn", () => {
  const revocations = guard(1);

  expect(revocations.count("a", [revoked("a")])).toBeUndefined();
  expect(revocations.warning([revoked("b", "perhaps")])).toContain("may revoke 2 grants");
  expect(revocations.warning([revoked("a")])).toBeUndefined();
});
