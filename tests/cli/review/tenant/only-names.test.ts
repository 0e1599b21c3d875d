import { ADMINS, AGENT, BILLING } from "../../../../simulator/default-seed";
import { AskedTenant, assignment, clientsWithout } from "../../../../testkit/cli/asked";
import { step } from "../../../../testkit/cli/previews";

/* `--only-names`: what a job shows that must not depend on the tenant. */

const tenant = AskedTenant.forTests();

const ended = step({
  name: "agents",
  before: assignment(AGENT, [ADMINS, BILLING]),
  after: assignment(AGENT, [ADMINS]),
});

test("names are shown, and decide nothing", async () => {
  // On the tenant neither group has the role, and the row stays that of the preview.
  const plain = await tenant.reviewedAlone([ended], { asks: false });
  const { names, ...named } = await tenant.reviewedAlone([ended], { onlyNames: true });
  expect(names).toMatchObject({ [AGENT]: "support-agent", [BILLING]: "billing-team" });
  const { names: none, ...rest } = plain;
  expect(none).toEqual({});
  expect(named).toEqual(rest);
  expect(named.access).toMatchObject([{ effect: "loses", holder: { group: BILLING } }]);
});

test("only names are asked for", async () => {
  await tenant.reviewedAlone([ended], { onlyNames: true });
  const asked = tenant.simulator.requests().filter(({ method }) => method === "GET");
  expect(asked.map(({ path }) => path.replace(/^\/api\/v2|\?.*$/g, "")).sort()).toEqual([
    ...[BILLING, ADMINS].map((group) => `/groups/${group}`),
    "/roles",
    `/roles/${AGENT}/groups`,
  ]);
});

test.each([
  ["that answers no question", clientsWithout("read:roles", "read:groups", "read:group_roles"), {}],
  ["that doesn't know the client", clientsWithout(), { IDENTITY_CLIENT_SECRET: "another" }],
])("a tenant %s changes nothing", async (_, clients, environment) => {
  tenant.seed({ clients });
  const plain = await tenant.reviewedAlone([ended], { asks: false });
  expect(await tenant.reviewedAlone([ended], { onlyNames: true, environment })).toEqual(plain);
});
