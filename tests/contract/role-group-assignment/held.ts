import {
  ADMINS as A,
  AGENT,
  BILLING as B,
  CONTRACTORS as C,
  PHONE,
  SUPPORT,
  VIEWER,
} from "../../../simulator/default-seed";
import { assigned, exactly, listed, manyGroups, unassigned, viewers } from "../../../testkit/assignments";
import { assignment, type Program, removal, type Resource, secret } from "../../../testkit/engine";
import { failedUp, given, type Row, takenAway, upped, type Said } from "../table";
import { HELD_DESTROY, grants, line, notReviewed, of, takes, unlessListed, stays } from "../words";

/*
 * A run that is held to its review sends what the review holds, and nothing else; tests/e2e/held.long.ts has
 * it with the real CLI, and tests/host/held.test.ts other kinds, and who chooses the review.
 */

const a = viewers(A);
const ignoring = { ...viewers(C), ignoreChanges: ["groupIds"] };
const agents = (...groupIds: string[]) => assignment({ roleId: AGENT, groupIds });
const wouldGain = (group: string, role = VIEWER) => notReviewed(`role ${role}: ${group} would gain it, but`);
const wouldLose = (group: string) => notReviewed(`role ${VIEWER}: ${group} would lose it, but`);

const replaced = (groupIds: string[], options: Partial<Resource> = {}): Resource => ({
  ...viewers(...groupIds),
  replaceOnChanges: ["groupIds"],
  ...options,
});
const importing = { a: { ...viewers(C), import: VIEWER } };
const drops = (group: string) => unlessListed(line(`− ${group}`));

/** A run that sends nothing, and leaves state and tenant as they were. */
function refused(
  title: string,
  { made = {}, reviewed, up }: { made?: Program; reviewed: Program; up: Program },
  lines: readonly Said[],
  ...errors: RegExp[]
): Row {
  return { title, given: { made, reviewed }, when: { up }, then: { errors, lines } };
}

const HOUR_MS = 60 * 60 * 1000;
const ending = (until: string | undefined) =>
  assignment({ roleId: VIEWER, groupIds: [A], ...(until !== undefined && { until }) });

const soon = ending(new Date(Date.now() + HOUR_MS).toISOString());

/** Who has the role already, and who only lists it, is decided by what this run has checked. */
const BELIEVED: Row[] = [
  refused(
    "another assignment no longer lists the group that moves to it",
    {
      made: { b: viewers(C), a: viewers(A, B) },
      reviewed: { b: viewers(C, B), a: viewers(A) },
      up: { b: viewers(C), a: viewers(A) },
    },
    drops(B),
    wouldLose(B),
  ),
  refused(
    "the receiver is gone, and the groups of another one are ignored",
    {
      made: { b: viewers(C), a: viewers(A, B) },
      reviewed: { c: viewers(B), b: ignoring, a: viewers(A) },
      up: { b: ignoring, a: viewers(A) },
    },
    [line(`− ${B}, unless the program still lists them`)],
    wouldLose(B),
  ),
];

/** An exclusive assignment takes the role from all who have it: a preview names a hundred of them. */
function takesFrom(count: number, outcome: string, then: Row["then"], unknownAccepted = false): Row {
  const others = manyGroups(count);
  return {
    title: `an exclusive one that takes the role from ${count} others: ${outcome}`,
    given: {
      tenant: { groups: [A, ...others].map((id) => ({ id })), roles: [{ id: VIEWER, groups: others }] },
      reviewed: { a: exactly(A) },
      unknownAccepted,
    },
    when: { up: { a: exactly(A) } },
    then: { lines: [grants(A), /^a: .* exclusive, takes the role from/], ...then },
  };
}

const MOVED: readonly Row[] = [
  {
    title: "what was reviewed is as reviewed when another resource does it",
    given: { made: { b: viewers(B) }, reviewed: { a, b: viewers(B) } },
    when: { up: { b: viewers(B, A) } },
    then: { requests: [assigned(A)], lines: [line(`+ ${A}`, "b")] },
  },
  {
    title: "what a refresh finds missing is granted again, although the review has no change there",
    given: {
      made: { a: viewers(A, B) },
      at: Date.now() - HOUR_MS,
      reviewed: { a: viewers(A, B) },
      afterwards: takenAway(B),
    },
    when: { up: { a: viewers(A, B) }, refresh: true },
    then: { requests: [listed, assigned(B)], lines: [grants(B)] },
  },
  takesFrom(12, "all are in the review", { requests: { writes: 2 } }),
  takesFrom(101, "the last is in none, and all keep it", {
    errors: [
      /^a: role \w+: grp_\w+ would lose it, but .* calls this unknown, .* By then, \w+ got the role\.$/,
    ],
    requests: [...[1, 2, 3, 4].map(() => /^GET .*take=100/), assigned(A)],
    groups: [A, ...manyGroups(101)],
    state: { a: { groupIds: [A] } },
  }),
  takesFrom(101, "the last is accepted as unknown", { requests: { writes: 4 } }, true),
];

export const HELD: readonly Row[] = [
  ...BELIEVED,
  ...MOVED,
  refused(
    "another group gets the role than in the review",
    { reviewed: { a }, up: { a: viewers(C) } },
    [grants(C)],
    wouldGain(C),
  ),
  refused(
    "a group is left out in the run",
    { made: { a: viewers(A, B) }, reviewed: { a: viewers(A, B, C) }, up: { a } },
    drops(B),
    wouldLose(B),
  ),
  {
    title: "the run is a destroy, and the review none",
    given: { made: { a }, reviewed: { a: viewers(A, B) } },
    when: { destroy: {} },
    then: { errors: [wouldLose(A)], lines: [HELD_DESTROY] },
    sample: true,
  },
  {
    title: "the tenant has moved: an exclusive one would take the role from somebody else",
    given: { made: { a }, reviewed: { a: exactly(A) }, afterwards: given(SUPPORT) },
    when: { up: { a: exactly(A) } },
    then: {
      errors: [wouldLose(SUPPORT)],
      requests: [listed, listed],
      lines: [takes(`1 group that others gave it to: ${SUPPORT}`)],
    },
  },
  {
    title: "grants and revocations of the review are sent",
    given: { made: { a: viewers(A, B) }, reviewed: { a: viewers(A, C) } },
    when: { up: { a: viewers(A, C) } },
    then: { requests: [assigned(C), unassigned(B)], lines: unlessListed(line(`+ ${C}; − ${B}`)) },
  },
  {
    title: "a group that moves to an assignment which is checked first keeps the role",
    given: { made: { b: viewers(C), a: viewers(A, B) }, reviewed: { b: viewers(C, B), a } },
    when: { up: { b: viewers(C, B), a } },
    then: {
      requests: [assigned(B)],
      lines: [
        line(`+ ${B}`, "b"),
        { said: line(`hands over ${B}`), notFor: { YAML: "it depends on the order of registration" } },
        {
          said: line(`hands over ${B}, if the assignment that lists it comes first`),
          notFor: {
            "the classes": "their listing knows it",
            "the classes of /plugin": "their listing knows it",
          },
        },
      ],
    },
  },
  {
    title:
      "… and so does one that moves to an assignment which depends on the one that drops it, by the listing",
    given: { made: { a: viewers(A, B) }, reviewed: { a, b: { ...viewers(B), dependsOn: ["a"] } } },
    when: { up: { a, b: { ...viewers(B), dependsOn: ["a"] } } },
    then: { requests: [assigned(B)], lines: [line(`hands over ${B}`), line(`+ ${B}`, "b")] },
    notFor: { YAML: "nothing says that b will list the group before a is done" },
  },
  {
    title: "… which can't be handed over without a listing, and the message has the way out",
    given: { made: { a: viewers(A, B) }, reviewed: { a, b: { ...viewers(B), dependsOn: ["a"] } } },
    when: { up: { a, b: { ...viewers(B), dependsOn: ["a"] } } },
    then: {
      errors: [/would lose it, but .*take the dependency .* out, or apply in two reviewed steps\.$/],
      lines: [line(`− ${B}, unless the program still lists them`)],
    },
    notFor: {
      "the classes": "their listing says that b lists the group",
      "the classes of /plugin": "their listing says that b lists the group",
    },
  },
  ...[true, false].map((deleteBeforeReplace) => ({
    title: `a replacement that gives what there is again (deleted first: ${deleteBeforeReplace})`,
    given: {
      made: { a: replaced([A], { deleteBeforeReplace }) },
      reviewed: { a: replaced([A, B], { deleteBeforeReplace }) },
    },
    when: { up: { a: replaced([A, B], { deleteBeforeReplace }) } },
    then: { requests: [/./], lines: [grants(B), `role ${VIEWER}: keeps ${A}, listed by a`] },
  })),
  ...(["retainOnDelete", "deletedWith", "deleteOnDestroy"] as const).map((option) => {
    const options = { retainOnDelete: { retainOnDelete: true }, deletedWith: { deletedWith: "x" } };
    const one = (groupIds: string[]) =>
      option === "deleteOnDestroy"
        ? { ...replaced(groupIds), inputs: { roleId: VIEWER, groupIds, deleteOnDestroy: false } }
        : replaced(groupIds, options[option]);
    return {
      title: `a replacement that leaves what there is because of ${option}`,
      given: { made: { x: removal(PHONE), a: one([A, B]) }, reviewed: { a: one([A]) } },
      when: { up: { a: one([A]) } },
      then: {
        requests: [assigned(A)],
        lines: [
          ...drops(B),
          `Device credential ${PHONE} stays deleted: a removal can't be undone, so nothing was sent.`,
          ...(option === "deleteOnDestroy" ? [stays(B, A)] : []),
        ],
        groups: [B, A],
      },
    };
  }),
  {
    title: "a replacement that was to leave what there is: its delete is judged by itself",
    given: {
      made: { a: replaced([A, B], { retainOnDelete: true }) },
      reviewed: { a: replaced([A]) },
      afterwards: upped({ a: replaced([A, B]) }),
    },
    when: { up: { a: replaced([A]) } },
    then: {
      errors: [wouldLose(B)],
      requests: [assigned(A)],
      lines: [...drops(B), `role ${VIEWER}: keeps ${A}, listed by a`],
      state: { a: [A] },
      groups: [A, B],
    },
  },
  {
    title: "a replacement that an earlier run has begun with its delete",
    given: {
      made: { a: replaced([A], { deleteBeforeReplace: true }) },
      since: failedUp(
        { a: replaced([A, B], { deleteBeforeReplace: true }) },
        { method: "POST", path: "*", action: { status: 403 } },
      ),
      reviewed: { a: replaced([A, B], { deleteBeforeReplace: true }) },
    },
    when: { up: { a: replaced([A, B], { deleteBeforeReplace: true }) } },
    then: { requests: [assigned(B, A)], lines: [grants(B)] },
  },
  {
    title: "a group that moves from an assignment which gets another role, and is deleted first",
    given: { made: { a }, reviewed: { a: { ...agents(B), deleteBeforeReplace: true }, b: viewers(A) } },
    when: { up: { a: { ...agents(B), deleteBeforeReplace: true }, b: viewers(A) } },
    then: {
      // No assignment of the role was checked before the first delete, but the listing knows who wants it.
      requests: [of(AGENT, "POST", B), assigned(A)],
      lines: [
        `a: role ${AGENT}: + ${B}`,
        line(`hands over ${A}`),
        `role ${VIEWER}: keeps ${A}, listed by another assignment`,
        line(`+ ${A}`, "b"),
      ],
    },
    notFor: { YAML: "nothing that the run has checked by then lists the group" },
  },
  {
    title: "the delete of what has become a secret since it was made",
    given: {
      made: { a },
      since: upped({ a: assignment({ roleId: VIEWER, groupIds: secret([A]) }) }),
      reviewed: {},
      unknownAccepted: true,
    },
    when: { up: {} },
    then: { requests: [unassigned(A)], lines: [HELD_DESTROY, `role ${VIEWER}: − [secret]`] },
  },
  ...(["is new", "is there already"] as const).map((which): Row => {
    const made: Program = which === "is new" ? {} : { a: soon };
    return {
      title: `what has ended since the review is refused: the assignment ${which}`,
      given: { made, reviewed: { a: soon } },
      when: { up: { a: soon }, at: Date.now() + 2 * HOUR_MS },
      then: {
        errors: [
          /^a: until \S+ has passed since the review was made\. Preview and review the change again\.$/,
        ],
        lines:
          which === "is new"
            ? [
                /^a: role rol_\w+: has ended \(until \S+\): it gives the role to no group until it is prolonged$/,
              ]
            : [],
      },
    };
  }),
  {
    title:
      "an import of another role is reviewed: who loses the one of before, and what changes of the new one",
    given: { foreign: [B], made: { a: agents(A) }, reviewed: importing },
    when: { up: importing },
    then: {
      steps: ["import a", "update a: groupIds", "delete replaced a"],
      requests: [listed, assigned(C), unassigned(B), `DELETE /roles/${AGENT}/groups {"groups":["${A}"]} 204`],
      lines: [...unlessListed(line(`+ ${C}; − ${B}`)), `role ${AGENT}: − ${A}`],
    },
    notFor: { "the classes": "Pulumi can't import resources of dynamic providers" },
  },
];
