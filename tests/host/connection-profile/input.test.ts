import { Engine, failed, profile, UNKNOWN } from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";
import { made } from "./made";

const tenant = useTenant();

describe("bad input", () => {
  test("is refused at preview, all problems at once, and nothing is sent", async () => {
    const engine = new Engine(tenant);
    const inputs = {
      name: "n".repeat(51),
      organization: "none",
      connectionNamePrefixTemplate: "-much--too-long-a-prefix",
      enabledFeatures: ["scim", "sso"],
      strategyOverrides: { okta: { enabledFeatures: "scim", enabled_features: [] } },
      adopt: "..",
      unheard_of: true,
    };

    for (const operation of ["preview", "up"] as const) {
      const { errors } = await failed(engine[operation]({ p: profile(inputs) }));
      const text = errors.join("\n");
      expect(text).toMatch(/name: must have 1 to 50 characters; received "n+/);
      expect(text).toMatch(/organization: .*received "none"/);
      expect(text).toMatch(/connectionNamePrefixTemplate: must have at most 15 characters/);
      expect(text).toMatch(/connectionNamePrefixTemplate: .*not start with a hyphen/);
      expect(text).toMatch(
        /enabledFeatures\[\d\]: must be directory_sync, scim or universal_logout; received "sso"/,
      );
      expect(text).toMatch(/strategyOverrides\.okta\.enabledFeatures: .*received "scim"/);
      expect(text).toMatch(/strategyOverrides\.okta\.enabled_features: .*enabledFeatures/);
      expect(text).toMatch(/adopt: .*received "\.\."/);
      expect(text).toMatch(/unheard_of: is not an input/);
    }
    expect(tenant.sent()).toEqual([]);
  });

  test("of a change leaves state and tenant as they are", async () => {
    const { engine, id } = await made(tenant, { name: "a" });

    await failed(engine.up({ p: profile({ name: "" }) }));

    expect(tenant.sent()).toEqual([]);
    expect(tenant.profile(id)).toMatchObject({ name: "a" });
    expect(engine.resource("p").inputs).toMatchObject({ name: "a" });
  });
});

test("null counts as not set", async () => {
  const { errors } = await failed(new Engine(tenant).preview({ p: profile({ name: null }) }));
  expect(errors).toEqual([expect.stringMatching(/name: is required; received nothing/)]);
});

test("values that a preview doesn't know are no problem: a create, an update, and no request", async () => {
  const program = { p: profile({ name: "a", enabledFeatures: ["scim", UNKNOWN], organization: UNKNOWN }) };
  expect((await new Engine(tenant).preview(program)).steps).toEqual(["create p"]);
  const { engine } = await made(tenant, { name: "a" });
  expect((await engine.preview(program)).steps).toEqual([expect.stringMatching(/^update p: /)]);
  expect(tenant.sent()).toEqual([]);
});

describe("secret inputs", () => {
  test("stay what they are in the outputs, under their own names, where the engine marks them again", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "top secret name" }, { secrets: ["name"] }) });

    const { name, ...others } = engine.resource("p").outputs;

    expect(name).toBe("top secret name");
    expect(JSON.stringify(others)).not.toContain("top secret name");
  });
});

test("names with hostile characters reach the service unchanged", async () => {
  const names = ["\u{1F600}".repeat(25), "\u202eright-to-left", 'quote"and\\backslash', "{org_id}"];
  const engine = new Engine(tenant);

  await engine.up(Object.fromEntries(names.map((name, i) => [`p${i}`, profile({ name })])));

  expect(
    tenant
      .profiles()
      .map(({ name }) => name as string)
      .sort(),
  ).toEqual([...names].sort());
  expect((await engine.refresh()).steps).toEqual([]);
});
