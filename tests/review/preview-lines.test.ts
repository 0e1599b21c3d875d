import { formatLines } from "../../provider/resources/role-group-assignment/lines";
import { listText, nameLines } from "../../provider/review/preview-lines";
import fc from "../../testkit/properties";
import { openIds } from "../../testkit/unusual-ids";

test.each([
  [0, ""],
  [1, "grp_0"],
  [10, "grp_0, grp_1, grp_2, grp_3, grp_4, grp_5, grp_6, grp_7, grp_8, grp_9"],
  [12, "grp_0, grp_1, grp_2, grp_3, grp_4, grp_5, grp_6, grp_7, grp_8, grp_9 and 2 more"],
])("a list of %i names the first ten, and counts the rest", (length, text) => {
  expect(listText(Array.from({ length }, (_, index) => `grp_${index}`))).toBe(text);
});

test("a line says what its role and its groups are called, whatever the role's id, and whatever fact it ends in", () => {
  fc.assert(
    fc.property(
      openIds,
      fc.constantFrom(undefined, "org_1"),
      fc.constantFrom("grants" as const, "hands over" as const),
      (role, organization, says) => {
        const line = formatLines({ organization, role }, [{ says, groups: ["grp_1", "grp_2"] }]);
        const names = new Map([
          ["grp_2", "support-desk"],
          [role, "support-agent"],
        ]);
        expect(nameLines(line, names)).toEqual([`${role} is "support-agent", grp_2 is "support-desk"`]);
        expect(nameLines(line, new Map([[`${role}x`, "another"]]))).toEqual([]);
      },
    ),
  );
});
