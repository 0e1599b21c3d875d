import { getGroup, IdentityError } from "../../provider";
import { type SeedInput } from "../../simulator";
import { failure, startTenant, stopTenants } from "./tenant";

afterEach(stopTenants);

type Group = NonNullable<SeedInput["groups"]>[number];

const [A, B, C] = [
  "grp_3KzLp8fGt6NvXeJw4uQhCy",
  "grp_5BmRd9aSj2WqTgFx7cUkEn",
  "grp_7TqWc2nYx5RkHbVd9sPmZa",
] as const;
const DESK: Group = { id: A, name: "support-desk", connection_id: "con_entra", external_id: "7d0e" };
const OTHER_DESK: Group = { id: B, name: "support-desk", connection_id: "con_okta" };
const BILLING: Group = { id: C, name: "billing-team" };
const LIST = "GET /api/v2/groups?";

const start = (groups: Group[]) => startTenant({ groups });

test("a group has its id and name, and its connection and external id where there are some", async () => {
  const tenant = await start([DESK, BILLING]);
  const desk = { id: A, name: "support-desk", connectionId: "con_entra", externalId: "7d0e" };
  expect(await getGroup({ name: "support-desk" })).toEqual(desk);
  expect(await getGroup({ name: "billing-team" })).toEqual({ id: C, name: "billing-team" });
  expect(tenant.log()).toEqual([
    `${LIST}name=support-desk&take=100 200`,
    `${LIST}name=billing-team&take=100 200`,
  ]);
});

test("a connection tells groups of the same name apart", async () => {
  const tenant = await start([DESK, OTHER_DESK]);
  expect((await getGroup({ name: "support-desk", connectionId: "con_okta" })).id).toBe(B);
  expect(tenant.log()).toEqual([`${LIST}name=support-desk&connection_id=con_okta&take=100 200`]);
  expect((await failure(getGroup({ name: "support-desk" }))).message).toMatch(
    new RegExp(
      `: 2 groups have exactly this name: ${A} \\(connection con_entra\\), ${B} \\(connection con_okta\\)\\. ` +
        "Give the connectionId of the one that you mean, or write its id in place of this call\\.$",
    ),
  );
});

test("calls for the same name share one request", async () => {
  const tenant = await start([DESK]);
  await Promise.all([getGroup({ name: "support-desk" }), getGroup({ name: "support-desk" })]);
  expect(tenant.log()).toHaveLength(1);
});

test("a name that no group has exactly fails, with the nearest names and all their ids", async () => {
  const tenant = await start([DESK, OTHER_DESK, BILLING, { id: "grp_8HvYs4eMk3ZpLfDr6tXbNj" }]);
  const error = await failure(getGroup({ name: "suport desk" }));
  expect(error).toBeInstanceOf(IdentityError);
  expect(error.message).toMatch(
    new RegExp(
      `^getGroup\\(\\{ name: "suport desk" \\}\\) on \\S+: No group has exactly this name\\. Nearest names: ` +
        `"support-desk" \\(${A}, ${B}\\), "billing-team" \\(${C}\\)\\.$`,
    ),
  );
  expect(tenant.log()).toEqual([`${LIST}name=suport+desk&take=100 200`, `${LIST}take=100 200`]);
});

test("of many groups the first hundred are looked at for a name that is near", async () => {
  const tenant = await start(
    Array.from({ length: 120 }, (_, i) => ({
      id: `grp_AAAAAAAAAAAA${String(i + 111).replaceAll("0", "Z")}`,
      name: `team ${i}`,
    })),
  );
  expect((await failure(getGroup({ name: "taem 7" }))).message).toContain(
    'Nearest names among the first 100 groups: "team 7"',
  );
  expect(tenant.log()).toHaveLength(2);
});

test("a group of another connection is told", async () => {
  await start([DESK, OTHER_DESK]);
  expect((await failure(getGroup({ name: "support-desk", connectionId: "con_ping" }))).message).toMatch(
    new RegExp(
      `: No group of this connection has exactly this name; elsewhere it is that of ${A} \\(connection con_entra\\), ` +
        `${B} \\(connection con_okta\\)\\.$`,
    ),
  );
});

test("a filter that the service does not know changes nothing", async () => {
  const tenant = await start([]);
  tenant.fail({ times: 2, action: { status: 200, body: { groups: [BILLING, OTHER_DESK, DESK] } } });
  expect((await getGroup({ name: "support-desk", connectionId: "con_okta" })).id).toBe(B);
  expect((await getGroup({ name: "billing-team" })).id).toBe(C);
});
