import { OTHER_ROLE_ID as VIEWER, GROUP_ADMINS } from "../../../simulator/default-seed";
import { assignment, Engine, failed, profile, removal } from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";

/* With another tenant's token, the service answers 404 for each object in its own words. */

const tenant = useTenant();
const profiles = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, profile({ name: `profile ${i}` })]));

async function withProfiles(count: number, more = {}): Promise<Engine> {
  const engine = new Engine(tenant);
  await engine.up({ ...profiles(count), ...more });
  return engine;
}

test.each([3, 20])(
  "a refresh that finds none of %i objects keeps them, and says what to check",
  async (count) => {
    const engine = await withProfiles(count, { removal: removal("dcr_1") });
    const before = [...engine.state];
    tenant.seed({ connection_profiles: [] });

    const { errors } = await failed(engine.refresh());

    expect([...engine.state]).toEqual(before);
    expect(errors).toHaveLength(count);
    expect(errors[0]).toMatch(
      new RegExp(
        `^p\\d+: It is not on ${tenant.host}, and neither is anything else that this run has looked for so far, so ` +
          "state keeps it\\. Check that the credentials are this tenant's",
      ),
    );
  },
);

test("one or two objects that are gone are an ordinary loss", async () => {
  const engine = await withProfiles(2);
  tenant.seed({ connection_profiles: [] });
  await engine.refresh();
  expect(engine.state.size).toBe(0);
});

test("many that are gone are believed beside one that is there, of whatever kind", async () => {
  const engine = await withProfiles(5, { a: assignment({ roleId: VIEWER, groupIds: [GROUP_ADMINS] }) });
  tenant.seed({ connection_profiles: [], roles: [{ id: VIEWER, groups: [GROUP_ADMINS] }] });
  await engine.refresh();
  expect([...engine.state.keys()]).toEqual(["a"]);
});

test("one after the other can be refreshed, as the message says", async () => {
  const engine = await withProfiles(3);
  tenant.seed({ connection_profiles: [] });
  for (const name of ["p0", "p1", "p2"]) await engine.refresh({ target: [name] });
  expect(engine.state.size).toBe(0);
});

test("a destroy accepts that everything is gone, as after one that was killed", async () => {
  const engine = await withProfiles(3, {
    a: assignment({ roleId: VIEWER, groupIds: [GROUP_ADMINS] }),
    removal: removal("dcr_1"),
  });
  tenant.seed({ connection_profiles: [], roles: [{ id: VIEWER, groups: [] }] });
  await engine.destroy();
  expect(engine.state.size).toBe(0);
});
