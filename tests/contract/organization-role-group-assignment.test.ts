import { type SeedInput } from "../../simulator";
import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  SUPPORT,
  VIEWER,
} from "../../simulator/default-seed";
import { manyGroups } from "../../testkit/assignments";
import { assignment, later, organizationAssignment, type Program } from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { json } from "../../testkit/tenant";
import { type Given, type Happening, type Row, table } from "./table";
import { answered, notReviewed, restrained, RESTRAINTS, unlessListed } from "./words";

/*
 * What differs from an assignment in the tenant: the calls, one a group, and the key of everything. The rows
 * are those of the other tables wherever the code is the same.
 */

const ACME = "org_5vJmTq8XbRz3kWcY";
const GLOBEX = "org_9sJdYp3LfGe7uXaK";
const MANAGER = "rol_2kCvRw7ZtMh9sPxE";
const FOREIGN = "rol_6dFgHj1KlQw4eRtY";
const ALL = [ADMINS, BILLING, CONTRACTORS, SUPPORT];

type Organization = NonNullable<SeedInput["organizations"]>[number];
const acme = (more: Partial<Organization> = {}): Organization => ({
  id: ACME,
  name: "acme",
  groups: ALL,
  ...more,
});
const seed = (more: SeedInput = {}): SeedInput => ({
  roles: [
    ...(DEFAULT_SEED.roles ?? []),
    { id: MANAGER, name: "order-manager", type: "organization", owner_id: ACME },
    { id: FOREIGN, name: "order-manager", type: "organization", owner_id: GLOBEX },
  ],
  organizations: [acme(), { id: GLOBEX, name: "globex", groups: ALL }],
  ...more,
});

const tableOf = (operation: string, rows: readonly Row[]) =>
  table(
    operation,
    rows.map((row) => ({ ...row, given: { tenant: seed(), ...row.given } })),
  );
const inAcme = (inputs: Values) =>
  organizationAssignment({ organizationId: ACME, roleId: MANAGER, ...inputs });
const orders = (...groupIds: string[]) => inAcme({ groupIds });
const exactly = (...groupIds: string[]) => inAcme({ groupIds, exclusive: true });
const agents = (organizationId: string, groupIds: string[], more: Values = {}) =>
  organizationAssignment({ organizationId, roleId: AGENT, groupIds, ...more });

const urlOf = (group: string, organization = ACME) => `/organizations/${organization}/groups/${group}/roles`;
const call = (method: string, group: string, role = MANAGER, organization = ACME) =>
  `${method} ${urlOf(group, organization)} ${json({ roles: [role] })} 204`;
const grant = (group: string) => call("POST", group);
const revoke = (group: string) => call("DELETE", group);
const LISTED = `GET /organizations/${ACME}/roles/${MANAGER}/groups?take=100 200`;
const WHERE = `role ${MANAGER} in ${ACME}`;
const line = (what: string, name = "a") => `${name}: ${WHERE}: ${what}`;
const KEY = `${ACME}/${MANAGER}`;
const has = (...groups: string[]): Record<string, string[]> =>
  groups.length === 0 ? {} : { [KEY]: [...groups].sort() };

const outside =
  (method: string, group: string): Happening =>
  (scene) =>
    scene.tenant.outside(method, urlOf(group), { roles: [MANAGER] });
const without: Happening = (scene) => scene.tenant.reseed({ organizations: [] });

/** Refused in the preview, with nothing sent. */
const refused = (
  title: string,
  program: Program,
  error: RegExp | string | readonly RegExp[],
  lines: readonly string[] = [],
): Row => ({ title, when: { preview: program }, then: { errors: [error].flat(), lines } });

tableOf("check", [
  {
    ...refused(
      "no organization",
      { a: organizationAssignment({ roleId: AGENT, groupIds: [ADMINS] }) },
      /organizationId: is required/,
    ),
  },
  refused(
    "a name in place of its id",
    { a: agents("acme", [ADMINS]) },
    /getOrganization finds it by its name/,
  ),
  refused(
    "swapped ids",
    { a: organizationAssignment({ organizationId: AGENT, roleId: ACME, groupIds: [ADMINS] }) },
    [
      /organizationId: must be the id of an organization, and not of a role: perhaps two ids are swapped/,
      /roleId: must be the id of a role, and not of an organization: perhaps two ids are swapped/,
    ],
  ),
  refused(
    "two that list a group of one role there, with both names and the organization",
    { a: orders(ADMINS), b: orders(ADMINS, BILLING) },
    `b: OrganizationRoleGroupAssignment "a" and "b" both list ${ADMINS} for the ${WHERE}. ` +
      "Let one of them own it: list the groups in one assignment.",
    [line(`+ ${ADMINS}`), line(`+ ${BILLING}, ${ADMINS}`, "b")],
  ),
]);

tableOf("diff", [
  {
    title: "the same groups: none",
    given: { made: { a: orders(ADMINS, BILLING) } },
    when: { up: { a: orders(BILLING, ADMINS, BILLING) } },
    then: { steps: [] },
  },
  ...(
    [
      ["organizationId", GLOBEX, AGENT],
      ["roleId", ACME, VIEWER],
    ] as const
  ).map(([name, organizationId, roleId]): Row => ({
    title: `a change of ${name} replaces it, and grants before it revokes`,
    given: { made: { a: agents(ACME, [ADMINS]) } },
    when: { up: { a: organizationAssignment({ organizationId, roleId, groupIds: [ADMINS] }) } },
    then: {
      steps: [`replace a: ${name}`, "delete replaced a"],
      requests: [call("POST", ADMINS, roleId, organizationId), call("DELETE", ADMINS, AGENT)],
      lines: [
        `a: role ${roleId} in ${organizationId}: + ${ADMINS}`,
        `a: role ${AGENT} in ${ACME}: − ${ADMINS}, once what it replaces is deleted`,
        `role ${AGENT} in ${ACME}: − ${ADMINS}`,
      ],
    },
  })),
]);

const MANY = manyGroups(130);
const TWENTY = manyGroups(21);
const [LAST = ""] = TWENTY.slice(-1);

tableOf("create", [
  {
    title: "a preview that names the organization, then a call for each group",
    when: { up: { a: orders(ADMINS, BILLING, ADMINS) } },
    then: {
      steps: ["create a"],
      preview: "the same",
      requests: [grant(BILLING), grant(ADMINS)],
      lines: [line(`+ ${BILLING}, ${ADMINS}`)],
      outputs: {
        a: ["__name", "__provider", "exclusive", "groupIds", "organizationId", "roleId", "tenant"],
      },
    },
    sample: true,
  },
  {
    title: "the same role in the tenant, or in another organization, is another one",
    when: {
      up: {
        a: assignment({ roleId: AGENT, groupIds: [ADMINS], exclusive: true }),
        b: agents(ACME, [ADMINS], { exclusive: true }),
        c: agents(GLOBEX, [ADMINS], { exclusive: true }),
      },
    },
    then: {
      requests: { writes: 4 },
      lines: [
        `a: role ${AGENT}: + ${ADMINS}`,
        `a: role ${AGENT}: exclusive, takes the role from 1 group that others gave it to: ${SUPPORT}`,
        ...[ACME, GLOBEX].flatMap((organization, index) => [
          `${"bc"[index]}: role ${AGENT} in ${organization}: + ${ADMINS}`,
          `${"bc"[index]}: role ${AGENT} in ${organization}: exclusive, takes the role from no other group`,
        ]),
      ],
    },
  },
  {
    title: "exclusive: the preview names the groups that lose the role there, read by pages",
    given: {
      tenant: seed({
        groups: [...(DEFAULT_SEED.groups ?? []), ...MANY.map((id) => ({ id }))],
        organizations: [acme({ groups: [...ALL, ...MANY], roles: [{ id: MANAGER, groups: MANY }] })],
      }),
    },
    when: { preview: { a: exactly(ADMINS) } },
    then: {
      requests: [LISTED, /groups\?take=100&from=\w+ 200$/],
      lines: [
        line(`+ ${ADMINS}`),
        line(
          `exclusive, takes the role from 130 groups that others gave it to: ${MANY.slice(0, 10).join(", ")} and 120 more`,
        ),
      ],
    },
  },
  {
    title: "a group outside of the organization: all others get the role, and the error names both",
    given: { tenant: seed({ organizations: [acme({ groups: [ADMINS, CONTRACTORS] })] }) },
    when: { up: { a: orders(ADMINS, BILLING, CONTRACTORS) } },
    then: {
      errors: [
        `a: Group ${BILLING} isn't in the organization ${ACME}: POST ${urlOf(BILLING)} answered 404: The group ${BILLING} is ` +
          "not in the organization. Add it to the organization, or take the id out of the program. 2 other groups got the role.",
      ],
      requests: { writes: 3 },
      lines: [line(`+ ${BILLING}, ${ADMINS}, ${CONTRACTORS}`)],
      state: { a: [ADMINS, CONTRACTORS].sort() },
    },
  },
  {
    title: "a role of another organization: its words, and nothing in state",
    when: {
      up: {
        a: organizationAssignment({ organizationId: ACME, roleId: FOREIGN, groupIds: [ADMINS, BILLING] }),
      },
    },
    then: {
      errors: [/^a: Groups .* didn't get the role: .*belongs to another organization/],
      requests: { writes: 2 },
      lines: [`a: role ${FOREIGN} in ${ACME}: + ${BILLING}, ${ADMINS}`],
    },
  },
  {
    title: "20 refused groups don't keep the last one from getting the role",
    given: {
      tenant: seed({
        groups: TWENTY.map((id) => ({ id })),
        users: [],
        roles: [{ id: MANAGER }],
        organizations: [acme({ groups: [LAST] })],
      }),
    },
    when: { up: { a: orders(...TWENTY) } },
    then: {
      errors: [/1 other group got the role\./],
      // One look after the first refusal, and one at the end.
      requests: [
        /^POST .* 404$/,
        LISTED,
        ...TWENTY.slice(1, -1).map(() => /^POST .* 404$/),
        grant(LAST),
        LISTED,
      ],
      lines: [line(`+ ${TWENTY.slice(0, 10).join(", ")} and 11 more`)],
      state: { a: [LAST] },
    },
  },
  {
    title: "409 for a group that has the role is done, as the list shows",
    given: {
      tenant: seed({
        organizations: [acme({ roles: [{ id: MANAGER, groups: [ADMINS] }] })],
        behaviour: { assign_assigned_group: "error" },
      }),
    },
    when: { up: { a: orders(ADMINS, BILLING) } },
    then: {
      requests: [grant(BILLING), answered(grant(ADMINS), 409), LISTED],
      lines: [line(`+ ${BILLING}, ${ADMINS}`)],
    },
  },
  {
    title: "409 for one that the list lacks is the service's refusal",
    given: {
      faults: [
        {
          method: "POST",
          path: `*${urlOf(ADMINS)}`,
          action: { status: 409, body: { statusCode: 409, message: "The connection is busy." } },
        },
      ],
    },
    when: { up: { a: orders(ADMINS, BILLING) } },
    then: {
      errors: [/Group .* didn't get the role: .*409.*The connection is busy\..* 1 other group got/],
      requests: { writes: 2 },
      lines: [line(`+ ${BILLING}, ${ADMINS}`)],
      state: { a: [BILLING] },
    },
  },
]);

const UNREADABLE: NonNullable<Given["faults"]> = [
  { method: "POST", path: `*${urlOf(BILLING)}`, action: { drop: "after" } },
  { method: "GET", path: "*/organizations/*", times: 10, action: { status: 403 } },
];

tableOf("update", [
  {
    title: "adds before it removes",
    given: { made: { a: orders(ADMINS, BILLING) } },
    when: { up: { a: orders(ADMINS, CONTRACTORS) } },
    then: {
      steps: ["update a: groupIds"],
      preview: "the same",
      requests: [grant(CONTRACTORS), revoke(BILLING)],
      lines: unlessListed(line(`+ ${CONTRACTORS}; − ${BILLING}`)),
    },
  },
  {
    title: "a group that moves keeps the role throughout",
    given: { made: { a: orders(ADMINS, BILLING) } },
    when: { up: { a: orders(BILLING), b: orders(ADMINS) } },
    then: { requests: [grant(ADMINS)], lines: [line(`hands over ${ADMINS}`), line(`+ ${ADMINS}`, "b")] },
    notFor: { YAML: "it has no listing, and takes the role away first" },
  },
  {
    title: "a role of the tenant that isn't known yet keeps no listing in an organization from being whole",
    given: { made: { a: orders(ADMINS, BILLING) } },
    when: {
      preview: { a: orders(BILLING), b: assignment({ roleId: later(AGENT), groupIds: [CONTRACTORS] }) },
    },
    then: { lines: unlessListed(line(`− ${ADMINS}`)) },
  },
  {
    title: "an organization that isn't known yet leaves it open which groups lose the role",
    given: { made: { a: orders(ADMINS, BILLING) } },
    when: {
      preview: {
        a: orders(BILLING),
        b: organizationAssignment({ organizationId: later(GLOBEX), roleId: AGENT, groupIds: [CONTRACTORS] }),
      },
    },
    then: { lines: [line(`− ${ADMINS}, unless the program still lists them`)] },
  },
  {
    title:
      "a lost answer that nothing resolves leaves the group in state, and the next run takes it away, where the program doesn't list it",
    given: { made: { a: orders(ADMINS) }, faults: UNREADABLE },
    when: { up: { a: orders(ADMINS, BILLING, CONTRACTORS) } },
    then: {
      errors: [/./],
      requests: { writes: 1 },
      lines: [line(`+ ${BILLING}, ${CONTRACTORS}`)],
      state: { a: { groupIds: [BILLING, ADMINS], unconfirmed: [BILLING] } },
    },
    next: {
      when: { up: { a: orders(ADMINS) } },
      then: { requests: [revoke(BILLING)], lines: unlessListed(line(`− ${BILLING}`)) },
    },
  },
]);

tableOf("read", [
  {
    title: "groups that somebody else gave the role are no drift",
    given: { made: { a: orders(ADMINS) }, since: outside("POST", SUPPORT) },
    when: { refresh: {} },
    then: { steps: [], requests: [LISTED] },
  },
  {
    title: "the organization is gone: gone",
    given: { made: { a: orders(ADMINS) }, since: without },
    when: { refresh: {} },
    then: { steps: ["gone a"], requests: [/^GET .* 404$/, "GET /organizations 200"], state: {} },
  },
]);

tableOf("import", [
  {
    title: "get: reads the groups by the ids of both",
    given: { since: outside("POST", SUPPORT) },
    when: { up: { a: organizationAssignment({}, { get: KEY }) } },
    then: {
      requests: [LISTED],
      state: { a: { organizationId: ACME, roleId: MANAGER, groupIds: [SUPPORT] } },
      left: ["read a"],
    },
  },
  {
    title: "get: by the id of a role alone, it's refused",
    when: { up: { a: organizationAssignment({}, { get: MANAGER }) } },
    then: { errors: [/must be the ids of an organization and of a role: org_…\/rol_…/] },
  },
]);

tableOf("delete", [
  {
    title: "takes the role there from its groups, and from no others",
    given: { made: { a: orders(ADMINS, CONTRACTORS) }, since: outside("POST", SUPPORT) },
    when: { destroy: {} },
    then: {
      requests: [revoke(ADMINS), revoke(CONTRACTORS)],
      lines: [RESTRAINTS, `${WHERE}: − ${ADMINS}, ${CONTRACTORS}`],
      organizations: has(SUPPORT),
    },
  },
  {
    title: "of the same role in several organizations, it takes that of its own",
    given: { made: { b: agents(ACME, [ADMINS]), c: agents(GLOBEX, [ADMINS]) } },
    when: { up: { c: agents(GLOBEX, [ADMINS]) } },
    then: { requests: [call("DELETE", ADMINS, AGENT)], lines: [`role ${AGENT} in ${ACME}: − ${ADMINS}`] },
  },
  {
    title: "with deleteOnDestroy: false, the groups keep it, and a line says so",
    given: { made: { a: inAcme({ groupIds: [ADMINS], deleteOnDestroy: false }) } },
    when: { destroy: {} },
    then: { lines: [`${WHERE}: stays with ${ADMINS}, because deleteOnDestroy is false`] },
  },
  {
    title: "the organization is gone: done",
    given: { made: { a: orders(ADMINS) }, since: without },
    when: { destroy: {} },
    then: { requests: { writes: 1 }, lines: [RESTRAINTS] },
  },
  {
    title: "identity:maxRevocations counts a group's role in each organization",
    given: {
      made: { a: agents(ACME, [ADMINS]), b: agents(GLOBEX, [ADMINS]) },
      config: { "identity:maxRevocations": "1" },
    },
    when: { destroy: { continueOnError: true } },
    then: {
      errors: [/this run would revoke at least 2 grants/],
      requests: { writes: 1 },
      lines: [restrained(1), `role ${AGENT} in ${GLOBEX}: − ${ADMINS}`],
      state: { a: [ADMINS] },
    },
  },
]);

tableOf("held", [
  {
    title: "what was reviewed is done: grants and losses there",
    given: { made: { a: orders(ADMINS, BILLING) }, reviewed: { a: orders(ADMINS, CONTRACTORS) } },
    when: { up: { a: orders(ADMINS, CONTRACTORS) } },
    then: {
      requests: [grant(CONTRACTORS), revoke(BILLING)],
      lines: unlessListed(line(`+ ${CONTRACTORS}; − ${BILLING}`)),
    },
  },
  // Each group has its own DELETE there, and all of an operation are judged before the first is sent.
  {
    title: "an update whose review lacks one of the losses takes nothing",
    given: { made: { a: orders(ADMINS, BILLING, CONTRACTORS) }, reviewed: { a: orders(ADMINS, BILLING) } },
    when: { up: { a: orders(ADMINS) } },
    then: {
      errors: [notReviewed(`${WHERE}: ${BILLING} would lose it, but`)],
      lines: unlessListed(line(`− ${BILLING}, ${CONTRACTORS}`)),
    },
  },
  {
    title: "the same role in another organization is refused",
    given: { reviewed: { a: agents(ACME, [ADMINS]) } },
    when: { up: { a: agents(GLOBEX, [ADMINS]) } },
    then: {
      errors: [notReviewed(`role ${AGENT} in ${GLOBEX}: ${ADMINS} would gain it, but`)],
      lines: [`a: role ${AGENT} in ${GLOBEX}: + ${ADMINS}`],
    },
  },
]);
