import { Engine, failed, profile } from "../engine";
import { useTenant } from "../tenant";
import { oneOfEach, profiles } from "./programs";

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

  test("refused credentials are explained, without the secret", async () => {
    const engine = new Engine(tenant);
    engine.config["identity:clientSecret"] = "a-wrong-secret";

    const run = await failed(engine.up({ p: profile({ name: "a" }) }));

    expect(run.errors).toEqual([expect.stringMatching(/answered 401.*IDENTITY_CLIENT_SECRET/)]);
    expect(JSON.stringify(run)).not.toContain("a-wrong-secret");
  });

  test("an unreachable tenant is named", async () => {
    const engine = new Engine(tenant);
    engine.config["identity:domain"] = "http://127.0.0.1:9";

    const { errors } = await failed(engine.up({ p: profile({ name: "a" }) }));

    expect(errors).toEqual([expect.stringContaining("127.0.0.1:9")]);
  });
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
