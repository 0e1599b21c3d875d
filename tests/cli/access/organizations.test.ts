import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { findingsIn } from "../../../cli/access/roles";
import { readRules } from "../../../cli/rules/file";
import { type SeedInput, type Simulator, startSimulator } from "../../../simulator";
import {
  DEFAULT_SEED,
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { asked, assignment, jsonOf, lines, state } from "../../../testkit/cli/access";

/* Roles in the organizations in which states have assignments. */

const ACME = "org_5vJmTq8XbRz3kWcY";
const KEY = `${ACME}/${AGENT}`;

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ rate: { burst: 1e6, perSecond: 1e6 } });
});
afterAll(() => simulator.close());

type Roles = NonNullable<NonNullable<SeedInput["organizations"]>[number]["roles"]>;

const inAcme = (groups: string[], role = AGENT) => ({
  ...assignment(`${ACME}/${role}`, groups, { organizationId: ACME, roleId: role }),
  type: "pulumi-nodejs:dynamic/identity:OrganizationRoleGroupAssignment",
});

function ask(roles: Roles, request: Partial<AccessRequest> = {}, seed: Partial<SeedInput> = {}) {
  simulator.seed({
    ...DEFAULT_SEED,
    users: [{ user_id: "auth0|one", groups: [ADMINS, BILLING] }],
    organizations: [{ id: ACME, name: "acme", groups: [ADMINS, BILLING, SUPPORT], roles }],
    ...seed,
  });
  simulator.reset();
  const tenant = new URL(simulator.url).host;
  const exports = [
    state(tenant, "access/prod", { a: assignment(AGENT, [SUPPORT]), o: inAcme([ADMINS, SUPPORT]) }),
  ];
  return asked(simulator, { exports, ...request });
}

test("what states claim there is compared with the organization, beside the role in the tenant", async () => {
  const json = jsonOf(await ask([{ id: AGENT, groups: [ADMINS, BILLING], members: ["auth0|one"] }]));
  expect(lines(json)).toEqual([
    "support-agent: support-desk managed by a:1 in access/prod",
    "support-agent in acme: billing-team unmanaged",
    "support-agent in acme: support-desk drift by o:2 in access/prod",
    "support-agent in acme: directory-admins managed by o:2 in access/prod",
  ]);
  expect(json.roles.find(({ id }) => id === KEY)?.people).toEqual({ count: 1, more: false });
  expect(json.complete).toBe(true);
  expect(json.organizations).toEqual([ACME]);
  expect(json.stacks).toEqual([{ stack: "access/prod", assignments: 2, elsewhere: 0 }]);
});

test("it says which organizations it asked, and with rules also that it asked none", async () => {
  const notes = async (request: Partial<AccessRequest>) =>
    formatted(await ask([{ id: AGENT, groups: [ADMINS, SUPPORT] }], request), "text");
  expect(await notes({})).toContain(
    `Of organizations, only those with an assignment in a state are asked: ${ACME}.`,
  );
  const exports = [state(new URL(simulator.url).host, "access/prod", {})];
  const none = { exports, rules: readRules({ file: "rules.yaml", text: "conflicts: []\n" }) };
  expect(await notes(none)).toContain("no state has an assignment in an organization, so none is asked.");
});

test("--role shows a role where it counts, and --group a group's roles there, too", async () => {
  const roles = [{ id: AGENT, groups: [ADMINS, BILLING] }];
  const idsOf = async (request: Partial<AccessRequest>) =>
    jsonOf(await ask(roles, request)).roles.map(({ id }) => id);
  expect(await idsOf({ role: [AGENT] })).toEqual([AGENT, KEY]);
  expect(await idsOf({ role: [VIEWER] })).toEqual([VIEWER]);
  expect(await idsOf({ group: [BILLING] })).toEqual([KEY]);
});

test("an organization that is gone is drift; without the scope, the command fails and names it", async () => {
  const gone = jsonOf(await ask([], {}, { organizations: [] }));
  expect(gone.roles.find(({ id }) => id === KEY)).toMatchObject({ exists: false });
  expect(gone.counts.drift).toBe(2);
  const clients = clientsWithout("read:organization_group_roles");
  await expect(ask([], {}, { clients })).rejects.toThrow("Grant read:organization_group_roles to the client");
  const names = clientsWithout("read:organizations");
  const unnamed = jsonOf(await ask([{ id: AGENT, groups: [ADMINS, SUPPORT] }], {}, { clients: names }));
  expect(unnamed.roles.find(({ id }) => id === KEY)?.name).toBe(`support-agent in ${ACME}`);
});

describe("rules", () => {
  const APART = readRules({ file: "rules.yaml", text: `conflicts:\n  - [${AGENT}, ${VIEWER}]\n` });
  const broken = async (roles: Roles, seed: Partial<SeedInput> = {}) => {
    const answer = await ask(roles, { rules: APART }, seed);
    return (answer.rules?.breaches ?? []).map(({ organization, reason }) => [organization, String(reason)]);
  };

  test("keep roles apart inside the organization, also those that somebody gave by hand there", async () => {
    const reason = `directory-admins ${ADMINS} has ${AGENT} and ${VIEWER} in ${ACME}, which rules.yaml:2 keeps apart`;
    const both = [
      { id: AGENT, groups: [ADMINS] },
      { id: VIEWER, groups: [ADMINS] },
    ];
    expect(await broken(both)).toEqual([[ACME, expect.stringContaining("has ")]]);
    expect((await broken(both))[0]?.[1]?.replace(/ (support-agent|billing-viewer)(?= rol_)/g, "")).toBe(
      reason,
    );
  });

  test("compare people in one organization, and not across", async () => {
    expect(
      (
        await broken([
          { id: AGENT, groups: [ADMINS] },
          { id: VIEWER, groups: [BILLING] },
        ])
      ).map(([where]) => where),
    ).toEqual([ACME]);
    const roles = [
      { id: AGENT, name: "support-agent" },
      { id: VIEWER, name: "billing-viewer", groups: [ADMINS] },
    ];
    expect(await broken([{ id: AGENT, groups: [ADMINS] }], { roles })).toEqual([]);
  });

  test("people who have a role directly there count, and an unread list is a gap", async () => {
    const roles = [
      { id: AGENT, groups: [ADMINS] },
      { id: VIEWER, members: ["auth0|one"] },
    ];
    expect((await broken(roles)).map(([where]) => where)).toEqual([ACME]);
    const clients = clientsWithout("read:organization_member_roles");
    const answer = await ask(roles, { rules: APART }, { clients });
    expect(findingsIn(answer)).toContain("rules");
    expect(answer.complete).toBe(false);
  });
});
