import { listText, parseList } from "../../provider/review/preview-lines";
import fc from "../../testkit/properties";

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
