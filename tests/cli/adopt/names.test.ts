import { assignmentName, freeName, profileName } from "../../../cli/adopt/contents";
import fc from "../../../testkit/properties";
import { hostileTexts, ids } from "../../../testkit/hostile-texts";
import { openIds, UNUSUAL_IDS } from "../../../testkit/unusual-ids";

const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";

test.each([
  ["enterprise", "enterprise"],
  ["Zürich (EU)", "zurich-eu"],
  ["", "profile"],
  ["\u0000\u0001", "profile"],
  ["x".repeat(500), "x".repeat(40)],
  ["__proto__", "proto"],
  [`${"x".repeat(39)} y`, "x".repeat(39)],
])("a profile named %j is called %s", (name, slug) =>
  expect(profileName({ id, name })).toBe(`${slug}-${profileName({ id, name: "" }).slice(-10)}`),
);

test("any name makes a short resource name of plain characters, and equal names of different ids differ", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(ids, { minLength: 2, maxLength: 2 }),
      hostileTexts,
      ([one = "", other = ""], name) => {
        const [first, second] = [profileName({ id: one, name }), profileName({ id: other, name })];
        expect(first).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*-[a-z0-9]{10}$/);
        expect(first.length).toBeLessThanOrEqual(51);
        expect(first).not.toBe(second);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("an assignment is called like its role; a longer id is shortened", () => {
  expect(assignmentName("rol_4hNkVx8QmTz2bRcW")).toBe("rol_4hNkVx8QmTz2bRcW");
  expect(assignmentName("rol_4hNkVx8QmTz2bRcW", "Support agent")).toBe("support-agent");
  expect(assignmentName("rol_4hNkVx8QmTz2bRcW", "支持")).toBe("rol_4hNkVx8QmTz2bRcW");
  expect(assignmentName(`rol_${"x".repeat(64)}`)).toMatch(/^rol_[a-z0-9]{10}$/);
});

test("an assignment's name begins with a letter, and has plain characters, whatever the role's id", () => {
  fc.assert(
    fc.property(openIds, (roleId) => {
      expect(assignmentName(roleId)).toMatch(/^[A-Za-z][\w-]{0,39}$/);
    }),
  );
  const names = UNUSUAL_IDS.map((roleId) => assignmentName(roleId));
  expect(new Set(names).size).toBe(UNUSUAL_IDS.length);
});

test("a name that the state has is given once more with a number", () => {
  expect(freeName("a", new Set())).toBe("a");
  expect(freeName("a", new Set(["a"]))).toBe("a-2");
  expect(freeName("a", new Set(["a", "a-2", "a-3"]))).toBe("a-4");
});
