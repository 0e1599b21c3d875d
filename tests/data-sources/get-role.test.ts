import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError, getRole, IdentityError, InvalidInputError } from "../../provider";
import { type SeedInput } from "../../simulator";
import { failure, startTenant, stopTenants } from "./tenant";

afterEach(stopTenants);

type Role = NonNullable<SeedInput["roles"]>[number];

const SUPPORT: Role = { id: "rol_4hNkVx8QmTz2bRcW", name: "support-agent", description: "Answers tickets" };
const BILLING: Role = { id: "rol_9sJdYp3LfGe7uXaK", name: "billing-viewer" };
const FIRST_PAGE = "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200";

const start = (roles: Role[]) => startTenant({ roles });

test("a role has its id and name, and its description where there is one", async () => {
  const tenant = await start([SUPPORT, BILLING]);
  expect(await getRole({ name: "support-agent" })).toEqual(SUPPORT);
  expect(await getRole({ name: "billing-viewer" })).toEqual(BILLING);
  expect(tenant.log()).toEqual([FIRST_PAGE, FIRST_PAGE]);
});

test("calls for several roles share one list, of which every page is read", async () => {
  const others = Array.from({ length: 250 }, (_, index) => ({ id: `rol_${index}`, name: `role ${index}` }));
  const tenant = await start([...others, SUPPORT]);
  const found = await Promise.all(["role 0", "role 249", "support-agent"].map((name) => getRole({ name })));
  expect(found.map(({ id }) => id)).toEqual(["rol_0", "rol_249", SUPPORT.id]);
  expect(tenant.log()).toHaveLength(3);
});

test("a name that no role has exactly fails, with the nearest names", async () => {
  await start([BILLING, SUPPORT, { id: "rol_nameless" }]);
  for (const name of ["suport-agent", "support_agent", "support"]) {
    const error = await failure(getRole({ name }));
    expect(error).toBeInstanceOf(IdentityError);
    expect(error.message).toMatch(
      new RegExp(
        `^getRole\\(\\{ name: "${name}" \\}\\) on \\S+: No role has exactly this name\\. Nearest names: ` +
          `"support-agent" \\(${SUPPORT.id}\\), "billing-viewer" \\(${BILLING.id}\\)\\.$`,
      ),
    );
  }
});

test("at most five names are told, each cut, and a tenant without roles has none", async () => {
  await start(Array.from({ length: 9 }, (_, i) => ({ id: `rol_${i}`, name: `role ${i} ${"x".repeat(99)}` })));
  const { message } = await failure(getRole({ name: "role 3" }));
  expect(message.match(/\(rol_\d\)/g)).toHaveLength(5);
  expect(message).not.toContain("x".repeat(80));
  await start([]);
  expect((await failure(getRole({ name: "role 3" }))).message).toMatch(/No role has exactly this name\.$/);
});

test("a name that several roles have fails, with their ids", async () => {
  await start([{ ...SUPPORT, id: "rol_b" }, BILLING, { ...SUPPORT, id: "rol_a" }]);
  expect((await failure(getRole({ name: "support-agent" }))).message).toMatch(
    /: 2 roles have exactly this name: rol_a, rol_b\. Write the id of the one that you mean in place of this call\.$/,
  );
});

describe("where organizations have roles, too", () => {
  const tenants = { ...SUPPORT, type: "tenant" as const };
  const other = { ...SUPPORT, id: "rol_org", type: "organization" as const, owner_id: "org_1" };

  test("a name finds the tenant's own", async () => {
    for (const roles of [
      [other, tenants],
      [SUPPORT, other],
    ]) {
      await start(roles);
      expect(await getRole({ name: "support-agent" })).toEqual(SUPPORT);
    }
  });

  test("a name that only organizations use is refused, with the ids, and never suggested", async () => {
    await start([other, { ...other, id: "rol_more" }, BILLING]);
    expect((await failure(getRole({ name: "support-agent" }))).message).toMatch(
      /: No role of the tenant has exactly this name, only organizations have one: rol_more, rol_org\. If you mean such a role, give getRole its organization, too\.$/,
    );
    expect((await failure(getRole({ name: "support-agents" }))).message).not.toContain("rol_org");
  });
});

describe("in an organization", () => {
  const organization = "org_5vJmTq8XbRz3kWcY";
  const own = { id: "rol_own", name: "order-manager", type: "organization" as const, owner_id: organization };
  const foreign = { ...own, id: "rol_foreign", owner_id: "org_other" };

  test("its own roles and the tenant's are found, in one list each", async () => {
    const tenant = await start([SUPPORT, own, foreign]);
    const names = ["order-manager", "support-agent"];
    const found = await Promise.all(names.map((name) => getRole({ name, organization })));
    expect(found.map(({ id }) => id)).toEqual([own.id, SUPPORT.id]);
    expect(tenant.log()).toEqual([
      FIRST_PAGE,
      `GET /api/v2/roles?type=organization&owner_id=${organization}&page=0&per_page=100&include_totals=true 200`,
    ]);
  });

  test("the service's own roles are found, asked for once where no other role has the name", async () => {
    const system = { ...own, id: "rol_system", name: "sys-admin", owner_id: "auth0" };
    const tenant = await start([SUPPORT, own, system, { ...system, id: "rol_more", name: "sys-reader" }]);
    const names = ["sys-admin", "sys-reader"];
    const found = await Promise.all(names.map((name) => getRole({ name, organization })));
    expect(found.map(({ id }) => id)).toEqual([system.id, "rol_more"]);
    expect(tenant.log().filter((line) => line.includes("owner_id=auth0"))).toHaveLength(1);
    expect((await failure(getRole({ name: "sys-admins", organization }))).message).toMatch(
      /: No role has exactly this name\. Nearest names: "sys-admin" \(rol_system\)/,
    );
    expect((await failure(getRole({ name: "sys-admin" }))).message).toContain(
      "No role has exactly this name",
    );
  });

  test("a name that both have is refused, with both ids", async () => {
    await start([{ ...SUPPORT, name: "order-manager" }, own]);
    expect((await failure(getRole({ name: "order-manager", organization }))).message).toMatch(
      /: 2 roles have exactly this name: rol_4hNkVx8QmTz2bRcW, rol_own \(organization\)\. Write the id/,
    );
  });

  test("a role of another organization is never found, even where the tenant ignores the filters", async () => {
    await start([SUPPORT, foreign]);
    expect((await failure(getRole({ name: "order-manager", organization }))).message).toMatch(
      /: No role of the tenant or of it has exactly this name, only other organizations have one: rol_foreign\. /,
    );
    const tenant = await start([SUPPORT]);
    tenant.fail({
      path: "*?type=organization*",
      action: { status: 200, body: { roles: [foreign, BILLING], start: 0, limit: 100, total: 2 } },
    });
    expect((await failure(getRole({ name: "order-manager", organization }))).message).toMatch(
      /: No role has exactly this name\. Nearest names: "support-agent"/,
    );
  });

  test("a name in place of its id is refused before any call", async () => {
    const tenant = await start([own]);
    const error = await failure(getRole({ name: "order-manager", organization: "acme" }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toContain(
      "organization: must be the id of an organization: org_ and 1 to 64 letters, digits, hyphens or underscores. " +
        "getOrganization finds it by its name; received",
    );
    expect(tenant.requests()).toEqual([]);
  });
});

test("a list that ends before its end decides nothing: the service's limit is named, and the way around it", async () => {
  const others = Array.from({ length: 1_200 }, (_, i) => ({ id: `rol_${i}`, name: `role ${i}` }));
  await startTenant({ roles: [SUPPORT, ...others], behaviour: { max_numbered_entries: 1_000 } });
  for (const name of ["support-agent", "role 1199"]) {
    expect((await failure(getRole({ name }))).message).toMatch(
      /: GET \/roles can't be read whole: after 1000 of 1201 entries it answered 400: You can only page through the first 1000 records\. Running this again won't help: ask the service's support\. Write the id of the role in place of this call\.$/,
    );
  }
});

test("a key of the configuration that is no setting is an error", async () => {
  const tenant = await start([SUPPORT]);
  pulumi.runtime.setAllConfig({ "identity:maxRevocation": "5" });
  try {
    const error = await failure(getRole({ name: "support-agent" }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(
      "identity:maxRevocation is no setting: did you mean identity:maxRevocations?",
    );
    expect(tenant.requests()).toEqual([]);
  } finally {
    pulumi.runtime.setAllConfig({});
  }
});
