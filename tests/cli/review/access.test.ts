import { UNKNOWN } from "../../../provider/review/raw-inputs";
import { readPreview } from "../../../cli/review/preview";
import { reviewOf } from "../../../cli/review/review";
import { accessOf, groups, made, previewText, step } from "./made";

const reasons = (review: ReturnType<typeof made>) => review.unknown.map(({ reason }) => reason.toString());

test("a group that one assignment loses and another one gets keeps the role, whatever the order of the steps", () => {
  const steps = [
    step({ name: "from", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_a") }),
    step({ name: "to", after: groups("grp_b") }),
  ];
  expect(accessOf(made(steps))).toEqual(["keeps rol_1 grp_b by from, to"]);
  expect(accessOf(made(steps.reverse()))).toEqual(["keeps rol_1 grp_b by from, to"]);
});

test("a change of the order of groups is none", () => {
  const steps = [
    step({ name: "a", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_b", "grp_a") }),
  ];
  expect(accessOf(made(steps))).toEqual([]);
});

test("the same group and role on two tenants are two things", () => {
  const other = step({
    name: "to",
    after: groups("grp_a"),
    state: { provider: "urn:pulumi:prod::access::eu::p2" },
  });
  const steps = [step({ name: "from", op: "delete", before: groups("grp_a") }), other];
  expect(accessOf(made(steps))).toEqual(["loses rol_1 grp_a by from", "gains rol_1 grp_a by to"]);
});

test("a deleted assignment with retainOnDelete takes nothing away", () => {
  const review = made([
    step({ name: "a", op: "delete", before: groups("grp_a"), old: { retainOnDelete: true } }),
  ]);
  expect(accessOf(review)).toEqual([]);
  expect(review.notes.map(({ reason }) => reason.toString())).toEqual([
    "nothing is sent: its groups keep rol_1, because of retainOnDelete; no resource manages it any more",
  ]);
});

describe("deleteOnDestroy", () => {
  const kept = { ...groups("grp_a", "grp_b"), deleteOnDestroy: false };
  const other = { ...groups("grp_a"), roleId: "rol_2" };
  const notesOf = (review: ReturnType<typeof made>) => review.notes.map(({ reason }) => reason.toString());
  const stays =
    "nothing is sent: its groups keep rol_1, because deleteOnDestroy is false; no resource manages it any more";

  test("false: a delete takes nothing away, and it is said", () => {
    const review = made([step({ name: "a", op: "delete", before: kept })]);
    expect(accessOf(review)).toEqual([]);
    expect(notesOf(review)).toEqual([stays]);
    expect(review.categories).toEqual([]);
  });

  test("true, or not set, as in state of earlier releases: a delete takes the role from each group", () => {
    for (const deleteOnDestroy of [true, undefined]) {
      const review = made([step({ name: "a", op: "delete", before: { ...kept, deleteOnDestroy } })]);
      expect(accessOf(review)).toEqual(["loses rol_1 grp_a by a", "loses rol_1 grp_b by a"]);
      expect(notesOf(review)).toEqual([]);
    }
  });

  test("false: another role leaves the former one to the groups, whatever the program says now", () => {
    const review = made([
      step({ name: "a", op: "replace", before: kept, after: { ...other, deleteOnDestroy: true } }),
    ]);
    expect(accessOf(review)).toEqual(["gains rol_2 grp_a by a"]);
    expect(notesOf(review)).toEqual([stays]);
  });

  test("false that comes with another role is not for the former one", () => {
    const before = groups("grp_a");
    const review = made([
      step({ name: "a", op: "replace", before, after: { ...other, deleteOnDestroy: false } }),
    ]);
    expect(accessOf(review)).toEqual(["loses rol_1 grp_a by a", "gains rol_2 grp_a by a"]);
  });

  test("of a change that was done in part, the outputs decide, also where they have none", () => {
    const before = groups("grp_a");
    const made1 = (inputs: object, outputs: object) =>
      made([
        step({
          name: "a",
          op: "delete",
          before: { ...before, ...inputs },
          old: { outputs: { tenant: "tenant.example.com", ...before, ...outputs } },
        }),
      ]);
    expect(accessOf(made1({ deleteOnDestroy: false }, {}))).toEqual(["loses rol_1 grp_a by a"]);
    expect(accessOf(made1({}, { deleteOnDestroy: false }))).toEqual([]);
  });

  test("a secret may be either", () => {
    const review = made([
      step({ name: "a", op: "delete", before: { ...groups("grp_a"), deleteOnDestroy: "[secret]" } }),
    ]);
    expect(accessOf(review)).toEqual([
      "loses rol_1 grp_a by a unless deleteOnDestroy is false, which is secret",
    ]);
  });

  test("secret groups that keep the role are no question", () => {
    const before = { ...kept, groupIds: "[secret]" };
    const review = made([step({ name: "a", op: "delete", before })]);
    expect(review.unknown).toEqual([]);
    expect(notesOf(review)).toEqual([stays]);
  });

  test("what changes a later destroy is said", () => {
    const update = (before: object, after: object) =>
      notesOf(
        made([
          step({
            name: "a",
            op: "update",
            before: { ...groups("grp_a"), ...before },
            after: { ...groups("grp_a"), ...after },
          }),
        ]),
      );
    expect(update({}, { deleteOnDestroy: false })).toEqual([
      "from now on, destroying it leaves rol_1 to its groups (deleteOnDestroy)",
    ]);
    expect(update({ deleteOnDestroy: false }, {})).toEqual([
      "from now on, destroying it takes rol_1 from its groups (deleteOnDestroy)",
    ]);
    expect(update({}, { deleteOnDestroy: "[secret]" })).toEqual([
      "from now on, destroying it may take rol_1 from its groups: whether it does is secret (deleteOnDestroy)",
    ]);
    expect(update({}, { deleteOnDestroy: true })).toEqual([]);
  });
});

test("whom an exclusive assignment takes the role from is known by the preview's line, and only by its own", () => {
  const exclusive = step({ name: "x", after: { ...groups("grp_a"), exclusive: true } });
  const line = "role rol_1: exclusive, takes the role from 2 groups that others gave it to: grp_b, grp_c";
  const told = made([exclusive], [`x: ${line}`]);
  expect(accessOf(told)).toEqual([
    "gains rol_1 grp_a by x",
    "loses rol_1 grp_b by x",
    "loses rol_1 grp_c by x",
  ]);
  expect(told.unknown).toEqual([]);
  for (const lines of [
    [],
    [`y: ${line}`],
    ["x: role rol_2: exclusive, takes the role from no other group"],
  ]) {
    const review = made([exclusive], lines);
    expect(accessOf(review)).toEqual(["gains rol_1 grp_a by x"]);
    expect(reasons(review)).toEqual([
      "which other groups lose rol_1, since it is exclusive: the tenant was not asked",
    ]);
    expect(review.categories).toContain("revoke");
  }
});

test("groups that a line only counts are not reviewable", () => {
  const named = Array.from({ length: 10 }, (_, index) => `grp_${index}`).join(", ");
  const review = made(
    [step({ name: "x", after: { ...groups("grp_a"), exclusive: true } })],
    [`x: role rol_1: exclusive, takes the role from 12 groups that others gave it to: ${named} and 2 more`],
  );
  expect(reasons(review)).toEqual([
    "which other groups lose rol_1, since it is exclusive: 2 more than the preview names",
  ]);
});

test("a group that leaves a list of which a part is unknown may be that part", () => {
  const review = made([
    step({ name: "a", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_a", UNKNOWN) }),
  ]);
  expect(accessOf(review)).toEqual([
    "loses rol_1 grp_b by a unless it is among its groups that are not known yet",
  ]);
  expect(reasons(review)).toEqual([
    "which groups get rol_1 is known only when the change is made, beside grp_a",
  ]);
  expect(review.categories).toEqual(["grant", "revoke", "unknown"]);
});

test("what only a value that is not known yet replaces may be updated: then retainOnDelete keeps nothing", () => {
  const resource = {
    name: "a",
    op: "replace",
    before: groups("grp_a", "grp_b"),
    after: { ...groups("grp_a"), deleteOnDestroy: UNKNOWN },
    old: { retainOnDelete: true },
  };
  const parts = (replaceReasons: string[]) => {
    const whole = { ...step(resource), replaceReasons };
    return [{ ...whole, op: "create-replacement" }, whole, { ...whole, op: "delete-replaced" }];
  };
  expect(accessOf(made(parts(["deleteOnDestroy"])))).toEqual([
    "loses rol_1 grp_b by a unless it is replaced, which a value that is not known yet decides: then its groups keep the role",
  ]);
  for (const certain of [[], ["deleteOnDestroy", "groupIds"]])
    expect(accessOf(made(parts(certain)))).toEqual([]);
});

test("a group that leaves one assignment may be among those of another that are not known", () => {
  const leaves = step({ name: "a", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_a") });
  const unknown = step({ name: "b", after: { ...groups(), groupIds: UNKNOWN } });
  expect(accessOf(made([leaves, unknown]))).toEqual(["loses rol_1 grp_b by a unless b lists it"]);
  const elsewhere = step({ name: "b", after: { roleId: "rol_2", groupIds: UNKNOWN, exclusive: false } });
  expect(accessOf(made([leaves, elsewhere]))).toEqual(["loses rol_1 grp_b by a"]);
});

/** An assignment that isn't a target of the run. */
const outside = (held: ReturnType<typeof groups>) =>
  step({ name: "b", op: "same", before: held, after: held, state: { outputs: held } });

test("what leaves a target may be listed by an assignment that is none, whatever a line says", () => {
  const leaves = step({ name: "a", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_a") });
  const lost = "loses rol_1 grp_b by a unless b lists it, which is not a target of this run";
  for (const held of [groups("grp_b"), groups("grp_c"), { ...groups("grp_c"), roleId: "rol_2" }])
    for (const lines of [[], ["a: role rol_1: − grp_b"], ["a: role rol_1: hands over grp_b"]])
      expect(accessOf(made([leaves, outside(held)], lines))).toEqual([lost]);
});

test("a line of a hand-over adds doubt to a loss, and takes nothing away", () => {
  const leaves = step({ name: "a", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_a") });
  const review = made([leaves], ["a: role rol_1: hands over grp_b"]);
  expect(accessOf(review)).toEqual([
    "loses rol_1 grp_b by a unless an assignment outside of this preview lists it",
  ]);
  expect(review.categories).toEqual(["revoke", "unknown"]);
});

test("after a change that was done in part, what counts is what the tenant holds", () => {
  const halfDone = (held: string[], wanted: string[]) =>
    made([
      step({
        name: "a",
        op: "update",
        before: groups("grp_a"),
        after: groups(...wanted),
        outputs: { groupIds: held },
        old: { initErrors: ["DELETE /roles/rol_1/groups answered 403."] },
      }),
    ]);
  expect(accessOf(halfDone(["grp_a", "grp_b"], ["grp_a"]))).toEqual(["loses rol_1 grp_b by a"]);
  expect(accessOf(halfDone([], ["grp_a"]))).toEqual(["gains rol_1 grp_a by a"]);
});

test("what an earlier run has left to be deleted is deleted", () => {
  const pending = step({
    name: "a",
    op: "delete-replaced",
    before: groups("grp_a", "grp_b"),
    old: { delete: true },
  });
  const same = step({
    name: "a",
    op: "same",
    id: "rol_2",
    before: { ...groups("grp_a"), roleId: "rol_2" },
    after: { ...groups("grp_a"), roleId: "rol_2" },
  });
  expect(accessOf(made([same, pending]))).toEqual(["loses rol_1 grp_a by a", "loses rol_1 grp_b by a"]);
});

test("a replacement whose delete is done only creates", () => {
  const made_ = (op: string) =>
    step({
      name: "a",
      op,
      before: groups("grp_a"),
      after: groups("grp_a"),
      old: { pendingReplacement: true },
    });
  const review = made([made_("create-replacement"), { ...made_("replace"), op: "replace" }]);
  expect(accessOf(review)).toEqual(["gains rol_1 grp_a by a"]);
  expect(review.notes.map(({ reason }) => reason.toString())).toEqual([
    "an earlier run has deleted the one that it replaces: no group loses a role now",
  ]);
});

test("a replacement whose delete is outside of the run's targets leaves the role until a later run", () => {
  const parts = step({
    name: "a",
    op: "replace",
    before: groups("grp_a", "grp_b"),
    after: groups("grp_b", "grp_c"),
  });
  const review = made([{ ...parts, op: "create-replacement" }, parts], ["a: role rol_1: + grp_c; − grp_a"]);
  expect(accessOf(review)).toEqual(["gains rol_1 grp_c by a"]);
  expect(review.notes.map(({ reason }) => reason.toString())).toEqual([
    "nothing is sent: its groups keep rol_1, until a later run deletes the old one",
  ]);
});

test("a replacement that deletes first says that groups may be without the role for a moment", () => {
  const parts = step({
    name: "a",
    op: "replace",
    before: groups("grp_a"),
    after: groups("grp_a", "grp_b"),
  }) as {
    urn: string;
    oldState: object;
  };
  const steps = [
    { op: "delete-replaced", urn: parts.urn, oldState: parts.oldState },
    { ...parts, op: "create-replacement" },
    parts,
  ];
  const review = made(steps);
  expect(accessOf(review)).toEqual(["keeps rol_1 grp_a by a", "gains rol_1 grp_b by a"]);
  expect(review.access[0]?.by[0]?.reason.toString()).toMatch(/without the role for a moment/);
});

test("without a listing, a group that moves may be without the role for a moment", () => {
  const steps = [
    step({ name: "a", before: groups("grp_a", "grp_b"), after: groups("grp_a") }),
    step({ name: "b", op: "create", after: groups("grp_b") }),
  ];
  const reasons = (line: string) =>
    made(steps, [line, "b: role rol_1: + grp_b"]).access.map(({ effect, by }) => [
      effect,
      by.map(({ reason }) => reason.toString()),
    ]);

  expect(reasons("a: role rol_1: hands over grp_b")).toEqual([["keeps", ["", ""]]]);
  expect(reasons("a: role rol_1: − grp_b, unless the program still lists them")).toEqual([
    ["keeps", ["may take it first: the group may be without the role for a moment", ""]],
  ]);
});

test("what is deleted first under its former name leaves a group to one that has it", () => {
  const after = { ...groups(), roleId: "rol_2" };
  const parts = step({ name: "a", op: "replace", before: groups("grp_a"), after }) as Record<string, unknown>;
  const former = { ...(parts["oldState"] as object), urn: String(parts["urn"]).replace(/::a$/, "::a-2") };
  const steps = [
    { op: "delete-replaced", urn: former.urn, oldState: former },
    { ...parts, oldState: former, op: "create-replacement" },
    { ...parts, oldState: former },
    step({ name: "b", op: "same", before: groups("grp_a"), after: groups("grp_a") }),
  ];
  const review = made(steps, ["a: role rol_1: − grp_a, once what it replaces is deleted"]);
  expect(accessOf(review)).toEqual(["keeps rol_1 grp_a by a, b"]);
  expect(review.access[0]?.by[0]?.reason.toString()).toMatch(/may be without the role for a moment/);
});

test("what is deleted first leaves a group to one that lists it, made before or after", () => {
  const after = { ...groups("grp_b"), roleId: "rol_2" };
  const parts = step({ name: "a", op: "replace", before: groups("grp_a"), after }) as Record<string, unknown>;
  const steps = [
    { op: "delete-replaced", urn: parts["urn"], oldState: parts["oldState"] },
    { ...parts, op: "create-replacement" },
    parts,
    step({ name: "b", after: groups("grp_a") }),
  ];
  const rows = ["keeps rol_1 grp_a by a, b", "gains rol_2 grp_b by a"];
  expect(accessOf(made(steps))).toEqual(rows);
  expect(accessOf(made(steps, ["a: role rol_1: − grp_a, once what it replaces is deleted"]))).toEqual(rows);
});

test("a managed assignment that becomes `get` of another role is deleted, of its own role it is let go", () => {
  const before = groups("grp_a");
  const other = step({
    name: "a",
    op: "replace",
    before,
    after: {},
    state: { external: true, id: "rol_2" },
  }) as { urn: string; oldState: object };
  const steps = [
    { ...other, op: "read-replacement" },
    other,
    { op: "delete-replaced", urn: other.urn, oldState: other.oldState },
  ];
  expect(accessOf(made(steps))).toEqual(["loses rol_1 grp_a by a"]);
  const itself = made([
    step({ name: "a", op: "read", before, after: {}, state: { external: true, id: "rol_1" } }),
  ]);
  expect(accessOf(itself)).toEqual([]);
  expect(itself.notes.map(({ reason }) => reason.toString())).toEqual([
    "nothing is sent: its groups keep rol_1, from now on it is only read; no resource manages it any more",
  ]);
});

test("a switch that does not show counts as every value that it may have", () => {
  for (const exclusive of [UNKNOWN, "[secret]"]) {
    const review = made([step({ name: "a", after: { ...groups("grp_a"), exclusive } })]);
    expect(reasons(review)).toEqual([
      `whether it is exclusive is ${exclusive === UNKNOWN ? "known only when the change is made" : "secret"}; if it is, all other groups lose rol_1`,
    ]);
    expect(review.categories).toEqual(["exclusive", "grant", "revoke", "unknown"]);
  }
});

test("an update keeps the role, also where it has become a secret: another one would replace the assignment", () => {
  const before = groups("grp_a", "grp_b");
  const updated = (groupIds: string[]) =>
    made([step({ name: "a", op: "update", before, after: { ...before, groupIds, roleId: "[secret]" } })]);
  expect(accessOf(updated(["grp_a", "grp_b"]))).toEqual([]);
  expect(updated(["grp_a", "grp_b"]).unknown).toEqual([]);
  expect(accessOf(updated(["grp_a"]))).toEqual(["loses rol_1 grp_b by a"]);
});

test("an exclusive assignment takes nothing where the value that its update is for turns out as it was", () => {
  const before = { ...groups("grp_a"), exclusive: true };
  const updated = (changed: object) =>
    accessOf(
      made(
        [
          step({
            name: "x",
            op: "update",
            before,
            after: { ...before, ...changed },
            diffReasons: Object.keys(changed),
          }),
        ],
        ["x: role rol_1: exclusive, takes the role from 1 group that others gave it to: grp_b"],
      ),
    );
  const lost = "loses rol_1 grp_b by x";
  const unless = "unless what does not show turns out to be as it is";
  expect(updated({ deleteOnDestroy: UNKNOWN })).toEqual([`${lost} ${unless}`]);
  expect(updated({ deleteOnDestroy: "[secret]" })).toEqual([`${lost} ${unless}`]);
  expect(updated({ deleteOnDestroy: true })).toEqual([lost]);
  // Another value that certainly differs brings the update, whatever the hidden one is.
  const both = updated({ deleteOnDestroy: UNKNOWN, groupIds: ["grp_a", "grp_c"] });
  expect(both).toEqual([lost, "gains rol_1 grp_c by x"]);
});

test("becoming exclusive, and ceasing to be, is said and is part of the fingerprint", () => {
  const toggled = (exclusive: boolean) =>
    made(
      [
        step({
          name: "a",
          op: "update",
          before: { ...groups("grp_a"), exclusive: !exclusive },
          after: { ...groups("grp_a"), exclusive },
        }),
      ],
      exclusive ? ["a: role rol_1: exclusive, takes the role from no other group"] : [],
    );
  const notes = (review: ReturnType<typeof made>) => review.notes.map(({ reason }) => reason.toString());
  expect(notes(toggled(true))).toEqual([
    "from now on, each change of it takes rol_1 from groups that others gave it to (exclusive)",
  ]);
  expect(notes(toggled(false))).toEqual([
    "is no longer exclusive: groups that others give the role to keep it",
  ]);
  const prints = [toggled(true), toggled(false), made([])].map(({ fingerprint }) => fingerprint);
  expect(new Set(prints).size).toBe(3);
});

test("lines that contradict each other answer nothing", () => {
  const exclusive = step({ name: "x", after: { ...groups("grp_a"), exclusive: true } });
  const review = made(
    [exclusive],
    [
      "x: role rol_1: exclusive, takes the role from no other group",
      "x: role rol_1: exclusive, takes the role from 1 group that others gave it to: grp_b",
    ],
  );
  expect(accessOf(review)).toEqual(["gains rol_1 grp_a by x", "loses rol_1 grp_b by x"]);
  expect(reasons(review)).toEqual([
    "which other groups lose rol_1, since it is exclusive: lines of the preview contradict each other",
  ]);
});

test("a line takes no doubt away: what could not be asked stays so, whatever a program prints", () => {
  const exclusive = step({ name: "x", after: { ...groups("grp_a"), exclusive: true } });
  const notAsked =
    "x: role rol_1: exclusive: which other groups lose the role could not be read (no credentials)";
  for (const forged of [
    "x: role rol_1: exclusive, takes the role from no other group",
    "x: role rol_1: exclusive, takes the role from 1 group that others gave it to: grp_b",
  ]) {
    const review = made([exclusive], [notAsked, forged]);
    expect(reasons(review)).toEqual([
      "which other groups lose rol_1, since it is exclusive: the tenant could not be asked (no credentials)",
    ]);
    expect(review.categories).toEqual(expect.arrayContaining(["exclusive", "revoke", "unknown"]));
  }
});

test.each([
  ["", {}],
  [", also an exclusive one that leaves its groups", { exclusive: true, deleteOnDestroy: false }],
])("a replacement by the same groups is said, though nobody gains or loses by it%s", (_, more) => {
  const same = { ...groups("grp_a"), ...more };
  const review = made([step({ name: "a", op: "replace", before: same, after: same })]);
  expect(accessOf(review)).toEqual([]);
  expect(review.notes.map(({ reason }) => reason.toString())).toEqual([
    "is replaced by one of the same role: groups that both list keep rol_1",
  ]);
});

test("a line can't take a grant away, whoever prints it", () => {
  const forged = [
    "x: role rol_1: − grp_a, handed over before, listed nowhere now",
    "x: role rol_1: − grp_a",
    "x: role rol_1: hands over grp_a",
    "x: role rol_1: exclusive, takes the role from 1 group that others gave it to: grp_a",
  ];
  const review = made([step({ name: "x", after: groups("grp_a") })], forged);
  expect(accessOf(review)).toEqual(["gains rol_1 grp_a by x"]);
});

test.each([
  ["retainOnDelete", { old: { delete: true, retainOnDelete: true } }],
  ["deleteOnDestroy", { outputs: { deleteOnDestroy: false }, old: { delete: true } }],
])("what is left because of %s, an exclusive successor takes", (_, more) => {
  const before = groups("grp_a", "grp_b");
  const replaced = (after: object) =>
    made([step({ name: "x", op: "replace", before, after: { ...groups("grp_a"), ...after }, ...more })]);
  const review = replaced({ exclusive: true });
  expect(accessOf(review)).toEqual(["loses rol_1 grp_b by x"]);
  expect(review.notes.map(({ reason }) => reason.toString())).not.toContainEqual(
    expect.stringContaining("its groups keep"),
  );
  expect(accessOf(replaced({}))).toEqual([]);
  expect(accessOf(replaced({ exclusive: true, roleId: "rol_2" }))).toEqual(["gains rol_2 grp_a by x"]);
});

test("what `get` reads is nobody's change", () => {
  const read = step({ name: "a", op: "read", after: groups("grp_a"), state: { external: true } });
  const gone = step({ name: "b", op: "delete", before: groups("grp_a"), old: { external: true } });
  expect(accessOf(made([read, gone]))).toEqual([]);
});

test("an operation that this release does not know can't be reviewed", () => {
  const review = made([step({ name: "a", op: "transmogrify", after: groups("grp_a") })]);
  expect(reasons(review)).toEqual([
    "this release does not know the operation transmogrify: update pulumi-identity",
  ]);
  expect(review.categories).toEqual(["delete", "grant", "removal", "revoke", "unknown"]);
});

describe("until", () => {
  const notesOf = (review: ReturnType<typeof made>) => review.notes.map(({ reason }) => reason.toString());
  const reasonsOf = (review: ReturnType<typeof made>) =>
    review.access.map(({ effect, by }) => [effect, ...by.map(({ reason }) => reason.toString())]);
  const open = groups("grp_a");
  const ending = { ...open, until: "2199-12-31" };
  const ended = { ...open, until: "2020-12-31", ended: true };
  const update = (before: object, after: object, more: object = {}) =>
    made([
      step({ name: "a", op: "update", before: before as typeof open, after: after as typeof open, ...more }),
    ]);

  test("is said beside each grant, and is no part of the fingerprint without one", () => {
    const review = made([step({ name: "a", after: ending })]);
    expect(accessOf(review)).toEqual(["gains rol_1 grp_a by a"]);
    expect(reasonsOf(review)).toEqual([["gains", "until 2199-12-31"]]);
    expect(review.access).toMatchObject([{ until: "2199-12-31" }]);
    const other = made([step({ name: "a", after: { ...open, until: "2199-11-30" } })]);
    const none = made([step({ name: "a", after: open })]);
    expect(new Set([review, other, none].map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  test("what has ended loses the role, and counts as a loss", () => {
    const review = update({ ...open, until: "2020-12-31" }, ended);
    expect(accessOf(review)).toEqual(["loses rol_1 grp_a by a"]);
    expect(reasonsOf(review)).toEqual([["loses", "has ended (until 2020-12-31)"]]);
    expect(review.categories).toEqual(["revoke"]);
  });

  test("a group that another one lists keeps it, and the fingerprint knows until when", () => {
    const other = (after: typeof open) => [
      step({
        name: "a",
        op: "update",
        before: { ...open, until: "2020-12-31" },
        after: ended,
      }),
      step({ name: "b", after }),
    ];
    const [review, forever] = [made(other(ending)), made(other(open))];
    expect(reasonsOf(review)).toEqual([["keeps", "has ended (until 2020-12-31)", "until 2199-12-31"]]);
    expect(review.access).toMatchObject([{ until: "2199-12-31", untilBefore: "2020-12-31" }]);
    expect(review.fingerprint).not.toBe(forever.fingerprint);
  });

  test("what is prolonged before its end is for the record, and after it gains the role again", () => {
    expect(notesOf(update(ending, open))).toEqual([
      "its groups have rol_1 without an end; it was until 2199-12-31",
    ]);
    expect(notesOf(update(open, ending))).toEqual([
      "its groups have rol_1 until 2199-12-31; there was no end",
    ]);
    expect(accessOf(update(ended, ending))).toEqual(["gains rol_1 grp_a by a"]);
  });

  test("a new one that has ended says so; an exclusive one takes the role from nobody", () => {
    const review = made([step({ name: "a", after: { ...ended, exclusive: true } })]);
    expect(accessOf(review)).toEqual([]);
    expect(notesOf(review)).toEqual([
      "has ended (until 2020-12-31): it gives rol_1 to no group until it is prolonged or removed",
    ]);
    expect(review.unknown).toEqual([]);
  });

  test("secret groups can't be told, as they end and as they are prolonged", () => {
    const [secret, over] = [
      { ...ending, groupIds: "[secret]" },
      { ...ended, groupIds: "[secret]" },
    ];
    expect(reasons(update(secret, over))).toEqual(["the groups that it had are secret"]);
    expect(reasons(update(over, secret))).toEqual(["which groups get rol_1 is secret"]);
    const { until: _until, ...endless } = secret;
    for (const longer of [{ ...secret, until: "2200-12-31" }, endless])
      expect(reasons(update(secret, longer, { diffReasons: ["until"] }))).toEqual([
        "which groups get rol_1 is secret",
      ]);
    expect(
      reasons(update(over, { ...over, deleteOnDestroy: true }, { diffReasons: ["deleteOnDestroy"] })),
    ).toEqual([]);
  });

  test("after a change that was done in part, outputs tell what has ended, and inputs don't", () => {
    const half = step({
      name: "a",
      op: "update",
      before: ended,
      after: ending,
      old: { outputs: { tenant: "tenant.example.com", ...ending }, initErrors: ["503"] },
    });
    expect(accessOf(made([half]))).toEqual([]);
    const gone = step({
      name: "a",
      op: "delete",
      before: ended,
      old: { outputs: { tenant: "tenant.example.com", ...open } },
    });
    expect(accessOf(made([gone]))).toEqual(["loses rol_1 grp_a by a"]);
  });

  test("from 14 days before the end on a note warns, which depends on the day and is not in the fingerprint", () => {
    const preview = readPreview(
      previewText([
        step({
          name: "a",
          op: "same",
          before: { ...open, until: "2030-12-31" },
          after: { ...open, until: "2030-12-31" },
        }),
      ]),
    );
    const on = (day: string) => reviewOf(preview, false, undefined, new Date(`${day}T12:00:00Z`));
    expect(notesOf(on("2030-12-17"))).toEqual([]);
    expect(notesOf(on("2030-12-20"))).toEqual(["until 2030-12-31, in 11 days: then its groups lose rol_1"]);
    expect(on("2030-12-20").fingerprint).toBe(on("2030-12-17").fingerprint);
    // The preview doesn't know about it yet.
    expect(notesOf(on("2031-01-02"))).toEqual([]);
  });
});
