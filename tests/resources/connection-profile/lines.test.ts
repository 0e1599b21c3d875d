import { LONGEST_TEXT, sanitize } from "../../../provider/border";
import { adoptionLine, notAskedLine } from "../../../provider/resources/connection-profile/lines";
import { factIn } from "../../../provider/review/facts";
import { PROFILE_SETTINGS } from "../../../provider/service/profile-fields";

const line = (live: object, settings: object, removes: string[][] = [], id = "cop_1") =>
  adoptionLine(id, { ...live }, { settings: { ...settings }, removes });
const of = (value: unknown) => Object.fromEntries(PROFILE_SETTINGS.map((name) => [name, value]));

test("an adoption says what it overwrites and removes, in words and as a fact", () => {
  const live = { name: "theirs", organization: { showAsButton: "none" } };
  expect(
    line(live, { name: "ours", organization: {}, enabledFeatures: ["scim"] }, [
      ["organization", "showAsButton"],
      ["connectionConfig"],
    ]),
  ).toBe(
    'adopts connection profile cop_1, named "theirs": changes name: "theirs" → "ours", ' +
      'organization: {"showAsButton":"none"} → {}, enabledFeatures: not set → ["scim"]; removes ["organization.showAsButton"] ' +
      '{"adopts":"cop_1","name":"theirs","changes":{"name":["theirs","ours"],"organization":[{"showAsButton":"none"},{}],' +
      '"enabledFeatures":[null,["scim"]]},' +
      '"removes":["organization.showAsButton"]}',
  );
  expect(line({}, {})).toBe(
    'adopts connection profile cop_1, named null: it stays as it is {"adopts":"cop_1","name":null,"changes":{}}',
  );
});

test("why it could not be read", () => {
  expect(notAskedLine("cop_1", "503")).toBe(
    'adopt: what changes on connection profile cop_1 could not be read (503) {"notAsked":"cop_1","why":"503"}',
  );
});

test("however long the values are, the line is not cut, and says how long they are", () => {
  const long = { long: "x".repeat(20_000) };
  const words = sanitize(
    line({ ...of(long), name: "x".repeat(5_000) }, of(long), [["a", "x".repeat(5_000)]]),
  );

  expect(words.length).toBeLessThan(LONGEST_TEXT);
  expect(factIn(words)).toEqual({
    adopts: "cop_1",
    name: "(5002 characters)",
    changes: {
      ...of(["(20011 characters)", "(20011 characters)"]),
      name: ["(5002 characters)", "(20011 characters)"],
    },
  });
});

test("the longest values that are shown fit into a line, too, unless all settings have them", () => {
  const value = "x".repeat(498);
  const some = Object.fromEntries(PROFILE_SETTINGS.slice(0, 5).map((name) => [name, value]));
  const removes = [["a", "x".repeat(494)]];
  expect(factIn(sanitize(line(some, some, removes, "1".repeat(128))))).toMatchObject({
    name: value,
    changes: Object.fromEntries(Object.keys(some).map((name) => [name, [value, value]])),
    removes: [`a.${"x".repeat(494)}`],
  });
  expect(factIn(sanitize(line(of(value), of(value))))).toBeUndefined();
});
