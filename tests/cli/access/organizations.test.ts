import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { findingsIn } from "../../../cli/access/roles";
import { type SeedInput } from "../../../simulator";
import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import {
  ACME,
  assignment,
  GLOBEX,
  inOrganization,
  jsonOf,
  lines,
  rules,
  useAccess,
} from "../../../testkit/cli/access";

/* Roles in the organizations in which states have assignments. */

const KEY = `${ACME}/${AGENT}`;

const { simulator, ...access } = useAccess();

type Roles = NonNullable<NonNullable<SeedInput["organizations"]>[number]["roles"]>;

function ask(
  roles: Roles,
  request: Partial<AccessRequest> = {},
  seed: Partial<SeedInput> = {},
  ...faults: Parameters<typeof simulator.fail>
) {
  access.seed({
    users: [{ user_id: "auth0|one", groups: [ADMINS, BILLING] }],
    organizations: [{ id: ACME, name: "acme", groups: [ADMINS, BILLING, SUPPORT], roles }],
    ...seed,
  });
  simulator.fail(...faults);
  return access.ask(
    { a: assignment(AGENT, [SUPPORT]), o: inOrganization(ACME, AGENT, [ADMINS, SUPPORT]) },
    request,
  );
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

describe("organizations that nobody named", () => {
  const two = (roles: Roles) => ({
    organizations: [
      {
        id: ACME,
        name: "acme",
        groups: [ADMINS, SUPPORT],
        roles: [{ id: AGENT, groups: [ADMINS, SUPPORT] }],
      },
      { id: GLOBEX, name: "globex", groups: [ADMINS, BILLING], roles },
    ],
  });
  const inGlobex = [{ id: VIEWER, groups: [BILLING], members: ["auth0|one"] }];

  test("are counted, and the answer isn't complete: what is by hand there can't be ruled out", async () => {
    const answer = await ask([], {}, two(inGlobex));
    const json = jsonOf(answer);
    expect(json).toMatchObject({
      complete: false,
      incomplete: [],
      organizations: [ACME],
      otherOrganizations: { count: 1, more: false },
    });
    expect(formatted(answer, "text")).toContain(
      `1 organization was not asked who has roles there: --organization all asks it. Asked: acme.`,
    );
    expect(findingsIn(answer)).toEqual(["unmanaged"]);
  });

  test.each(["globex", GLOBEX, "all"])(
    "are asked with --organization %s, people who have a role directly too",
    async (name) => {
      const answer = await ask([], { organization: [name], people: true }, two(inGlobex));
      const json = jsonOf(answer);
      expect(lines(json)).toContain("billing-viewer in globex: billing-team unmanaged");
      expect(json.roles.find(({ id }) => id === `${GLOBEX}/${VIEWER}`)).toMatchObject({
        organization: { id: GLOBEX, name: "globex" },
        role: { id: VIEWER, name: "billing-viewer" },
        people: { count: 1, ids: ["auth0|one"] },
      });
      expect(json).toMatchObject({ complete: true, organizations: [ACME, GLOBEX] });
      expect(json.otherOrganizations).toBeUndefined();
      expect(formatted(answer, "text")).not.toContain("not asked");
    },
  );

  test("who has a role only directly is shown, and a role that nobody has isn't", async () => {
    const given = [{ id: VIEWER, members: ["auth0|one"] }];
    const json = jsonOf(await ask([], { organization: ["globex"] }, two(given)));
    expect(json.roles.filter(({ organization }) => organization?.id === GLOBEX)).toMatchObject([
      { id: `${GLOBEX}/${VIEWER}`, groups: [], people: { count: 1 } },
    ]);
  });

  test("may exist if the client can't list them", async () => {
    const answer = await ask(
      [{ id: AGENT, groups: [ADMINS, SUPPORT] }],
      {},
      { clients: clientsWithout("read:organizations") },
    );
    expect(jsonOf(answer)).toMatchObject({
      complete: false,
      otherOrganizations: {
        count: null,
        more: true,
        reason: expect.stringContaining("read:organizations") as string,
      },
    });
    expect(formatted(answer, "text")).toMatch(
      /Whether there are organizations that were not asked could not be read \(.*read:organizations/,
    );
  });

  test.each([
    ["globx", 'no organization of .* is called "globx". Did you mean "globex"\\?$'],
    ["org_nobody", "no organization of .* has the id org_nobody"],
  ])("--organization %s is an error", async (name, message) => {
    await expect(ask([], { organization: [name] }, two(inGlobex))).rejects.toThrow(
      new RegExp(`--organization: ${message}`),
    );
  });

  test("an organization that only the list has by its name is found", async () => {
    const fault = { path: "/api/v2/organizations/name/*", action: { status: 404 } };
    const answer = await ask([], { organization: ["globex"] }, two(inGlobex), fault);
    expect(jsonOf(answer)).toMatchObject({ organizations: [ACME, GLOBEX] });
  });

  test("an organization's roles are asked along the shorter side", async () => {
    const roles = Array.from({ length: 20 }, (_, index) => ({ id: `rol_x${index}`, name: `x${index}` }));
    await ask(
      [],
      { organization: ["globex"], direct: false },
      {
        ...two([{ id: "rol_x7", groups: [BILLING] }]),
        roles: [...roles, { id: AGENT, name: "support-agent" }],
      },
    );
    const asked = simulator.log().filter((line) => line.includes(`${GLOBEX}/`));
    expect(asked.sort()).toEqual(
      [
        `GET /api/v2/organizations/${GLOBEX}/groups/${BILLING}/roles?take=100 200`,
        `GET /api/v2/organizations/${GLOBEX}/groups/${ADMINS}/roles?take=100 200`,
        `GET /api/v2/organizations/${GLOBEX}/groups?take=100 200`,
      ].sort(),
    );
  });

  test("without the scope for an organization's groups, each role is asked", async () => {
    const clients = clientsWithout("read:organization_groups");
    const json = jsonOf(await ask([], { organization: ["globex"] }, { ...two(inGlobex), clients }));
    expect(lines(json)).toContain("billing-viewer in globex: billing-team unmanaged");
    expect(json.complete).toBe(true);
  });

  describe("and rules", () => {
    const reasons = async (text: string, seed: Partial<SeedInput>, request: Partial<AccessRequest> = {}) => {
      const answer = await ask([], { rules: rules(text), ...request }, seed);
      jsonOf(answer);
      return (answer.rules?.breaches ?? []).map(({ reason }) => String(reason));
    };

    test("those that a rule names are asked, by name", async () => {
      const text = "organizations:\n  globex:\n    allow:\n      billing-viewer: []\n";
      expect(await reasons(text, two(inGlobex))).toEqual([
        `billing-team ${BILLING} has billing-viewer ${VIEWER} in globex ${GLOBEX}, which rules.yaml:4 doesn't allow`,
      ]);
    });

    test("a rule across organizations asks all of them", async () => {
      const across = `conflicts:\n  - roles: [${AGENT}, ${VIEWER}]\n    anyContext: true\n`;
      const apart = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;
      // The person is in both groups, and has the second role directly.
      expect(await reasons(apart, two(inGlobex))).toEqual([]);
      const found = await reasons(across, two(inGlobex));
      expect(found).toEqual([
        expect.stringMatching(
          /^1 person has support-agent .* in acme .* and billing-viewer .* in globex .* through billing-team/,
        ),
        expect.stringMatching(
          / and billing-viewer .* in globex .* directly, which rules.yaml:2 keeps apart$/,
        ),
      ]);
    });

    test("an id that the client can't check is a gap", async () => {
      const text = `organizations:\n  ${ACME}:\n    end: { ${AGENT}: 30 }\n`;
      const clients = clientsWithout("read:organizations");
      const answer = await ask([{ id: AGENT, groups: [ADMINS] }], { rules: rules(text) }, { clients });
      expect(answer.rules?.gaps).toEqual([
        expect.stringMatching(`whether the tenant has ${ACME} was not read`),
      ]);
      expect(answer.rules?.breaches).toHaveLength(1);
    });
  });
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
