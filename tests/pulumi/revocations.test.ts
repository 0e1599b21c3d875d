import { Revocations } from "../../provider/pulumi/revocations";
import { type Act } from "../../provider/review/act";
import fc from "../../testkit/properties";

const SETTING = { name: "the limit", raise: (count: number) => `set ${count}` };
const acts = (...losses: string[]): Act[] => losses.map((id) => ({ act: "remove credential", id }));
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
