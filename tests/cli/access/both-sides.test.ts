import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { type SeedInput } from "../../../simulator";
import { AGENT, BILLING, VIEWER } from "../../../simulator/default-seed";
import { ACME, csvRows, GLOBEX, jsonOf, lines, rules, useAccess } from "../../../testkit/cli/access";
import fc, { runsOf } from "../../../testkit/properties";

/* An organization has roles of the tenant, of its own and of the service, whichever side is asked. */

const { simulator, ...access } = useAccess();

const SYSTEM = { id: "rol_system", name: "sys-admin", type: "organization", owner_id: "auth0" } as const;
const OWN = { id: "rol_own", name: "order-manager", type: "organization", owner_id: ACME } as const;
const FOREIGN = { id: "rol_foreign", name: "order-manager", type: "organization", owner_id: GLOBEX } as const;
const ROLES = [
  { id: AGENT, name: "support-agent" },
  { id: VIEWER, name: "billing-viewer" },
  { id: "rol_third", name: "third", type: "tenant" },
  OWN,
  FOREIGN,
  SYSTEM,
] as const;
const GROUPS = ["a", "b", "c"].map((letter) => `grp_${letter.repeat(22)}`);

const NOT_ALLOWED = {
  status: 403,
  body: {
    statusCode: 403,
    error: "Forbidden",
    message: "Insufficient scope",
    errorCode: "insufficient_scope",
  },
};

type Grants = readonly (readonly [role: string, group: string])[];

function seed(given: Grants, groups = GROUPS): void {
  const roles = [...new Set(given.map(([role]) => role))].map((id) => ({
    id,
    groups: given.filter(([role]) => role === id).map(([, group]) => group),
  }));
  const seeded: SeedInput = {
    users: [],
    groups: GROUPS.map((id) => ({ id, name: id })),
    roles: [...ROLES],
    organizations: [
      { id: ACME, name: "acme", groups, roles },
      { id: GLOBEX, name: "globex" },
    ],
  };
  access.seed(seeded);
}

/** Asked by group, or by role, since no group answers. `left`: groups that aren't in it any more. */
async function asked(side: "group" | "role", left: readonly string[], more: Partial<AccessRequest> = {}) {
  simulator.reset();
  const here = GROUPS.filter((id) => !left.includes(id)).map((id) => ({ id, name: id }));
  if (left.length > 0)
    simulator.fail({
      path: `/api/v2/organizations/${ACME}/groups`,
      times: 9,
      action: { status: 200, body: { groups: here } },
    });
  if (side === "role")
    simulator.fail({ path: "/api/v2/organizations/*/groups/*/roles", times: 99, action: NOT_ALLOWED });
  const answer = await access.ask({}, { organization: ["all"], direct: false, ...more });
  const isAsked = (path: RegExp) => simulator.log().some((line) => path.test(line));
  expect(isAsked(/organizations\/.*\/roles\/.*\/groups/)).toBe(side === "role");
  return answer;
}

test("both sides have the same answer, which is the tenant's", async () => {
  const grants = fc.uniqueArray(
    fc.tuple(fc.constantFrom(AGENT, VIEWER, OWN.id, SYSTEM.id), fc.constantFrom(...GROUPS)),
    {
      selector: (edge) => edge.join(" "),
    },
  );
  const left = fc.subarray(GROUPS, { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(grants, left, async (given, gone) => {
      seed(given);
      const [byGroup, byRole] = [await asked("group", gone), await asked("role", gone)];
      const edges = lines(jsonOf(byGroup));
      expect(lines(jsonOf(byRole))).toEqual(edges);
      expect(byRole.complete).toBe(byGroup.complete);
      const nameOf = new Map<string, string>(ROLES.map(({ id, name }) => [id, name]));
      const expected = given
        .filter(([, group]) => !gone.includes(group))
        .map(([role, group]) => `${nameOf.get(role)} in acme: ${group} unmanaged`);
      expect([...edges].sort()).toEqual([...expected].sort());
    }),
    { numRuns: runsOf(120) },
  );
});

test("a System Role that a group has breaks a closed default, by either side", async () => {
  seed([[SYSTEM.id, GROUPS[0]!]]);
  for (const side of ["group", "role"] as const) {
    const { rules: judged } = await asked(side, [], { rules: rules("default: closed\n") });
    expect(judged?.breaches.map(({ roles, organization }) => [roles, organization])).toEqual([
      [[SYSTEM.id], ACME],
    ]);
  }
});

test("a rule names a System Role by its name or id, with an organization and without", async () => {
  seed([[SYSTEM.id, GROUPS[0]!]]);
  const texts = [SYSTEM.id, SYSTEM.name].flatMap((role) => [
    `allow:\n  ${role}: []\n`,
    `organizations:\n  acme:\n    allow:\n      ${role}: []\n`,
  ]);
  for (const text of texts)
    expect((await asked("group", [], { rules: rules(text) })).rules?.breaches).toHaveLength(1);
});

test("System Roles are asked for once, and a tenant that doesn't know them has none", async () => {
  seed([[AGENT, GROUPS[0]!]]);
  await asked("role", []);
  const isOfSystem = (line: string) => line.includes("owner_id=auth0");
  expect(simulator.log().filter(isOfSystem)).toHaveLength(1);
  simulator.fail({ path: "*owner_id=auth0*", action: { status: 400, body: { statusCode: 400 } } });
  const answer = await access.ask({}, { organization: ["all"], direct: false });
  expect(jsonOf(answer)).toMatchObject({ complete: true, counts: { grants: 1 } });
});

test("a role that a group has in an organization isn't among those that no group has", async () => {
  seed([[OWN.id, GROUPS[0]!]]);
  const text = formatted(await asked("group", []), "text");
  expect(text).toContain("order-manager in acme");
  expect(text).toContain("No group has these roles: ");
  expect(text.replace(/\s+/g, " ")).not.toMatch(
    /No group has these roles: .*rder-manager \(organization\).*order-manager \(organization\)/,
  );
});

test("CSV marks the row of the organization in which a role breaks a rule, and no other", async () => {
  const organizations = [
    { id: ACME, name: "acme", groups: [BILLING], roles: [{ id: AGENT, groups: [BILLING] }] },
  ];
  access.holders({ [AGENT]: [BILLING] }, { organizations });
  const text = `organizations:\n  acme:\n    allow:\n      ${AGENT}: []\n`;
  const rows = csvRows(await access.ask({}, { rules: rules(text), direct: false }));
  expect(rows.map(({ role_id: role, breaks }) => [role, breaks]).sort()).toEqual([
    [`${ACME}/${AGENT}`, "allow line 4"],
    [AGENT, ""],
  ]);
});
