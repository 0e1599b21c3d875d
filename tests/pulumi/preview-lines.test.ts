import { clean } from "../../provider/border";
import {
  adoptionLine,
  adoptionQuestion,
  exclusiveLine,
  exclusiveQuestion,
  handedOverLine,
  notAskedLine,
  parsePreviewLine,
} from "../../provider/pulumi/preview-lines";
import fc from "../properties";

const id = fc.stringMatching(/^[a-z]{3}_[1-9A-Za-z]{4,22}$/);
const groups = fc.uniqueArray(id, { minLength: 1, maxLength: 40 });
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

test("what a preview says of an exclusive assignment is read back: ten groups by name, the others counted", () => {
  fc.assert(
    fc.property(id, groups, (roleId, others) => {
      const read = { roleId, groups: others.slice(0, 10), unnamed: Math.max(0, others.length - 10) };
      expect(parsePreviewLine(exclusiveLine(roleId, others))).toEqual({ kind: "exclusive", ...read });
      expect(parsePreviewLine(handedOverLine(roleId, others))).toEqual({ kind: "handed-over", ...read });
    }),
  );
  expect(parsePreviewLine(exclusiveLine("rol_1", []))).toEqual({
    kind: "exclusive",
    roleId: "rol_1",
    groups: [],
    unnamed: 0,
  });
});

test("what a preview says of an adoption is read back, value by value", () => {
  const change = fc.record({
    field: fc.stringMatching(/^[a-zA-Z]+$/),
    before: fc.option(value, { nil: undefined }),
    after: value,
  });
  fc.assert(
    fc.property(id, value, fc.array(change), (profileId, name, changes) => {
      const line = adoptionLine(profileId, name, changes);
      expect(parsePreviewLine(line)).toEqual({ kind: "adoption", profileId, name, changes });
    }),
  );
});

test("hidden characters, which the border makes visible, are read back as they were", () => {
  const changes = [{ field: "name", before: "a\u202eb", after: "c\u200bd" }];
  const line = clean(adoptionLine("cop_1", "x\u0007y", changes));
  expect(line).toContain("a\\u202eb");
  expect(parsePreviewLine(line)).toEqual({ kind: "adoption", profileId: "cop_1", name: "x\u0007y", changes });
});

test("what could not be asked is read back with its reason", () => {
  const reason = "needs read:group_roles";
  expect(parsePreviewLine(notAskedLine(exclusiveQuestion("rol_1"), reason))).toEqual({
    kind: "not-asked",
    about: "exclusive",
    id: "rol_1",
    reason,
  });
  expect(parsePreviewLine(notAskedLine(adoptionQuestion("cop_1"), "503"))).toEqual({
    kind: "not-asked",
    about: "adoption",
    id: "cop_1",
    reason: "503",
  });
});

test("a line that was cut, and any other text, is none of them", () => {
  const changes = [{ field: "connectionConfig", before: undefined, after: { long: "x".repeat(10_000) } }];
  expect(parsePreviewLine(clean(adoptionLine("cop_1", "p", changes)))).toBeUndefined();
  expect(parsePreviewLine("role rol_1: + grp_1; − grp_2")).toBeUndefined();
  fc.assert(fc.property(fc.string(), (other) => expect(parsePreviewLine(other)).toBeUndefined()));
});
