import {
  formatLines,
  notAskedLine,
  parseRoleLine,
  type RolePart,
} from "../../../provider/resources/role-group-assignment/lines";
import fc from "../../../testkit/properties";
import { openIds } from "../../../testkit/unusual-ids";

const id = (prefix: string) => fc.stringMatching(new RegExp(`^${prefix}_[1-9A-Za-z]{4,22}$`));
const groups = fc.uniqueArray(id("grp"), { minLength: 1, maxLength: 40 });
const places = fc.oneof(
  fc.record({ role: openIds }),
  fc.record({ organization: fc.constant("org_1"), role: openIds }),
);

const read = (one: RolePart): unknown => ({
  ...one,
  groups: { named: one.groups.slice(0, 10), unnamed: Math.max(0, one.groups.length - 10) },
});

const part: fc.Arbitrary<RolePart> = fc.oneof(
  fc.record({
    says: fc.constantFrom(
      "grants" as const,
      "revokes" as const,
      "hands over" as const,
      "may hand over" as const,
      "leaves" as const,
      "revokes later" as const,
      "may revoke" as const,
    ),
    groups,
  }),
  fc.record({
    says: fc.constantFrom("grants" as const, "has ended" as const),
    groups,
    until: fc.constantFrom("2026-12-31", "2026-12-31T18:00:00.000+01:00"),
  }),
  fc.constant({ says: "unknown groups" as const, groups: [] }),
  fc.constant({ says: "unknown exclusive" as const, groups: [] }),
);

test("what a preview says of a change is read back, part by part", () => {
  fc.assert(
    fc.property(places, fc.array(part, { minLength: 1, maxLength: 6 }), (at, parts) => {
      const lines = formatLines(at, parts);
      expect(lines).toHaveLength(1);
      expect(parseRoleLine(lines[0] as string)).toEqual({ at, parts: parts.map(read) });
    }),
  );
});

test("a part without groups says nothing", () => {
  expect(formatLines({ role: "rol_1" }, [{ says: "grants", groups: [] }])).toEqual([]);
});

test("whom an exclusive assignment takes the role from is read back, and why it could not be asked", () => {
  fc.assert(
    fc.property(places, fc.oneof(groups, fc.constant([])), (at, others) => {
      const taken: RolePart = { says: "exclusive", groups: others };
      expect(parseRoleLine(formatLines(at, [taken]).join())).toEqual({ at, parts: [read(taken)] });
    }),
  );
  for (const reason of ["503", "needs read:group_roles", "a; − grp_1", "(b)"]) {
    expect(parseRoleLine(notAskedLine({ role: "rol_1" }, reason))).toEqual({
      at: { role: "rol_1" },
      parts: [{ says: "not asked", groups: { named: [], unnamed: 0 }, reason }],
    });
  }
});

test("any other text is none of them", () => {
  for (const text of [
    "role rol_1: keeps grp_1, until",
    "role rol_1: + grp_1; and more",
    "role rol_1: + [secret]",
    "role : + grp_1",
    "role rol_1 in : + grp_1",
  ])
    expect(parseRoleLine(text)).toBeUndefined();
  fc.assert(fc.property(fc.string(), (other) => expect(parseRoleLine(other)).toBeUndefined()));
});
