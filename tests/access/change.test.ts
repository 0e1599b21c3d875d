import { grantsAfter, grantsBefore } from "../../provider/access/change";
import { endOf, type Grant, Grants } from "../../provider/access/grants";

/* What a tenant has before and after a change: by states, programs, its answer and the rows. */

const edge = (group: string) => ({ role: "rol_1", holder: { group } });
const by = (name: string, until?: string) => [{ name, line: undefined, until }];
const grants = (all: Record<string, Grant["by"]>) =>
  new Grants(Object.entries(all).map(([group, claims]) => ({ ...edge(group), by: claims })));
const today = (...groups: string[]) => ({
  has: ({ holder }: Pick<Grant, "holder">) => "group" in holder && groups.includes(holder.group),
});
const NOBODY_ASKED = { has: () => undefined };
const shown = (all: Iterable<Grant>) =>
  [...all].map((grant) =>
    [
      "group" in grant.holder ? grant.holder.group : "",
      ...grant.by.map(({ name }) => name),
      endOf(grant),
    ].join(" "),
  );
const NOTHING = { gained: grants({}), lost: grants({}) };

test("before it has what states say, unless it denies that, and what somebody gave by hand", () => {
  const state = grants({ a: by("x", "2026-12-31"), b: by("x") });
  expect(shown(grantsBefore(state, today("a", "c"), [edge("a"), edge("c")]))).toEqual([
    "a x 2026-12-31",
    "c ",
  ]);
  expect(shown(grantsBefore(state, NOBODY_ASKED, []))).toEqual(["a x 2026-12-31", "b x "]);
});

test("after it has what programs list, and the rest of what it had, which nobody ends any more", () => {
  const before = grants({ a: by("x"), b: by("x", "2026-12-31") });
  const listed = grants({ a: by("x", "2027-01-31"), c: by("y") });
  expect(shown(grantsAfter(before, listed, NOBODY_ASKED, NOTHING))).toEqual([
    "a x 2027-01-31",
    "c y ",
    "b x ",
  ]);
});

test("what is lost is gone, and what was lost before counts only if the change gives it again", () => {
  const listed = grants({ a: by("x"), b: by("x") });
  const found = { gained: grants({ b: by("x") }), lost: grants({ c: by("y") }) };
  expect(shown(grantsAfter(grants({ c: by("y") }), listed, today("c"), found))).toEqual(["b x "]);
});

test("what a refresh finds counts although no program lists it", () => {
  const found = { gained: grants({ a: by("x") }), lost: grants({}) };
  expect(shown(grantsAfter(grants({}), grants({}), today("a"), found))).toEqual(["a x "]);
});
