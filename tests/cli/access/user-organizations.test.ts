import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { type SeedInput } from "../../../simulator";
import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { ACME, GLOBEX, inOrganization, jsonOf, lines, useAccess } from "../../../testkit/cli/access";

/* The roles of one user in organizations. */

const USER = "auth0|one";
const KEY = `${ACME}/${AGENT}`;

const { simulator, ...access } = useAccess();

/** The user is in ADMINS, which has AGENT in acme, and has VIEWER directly in globex. */
const organizations = [
  {
    id: ACME,
    name: "acme",
    groups: [ADMINS, BILLING, SUPPORT],
    roles: [{ id: AGENT, groups: [ADMINS, BILLING] }],
  },
  { id: GLOBEX, name: "globex", groups: [SUPPORT], roles: [{ id: VIEWER, members: [USER] }] },
  { id: "org_initech", name: "initech", groups: [SUPPORT] },
];

const inAcme = (groups: string[]) => inOrganization(ACME, AGENT, groups);

function ask(request: Partial<AccessRequest> = {}, seed: Partial<SeedInput> = {}) {
  access.seed({ users: [{ user_id: USER, groups: [ADMINS] }], organizations, ...seed });
  return access.ask({ o: inAcme([ADMINS, SUPPORT]) }, { user: USER, ...request });
}

const USER_PATH = `/api/v2/users/${encodeURIComponent(USER)}`;
const memberPath = (organization: string) =>
  `/api/v2/organizations/${organization}/members/${encodeURIComponent(USER)}/effective-roles`;

test("where a state has assignments, the user's roles there are listed, with group, line and what would end", async () => {
  const answer = await ask();
  const json = jsonOf(answer);
  expect(lines(json)).toEqual(["support-agent in acme: directory-admins managed by o:1 in access/prod"]);
  expect(json.roles).toMatchObject([
    {
      id: KEY,
      organization: { id: ACME, name: "acme" },
      role: { id: AGENT, name: "support-agent" },
      direct: false,
    },
  ]);
  expect(json.user?.ends).toMatchObject([{ by: { resource: "o" }, role: KEY, ends: true }]);
  expect(json).toMatchObject({
    complete: false,
    organizations: [ACME],
    otherOrganizations: { count: 1, more: false },
  });
  const text = formatted(answer, "text");
  expect(text).toContain(`support-agent in acme ${KEY}, through these groups`);
  expect(text).toContain("o in access/prod (index.ts:1)  loses support-agent in acme");
  expect(text).toContain(
    `1 organization of the user was not asked for roles there: --organization all asks it. Asked: acme.`,
  );
  expect(simulator.log().filter((line) => line.includes("org"))).toEqual([
    `GET ${USER_PATH}/organizations?page=0&per_page=100&include_totals=true 200`,
    `GET ${memberPath(ACME)}?take=100 200`,
    `GET ${memberPath(ACME)}/sources/groups?role_id=${AGENT}&take=100 200`,
  ]);
});

test.each(["globex", GLOBEX, "all"])(
  "with --organization %s the others are, roles that the user has directly there too",
  async (name) => {
    const answer = await ask({ organization: [name] });
    const json = jsonOf(answer);
    expect(json.roles.map(({ id, direct, groups }) => [id, direct, groups.length])).toEqual([
      [`${GLOBEX}/${VIEWER}`, true, 0],
      [KEY, false, 1],
    ]);
    expect(json).toMatchObject({ complete: true, organizations: [ACME, GLOBEX] });
    expect(json.otherOrganizations).toBeUndefined();
    expect(formatted(answer, "text")).toContain(
      `billing-viewer in globex ${GLOBEX}/${VIEWER}\n  directly    by hand: assignments give roles to groups, not to users\n`,
    );
    const rows = formatted(answer, "csv").trim().split("\r\n");
    expect(rows.filter((row) => row.includes("billing-viewer in globex"))).toEqual([
      expect.stringContaining(`"role, directly","${GLOBEX}/${VIEWER}","billing-viewer in globex"`),
    ]);
    // Only the user's organizations are asked.
    expect(simulator.log().join("\n")).not.toContain("org_initech");
  },
);

test("an organization of which the user is no member gives no role, and leaves nothing open", async () => {
  const answer = await ask({ organization: ["initech", "globex"] });
  const json = jsonOf(answer);
  expect(json.user?.notMemberOf).toEqual([{ id: "org_initech", name: "initech" }]);
  expect(json.complete).toBe(true);
  expect(formatted(answer, "text")).toContain("The user is no member of initech.");
  const stranger = jsonOf(
    await ask({}, { users: [{ user_id: USER }], organizations: organizations.slice(0, 1) }),
  );
  expect(stranger).toMatchObject({ complete: true, roles: [], organizations: [] });
});

describe("what the tenant doesn't tell makes the answer incomplete", () => {
  test("whether there are other organizations; those that states name are asked all the same", async () => {
    const answer = await ask({}, { clients: clientsWithout("read:organizations") });
    const json = jsonOf(answer);
    expect(json.roles.map(({ id, name }) => [id, name])).toEqual([[KEY, `support-agent in ${ACME}`]]);
    expect(json).toMatchObject({
      complete: false,
      otherOrganizations: { count: null, more: true, reason: "needs read:organizations" },
    });
    expect(formatted(answer, "text")).toContain(
      "Whether the user is a member of other organizations could not be read (needs read:organizations).",
    );
  });

  test("the roles in one", async () => {
    const clients = clientsWithout("read:organization_member_effective_roles");
    const answer = await ask({ organization: ["all"] }, { clients });
    const json = jsonOf(answer);
    const reason = "needs read:organization_member_effective_roles";
    expect(json).toMatchObject({ complete: false, roles: [], incomplete: [] });
    expect(json.user?.unreadOrganizations).toEqual([
      { id: ACME, name: "acme", reason, allRoles: false },
      { id: GLOBEX, name: "globex", reason, allRoles: false },
    ]);
    expect(formatted(answer, "text")).toContain(`The user's roles in globex could not be read (${reason}).`);
    // The scope is the same for all.
    expect(simulator.log().filter((line) => line.includes("/members/"))).toHaveLength(1);
  });

  test("the groups behind a role: all of its groups there are named, and nothing is claimed to end", async () => {
    const scope = "read:organization_member_role_source_groups";
    const answer = await ask({}, { clients: clientsWithout(scope) });
    const json = jsonOf(answer);
    expect(json.complete).toBe(false);
    expect(lines(json)).toEqual([
      "support-agent in acme: billing-team unmanaged",
      "support-agent in acme: directory-admins managed by o:1 in access/prod",
    ]);
    expect(json.user?.ends).toMatchObject([{ ends: null, reason: "the groups behind the role are unknown" }]);
    const text = formatted(answer, "text");
    expect(text).toContain(`The groups behind the user's roles in acme could not be read (needs ${scope}).`);
    expect(text).toContain(`support-agent in acme ${KEY}, through any of these groups, or directly`);

    const none = jsonOf(await ask({}, { clients: clientsWithout(scope, "read:organization_group_roles") }));
    expect(none.roles).toMatchObject([{ id: KEY, direct: false, groups: [] }]);
    expect(none.complete).toBe(false);
  });

  test("a tenant without these calls", async () => {
    access.seed({ users: [{ user_id: USER }] });
    simulator.fail({ path: "*/organizations*", times: 20, action: { status: 404 } });
    const json = jsonOf(await access.ask({ o: inAcme([ADMINS]) }, { user: USER }));
    expect(json.otherOrganizations).toMatchObject({ count: null });
    expect(json.user?.unreadOrganizations).toMatchObject([
      { id: ACME, reason: "404: not a member, or the tenant does not know this list" },
    ]);
  });
});
