import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  LAPTOP,
  PHONE,
  SUPPORT,
  TABLET,
  VIEWER,
} from "../../../simulator/default-seed";
import { assigned, exactly, listed, unassigned, viewers } from "../../../testkit/assignments";
import {
  assignment,
  profile,
  type Program,
  removal,
  type Resource,
  secret,
  UNKNOWN,
} from "../../../testkit/engine";
import { given, type Row, type Said } from "../table";
import {
  byListing,
  grants,
  line,
  lossesText,
  LISTS,
  mayExceed,
  of,
  restrained,
  stays,
  unlessListed,
  takes,
  withoutListing,
} from "../words";

/* The limit on a run's losses: what counts, what doesn't, and that a refusal sends nothing. */

const ALL = [SUPPORT, BILLING, ADMINS, CONTRACTORS];
const a = viewers(ADMINS);
const both = viewers(ADMINS, BILLING);
const agents = (...groupIds: string[]) => assignment({ roleId: AGENT, groupIds });
const limit = (count: number) => ({ "identity:maxRevocations": String(count) });
const excess = (count: number, most: number, by: string) =>
  `his run would revoke at least ${lossesText(count)}, and identity:maxRevocations ` +
  `(IDENTITY_MAX_REVOCATIONS) allows ${most}. Most are revoked by ${by}. Review the change; if you mean it, run ` +
  `the same command with IDENTITY_MAX_REVOCATIONS=${count}.`;
const refusal = (name: string, ...of: Parameters<typeof excess>) => `${name}: T${excess(...of)}`;

/** A preview and an up are refused alike; nothing is sent, and state stays. */
function refused(
  title: string,
  made: Program,
  program: Program,
  most: number,
  error: Said,
  lines: readonly Said[],
): Row[] {
  return ([{ preview: program }, { up: program }] as const).map((when) => ({
    title: `${title}: refused (${Object.keys(when).join()})`,
    given: { made, config: limit(most) },
    when,
    then: { errors: [error], lines },
    notFor: NO_LISTING,
  }));
}

const one = (group: string): Resource => ({ ...viewers(group), replaceOnChanges: ["groupIds"] });
const triggered = (replacementTrigger: string, ...groups: string[]): Resource => ({
  ...viewers(...groups),
  replacementTrigger,
});
/** It has ended by the time of its check, after the program has listed its group. */
const ended: Resource = {
  ...viewers(BILLING),
  lateTransform: (inputs) => ({ ...inputs, until: "2020-02-29" }),
};
const REPLACED = line(`− ${BILLING}, ${ADMINS}, once what it replaces is deleted`);
const TRIGGERED = [
  byListing(REPLACED),
  withoutListing(line(`− ${BILLING}, ${ADMINS}, unless the program still lists them`)),
];
const STAYS_LATER = line(`stays with ${BILLING}, ${ADMINS}, because deleteOnDestroy is false`);
const moveFrom = (from: "a" | "b") =>
  ["a", "b"].map((name) => line(name === from ? `hands over ${BILLING}` : `+ ${BILLING}`, name));
const MAY_EXCEED = [
  line(`− ${SUPPORT}, ${BILLING}, ${CONTRACTORS}, unless the program still lists them`),
  `a: ${mayExceed(3, 2)}`,
];
const NO_LISTING = { YAML: "without a listing, no loss is certain before the run has checked all" } as const;

export const MAX_REVOCATIONS: readonly Row[] = [
  ...refused("groups that an update removes", { a: viewers(...ALL) }, { a }, 2, refusal("a", 3, 2, "a (3)"), [
    line(`− ${SUPPORT}, ${BILLING}, ${CONTRACTORS}`),
  ]),
  {
    title: "without a listing, groups that an update removes are counted when they would be removed",
    given: { made: { a: viewers(...ALL) }, config: limit(2) },
    when: { up: { a } },
    then: {
      preview: MAY_EXCEED,
      errors: [`a: a was not changed: t${excess(3, 2, "a (3)")}`],
      lines: MAY_EXCEED,
    },
    notFor: LISTS,
  },
  {
    title: "… and the preview adds up those of several assignments",
    given: { made: { a: viewers(...ALL), b: agents(...ALL) }, config: limit(3) },
    when: { preview: { a, b: agents(ADMINS, BILLING) } },
    then: {
      lines: [
        line(`− ${SUPPORT}, ${BILLING}, ${CONTRACTORS}, unless the program still lists them`),
        `b: role ${AGENT}: − ${SUPPORT}, ${CONTRACTORS}, unless the program still lists them`,
        `b: ${mayExceed(5, 3)}`,
      ],
    },
    notFor: LISTS,
  },
  {
    title: "as many as it allows are removed",
    given: { made: { a: viewers(...ALL) }, config: limit(3) },
    when: { up: { a } },
    then: {
      requests: [unassigned(SUPPORT, BILLING, CONTRACTORS)],
      lines: unlessListed(line(`− ${SUPPORT}, ${BILLING}, ${CONTRACTORS}`)),
    },
  },
  {
    title: "0 lets everything else be done",
    given: { made: { a }, config: limit(0) },
    when: { up: { a: both, p: profile({ name: "enterprise" }) } },
    then: { requests: { writes: 2 }, lines: [grants(BILLING)], profiles: [{ name: "enterprise" }] },
  },
  {
    title: "a profile isn't anybody's access",
    given: { made: { p: profile({ name: "enterprise" }) }, config: limit(0) },
    when: { destroy: {} },
    then: { requests: ["DELETE /connection-profiles/{p} 204"], profiles: [] },
  },
  {
    title: "what replaceOnChanges replaces is planned as an update, and its delete counts no group again",
    given: { made: { a: one(ADMINS) }, config: limit(1) },
    when: { up: { a: one(BILLING) } },
    then: {
      requests: [assigned(BILLING), unassigned(ADMINS)],
      lines: [...unlessListed(line(`+ ${BILLING}; − ${ADMINS}`)), `role ${VIEWER}: − ${ADMINS}`],
    },
  },
  {
    title: "… so it counts groups that retainOnDelete would leave",
    given: { made: { a: { ...one(ADMINS), retainOnDelete: true } }, config: limit(0) },
    when: { up: { a: { ...one(BILLING), retainOnDelete: true } } },
    then: { errors: [refusal("a", 1, 0, "a (1)")], lines: [line(`+ ${BILLING}; − ${ADMINS}`)] },
    notFor: NO_LISTING,
  },
  {
    title: "what a trigger replaces: the delete counts who loses the role",
    given: { made: { a: triggered("1", ADMINS, BILLING, SUPPORT) }, config: limit(1) },
    when: { up: { a: triggered("2", SUPPORT) } },
    then: {
      preview: TRIGGERED,
      errors: [`a: role ${VIEWER} was not changed: t${excess(2, 1, `role ${VIEWER} (2)`)}`],
      requests: [assigned(SUPPORT)],
      lines: [...TRIGGERED, `role ${VIEWER}: keeps ${SUPPORT}, listed by a`],
      state: { a: [SUPPORT] },
      groups: [SUPPORT, BILLING, ADMINS],
    },
  },
  ...(
    [
      ["retainOnDelete", { retainOnDelete: true }, TRIGGERED, []],
      ["deletedWith", { deletedWith: "x" }, TRIGGERED, []],
      ["deleteOnDestroy: false", {}, [STAYS_LATER], [stays(SUPPORT, BILLING, ADMINS)]],
    ] as const
  ).map(([title, options, preview, lines]): Row => {
    const kept = title.endsWith("false") ? { deleteOnDestroy: false } : {};
    const of = (trigger: string, ...groups: string[]): Resource => {
      const { inputs, ...rest } = triggered(trigger, ...groups);
      return { ...rest, inputs: { ...inputs, ...kept }, ...options };
    };
    return {
      title: `what a trigger replaces, and ${title} leaves on the tenant, counts nothing`,
      given: { made: { x: removal(PHONE), a: of("1", ADMINS, BILLING, SUPPORT) }, config: limit(1) },
      when: { up: { a: of("2", SUPPORT) } },
      then: {
        preview,
        requests: [assigned(SUPPORT)],
        lines: [
          ...preview,
          `Device credential ${PHONE} stays deleted: a removal can't be undone, so nothing was sent.`,
          ...lines,
        ],
        groups: [SUPPORT, BILLING, ADMINS],
      },
    };
  }),
  {
    title: "a replacement that turns out to have ended gives the role to nobody: what is deleted counts",
    given: {
      made: { a: both, b: assignment({ roleId: AGENT, groupIds: [SUPPORT], until: "2199-12-31" }) },
      config: limit(2),
    },
    when: {
      // It's checked first with the end from state and then, because its role changes, with the program's.
      up: {
        b: assignment(
          { roleId: VIEWER, groupIds: [ADMINS, BILLING], until: "2020-02-29" },
          { ignoreChanges: ["until"] },
        ),
      },
      continueOnError: true,
    },
    then: {
      errors: [/would revoke at least 3/],
      requests: { writes: 1 },
      lines: [
        `b: role ${AGENT}: − ${SUPPORT}, once what it replaces is deleted`,
        line("has ended (until 2020-02-29): it gives the role to no group until it is prolonged", "b"),
        `role ${VIEWER}: − ${BILLING}, ${ADMINS}`,
      ],
      state: { b: { groupIds: [] } },
    },
  },
  {
    title: "what is deleted before it is replaced leaves its groups to the replacement, and counts nothing",
    given: {
      made: { a: { ...both, deleteBeforeReplace: true } },
      since: ({ engine }) => engine.taint("a"),
      config: limit(0),
    },
    when: { up: { a: { ...both, deleteBeforeReplace: true } } },
    then: {
      requests: [assigned(BILLING, ADMINS)],
      lines: [grants(BILLING, ADMINS), `role ${VIEWER}: keeps ${BILLING}, ${ADMINS}, listed by a`],
    },
  },
  ...(["preview", "up"] as const).map((run): Row => ({
    title: `losses of several resources add up, and the largest contributors are named (${run})`,
    given: { made: { a: viewers(...ALL), b: agents(...ALL) }, config: limit(6) },
    when: {
      [run]: { a, b: agents(ADMINS, BILLING), c: removal(PHONE), d: removal(LAPTOP) },
    } as unknown as Row["when"],
    then: {
      errors: [refusal("d", 7, 6, "a (3), b (2), c (1) and 1 more")],
      requests: run === "preview" ? [] : { writes: 3 },
      lines: [
        line(`− ${SUPPORT}, ${BILLING}, ${CONTRACTORS}`),
        `b: role ${AGENT}: − ${SUPPORT}, ${CONTRACTORS}`,
        `c: permanently removes device credential ${PHONE}`,
        `d: permanently removes device credential ${LAPTOP}`,
      ],
      state: run === "preview" ? { a: ALL, b: ALL } : { a: [ADMINS], b: [BILLING, ADMINS], c: {} },
      removed: run === "preview" ? [] : [PHONE],
    },
    notFor: NO_LISTING,
  })),
  {
    title: "device credentials are counted before they are removed",
    given: { config: limit(2) },
    when: { up: { phone: removal(PHONE), laptop: removal(LAPTOP), key: removal(TABLET) } },
    then: {
      errors: [refusal("key", 3, 2, "phone (1), laptop (1), key (1)")],
      requests: { writes: 2 },
      lines: [
        `phone: permanently removes device credential ${PHONE}`,
        `laptop: permanently removes device credential ${LAPTOP}`,
        `key: permanently removes device credential ${TABLET}`,
      ],
      state: { phone: {}, laptop: {} },
      removed: [LAPTOP, PHONE],
    },
  },
  ...(
    [
      ["a", "b"],
      ["b", "a"],
    ] as const
  ).map(([from, to]): Row => ({
    title: `a group that moves from ${from} to ${to} does not count`,
    given: { made: inOrder({ [from]: both, [to]: viewers(SUPPORT) }), config: limit(0) },
    when: { up: inOrder({ [from]: a, [to]: viewers(BILLING, SUPPORT) }) },
    then: { preview: "the same", requests: [assigned(BILLING)], lines: moveFrom(from) },
    notFor: { YAML: "without a listing, it's taken away first where that is checked first" },
  })),
  {
    title: "… nor do those of an assignment that is removed",
    given: { made: { a: both, b: viewers(SUPPORT) }, config: limit(0) },
    when: { up: { b: viewers(ADMINS, BILLING, SUPPORT) } },
    then: {
      requests: [assigned(BILLING, ADMINS)],
      lines: [
        line(`+ ${BILLING}, ${ADMINS}`, "b"),
        `role ${VIEWER}: keeps ${BILLING}, ${ADMINS}, listed by b`,
      ],
    },
  },
  {
    title: "a new role: its delete counts who loses the former one",
    given: { made: { a: both }, config: limit(1) },
    when: { up: { a: agents(ADMINS, BILLING) } },
    then: {
      errors: [`a: role ${VIEWER} was not changed: t${excess(2, 1, `role ${VIEWER} (2)`)}`],
      requests: [of(AGENT, "POST", BILLING, ADMINS)],
      lines: [`a: role ${AGENT}: + ${BILLING}, ${ADMINS}`, REPLACED],
      state: { a: { roleId: AGENT } },
      groups: [BILLING, ADMINS],
    },
  },
  ...(["preview", "up"] as const).map((run): Row => ({
    title: `what a new exclusive one takes away is known once the tenant was asked (${run})`,
    given: { foreign: ALL, config: limit(2) },
    when: { [run]: { a: exactly(ADMINS) } } as unknown as Row["when"],
    then: {
      errors: [refusal("a", 3, 2, "a (3)")],
      requests: [listed],
      lines: [
        grants(ADMINS),
        takes(`3 groups that others gave it to: ${SUPPORT}, ${BILLING}, ${CONTRACTORS}`),
      ],
    },
  })),
  {
    title: "groups that an exclusive one finds only in the update are counted before anything is sent",
    given: {
      made: { a: exactly(ADMINS) },
      since: given(CONTRACTORS, SUPPORT),
      config: limit(1),
      // The look-ahead gets no answer.
      faults: [{ method: "GET", path: `/api/v2/roles/${VIEWER}/groups`, action: { status: 403 } }],
    },
    when: { up: { a: exactly(ADMINS, BILLING) } },
    then: {
      errors: [`a: a was not changed: t${excess(2, 1, "a (2)")}`],
      // Not even for the added group.
      requests: [listed.replace(/200$/, "403"), listed],
      lines: [grants(BILLING), line("exclusive: which other groups lose the role could not be read (403)")],
    },
  },
  {
    title: "a delete is refused whole, and its message is about nothing else of the run",
    given: { made: { a: both, p: profile({ name: "enterprise" }) }, config: limit(1) },
    when: { destroy: { continueOnError: true } },
    then: {
      errors: [`a: role ${VIEWER} was not changed: t${excess(2, 1, `role ${VIEWER} (2)`)}`],
      requests: ["DELETE /connection-profiles/{p} 204"],
      state: { a: [BILLING, ADMINS] },
      profiles: [],
    },
  },
  ...[1, 8].map((parallel): Row => ({
    title: `of many deletes, ${parallel} at a time, those that fit the number are done`,
    given: { made: { a: both, b: agents(ADMINS, BILLING) }, config: limit(3) },
    when: { destroy: { continueOnError: true }, parallel },
    then: {
      errors: [/was not changed: this run would revoke at least 4 /],
      requests: { writes: 1 },
      lines: [restrained(3), /^role rol_\w+: − /],
      state: { a: [BILLING, ADMINS] },
    },
  })),
  {
    title: "the id of a secret role is in no message, not even in that of another resource",
    given: {
      made: { b: agents(ADMINS, BILLING), a: assignment({ roleId: secret(VIEWER), groupIds: [ADMINS] }) },
      config: limit(2),
    },
    when: { destroy: { continueOnError: true } },
    then: {
      errors: [`b: role ${AGENT} was not changed: t${excess(3, 2, `role ${AGENT} (2), role [secret] (1)`)}`],
      requests: [unassigned(ADMINS)],
      lines: [restrained(2), `role [secret]: − ${ADMINS}`],
      state: { b: [BILLING, ADMINS] },
    },
  },
  {
    title: "a group that another one turns out not to list, in the middle of a change, counts",
    given: {
      made: { a: both },
      config: limit(0),
      faults: [{ method: "POST", path: `*/roles/${VIEWER}/groups`, action: { delay: 500 } }],
    },
    when: { up: { a: viewers(ADMINS, SUPPORT), b: ended }, parallel: 2, continueOnError: true },
    then: {
      errors: [/^b: .*gives up a group because/, `a: a was not changed: t${excess(1, 0, "a (1)")}`],
      requests: [assigned(SUPPORT)],
      lines: [
        line(`+ ${SUPPORT}; hands over ${BILLING}`),
        line("has ended (until 2020-02-29): it gives the role to no group until it is prolonged", "b"),
      ],
      state: { a: [SUPPORT, BILLING, ADMINS] },
    },
    notFor: NO_LISTING,
  },
  {
    title: "a group that isn't known yet may be any of those before, so a preview counts none as lost",
    given: { made: { a: both }, config: limit(0) },
    when: { preview: { a: viewers(ADMINS, UNKNOWN) } },
    then: {
      lines: [
        line(`groups not known yet; − ${BILLING}, unless the program still lists them`),
        `a: ${mayExceed(1, 0)}`,
      ],
    },
  },
];

function inOrder(program: Program): Program {
  return Object.fromEntries(Object.entries(program).sort(([one], [other]) => (one < other ? -1 : 1)));
}
