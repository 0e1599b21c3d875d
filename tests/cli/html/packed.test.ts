import { packed, unpacked } from "../../../cli/html/packed";
import { everything, hostileTenant, largeTenant } from "../../../testkit/cli/pages";
import fc from "../../../testkit/properties";

const throughText = (json: unknown) => unpacked(JSON.parse(JSON.stringify(packed(json))) as never);

test("what is packed comes out as JSON would have it", () => {
  for (const json of [
    everything(),
    hostileTenant(),
    [everything(), everything()],
    null,
    [],
    {},
    ["__proto__"],
  ])
    expect(JSON.stringify(throughText(json))).toBe(JSON.stringify(json));
  const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": [true]}') as unknown;
  expect(JSON.stringify(throughText(own))).toBe(JSON.stringify(own));
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      expect(JSON.stringify(throughText(json))).toBe(JSON.stringify(JSON.parse(JSON.stringify(json))));
    }),
  );
});

test("equal parts stand once, and are one object afterwards", () => {
  const people = () => ({ count: 2, ids: ["auth0|a", "auth0|b"] });
  const { shapes, values } = packed([people(), people()]);
  expect(shapes).toEqual([["count", "ids"]]);
  expect(values.filter((value) => value === "auth0|a")).toHaveLength(1);
  const [one, other] = unpacked({ shapes, values }) as object[];
  expect(one).toBe(other);
});

test("a tenant with every role on every group fits", () => {
  const json = largeTenant({ roles: 200, groups: 60, people: 5_000, share: 1 });
  const whole = JSON.stringify(json).length;
  expect(JSON.stringify(packed(json)).length).toBeLessThan(whole / 4);
});
