import { UNKNOWN_VALUE } from "../../../provider/seen";
import { holderId } from "../../../provider/access/edge";
import { readPreview } from "../../../cli/review/input/preview";
import { reviewOf } from "../../../cli/review/review";
import { noAnswers, type TenantAnswers } from "../../../cli/review/tenant/answers";
import { told } from "../../../testkit/facts";
import { accessOf, groups, made, previewText, step, TENANT } from "../../../testkit/cli/previews";

/*
 * The words of a review about access. tests/truth proves in random worlds that it says what a run then does.
 */

const SECRET = "[secret]";
const texts = (reasons: readonly { reason: { toString(): string } }[]) =>
  reasons.map(({ reason }) => reason.toString());
const LEFT = "nothing is sent: its groups keep rol_1,";
const UNMANAGED = "no resource manages it any more";

interface Words {
  access?: string[];
  notes?: string[];
  unknown?: string[];
  categories?: string[];
}

const one = groups("grp_a");
const two = groups("grp_a", "grp_b");
const other = { ...one, roleId: "rol_2" };
const kept = { ...two, deleteOnDestroy: false };
const exclusive = { ...one, exclusive: true };
const ending = { ...one, until: "2199-12-31" };
const later = { ...one, until: "2200-12-31" };
const ended = { ...groups(), until: "2020-12-31" };

const update = (before: object, after: object, more: object = {}) =>
  step({ name: "a", op: "update", before: before as typeof one, after: after as typeof one, ...more });
const replace = (before: object, after: object, more: object = {}) => ({
  ...update(before, after, more),
  op: "replace",
});
const remove = (before: object, old: object = {}) => step({ name: "a", before: before as typeof one, old });
/** Without its delete, or before it. */
const parts = (whole: object, ...ops: string[]) => {
  const { urn, oldState } = whole as { urn: string; oldState: object };
  return ops.map((op) => (op === "delete-replaced" ? { op, urn, oldState } : { ...whole, op }));
};
const taken = (...takes: string[]) => told("x", { exclusive: "rol_1", takes });
const leavesB = (says: "may revoke" | "may hand over" | "hands over") =>
  told("a", { leaving: "rol_1", groups: { grp_b: says } });
const x = step({ name: "x", after: exclusive });
const leaves = update(two, one);
const external = (id: string) => ({ state: { external: true, id } });

const CASES: Record<string, [steps: object[], words: Words, lines?: string[]]> = {
  "a delete that leaves the role": [
    [remove(kept)],
    { access: [], categories: [], notes: [`${LEFT} because deleteOnDestroy is false; ${UNMANAGED}`] },
  ],
  "a delete of which nothing is sent": [
    [remove(two, { retainOnDelete: true })],
    { access: [], notes: [`${LEFT} because of retainOnDelete; ${UNMANAGED}`] },
  ],
  "a delete with that of another resource": [
    [
      step({ name: "p", before: one }),
      remove(two, {
        deletedWith: "urn:pulumi:prod::access::pulumi-nodejs:dynamic/identity:RoleGroupAssignment::p",
      }),
    ],
    { notes: [`${LEFT} because of deletedWith; ${UNMANAGED}`] },
  ],
  "a switch that is secret": [
    [remove({ ...one, deleteOnDestroy: SECRET })],
    { access: ["loses rol_1 grp_a by a unless deleteOnDestroy is false, which is secret"] },
  ],
  "another role: the former one's switch counts": [
    [replace(kept, { ...other, deleteOnDestroy: true })],
    {
      access: ["gains rol_2 grp_a by a"],
      notes: [`${LEFT} because deleteOnDestroy is false; ${UNMANAGED}`],
    },
  ],
  "a switch for later": [
    [update(one, { ...one, deleteOnDestroy: false })],
    { access: [], notes: ["from now on, destroying it leaves rol_1 to its groups (deleteOnDestroy)"] },
  ],
  "a switch for later that is secret": [
    [update(one, { ...one, deleteOnDestroy: SECRET })],
    {
      notes: [
        "from now on, destroying it may take rol_1 from its groups: whether it does is secret (deleteOnDestroy)",
      ],
    },
  ],
  "whom an exclusive one takes the role from": [
    [x],
    {
      access: ["gains rol_1 grp_a by x", "loses rol_1 grp_b by x", "loses rol_1 grp_c by x"],
      unknown: [],
    },
    [taken("grp_b", "grp_c")],
  ],
  "that, where nobody said it of this resource and role": [
    [x],
    {
      access: ["gains rol_1 grp_a by x"],
      unknown: ["which other groups lose rol_1, since it is exclusive: the tenant was not asked"],
      categories: ["exclusive", "grant", "revoke", "unknown"],
    },
    [taken("grp_b").replace("x:", "y:"), told("x", { exclusive: "rol_2", takes: [] })],
  ],
  "that, in part": [
    [x],
    {
      unknown: ["which other groups lose rol_1, since it is exclusive: 2 more than the preview names"],
    },
    [told("x", { exclusive: "rol_1", takes: ["grp_b"], more: 2 })],
  ],
  "that, where lines contradict each other": [
    [x],
    {
      access: ["gains rol_1 grp_a by x", "loses rol_1 grp_b by x"],
      unknown: [
        "which other groups lose rol_1, since it is exclusive: lines of the preview contradict each other",
      ],
    },
    [taken(), taken("grp_b")],
  ],
  "that, where a program prints what the tenant was not asked": [
    [x],
    {
      unknown: [
        "which other groups lose rol_1, since it is exclusive: the tenant could not be asked (no credentials)",
      ],
    },
    [told("x", { notAsked: "rol_1", why: "no credentials" }), taken()],
  ],
  "whether it is exclusive": [
    [step({ name: "a", after: { ...one, exclusive: UNKNOWN_VALUE } })],
    {
      unknown: [
        "whether it is exclusive is known only when the change is made; if it is, all other groups lose rol_1",
      ],
      categories: ["exclusive", "grant", "revoke", "unknown"],
    },
  ],
  "that, where a value that does not show decides whether there is an update": [
    [
      step({
        name: "x",
        before: exclusive,
        after: { ...exclusive, deleteOnDestroy: UNKNOWN_VALUE },
        diffReasons: ["deleteOnDestroy"],
      }),
    ],
    { access: ["loses rol_1 grp_b by x unless what does not show turns out to be as it is"] },
    [taken("grp_b")],
  ],
  "that, where another value differs for certain": [
    [
      step({
        name: "x",
        before: exclusive,
        after: { ...exclusive, groupIds: ["grp_a", "grp_c"], deleteOnDestroy: UNKNOWN_VALUE },
        diffReasons: ["deleteOnDestroy", "groupIds"],
      }),
    ],
    { access: ["loses rol_1 grp_b by x", "gains rol_1 grp_c by x"] },
    [taken("grp_b")],
  ],
  "becoming exclusive": [
    [step({ name: "x", before: one, after: exclusive })],
    {
      notes: ["from now on, each change of it takes rol_1 from groups that others gave it to (exclusive)"],
    },
    [taken()],
  ],
  "no longer exclusive": [
    [update(exclusive, one)],
    { notes: ["is no longer exclusive: groups that others give the role to keep it"] },
  ],
  "groups that are not known yet": [
    [update(two, groups("grp_a", UNKNOWN_VALUE))],
    {
      access: ["loses rol_1 grp_b by a unless it is among its groups that are not known yet"],
      unknown: ["which groups get rol_1 is known only when the change is made, beside grp_a"],
      categories: ["grant", "revoke", "unknown"],
    },
  ],
  "groups of another one that are not known yet": [
    [leaves, step({ name: "b", after: { ...groups(), groupIds: UNKNOWN_VALUE } })],
    { access: ["loses rol_1 grp_b by a unless b lists it"] },
  ],
  "another one outside of the targets, whatever a line says": [
    [leaves, step({ name: "b", op: "same", before: other, state: { outputs: other } })],
    { access: ["loses rol_1 grp_b by a unless b lists it, which is not a target of this run"] },
    [leavesB("hands over")],
  ],
  "a hand-over to what no preview shows": [
    [leaves],
    { access: ["loses rol_1 grp_b by a unless an assignment outside of this preview lists it"] },
    [leavesB("hands over")],
  ],
  "grants, whatever a program prints": [
    [step({ name: "x", after: one })],
    { access: ["gains rol_1 grp_a by x"] },
    [told("x", { leaving: "rol_1", groups: { grp_a: "may revoke" } }), taken("grp_a")],
  ],
  "a replacement whose delete is done": [
    [...parts(replace(one, one, { old: { pendingReplacement: true } }), "create-replacement", "replace")],
    {
      access: ["gains rol_1 grp_a by a"],
      notes: ["an earlier run has deleted the one that it replaces: no group loses a role now"],
    },
  ],
  "a replacement whose delete is outside of the targets": [
    [...parts(replace(two, groups("grp_b", "grp_c")), "create-replacement", "replace")],
    { access: ["gains rol_1 grp_c by a"], notes: [`${LEFT} until a later run deletes the old one`] },
  ],
  "a replacement by the same groups": [
    [replace(one, one)],
    { access: [], notes: ["is replaced by one of the same role: groups that both list keep rol_1"] },
  ],
  "a replacement that a value decides, which is not known yet": [
    [
      replace(
        two,
        { ...one, deleteOnDestroy: UNKNOWN_VALUE },
        {
          old: { retainOnDelete: true },
          replaceReasons: ["deleteOnDestroy"],
        },
      ),
    ],
    {
      access: [
        "loses rol_1 grp_b by a unless it is replaced, which a value that is not known yet decides: then its groups keep the role",
      ],
    },
  ],
  "what is only read from now on": [
    [step({ name: "a", op: "read", before: one, after: {}, ...external("rol_1") })],
    {
      access: [],
      notes: [`${LEFT} from now on it is only read; ${UNMANAGED}`],
    },
  ],
  "what becomes `get` of another role": [
    [...parts(replace(one, {}, external("rol_2")), "read-replacement", "replace", "delete-replaced")],
    { access: ["loses rol_1 grp_a by a"] },
  ],
  "an import of another role, which the program then changes": [
    [
      ...parts(replace(one, other, { state: { id: "rol_2" } }), "import-replacement", "replace"),
      update(other, { ...groups("grp_b"), roleId: "rol_2" }),
      ...parts(replace(one, other), "delete-replaced"),
    ],
    {
      access: ["loses rol_1 grp_a by a", "loses rol_2 grp_a by a", "gains rol_2 grp_b by a"],
      notes: ["is imported: from now on, this stack manages it"],
      unknown: [],
    },
  ],
  "what `get` reads": [
    [
      step({ name: "a", op: "read", after: one, state: { external: true } }),
      step({ name: "b", before: one, old: { external: true } }),
    ],
    { access: [] },
  ],
  "an operation of a later Pulumi": [
    [step({ name: "a", op: "transmogrify", after: one })],
    {
      unknown: ["this release does not know the operation transmogrify: update pulumi-identity"],
      categories: ["delete", "grant", "removal", "revoke", "unknown"],
    },
  ],
  "the end of a role": [
    [update({ ...one, until: "2020-12-31" }, ended)],
    { access: ["loses rol_1 grp_a by a"], categories: ["revoke"] },
  ],
  "a new one that has ended": [
    [step({ name: "a", after: ended })],
    {
      access: [],
      unknown: [],
      notes: ["has ended (until 2020-12-31): it gives rol_1 to no group until it is prolonged or removed"],
    },
  ],
  "one that has ended, and whose switch is secret": [
    [update(ended, { ...ended, exclusive: SECRET })],
    { access: [], unknown: [] },
  ],
  "an end that goes": [
    [update(ending, one)],
    {
      access: ["keeps rol_1 grp_a by a, now without an end (was 2199-12-31)"],
      categories: ["grant"],
      notes: [],
      unknown: [],
    },
  ],
  "an end that comes": [
    [update(one, ending)],
    {
      access: ["keeps rol_1 grp_a by a, now ends on 2199-12-31 (had no end)"],
      categories: ["revoke"],
      notes: [],
      unknown: [],
    },
  ],
  "nobody ends any more what a delete leaves": [
    [remove({ ...ending, deleteOnDestroy: false })],
    {
      access: ["keeps rol_1 grp_a by a, now without an end (was 2199-12-31)"],
      categories: ["grant"],
      notes: [`${LEFT} because deleteOnDestroy is false; ${UNMANAGED}`],
    },
  ],
  "nor what retainOnDelete leaves": [
    [remove(ending, { retainOnDelete: true })],
    { access: ["keeps rol_1 grp_a by a, now without an end (was 2199-12-31)"], categories: ["grant"] },
  ],
  "… unless one of a secret role turns out to take it": [
    [remove(ending, { retainOnDelete: true }), step({ name: "b", after: { ...exclusive, roleId: SECRET } })],
    {
      access: [
        "keeps rol_1 grp_a by a, now without an end (was 2199-12-31) unless b takes it away, which is exclusive",
      ],
    },
  ],
  "an end that becomes secret": [
    [update(ending, { ...one, until: SECRET })],
    {
      access: [],
      unknown: ["until when its groups have rol_1 is secret"],
      categories: ["grant", "revoke", "unknown"],
      notes: [],
    },
  ],
  "a secret end that goes": [
    [update({ ...one, until: SECRET }, one)],
    {
      access: [],
      unknown: ["until when its groups had rol_1 is secret"],
      categories: ["grant", "revoke", "unknown"],
      notes: [],
    },
  ],
  "the same secret end": [
    [
      update(
        { ...one, until: SECRET },
        { ...one, until: SECRET, deleteOnDestroy: false },
        { diffReasons: ["deleteOnDestroy"] },
      ),
    ],
    { access: [], unknown: [], categories: [] },
  ],
  "a grant until a secret day": [
    [step({ name: "a", after: { ...one, until: SECRET } })],
    {
      access: ["gains rol_1 grp_a by a"],
      unknown: ["until when its groups have rol_1 is secret"],
      categories: ["grant", "unknown"],
    },
  ],
  "an end that isn't known yet": [
    [update(ending, { ...one, until: UNKNOWN_VALUE })],
    { access: [], unknown: ["until when its groups have rol_1 is known only when the change is made"] },
  ],
  "a secret end that a delete leaves": [
    [remove({ ...one, until: SECRET, deleteOnDestroy: false })],
    { access: [], unknown: ["until when its groups had rol_1 is secret"] },
  ],
  "an end, where another assignment's is secret": [
    [update(ending, later), step({ name: "b", op: "same", before: { ...one, until: SECRET } })],
    {
      access: [
        "keeps rol_1 grp_a by a, b, now ends on 2200-12-31 (was 2199-12-31) unless b gives it for longer, which does not show",
      ],
      categories: ["grant", "unknown"],
    },
  ],
  "other secret groups with another end": [
    [
      update(
        { ...ending, groupIds: SECRET },
        { ...later, groupIds: SECRET },
        { diffReasons: ["until", "groupIds"] },
      ),
    ],
    {
      notes: ["its groups have rol_1 until 2200-12-31; it was until 2199-12-31"],
      unknown: ["which groups get rol_1 is secret"],
    },
  ],
  "secret groups with another secret end": [
    [
      update(
        { ...one, groupIds: SECRET, until: SECRET },
        { ...one, groupIds: SECRET, until: SECRET },
        { diffReasons: ["until"] },
      ),
    ],
    { notes: [], unknown: ["which groups get rol_1 is secret"] },
  ],
  "secret groups that keep a role, which nothing ends any more": [
    [remove({ ...ending, groupIds: SECRET, deleteOnDestroy: false })],
    {
      notes: [`${LEFT} because deleteOnDestroy is false; ${UNMANAGED}`],
      unknown: ["which groups keep rol_1 without an end (it was until 2199-12-31) is secret"],
      categories: ["grant", "unknown"],
    },
  ],
  "groups of a secret role that keep it, which nothing ends any more": [
    [remove({ ...ending, roleId: SECRET, deleteOnDestroy: false })],
    { unknown: ["which groups keep its role without an end (it was until 2199-12-31) is secret"] },
  ],
};

test.each(Object.entries(CASES))("%s", (_what, [steps, words, lines]) => {
  const review = made(steps, lines);
  const said: Words = {
    access: accessOf(review),
    notes: texts(review.notes),
    unknown: texts(review.unknown),
    categories: [...review.categories],
  };
  expect(said).toMatchObject(words);
});

describe("groups may be without the role for a moment", () => {
  const MOMENT = /may be without the role for a moment/;
  const listed = step({ name: "b", after: groups("grp_b") });
  const urnOf = (one: object) => (one as { urn: string }).urn;

  test.each<[string, object[], string[]]>([
    [
      "where a replacement deletes first",
      parts(replace(groups("grp_b"), two), "delete-replaced", "create-replacement", "replace"),
      [],
    ],
    [
      "where another one lists what is deleted first",
      [...parts(replace(groups("grp_b"), other), "delete-replaced", "create-replacement", "replace"), listed],
      [],
    ],
    ["where assignments don't know each other", [leaves, listed], [leavesB("may revoke")]],
    [
      "where the new one waits for the old one",
      [leaves, step({ name: "b", after: groups("grp_b"), state: { dependencies: [urnOf(leaves)] } })],
      [leavesB("may hand over")],
    ],
  ])("%s", (_what, steps, lines) => {
    const row = made(steps, lines).access.find(({ holder }) => holderId(holder) === "grp_b");
    expect(row).toMatchObject({ effect: "keeps", role: "rol_1" });
    expect(texts(row?.by ?? [])[0]).toMatch(MOMENT);
  });

  const waiting = (...dependencies: string[]) => ({ state: { dependencies } });
  const leaver = (...dependencies: string[]) => update(two, one, waiting(...dependencies));

  test.each<[string, object[], string]>([
    ["where they do", [leaves, listed], leavesB("hands over")],
    [
      "where another resource stands between them",
      [
        leaver("urn:p"),
        {
          ...step({ kind: "ConnectionProfile", name: "p", after: {}, ...waiting(urnOf(listed)) }),
          urn: "urn:p",
        },
        listed,
      ],
      leavesB("may hand over"),
    ],
  ])("but not %s", (_what, steps, line) => {
    const [row] = made(steps, [line]).access;
    expect(texts(row?.by ?? [])).toEqual(["", ""]);
  });
});

test("a destroy takes what a resource that it leaves has too, as no program lists it; a file doesn't tell a destroy", () => {
  const left = step({ name: "b", op: "same", before: other, state: { outputs: other } });
  const text = previewText([remove(one), left]);
  const rows = (isDestroy: boolean) =>
    reviewOf(
      readPreview(text, () => undefined, { isDestroy }),
      false,
    ).access.map(({ effect, unless }) => [effect, unless?.toString()]);
  expect(rows(true)).toEqual([["loses", undefined]]);
  expect(rows(false)).toEqual([["loses", "b lists it, which is not a target of this run"]]);
});

test("an end is said with each grant, and two of them are two fingerprints", () => {
  const review = made([update({ ...one, until: "2020-12-31" }, ended), step({ name: "b", after: ending })]);
  expect(review.access).toMatchObject([{ effect: "keeps", until: "2199-12-31", untilBefore: "2020-12-31" }]);
  expect(texts(review.access[0]?.by ?? [])).toEqual(["has ended (until 2020-12-31)", "until 2199-12-31"]);
  const prints = [ending, { ...one, until: "2199-11-30" }, one].map(
    (after) => made([step({ name: "a", after })]).fingerprint,
  );
  expect(new Set(prints).size).toBe(3);
});

test("a moved end has a fingerprint of its own, whatever the assignment is called, by its day and where it was", () => {
  const print = (before: object, after: object, name = "a") =>
    made([step({ name, before: before as typeof one, after: after as typeof one })]).fingerprint;
  expect(print(ending, later, "b")).toBe(print(ending, later));
  const prints = [print(ending, one), print(one, ending), print(later, ending), print(ending, later)];
  expect(new Set([...prints, made([]).fingerprint]).size).toBe(5);
});

test("a group that has the role by hand has it without an end", () => {
  const preview = readPreview(previewText([step({ name: "a", after: ending })]));
  const answers: TenantAnswers = {
    ...noAnswers(),
    hosts: [TENANT],
    groups: new Map([["rol_1", { value: [{ id: "grp_a", name: undefined }] }]]),
  };
  const review = reviewOf(preview, false, answers);
  expect(accessOf(review)).toEqual(["keeps rol_1 grp_a by a, now ends on 2199-12-31 (had no end)"]);
  expect(review.categories).toEqual(["revoke"]);
});

test("an end of what the group has lost meanwhile says so", () => {
  const preview = readPreview(previewText([update(ending, later)]));
  const answers: TenantAnswers = {
    ...noAnswers(),
    hosts: [TENANT],
    groups: new Map([["rol_1", { value: [] }]]),
  };
  const [row] = reviewOf(preview, false, answers).access;
  expect(texts(row?.by ?? [])).toEqual(["it does not have the role today"]);
});

test("an end that a delete leaves counts only where the group still has the role", () => {
  const preview = readPreview(previewText([remove({ ...ending, deleteOnDestroy: false })]));
  const answers = (...ids: string[]): TenantAnswers => ({
    ...noAnswers(),
    hosts: [TENANT],
    groups: new Map([["rol_1", { value: ids.map((id) => ({ id, name: undefined })) }]]),
  });
  expect(accessOf(reviewOf(preview, false, answers()))).toEqual([]);
  expect(reviewOf(preview, false, answers("grp_a")).access).toHaveLength(1);
});

test("from 14 days before the end on a note warns, which depends on the day and is not in the fingerprint", () => {
  const soon = { ...one, until: "2030-12-31" };
  const preview = readPreview(previewText([step({ name: "a", op: "same", before: soon })]));
  const on = (day: string) => reviewOf(preview, false, undefined, new Date(`${day}T12:00:00Z`));
  expect(texts(on("2030-12-17").notes)).toEqual([]);
  expect(texts(on("2030-12-20").notes)).toEqual(["until 2030-12-31, in 11 days: then its groups lose rol_1"]);
  expect(on("2030-12-20").fingerprint).toBe(on("2030-12-17").fingerprint);
  // The preview doesn't know about it yet.
  expect(texts(on("2031-01-02").notes)).toEqual([]);
});
