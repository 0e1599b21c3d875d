import { Engine, failed, profile, UNKNOWN } from "../engine";
import { type Values } from "../host";
import { useTenant } from "../tenant";
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

  test.each([
    ["nothing", {}, /name: .*received nothing/],
    ["an empty name", { name: "" }, /name: must have 1 to 50 characters; received ""/],
    ["null, which counts as not set", { name: null }, /name: is required; received nothing/],
    ["a number", { name: 7 }, /name: .*received 7/],
    ["a null feature", { name: "a", enabledFeatures: [null] }, /enabledFeatures\[0\]: .*received null/],
    [
      "an unknown word for the organization",
      { name: "a", organization: { show_as_button: "yes" } },
      /organization\.show_as_button: must be none, optional or required; received "yes"/,
    ],
    ["a list as overrides", { name: "a", strategyOverrides: [] }, /strategyOverrides: .*received \[\]/],
  ])("%s", async (_what, inputs, problem) => {
    const { errors } = await failed(new Engine(tenant).preview({ p: profile(inputs) }));

    expect(errors).toEqual([expect.stringMatching(problem)]);
    expect(tenant.sent()).toEqual([]);
  });

  test("does not show a long value in full", async () => {
    const { errors } = await failed(
      new Engine(tenant).preview({ p: profile({ name: "n".repeat(1_000_000) }) }),
    );

    expect(errors[0]?.length).toBeLessThan(300);
  });

  test("of a change leaves state and tenant as they are", async () => {
    const { engine, id } = await made(tenant, { name: "a" });

    await failed(engine.up({ p: profile({ name: "" }) }));

    expect(tenant.sent()).toEqual([]);
    expect(tenant.profile(id)).toMatchObject({ name: "a" });
    expect(engine.resource("p").inputs).toMatchObject({ name: "a" });
  });
});

describe("unknown values", () => {
  const unknowns: Values[] = [
    { name: UNKNOWN },
    { name: "a", organization: UNKNOWN },
    { name: "a", organization: { show_as_button: UNKNOWN } },
    { name: "a", connectionNamePrefixTemplate: UNKNOWN },
    { name: "a", enabledFeatures: UNKNOWN },
    { name: "a", enabledFeatures: ["scim", UNKNOWN] },
    { name: "a", strategyOverrides: UNKNOWN },
    { name: "a", strategyOverrides: { okta: UNKNOWN } },
    { name: "a", strategyOverrides: { okta: { enabledFeatures: UNKNOWN } } },
    { name: "a", strategyOverrides: { okta: { enabledFeatures: [UNKNOWN, UNKNOWN] } } },
    { name: "a", adopt: UNKNOWN },
  ];

  test.each(unknowns)("%j in a preview of a create", async (inputs) => {
    expect((await new Engine(tenant).preview({ p: profile(inputs) })).steps).toEqual(["create p"]);
    expect(tenant.sent()).toEqual([]);
  });

  test.each(unknowns.slice(0, -1))("%j in a preview of a change is an update", async (inputs) => {
    const { engine } = await made(tenant, { name: "a" });

    expect((await engine.preview({ p: profile(inputs) })).steps).toEqual([
      expect.stringMatching(/^update p: /),
    ]);
    expect(tenant.sent()).toEqual([]);
  });

  test("do not hide problems of the known ones", async () => {
    const { errors } = await failed(
      new Engine(tenant).preview({ p: profile({ name: UNKNOWN, enabledFeatures: [UNKNOWN, "sso"] }) }),
    );

    expect(errors).toEqual([expect.stringContaining('received "sso"')]);
  });
});

describe("secret inputs", () => {
  const secret = "correct horse battery staple correct horse battery staple";

  test("never appear in a failure of check", async () => {
    const inputs = { name: secret, organization: { login_hint: secret }, connectionConfig: secret };
    const { errors } = await failed(
      new Engine(tenant).preview({
        p: profile(inputs, { secrets: ["name", "organization", "connectionConfig"] }),
      }),
    );

    expect(errors.length).toBeGreaterThanOrEqual(2);
    expect(errors.join()).not.toContain("correct horse");
  });

  test("never appear in a failure of the service that repeats them", async () => {
    const engine = new Engine(tenant);
    tenant.fail({
      method: "POST",
      path: "*/connection-profiles",
      action: { status: 400, body: { statusCode: 400, message: "The name top secret name is bad." } },
    });

    const run = await failed(engine.up({ p: profile({ name: "top secret name" }, { secrets: ["name"] }) }));

    expect(run.errors).toEqual([expect.stringContaining("answered 400")]);
    expect(JSON.stringify(run)).not.toContain("top secret name");
  });

  test("stay what they are in the outputs, under their own names, where the engine marks them again", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "top secret name" }, { secrets: ["name"] }) });

    const { name, ...others } = engine.resource("p").outputs;

    expect(name).toBe("top secret name");
    expect(JSON.stringify(others)).not.toContain("top secret name");
  });

  test("marking an input as a secret, or no longer, sends nothing", async () => {
    const { engine } = await made(tenant, { name: "a" });

    await engine.up({ p: profile({ name: "a" }, { secrets: ["name"] }) });
    await engine.up({ p: profile({ name: "a" }) });

    expect(tenant.sent()).toEqual([]);
  });
});

describe("hostile values", () => {
  test.each(["constructor", "prototype", "toString", "hasOwnProperty"])(
    "the key %s in a free-form object is sent as it is, or refused",
    async (key) => {
      const organization = Object.fromEntries([[key, { polluted: "yes" }]]);
      const engine = new Engine(tenant);

      const { errors } = await failed(engine.up({ p: profile({ name: "a", organization }) }));

      // The service refuses the key, so one side or the other must notice; it must not vanish on the way.
      const [, post] = tenant.sent();
      if (post === undefined) expect(errors[0]).toContain("organization");
      else expect(post).toContain(`"${key}":{"polluted":"yes"}`);
      expect(({} as Values)["polluted"]).toBeUndefined();
    },
  );

  test.each(["constructor"])("the key %s as a strategy is sent as it is, or refused", async (key) => {
    const strategyOverrides = Object.fromEntries([[key, { enabledFeatures: ["scim"] }]]);

    const { errors } = await failed(new Engine(tenant).up({ p: profile({ name: "a", strategyOverrides }) }));

    const [, post] = tenant.sent();
    if (post === undefined) expect(errors[0]).toContain("strategyOverrides");
    else expect(post).toContain(`"${key}":{"enabled_features":["scim"]}`);
  });

  test.each([
    "",
    ".",
    "..",
    " ",
    "a/b",
    "../users",
    "50%",
    "a?b#c",
    "a\nb",
    "a\u0000b",
    "\ud800",
    "x".repeat(513),
  ])("the id %j is refused by adopt", async (adopt) => {
    const { errors } = await failed(new Engine(tenant).preview({ p: profile({ name: "a", adopt }) }));

    expect(errors).toEqual([expect.stringContaining("adopt: must be the id of a connection profile")]);
    expect(tenant.sent()).toEqual([]);
  });

  test.each(["\u{1F600}".repeat(25), "\u202eright-to-left", 'quote"and\\backslash', "{org_id}"])(
    "the name %j reaches the service unchanged",
    async (name) => {
      const { engine, id } = await made(tenant, { name });

      expect(tenant.profile(id)).toMatchObject({ name });
      expect((await engine.refresh()).steps).toEqual([]);
    },
  );
});
