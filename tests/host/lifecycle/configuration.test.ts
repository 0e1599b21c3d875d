import { Engine, failed, profile } from "../../../testkit/engine";
import { PluginHost } from "../../../testkit/hosts/plugin-host";
import { useTenant } from "../../../testkit/tenant";
import { oneOfEach, profiles } from "../../../testkit/programs";

const tenant = useTenant();

describe("configuration", () => {
  test("missing credentials: the preview works, the up names keys and variables, and nothing is sent", async () => {
    const engine = new Engine(tenant, { config: { "identity:domain": tenant.url } });

    await engine.preview(oneOfEach);
    const { errors } = await failed(engine.up({ p: profile({ name: "a" }) }));

    expect(errors).toEqual([
      expect.stringMatching(
        /identity:clientId \(IDENTITY_CLIENT_ID\).*identity:clientSecret \(IDENTITY_CLIENT_SECRET\)/,
      ),
    ]);
    expect(tenant.sent()).toEqual([]);
  });

  test("without any setting, the preview says once that an up will need some", async () => {
    const engine = new Engine(tenant, { config: {} });

    const { messages } = await engine.preview({ ...oneOfEach, ...profiles(2) });
    expect(messages.filter((line) => line.startsWith("No tenant is configured."))).toEqual([
      "No tenant is configured. `pulumi up` will need identity:domain, identity:clientId and identity:clientSecret: `npx pulumi-identity doctor` says how to set them.",
    ]);

    engine.config = { "identity:domain": tenant.url };
    expect((await engine.preview(oneOfEach)).messages).not.toContainEqual(
      expect.stringContaining("No tenant"),
    );
  });

  test("a key that is no setting fails the preview and the up, once in full; a refresh and a destroy go on", async () => {
    const engine = new Engine(tenant);
    await engine.up(profiles(2));
    tenant.sent();
    const { config } = engine;
    engine.config = { ...config, "identity:maxRevocation": "5", "other:maxRevocation": "5" };

    for (const run of [() => engine.preview(profiles(2)), () => engine.up(profiles(2))]) {
      const { errors } = await failed(run());
      expect(errors[0]).toContain(
        "identity:maxRevocation is no setting: did you mean identity:maxRevocations? " +
          "Correct the key, or remove it: pulumi config rm identity:maxRevocation.",
      );
      for (const other of errors.slice(1))
        expect(other).toContain("The settings of the connection are wrong: see the first message.");
    }
    expect(tenant.sent()).toEqual([]);

    await engine.refresh();
    await engine.destroy();
    expect(tenant.profiles()).toEqual([]);
    tenant.sent();
  });

  test("missing credentials fail every delete, so that none is recorded as done", async () => {
    const engine = new Engine(tenant, { parallel: 8 });
    await engine.up(profiles(5));
    tenant.sent();
    engine.config = {};

    const { errors } = await failed(engine.destroy());

    expect(errors).toHaveLength(5);
    expect(engine.state.size).toBe(5);
    expect(tenant.sent()).toEqual([]);
  });

  test("the environment wins over stack configuration", async () => {
    const engine = new Engine(tenant, {
      config: {
        "identity:domain": "stale.example.com",
        "identity:clientId": "x",
        "identity:clientSecret": "stale",
      },
      env: {
        IDENTITY_DOMAIN: tenant.url,
        IDENTITY_CLIENT_ID: tenant.clientId,
        IDENTITY_CLIENT_SECRET: tenant.clientSecret,
      },
    });

    await engine.up({ p: profile({ name: "a" }) });

    expect(tenant.profiles()).toHaveLength(1);
  });

  test("a tenant that the environment puts in place of the configured one is told once", async () => {
    const engine = new Engine(tenant, {
      config: {
        "identity:domain": "configured.example.com",
        "identity:clientId": tenant.clientId,
        "identity:clientSecret": tenant.clientSecret,
      },
      startHost: () => PluginHost.start({ env: { IDENTITY_DOMAIN: tenant.url } }),
    });

    const { messages } = await engine.preview(profiles(2));

    const { host } = new URL(tenant.url);
    const line = `IDENTITY_DOMAIN wins over identity:domain: the tenant is ${host}, and not configured.example.com`;
    expect(messages.filter((message) => message === line)).toHaveLength(1);
  });

  test("refused credentials are explained, without the secret", async () => {
    const engine = new Engine(tenant);
    engine.config["identity:clientSecret"] = "a-wrong-secret";

    const run = await failed(engine.up({ p: profile({ name: "a" }) }));

    expect(run.errors).toEqual([expect.stringMatching(/answered 401.*IDENTITY_CLIENT_SECRET/)]);
    expect(JSON.stringify(run)).not.toContain("a-wrong-secret");
    // The program provided these settings itself.
    expect(run.errors[0]).not.toContain("last up");
  });

  test("in a refresh and a destroy, which have those of the last up, it is said how to bring new ones", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "a" }) });
    engine.config["identity:clientSecret"] = "a-wrong-secret";

    for (const operation of [() => engine.refresh(), () => engine.destroy()]) {
      const { errors } = await failed(operation());
      expect(errors).toEqual([expect.stringContaining("the configuration is that of the last up")]);
    }
  });
});

test("a wrong setting fails the preview, once in full, and nothing is sent", async () => {
  const engine = new Engine(tenant);
  engine.config["identity:rateLimitReserve"] = "5";

  const { errors } = await failed(engine.preview(profiles(3)));

  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('must be a number from 0 to 0.9; it is "5"');
  expect(errors[0]).toContain("identity:rateLimitReserve (IDENTITY_");
  expect(tenant.sent()).toEqual([]);
});

describe("another tenant", () => {
  test("every operation refuses, names both tenants, and leaves state and tenant alone", async () => {
    const engine = new Engine(tenant);
    await engine.up(oneOfEach);
    tenant.sent();
    const elsewhere = tenant.url.replace("127.0.0.1", "localhost");
    engine.config["identity:domain"] = elsewhere;
    const changed = { ...oneOfEach, profile: profile({ name: "other" }) };
    const before = structuredClone([...engine.state]);

    for (const operation of [
      () => engine.preview(changed),
      () => engine.up(changed),
      () => engine.up(oneOfEach),
      () => engine.refresh(),
      () => engine.destroy(),
    ]) {
      const { errors } = await failed(operation());
      expect(errors[0]).toContain(tenant.host);
      expect(errors[0]).toContain(new URL(elsewhere).host);
      expect([...engine.state]).toEqual(before);
    }
    expect(tenant.sent()).toEqual([]);
  });

  test("a new name of the same tenant is accepted once it is said to be one", async () => {
    const engine = new Engine(tenant);
    await engine.up(oneOfEach);
    const renamed = new URL(tenant.url.replace("127.0.0.1", "localhost"));
    engine.config["identity:domain"] = renamed.origin;
    engine.config["identity:formerDomains"] = tenant.url;

    await engine.refresh();
    for (const { outputs } of engine.state.values()) expect(outputs["tenant"]).toBe(renamed.host);

    delete engine.config["identity:formerDomains"];
    expect((await engine.up(oneOfEach)).steps).toEqual([]);
    await engine.destroy();
    expect(engine.state.size).toBe(0);
  });
});
