import { formatLines } from "../../provider/resources/role-group-assignment/lines";
import { listText, nameLines, parseList } from "../../provider/review/preview-lines";
import fc from "../../testkit/properties";
import { openIds } from "../../testkit/unusual-ids";

const id = fc.stringMatching(/^[a-z]{3}_[1-9A-Za-z]{4,22}$/);

test("a list is read back: ten ids by name, the others counted", () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 40 }), (ids) => {
      expect(parseList(listText(ids))).toEqual({
        named: ids.slice(0, 10),
        unnamed: Math.max(0, ids.length - 10),
      });
    }),
  );
});

test("what holds anything but ids is no list", () => {
  for (const text of ["grp_1, ", "grp 1", "grp_1; grp_2", "[secret]"])
    expect(parseList(text)).toBeUndefined();
});

test("a line says what its role and its groups are called, whatever the role's id", () => {
  fc.assert(
    fc.property(openIds, fc.constantFrom(undefined, "org_1"), (role, organization) => {
      const line = formatLines({ organization, role }, [{ says: "grants", groups: ["grp_1", "grp_2"] }]);
      const names = new Map([
        ["grp_2", "support-desk"],
        [role, "support-agent"],
      ]);
      expect(nameLines(line, names)).toEqual([`${role} is "support-agent", grp_2 is "support-desk"`]);
      expect(nameLines(line, new Map([[`${role}x`, "another"]]))).toEqual([]);
    }),
  );
});
