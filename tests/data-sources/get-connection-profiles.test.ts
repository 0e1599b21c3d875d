import { getConnectionProfiles, getConnectionProfilesOutput, UnexpectedAnswerError } from "../../provider";
import { type SeedInput } from "../../simulator";
import { failure, settled, startTenant, stopTenants } from "./tenant";

afterEach(stopTenants);

type Profile = NonNullable<SeedInput["connection_profiles"]>[number];

const id = (index: number) => `cop_${String(index).padStart(22, "0")}`;
const named = (count: number): Profile[] =>
  Array.from({ length: count }, (_, i) => ({ id: id(i), name: `profile ${i}` }));

const start = (connection_profiles: Profile[]) => startTenant({ connection_profiles });

test("all profiles are read, ten a request, and sorted by id", async () => {
  const tenant = await start(named(35).reverse());
  const { connectionProfiles } = await getConnectionProfiles();
  expect(connectionProfiles).toEqual(named(35));
  expect(tenant.log()).toHaveLength(4);
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
  const tenant = await startTenant({
    connection_profiles: [
      { id: id(1), name: "partners" },
      { id: id(2), name: "Partners" },
      { id: id(3), name: "partners" },
      { id: id(4), name: "partners " },
    ],
    behaviour: { profile_name_conflict: "allow" },
  });
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

test("the Output form needs no arguments either", async () => {
  await start(named(2));
  expect(await settled(getConnectionProfilesOutput().connectionProfiles.length)).toMatchObject({ value: 2 });
});
