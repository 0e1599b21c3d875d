import * as pulumi from "@pulumi/pulumi";
import {
  getConnectionProfiles,
  type GetConnectionProfilesArgs,
  getConnectionProfilesOutput,
  InsufficientScopeError,
  InvalidInputError,
  UnexpectedAnswerError,
} from "../../provider";
import { type SeedInput } from "../../simulator";
import { failure, isKnown, settled, startTenant, stopTenants } from "./tenant";

afterEach(stopTenants);

type Profile = NonNullable<SeedInput["connection_profiles"]>[number];

const id = (index: number) => `cop_${String(index).padStart(22, "0")}`;
const named = (count: number): Profile[] =>
  Array.from({ length: count }, (_, i) => ({ id: id(i), name: `profile ${i}` }));

const start = (connection_profiles: Profile[], scope = "read:connection_profiles") =>
  startTenant({ connection_profiles, tokens: [{ access_token: "given", scope }] }, { accessToken: "given" });

test.each([
  [0, 1],
  [10, 1],
  [11, 2],
  [35, 4],
])("%i profiles take %i requests, and are sorted by id", async (count, requests) => {
  const tenant = await start(named(count).reverse());
  const { connectionProfiles } = await getConnectionProfiles();
  expect(connectionProfiles).toEqual(named(count));
  const log = tenant.log();
  expect(log).toHaveLength(requests);
  expect(log[0]).toBe("GET /api/v2/connection-profiles?take=10 200");
  for (const line of log.slice(1)) expect(line).toMatch(/^GET \S+\?take=10&from=\w+ 200$/);
});

test("a profile has the fields of the resource, those that are set", async () => {
  const full = {
    id: id(1),
    name: "enterprise",
    organization: { show_as_button: "optional", assign_membership_on_login: "required" },
    connection_name_prefix_template: "con-{org_id}",
    enabled_features: ["scim", "universal_logout"],
    strategy_overrides: { okta: { enabled_features: ["scim"] } },
  } satisfies Profile;
  await start([full, { id: id(2), name: "bare" }]);
  expect((await getConnectionProfiles({})).connectionProfiles).toEqual([
    {
      id: id(1),
      name: "enterprise",
      organization: { showAsButton: "optional", assignMembershipOnLogin: "required" },
      connectionNamePrefixTemplate: "con-{org_id}",
      enabledFeatures: ["scim", "universal_logout"],
      strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
    },
    { id: id(2), name: "bare" },
  ]);
});

test("name is matched exactly, keeps all of that name, and shares the requests of other calls", async () => {
  const tenant = await startTenant(
    {
      connection_profiles: [
        { id: id(1), name: "partners" },
        { id: id(2), name: "Partners" },
        { id: id(3), name: "partners" },
        { id: id(4), name: "partners " },
      ],
      behaviour: { profile_name_conflict: "allow" },
      tokens: [{ access_token: "given", scope: "read:connection_profiles" }],
    },
    { accessToken: "given" },
  );
  const [exact, none] = await Promise.all([
    getConnectionProfiles({ name: "partners" }),
    getConnectionProfiles({ name: "partner" }),
  ]);
  expect(exact.connectionProfiles.map((profile) => profile.id)).toEqual([id(1), id(3)]);
  expect(none).toEqual({ connectionProfiles: [] });
  expect(tenant.log()).toHaveLength(1);
});

test("a profile with an id that is none of its kind is not believed", async () => {
  const tenant = await start([]);
  const body = { connection_profiles: [{ id: "../users", name: "x" }] };
  tenant.fail({ action: { status: 200, body } });
  expect(await failure(getConnectionProfiles())).toBeInstanceOf(UnexpectedAnswerError);
});

test("403 is an error, never an empty list", async () => {
  await start(named(1), "read:users");
  const error = await failure(getConnectionProfiles());
  expect(error).toBeInstanceOf(InsufficientScopeError);
  expect(error.message).toMatch(
    /^getConnectionProfiles\(\{\}\) on .*Grant read:connection_profiles to the client/,
  );
});

test("the Output form takes Outputs, keeps secrets, and stays unknown", async () => {
  const tenant = await start(named(2));
  const unknown = pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;
  expect(await isKnown(getConnectionProfilesOutput({ name: unknown }))).toBe(false);
  expect(tenant.requests()).toEqual([]);
  expect(await settled(getConnectionProfilesOutput().connectionProfiles.length)).toEqual({
    value: 2,
    secret: false,
  });
  const secret = getConnectionProfilesOutput({ name: pulumi.secret("profile 1") });
  expect(await settled(secret.connectionProfiles.length)).toEqual({ value: 1, secret: true });
});

test.each([
  [{ name: "" }, "name: must have 1 to 50 characters"],
  [{ name: "x".repeat(51) }, "name: must have 1 to 50 characters"],
  [{ name: 7 }, "name: must be a text"],
  [{ name: null }, "name: must be a text"],
  [{ id: "cop_1" }, "id: is not an input"],
])("%j is refused before any call", async (given, message) => {
  const tenant = await start([]);
  const error = await failure(getConnectionProfiles(given as GetConnectionProfilesArgs));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error.message).toContain(`getConnectionProfiles was called with invalid arguments. ${message}`);
  expect(tenant.requests()).toEqual([]);
});
