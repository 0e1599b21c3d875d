import {
  formatRoleLine,
  formatLines,
  parseRoleLine,
  type RoleLine,
} from "../../../provider/resources/role-group-assignment/lines";
import fc from "../../properties";

const id = (prefix: string) => fc.stringMatching(new RegExp(`^${prefix}_[1-9A-Za-z]{4,22}$`));
const groups = fc.uniqueArray(id("grp"), { minLength: 1, maxLength: 40 });
const roleId = "rol_1";

const read = (line: RoleLine): unknown =>
  "groups" in line
    ? { ...line, groups: { named: line.groups.slice(0, 10), unnamed: Math.max(0, line.groups.length - 10) } }
    : line;

const part: fc.Arbitrary<RoleLine> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      "grants" as const,
      "revokes" as const,
      "hands over" as const,
      "leaves" as const,
      "ends" as const,
      "revokes later" as const,
      "may revoke" as const,
    ),
    roleId: fc.constant(roleId),
    groups,
  }),
  fc.record({
    kind: fc.constantFrom("grants" as const, "has ended" as const),
    roleId: fc.constant(roleId),
    groups,
    until: fc.constantFrom("2026-12-31", "2026-12-31T18:00:00.000+01:00"),
  }),
  fc.constant({ kind: "unknown groups" as const, roleId }),
  fc.constant({ kind: "unknown exclusive" as const, roleId }),
);

test("what a preview says of a change is read back, part by part", () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const lines = formatLines(roleId, parts);
      expect(lines).toHaveLength(1);
      expect(parseRoleLine(lines[0] as string)).toEqual(parts.map(read));
    }),
  );
});

test("a part without groups says nothing", () => {
  expect(formatLines(roleId, [{ kind: "grants", roleId, groups: [] }])).toEqual([]);
});

test("whom an exclusive assignment takes the role from is read back, and why it could not be asked", () => {
  fc.assert(
    fc.property(fc.oneof(groups, fc.constant([])), (others) => {
      const line: RoleLine = { kind: "exclusive", roleId, groups: others };
      expect(parseRoleLine(formatRoleLine(line))).toEqual([read(line)]);
    }),
  );
  for (const reason of ["503", "needs read:group_roles", "a; − grp_1", "(b)"]) {
    const line: RoleLine = { kind: "not asked", roleId, reason };
    expect(parseRoleLine(formatRoleLine(line))).toEqual([line]);
  }
});

test("any other text is none of them", () => {
  for (const text of [
    "role rol_1: keeps grp_1, until",
    "role rol_1: + grp_1; and more",
    "role rol_1: + [secret]",
    "role : + grp_1",
  ])
    expect(parseRoleLine(text)).toBeUndefined();
  fc.assert(fc.property(fc.string(), (other) => expect(parseRoleLine(other)).toBeUndefined()));
});
