import { clean, LONGEST_TEXT } from "../../../provider/border";
import {
  formatProfileLine,
  parseProfileLine,
  type ProfileLine,
} from "../../../provider/resources/connection-profile/lines";
import { PROFILE_SETTINGS } from "../../../provider/service/profile-fields";
import fc from "../../../testkit/properties";
import { openIds } from "../../../testkit/unusual-ids";

const profileId = openIds;
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('"', "\\", ", name: ", " → ", "not set", "it stays as it is"),
);
const value = fc.oneof(
  text,
  fc.array(text),
  fc.dictionary(fc.stringMatching(/^\w+$/), text),
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
);
const change = fc.record({
  field: fc.stringMatching(/^[a-zA-Z]+$/),
  before: fc.option(value, { nil: undefined }),
  after: value,
});
const line: fc.Arbitrary<ProfileLine> = fc.oneof(
  fc.record({
    says: fc.constant("adoption" as const),
    profileId,
    name: value,
    changes: fc.array(change, { minLength: 1 }),
    removes: fc.array(text),
  }),
  fc.record({
    says: fc.constant("adoption" as const),
    profileId,
    name: value,
    changes: fc.array(change, { maxLength: 0 }),
    removes: fc.array(text, { maxLength: 0 }),
  }),
  fc.record({
    says: fc.constant("not asked" as const),
    profileId,
    reason: fc.constantFrom("503", "needs x:y", "(a) b"),
  }),
);

test("what a preview says of a profile is read back, value by value", () => {
  fc.assert(fc.property(line, (line) => expect(parseProfileLine(formatProfileLine(line))).toEqual(line)));
});

test("hidden characters, which are made visible on the way, are read back as they were", () => {
  const changes = [{ field: "name", before: "a\u202eb", after: "c\u200bd" }];
  const adoption = { says: "adoption" as const, profileId: "cop_1", name: "x\u0007y", changes, removes: [] };
  const line = clean(formatProfileLine(adoption));
  expect(line).toContain("a\\u202eb");
  expect(parseProfileLine(line)).toEqual(adoption);
});

test("however long the values are, the line is not cut, and says how long they are", () => {
  const long = { long: "x".repeat(20_000) };
  const changes = PROFILE_SETTINGS.map((field) => ({ field, before: long, after: long }));
  const line = formatProfileLine({
    says: "adoption",
    profileId: "1".repeat(128),
    name: "x".repeat(5_000),
    changes,
    removes: ["x".repeat(5_000)],
  });

  expect(line.length).toBeLessThan(LONGEST_TEXT);
  expect(parseProfileLine(clean(line))).toMatchObject({
    changes: PROFILE_SETTINGS.map((field) => ({ field, after: "(20011 characters)" })),
  });
});

test("any other text is none of them", () => {
  expect(parseProfileLine("role rol_1: + grp_1")).toBeUndefined();
  fc.assert(fc.property(fc.string(), (other) => expect(parseProfileLine(other)).toBeUndefined()));
});
