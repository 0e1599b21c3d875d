import { ADMINS, AGENT, BILLING, CONTRACTORS, VIEWER } from "../../../simulator/default-seed";
import { assigned, exactly, listed, viewers } from "../../../testkit/assignments";
import { assignment, later, type Program, type Resource, secret, UNKNOWN } from "../../../testkit/engine";
import { type Values } from "../../../testkit/hosts/host";
import { type Row, type Said, upped } from "../table";
import { EMPTIED, grants, line } from "../words";

/*
 * `check`: what is refused before anything is sent, in a preview and in a run; what a program can't know yet;
 * and what a policy pack changes after it.
 */

const a = viewers(ADMINS);
const ending = (until: unknown, more: Values = {}) =>
  assignment({ roleId: VIEWER, groupIds: [ADMINS], until, ...more });

/** Refused alike in a preview and in a run, with nothing sent and everything as it was. */
function refused(
  title: string,
  program: Program,
  errors: readonly Said[],
  { lines = [], ...more }: Partial<Row> & { lines?: readonly Said[] } = {},
): Row[] {
  const then = { errors, lines };
  return [
    { ...more, title: `${title}, in the preview`, when: { preview: program }, then },
    { ...more, title, when: { up: program }, then },
  ];
}

/** Refused in the preview. A run may have made the other one by then. */
const conflict = (...row: Parameters<typeof refused>): Row[] => refused(...row).slice(0, 1);

/** Known enough for a preview, which asks nothing. */
const unknown = ([inputs, said, ofChange]: readonly [Values, readonly Said[], readonly Said[]]): Row[] => [
  {
    title: `not known yet, in a create: ${JSON.stringify(inputs)}`,
    when: { preview: { a: assignment(inputs) } },
    then: { steps: ["create a"], lines: said },
  },
  {
    title: `not known yet, in a change: ${JSON.stringify(inputs)}`,
    given: { made: { a } },
    when: { preview: { a: assignment(inputs) } },
    then: { lines: ofChange },
  },
];

const RULE =
  'until: must be a day, as in "2026-12-31", which ends in UTC, or an instant with its zone, as in "2026-12-31T18:00:00+01:00"; received';
const OWNED = "Let one of them own it: list the groups in one assignment.";
const ignoring = (...groupIds: string[]) =>
  assignment({ roleId: VIEWER, groupIds }, { ignoreChanges: ["groupIds"] });

const REPLACED = line(`− ${ADMINS}, once what it replaces is deleted`);

const OTHERS_UNKNOWN = line(
  "exclusive: which other groups lose the role could not be read (its own groups are not known yet)",
);

const remediated = (resource: Resource, remediate: Values): Resource => ({ ...resource, remediate });
const changed = (input: string) =>
  `a: Nothing was sent: after the provider had checked a, something changed its ${input}, as a policy pack's ` +
  "remediation does. Write the change into the program, or make the policy mandatory.";

export const CHECK: readonly Row[] = [
  ...refused("nothing", { a: assignment({}) }, [/roleId: .*nothing/, /groupIds: .*nothing/], {
    sample: true,
  }),
  ...refused("no group", { a: assignment({ roleId: VIEWER, groupIds: [] }) }, [
    /groupIds: must name at least one group/,
  ]),
  ...refused(
    "everything wrong at once",
    { a: assignment({ roleId: "..", groupIds: ["grp_0", ADMINS, "x"], exclusive: "yes", extra: 1 }) },
    [
      /roleId: .*"\.\."/,
      /groupIds\[\d\]: .*"grp_0"/,
      /groupIds\[\d\]: .*"x"/,
      /exclusive: .*"yes"/,
      /extra: is not/,
    ],
  ),
  ...refused(
    "a secret of the wrong shape, which no message repeats",
    { a: assignment({ roleId: VIEWER, groupIds: secret(["grp_secret"]) }) },
    [/^(?!.*grp_secret).*received a secret value/],
  ),
  ...["31.12.2030", ""]
    .map((until) =>
      refused(`until ${JSON.stringify(until)}`, { a: ending(until) }, [
        new RegExp(RULE.replace(/[+"]/g, "\\$&")),
      ]),
    )
    .flat(),
  ...refused("a day that lost its quotes on the way", { a: ending("2030-12-31 00:00:00 +0000 UTC") }, [
    /until: must be in quotes in the stack's configuration file, since .*; received "2030-12-31 00:00:00/,
  ]),
  ...refused("a group that nobody gave", { a: assignment({ roleId: VIEWER, groupIds: [ADMINS, null] }) }, [
    "a: groupIds[1]: must be a text; received null or undefined.",
  ]),
  ...refused("no group until a day to come", { a: ending("2199-12-31", { groupIds: [] }) }, [
    `a: ${EMPTIED}`,
  ]),
  {
    title: "until is not known yet",
    when: { preview: { a: ending(later("2199-12-31")) } },
    then: { errors: ["a: until must be known in a preview: give it as text."], lines: [grants(ADMINS)] },
  },

  ...(
    [
      [{ roleId: UNKNOWN, groupIds: [ADMINS] }, [], [REPLACED]],
      [
        { roleId: VIEWER, groupIds: UNKNOWN },
        [line("groups not known yet")],
        [line(`groups not known yet; − ${ADMINS}, unless the program still lists them`)],
      ],
      [
        { roleId: VIEWER, groupIds: [ADMINS, UNKNOWN, UNKNOWN] },
        [line(`+ ${ADMINS}; groups not known yet`)],
        [line("groups not known yet")],
      ],
      [
        { roleId: VIEWER, groupIds: [ADMINS], exclusive: UNKNOWN },
        [line(`+ ${ADMINS}; whether it is exclusive is not known yet`)],
        [line("whether it is exclusive is not known yet")],
      ],
      [{ roleId: UNKNOWN, groupIds: UNKNOWN, exclusive: true }, [], [REPLACED]],
      [
        { roleId: VIEWER, groupIds: [ADMINS, UNKNOWN], exclusive: true },
        [line(`+ ${ADMINS}; groups not known yet`), OTHERS_UNKNOWN],
        [line("groups not known yet"), OTHERS_UNKNOWN],
      ],
    ] as const
  ).flatMap(unknown),

  ...conflict(
    "two assignments list one group of one role",
    { first: viewers(ADMINS, BILLING), second: a },
    [`second: RoleGroupAssignment "first" and "second" both list ${ADMINS} for the role ${VIEWER}. ${OWNED}`],
    { lines: [line(`+ ${BILLING}, ${ADMINS}`, "first"), line(`+ ${ADMINS}`, "second")] },
  ),
  ...conflict(
    "an exclusive assignment beside another one of its role",
    { first: a, second: exactly(BILLING) },
    [
      `second: RoleGroupAssignment "first" and "second" share the role ${VIEWER}, but "second" is exclusive. ${OWNED}`,
    ],
    {
      lines: [
        line(`+ ${ADMINS}`, "first"),
        line(`+ ${BILLING}`, "second"),
        line("exclusive, takes the role from no other group", "second"),
      ],
    },
  ).map((row) => ({ ...row, then: { ...row.then, requests: [listed] } })),

  ...refused(
    "an assignment that ignores changes has the groups of state: another one lists one of them",
    { a: ignoring(ADMINS), b: viewers(BILLING) },
    [`b: RoleGroupAssignment "a" and "b" both list ${BILLING} for the role ${VIEWER}. ${OWNED}`],
    { given: { made: { a: viewers(ADMINS, BILLING) } }, lines: [line(`+ ${BILLING}`, "b")] },
  ),
  {
    title: "… and not those that the program lists in vain: another one may",
    given: { made: { a } },
    when: { up: { a: ignoring(ADMINS, BILLING), b: viewers(BILLING) } },
    then: {
      requests: [assigned(BILLING)],
      lines: [`b: role ${VIEWER}: + ${BILLING}`],
      state: { a: [ADMINS], b: [BILLING] },
    },
  },
  ...(["exclusive", "ignoring"] as const).flatMap((first) => {
    // In the program, it has another role.
    const other = assignment({ roleId: AGENT, groupIds: [ADMINS] }, { ignoreChanges: ["roleId"] });
    const program =
      first === "exclusive" ? { b: exactly(BILLING), a: other } : { a: other, b: exactly(BILLING) };
    const [, second] = Object.keys(program);
    return conflict(
      `an assignment that ignores changes of its role, beside an exclusive one of that role; declared first: ${first}`,
      program,
      [`${second}: RoleGroupAssignment "a" and "b" share the role ${VIEWER}, but "b" is exclusive. ${OWNED}`],
      {
        given: { made: { a } },
        lines: [
          line(`+ ${BILLING}`, "b"),
          line(
            first === "exclusive"
              ? `exclusive, takes the role from 1 group that others gave it to: ${ADMINS}`
              : "exclusive, takes the role from no other group",
            "b",
          ),
        ],
      },
    ).map((row) => ({ ...row, then: { ...row.then, requests: [listed] } }));
  }),
  ...refused(
    "a secret of the one is kept from the message about the other",
    {
      a: { ...assignment({ roleId: VIEWER, groupIds: secret([ADMINS]) }), ignoreChanges: ["groupIds"] },
      b: viewers(BILLING),
    },
    [/^(?!.*grp_)b: .*both list a group for one role/],
    {
      given: { since: upped({ a: assignment({ roleId: VIEWER, groupIds: secret([BILLING]) }) }) },
      lines: [line(`+ ${BILLING}`, "b")],
    },
  ),

  ...(
    [
      [
        "a group is taken out of an update",
        { a: viewers(BILLING) },
        viewers(ADMINS, BILLING, CONTRACTORS),
        { groupIds: [BILLING, CONTRACTORS] },
        "groupIds",
      ],
      ["it becomes exclusive", { a }, a, { exclusive: true }, "exclusive"],
      ["it gets an end", { a }, a, { until: "2099-12-31" }, "until"],
      ["it gets another role", { a }, a, { roleId: AGENT }, "roleId"],
      [
        "a replacement's groups",
        { a },
        assignment({ roleId: AGENT, groupIds: [ADMINS, BILLING] }),
        { groupIds: [ADMINS] },
        "groupIds",
      ],
    ] as const
  ).flatMap(([title, made, resource, remediate, input]) =>
    refused(
      `a policy pack changes what others rely on: ${title}`,
      { a: remediated(resource, remediate) },
      [changed(input)],
      { given: { made } },
    ),
  ),
  {
    title: "a policy pack changes what others rely on, in a create, which nothing compares before",
    when: { up: { a: remediated(viewers(ADMINS, BILLING), { groupIds: [BILLING] }) } },
    then: { errors: [changed("groupIds")], lines: [grants(BILLING, ADMINS)] },
  },
  {
    title: "a policy pack may change anything else, and the order of groups",
    when: {
      up: {
        a: remediated(viewers(ADMINS, BILLING), { groupIds: [ADMINS, BILLING], deleteOnDestroy: false }),
      },
    },
    then: {
      requests: [/^POST .* 204$/],
      lines: [grants(BILLING, ADMINS)],
      state: { a: { deleteOnDestroy: false } },
      left: [],
    },
  },
  ...refused(
    "a policy pack takes out a group, so that nothing seems to change, and another one has let go of it",
    { a: remediated(viewers(ADMINS, BILLING), { groupIds: [BILLING] }) },
    [changed("groupIds")],
    { given: { made: { a: viewers(BILLING), b: viewers(ADMINS) } } },
  ),
  {
    title: "… nor is it let go of where the run goes on",
    given: { made: { a: viewers(BILLING), b: viewers(ADMINS, CONTRACTORS) } },
    when: {
      up: { a: remediated(viewers(ADMINS, BILLING), { groupIds: [BILLING] }), b: viewers(CONTRACTORS) },
      continueOnError: true,
    },
    then: { errors: [changed("groupIds")] },
  },
];
