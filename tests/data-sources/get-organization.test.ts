import { getOrganization, IdentityError } from "../../provider";
import { type SeedInput } from "../../simulator";
import { failure, startTenant, stopTenants } from "./tenant";

afterEach(stopTenants);

type Organization = NonNullable<SeedInput["organizations"]>[number];

const ACME: Organization = { id: "org_5vJmTq8XbRz3kWcY", name: "acme", display_name: "Acme Inc." };
const GLOBEX: Organization = { id: "org_9sJdYp3LfGe7uXaK", name: "globex" };

const start = (organizations: Organization[]) => startTenant({ organizations });

test("an organization has its id and name, and the name that people see where there is one, in one request", async () => {
  const tenant = await start([ACME, GLOBEX]);
  expect(await getOrganization({ name: "acme" })).toEqual({
    id: ACME.id,
    name: "acme",
    displayName: "Acme Inc.",
  });
  expect(await getOrganization({ name: "globex" })).toEqual(GLOBEX);
  expect(tenant.log()).toEqual([
    "GET /api/v2/organizations/name/acme 200",
    "GET /api/v2/organizations/name/globex 200",
  ]);
});

test("a name that none has exactly fails, with the nearest names", async () => {
  await start([GLOBEX, ACME]);
  for (const name of ["acne", "Acme Inc."]) {
    const error = await failure(getOrganization({ name }));
    expect(error).toBeInstanceOf(IdentityError);
    expect(error.message).toMatch(
      /^getOrganization\(\{ name: "[^"]+" \}\) on \S+: No organization has exactly this name\. Nearest names: "acme" \(org_5vJmTq8XbRz3kWcY\), /,
    );
  }
  const { message } = await failure(getOrganization({ name: "Acme" }));
  expect(message).toContain(
    'No organization has exactly this name. "acme" (org_5vJmTq8XbRz3kWcY) differs only in case.',
  );
});

test("a tenant that compares names in any case finds none of another name", async () => {
  const tenant = await start([ACME]);
  tenant.fail({ path: "/api/v2/organizations/name/*", action: { status: 200, body: ACME } });
  expect((await failure(getOrganization({ name: "ACME" }))).message).toMatch(/No organization has exactly/);
});

test("an organization that only the list has by its name is found", async () => {
  const tenant = await start([GLOBEX, ACME]);
  tenant.fail({ path: "/api/v2/organizations/name/*", action: { status: 404 } });
  expect(await getOrganization({ name: "acme" })).toMatchObject({ id: ACME.id, name: "acme" });
});

test("of many organizations, the nearest of the first page are told as such", async () => {
  const many = Array.from({ length: 130 }, (_, i) => ({ id: `org_${1000 + i}`, name: `customer-${i}` }));
  const tenant = await start(many);
  expect((await failure(getOrganization({ name: "customer-x" }))).message).toMatch(
    /Nearest names among the first 100 organizations: /,
  );
  expect(tenant.log()).toHaveLength(2);
});
