import { sanitize } from "../../../provider/border";
import {
  formatLines,
  notAskedLine,
  type RolePart,
  takesLine,
  takesText,
} from "../../../provider/resources/role-group-assignment/lines";
import { factIn } from "../../../provider/review/facts";
import { wordsOf } from "../../../testkit/facts";
import { manyGroups } from "../../../testkit/assignments";

const at = { role: "rol_1" };
const there = { organization: "org_1", role: "rol_1" };
const END = "2026-12-31";

test.each<[RolePart, string]>([
  [{ says: "grants", groups: ["grp_a", "grp_b"] }, "+ grp_a, grp_b"],
  [{ says: "grants", groups: ["grp_a"], until: END }, "+ grp_a, until 2026-12-31"],
  [{ says: "revokes", groups: ["grp_a"] }, "− grp_a"],
  [{ says: "has ended", groups: ["grp_a"], until: END }, "− grp_a, since it ended 2026-12-31"],
  [{ says: "revokes later", groups: ["grp_a"] }, "− grp_a, once what it replaces is deleted"],
  [{ says: "leaves", groups: ["grp_a"] }, "stays with grp_a, because deleteOnDestroy is false"],
  [{ says: "unknown groups", groups: [] }, "groups not known yet"],
  [{ says: "unknown exclusive", groups: [] }, "whether it is exclusive is not known yet"],
])("%j: %s", (part, text) => {
  expect(formatLines(at, [part])).toEqual([`role rol_1: ${text}`]);
});

test("parts share a line; one without groups says nothing", () => {
  const parts: RolePart[] = [
    { says: "grants", groups: ["grp_a"] },
    { says: "revokes", groups: [] },
    { says: "leaves", groups: ["grp_b"] },
  ];
  expect(formatLines(there, parts)).toEqual([
    "role rol_1 in org_1: + grp_a; stays with grp_b, because deleteOnDestroy is false",
  ]);
  expect(formatLines(at, [{ says: "grants", groups: [] }])).toEqual([]);
});

test("groups that another assignment lists, or may list, are a fact of their line", () => {
  const parts: RolePart[] = [
    { says: "may revoke", groups: ["grp_a"] },
    { says: "hands over", groups: ["grp_b", "grp_c"] },
    { says: "may hand over", groups: ["grp_d"] },
  ];
  expect(formatLines(there, parts)).toEqual([
    "role rol_1 in org_1: − grp_a, unless the program still lists them; hands over grp_b, grp_c; " +
      "hands over grp_d, if the assignment that lists it comes first " +
      '{"leaving":"org_1/rol_1","groups":{"grp_a":"may revoke","grp_d":"may hand over","grp_b":"hands over","grp_c":"hands over"}}',
  ]);
});

describe("a line has room for 100 ids", () => {
  const MANY = manyGroups(300);
  const [open, first, listed] = [MANY.slice(0, 60), MANY.slice(60, 120), MANY.slice(120)];
  const fact = (parts: RolePart[]) => factIn(sanitize(formatLines(there, parts)[0] ?? ""));
  const leaving = "org_1/rol_1";
  const all = (groups: string[], says: string) => Object.fromEntries(groups.map((group) => [group, says]));

  test("groups that may lose the role come first, and the others are counted", () => {
    expect(
      fact([
        { says: "hands over", groups: listed },
        { says: "may hand over", groups: first },
        { says: "may revoke", groups: open },
      ]),
    ).toEqual({
      leaving,
      groups: { ...all(open, "may revoke"), ...all(first.slice(0, 40), "may hand over") },
      more: 20,
    });
  });

  test.each([
    [100, {}],
    [101, { more: 1 }],
  ])("%i that an exclusive one takes the role from", (count, more) => {
    const groups = MANY.slice(0, count);
    const line = sanitize(takesLine(there, groups));
    expect(factIn(line)).toEqual({ exclusive: leaving, takes: groups.slice(0, 100), ...more });
    expect(wordsOf(line)).toBe(takesText(there, groups));
  });
});

test("whom an exclusive assignment takes the role from", () => {
  expect(takesText(at, [])).toBe("role rol_1: exclusive, takes the role from no other group");
  expect(takesText(at, ["grp_a"])).toBe(
    "role rol_1: exclusive, takes the role from 1 group that others gave it to: grp_a",
  );
  expect(takesLine(at, ["grp_a", "grp_b"])).toBe(
    "role rol_1: exclusive, takes the role from 2 groups that others gave it to: grp_a, grp_b " +
      '{"exclusive":"rol_1","takes":["grp_a","grp_b"]}',
  );
});

test.each(["503", "needs read:group_roles", "a; − grp_1", "(b)", '{"exclusive":"rol_1","takes":[]}', ' {"'])(
  "why it could not be asked is a stranger's text: %s",
  (why) => {
    const line = notAskedLine(at, why);
    expect(line).toMatch(/^role rol_1: exclusive: which other groups lose the role could not be read \(/);
    expect(factIn(sanitize(line))).toEqual({ notAsked: "rol_1", why });
  },
);
