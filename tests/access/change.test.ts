import {
  type ClaimAfter,
  type ClaimBefore,
  effectsOfChange,
  grantsAfter,
  grantsBefore,
} from "../../provider/access/change";
import { endOf, type Grant, Grants } from "../../provider/access/grants";
import { say } from "../../provider/sentence";

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

describe("an end that moves is a row, by the last of those who give the role", () => {
  const had = (name: string, until?: string, more: Partial<ClaimBefore> = {}): ClaimBefore => ({
    ...{ name, line: undefined, op: "update", reason: say``, until },
    ...{ isUnconfirmed: false, isLeaving: false, mayInterrupt: false },
    ...more,
  });
  const has = (name: string, until?: string, more: Partial<ClaimAfter> = {}): ClaimAfter => ({
    ...{ name, line: undefined, op: "update", reason: say``, until, isChanged: true, isNew: false },
    ...more,
  });
  const [DAY, LATER] = ["2199-12-31", "2200-12-31"];
  const left = { isLeaving: true, left: say`because it stays` };
  const hidden = { isEndHidden: true };

  test.each<[string, ClaimBefore[], ClaimAfter[], string[]]>([
    ["the same end", [had("a", DAY)], [has("a", DAY)], []],
    ["a later one", [had("a", DAY)], [has("a", LATER)], [`a: later ${DAY} ${LATER}`]],
    ["a new one", [had("a")], [has("a", DAY)], [`a: earlier none ${DAY}`]],
    ["another resource goes on", [had("a", DAY), had("b")], [has("a", LATER), has("b")], []],
    [
      "the longer one of two goes",
      [had("a", LATER, { isLeaving: true }), had("b", DAY)],
      [has("b", DAY, { isChanged: false })],
      [`a, b: earlier ${LATER} ${DAY}`],
    ],
    ["nobody ends what is left", [had("a", DAY, left)], [], [`a: later ${DAY} none`]],
    ["what is left had no end", [had("a", undefined, left)], [], []],
    ["an end that doesn't show", [had("a", undefined, hidden)], [has("a", DAY)], []],
    [
      "one beside another that doesn't show",
      [had("a", DAY), had("b", undefined, hidden)],
      [has("a", LATER), has("b", undefined, hidden)],
      [`a, b: later ${DAY} ${LATER} unless b gives it for longer, which does not show`],
    ],
  ])("%s", (_, before, after, rows) => {
    const of = <Of>(by: Of[]) => (by.length === 0 ? [] : [{ ...edge("g"), by }]);
    const effects = effectsOfChange({
      before: new Grants<ClaimBefore>(of(before)),
      after: new Grants<ClaimAfter>(of(after)),
      losses: new Grants([]),
      today: NOBODY_ASKED,
      secretly: () => undefined,
      taker: () => undefined,
    });
    expect(
      effects.map(({ effect, by: names, ends, until = "none", untilBefore = "none", unless }) =>
        [
          `${names.map(({ name }) => name).join(", ")}: ${ends ?? effect} ${untilBefore} ${until}`,
          ...(unless === undefined ? [] : [`unless ${unless.toString()}`]),
        ].join(" "),
      ),
    ).toEqual(rows);
  });
});
