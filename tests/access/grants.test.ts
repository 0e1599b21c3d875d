import { endOf, type Grant, Grants } from "../../provider/access/grants";

const group = (name: string) => ({ role: "rol_1", holder: { group: name } });
const claim = (name: string, until?: string) => ({ name, line: undefined, until });
const shown = (grants: Iterable<Grant>) =>
  [...grants].map(({ holder, by }) => `${JSON.stringify(holder)} ${by.map(({ name }) => name).join("+")}`);

test("a grant has the claims of all who say so, in their order; one by hand has none", () => {
  const state = new Grants([{ ...group("a"), by: [claim("first")] }]);
  state.add(group("a"), claim("second"));
  state.add(group("b"));
  expect(shown(state)).toEqual(['{"group":"a"} first+second', '{"group":"b"} ']);
  expect(state.by(group("a")).map(({ name }) => name)).toEqual(["first", "second"]);
  expect([state.has(group("b")), state.has(group("c")), state.by(group("c"))]).toEqual([true, false, []]);
});

test("a user who has the name of a group is another holder", () => {
  const grants = new Grants([{ ...group("a"), by: [] }]);
  expect(grants.has({ role: "rol_1", holder: { user: "a" } })).toBe(false);
});

test("those of two are together, and those of a role are found, also after one was added", () => {
  const all = new Grants([{ ...group("a"), by: [claim("one")] }]).and([
    { ...group("a"), by: [claim("other")] },
    { role: "rol_2", holder: { group: "a" }, by: [] },
  ]);
  expect(shown(all.ofRole("rol_1"))).toEqual(['{"group":"a"} one+other']);
  all.add(group("b"));
  expect(all.ofRole("rol_1")).toHaveLength(2);
  expect(all.ofRole("rol_3")).toEqual([]);
});

test("what is added to a part of grants, or to two together, leaves the others as they were", () => {
  const first = new Grants([{ ...group("a"), by: [claim("one")] }]);
  const [part, both] = [first.filter(() => true), first.and([{ ...group("a"), by: [claim("other")] }])];
  part.add(group("a"), claim("part"));
  both.add(group("b"));
  expect([first, part, both].map(shown)).toEqual([
    ['{"group":"a"} one'],
    ['{"group":"a"} one+part'],
    ['{"group":"a"} one+other', '{"group":"b"} '],
  ]);
});

test("a grant ends with its last claim, and never if one has no end", () => {
  const [early, late] = ["2026-12-01", "2026-12-31"];
  expect(endOf({ by: [claim("a", late), claim("b", early)] })).toBe(late);
  expect(endOf({ by: [claim("a", late), claim("b")] })).toBeUndefined();
  expect(endOf({ by: [] })).toBeUndefined();
});
