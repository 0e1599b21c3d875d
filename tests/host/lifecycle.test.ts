import { handlerText } from "../../provider/pulumi/program/resource";
import { GROUP_ADMINS, GROUP_BILLING, OTHER_ROLE_ID } from "../simulator/default-seed";
import { assignment, Engine, failed, type Program, profile, removal, type ResourceState } from "./engine";
import { Host } from "./host";
import { TOKEN, useTenant } from "./tenant";

const tenant = useTenant();

const profiles = (count: number): Program =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, profile({ name: `profile ${i}` })]));

/** Each kind of resource once. */
const oneOfEach: Program = {
  profile: profile({ name: "enterprise", enabledFeatures: ["scim"] }),
  role: assignment({ roleId: OTHER_ROLE_ID, groupIds: [GROUP_ADMINS] }),
  lost: removal("dcr_6XnTb4kWq9ZpHs2V"),
};

describe("a process for each run, as the engine has it", () => {
  test("the whole life of one resource of each kind", async () => {
    const engine = new Engine(tenant, { ownProcess: true });

    await engine.preview(oneOfEach);
    expect(tenant.sent()).toEqual([]);
    await engine.up(oneOfEach);
    expect(tenant.sent().sort()).toEqual([
      "DELETE /device-credentials/dcr_6XnTb4kWq9ZpHs2V 204",
      'POST /connection-profiles {"enabled_features":["scim"],"name":"enterprise"} 201',
      `POST /roles/${OTHER_ROLE_ID}/groups {"groups":["${GROUP_ADMINS}"]} 204`,
      TOKEN,
    ]);
    expect((await engine.up(oneOfEach)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
    const { steps, stderr } = await engine.destroy();

    // They don't depend on each other, and are deleted at once.
    expect([...steps].sort()).toEqual(["delete lost", "delete profile", "delete role"]);
    expect(stderr).toBe("");
    expect(tenant.profiles()).toEqual([]);
    expect(tenant.groupsOf(OTHER_ROLE_ID)).toEqual([]);
  });

  test("the state has the constant text, and neither token nor secret", async () => {
    const engine = new Engine(tenant);
    await engine.up(oneOfEach);

    for (const { kind, inputs, outputs } of engine.state.values()) {
      expect(inputs["__provider"]).toBe(handlerText(kind));
      expect(outputs["__provider"]).toBe(handlerText(kind));
      expect(handlerText(kind).length).toBeLessThanOrEqual(150);
    }
    const state = JSON.stringify([...engine.state]);
    expect(state).not.toContain(tenant.clientSecret);
    for (const token of tenant.simulator.state().access_tokens) expect(state).not.toContain(token);
  });
});

describe("requests that resources share", () => {
  test("20 creates at once ask for one token", async () => {
    const engine = new Engine(tenant, { parallel: 20 });

    await engine.up(profiles(20));

    const sent = tenant.sent();
    expect(sent.filter((line) => line === TOKEN)).toHaveLength(1);
    expect(sent).toHaveLength(21);
    expect(tenant.profiles()).toHaveLength(20);
  });

  test("a given access token is used as it is", async () => {
    tenant.seed({ tokens: [{ access_token: "given", scope: "create:connection_profiles" }] });
    const config = { "identity:domain": tenant.url, "identity:accessToken": "given" };

    await new Engine(tenant, { config }).up({ p: profile({ name: "a" }) });

    expect(tenant.sent()).toEqual(['POST /connection-profiles {"name":"a"} 201']);
  });

  test.each([8, 32])(
    "a refresh of 25 profiles, %i at once, reads three pages of the list",
    async (parallel) => {
      const engine = new Engine(tenant, { parallel });
      await engine.up(profiles(25));
      tenant.sent();

      expect((await engine.refresh()).steps).toEqual([]);

      const sent = tenant.sent();
      expect(sent.filter((line) => !/^GET \/connection-profiles\?take=10\S* 200$/.test(line))).toEqual([
        TOKEN,
      ]);
      expect(sent).toHaveLength(4);
    },
  );

  test("a refresh of one profile reads that one, however many others there are", async () => {
    tenant.seed({ connection_profiles: Array.from({ length: 40 }, (_, i) => ({ name: `other ${i}` })) });
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "a" }) });
    tenant.sent();

    await engine.refresh();

    expect(tenant.sent()).toEqual([TOKEN, `GET /connection-profiles/${engine.resource("p").id} 200`]);
  });

  test("a bulk refresh finds what is gone and what has drifted", async () => {
    const engine = new Engine(tenant);
    await engine.up(profiles(12));
    tenant.sent();
    await tenant.outside("DELETE", `/connection-profiles/${engine.resource("p3").id}`);
    await tenant.outside("PATCH", `/connection-profiles/${engine.resource("p7").id}`, { name: "meddled" });

    expect((await engine.refresh()).steps.sort()).toEqual(["drift p7: name", "gone p3"]);

    await engine.up(profiles(12));
    expect(
      tenant
        .profiles()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Array.from({ length: 12 }, (_, i) => `profile ${i}`).sort());
  });

  test("a bulk refresh warns of a twin of a managed profile, which a killed run may have left", async () => {
    tenant.behave({ profile_name_conflict: "allow" });
    const engine = new Engine(tenant);
    await engine.up(profiles(5));
    tenant.sent();
    const twin = (await tenant.outside("POST", "/connection-profiles", { name: "profile 2" })) as {
      id: string;
    };

    const { messages, steps } = await engine.refresh();

    expect(steps).toEqual([]);
    expect(messages).toContainEqual(expect.stringContaining(twin.id));
  });
});

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

describe("errors that handlers throw", () => {
  test("are one clean line, without a stack", async () => {
    const engine = new Engine(tenant, { ownProcess: true });
    await engine.up({ p: profile({ name: "a" }) });
    tenant.fail({ path: "/api/v2/*", times: 10, action: { status: 403 } });

    for (const operation of [
      () => engine.refresh(),
      () => engine.destroy(),
      () => engine.up({ p: profile({ name: "b" }) }),
    ]) {
      const { errors, stderr } = await failed(operation());

      expect(errors).toHaveLength(1);
      expect(errors[0]).not.toContain("\n");
      expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(1);
      expect(stderr).not.toMatch(/^\s+at |dist\/|node_modules|undefined|\[object/m);
      expect(stderr).not.toMatch(/Error: .*Error: /);
    }
  });

  test("for state that no release has written fail, and do not hang", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "a" }) });
    tenant.sent();
    const strange: ResourceState = { ...engine.resource("p") };
    engine.state.set("p", { ...strange, outputs: { ...strange.outputs, managedFields: 7 } });

    const { errors } = await failed(engine.up({ p: profile({ name: "b" }) }));

    expect(errors).toHaveLength(1);
    expect(errors[0]).not.toContain("\n");
    expect(tenant.sent()).toEqual([]);
  });
});

test("a 404 that is not the service's own gives nothing up", async () => {
  const engine = new Engine(tenant);
  await engine.up({
    p: profile({ name: "a" }),
    a: assignment({ roleId: OTHER_ROLE_ID, groupIds: [GROUP_ADMINS] }),
  });
  tenant.fail({ path: "/api/v2/*", times: 20, action: { status: 404, body: "<html>no such route</html>" } });

  const refreshed = await failed(engine.refresh());
  expect(refreshed.errors.join("\n")).toContain("not in the words of the service");
  await failed(engine.destroy());

  expect([...engine.state.keys()].sort()).toEqual(["a", "p"]);
});

describe("get", () => {
  test("reads an existing profile, and never deletes it", async () => {
    const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
    tenant.seed({ connection_profiles: [{ id, name: "theirs", enabled_features: ["scim"] }] });
    const engine = new Engine(tenant);
    const program = { p: profile({}, { get: id }) };

    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, `GET /connection-profiles/${id} 200`]);
    expect(engine.resource("p").outputs).toMatchObject({
      name: "theirs",
      enabledFeatures: ["scim"],
      tenant: tenant.host,
    });
    await engine.refresh();
    await engine.destroy();

    expect(tenant.sent().filter((line) => !/^GET|^token/.test(line))).toEqual([]);
    expect(tenant.profile(id)).toBeDefined();
  });

  test("reads all groups of a role", async () => {
    await tenant.outside("POST", `/roles/${OTHER_ROLE_ID}/groups`, { groups: [GROUP_BILLING, GROUP_ADMINS] });
    const engine = new Engine(tenant);

    await engine.up({ a: assignment({}, { get: OTHER_ROLE_ID }) });

    expect(engine.resource("a").outputs).toMatchObject({
      roleId: OTHER_ROLE_ID,
      groupIds: [GROUP_BILLING, GROUP_ADMINS],
    });
  });

  test.each([
    ["an id that does not exist", "cop_none", /cop_none.*does not exist/],
    ["an empty id", "", /the id.*empty|empty/],
  ])("%s fails clearly", async (_what, id, problem) => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ p: profile({}, { get: id }) }));

    expect(errors).toEqual([expect.stringMatching(problem)]);
    expect(engine.state.size).toBe(0);
  });
});

describe("the contract with the engine", () => {
  const text = handlerText("ConnectionProfile");
  let host: Host;
  beforeEach(async () => (host = await Host.warm()));
  afterEach(() => host.stop());

  test("handlers that run at once before anything was asked are all configured", async () => {
    await host.configure(new Engine(tenant).config);

    const created = await Promise.all(
      Array.from({ length: 12 }, (_, i) => host.create({ name: `profile ${i}`, __provider: text })),
    );
    const deleted = await Promise.allSettled(
      created.map(({ id, properties }) => host.delete(id, properties)),
    );

    expect(deleted.map(({ status }) => status)).toEqual(Array(12).fill("fulfilled"));
    expect(tenant.profiles()).toEqual([]);
  });

  test("a handler of an unconfigured host fails", async () => {
    await host.configure({});

    await expect(host.delete("cop_1", { __provider: text, name: "a", tenant: "a.example" })).rejects.toThrow(
      /not configured|lives on the tenant/,
    );
  });

  test("check answers with its inputs, the text and no property names", async () => {
    await host.configure({});

    const { inputs, failures } = await host.check(
      {},
      { name: "", enabledFeatures: ["scim"], __provider: text },
    );

    expect(inputs).toEqual({ name: "", enabledFeatures: ["scim"], __provider: text });
    expect(failures.map(({ property }) => property)).toEqual([""]);
  });

  test("check and diff always answer the same", async () => {
    await host.configure(new Engine(tenant).config);
    const inputs = { name: "a", enabledFeatures: ["universal_logout", "scim"], __provider: text };
    const { id, properties } = await host.create(inputs);

    const once = [await host.check({}, inputs), await host.diff(id, properties, { ...inputs, name: "b" })];
    const again = [await host.check({}, inputs), await host.diff(id, properties, { ...inputs, name: "b" })];

    expect(again).toEqual(once);
  });

  test("read of what is gone answers without an id, which drops the resource", async () => {
    await host.configure(new Engine(tenant).config);
    const { id, properties } = await host.create({ name: "a", __provider: text });
    tenant.sent();
    await tenant.outside("DELETE", `/connection-profiles/${id}`);

    expect(await host.read(id, properties)).toMatchObject({ id: "" });
  });

  test("a partial failure records what is needed to work on it later", async () => {
    await host.configure(new Engine(tenant).config);
    const provider = handlerText("RoleGroupAssignment");
    await tenant.outside("POST", `/roles/${OTHER_ROLE_ID}/groups`, { groups: [GROUP_ADMINS] });
    const state = {
      roleId: OTHER_ROLE_ID,
      groupIds: [GROUP_ADMINS],
      exclusive: false,
      tenant: tenant.host,
      __provider: provider,
    };
    tenant.fail({ method: "DELETE", path: "*", action: { status: 403 } });

    const change = host.update(OTHER_ROLE_ID, state, {
      roleId: OTHER_ROLE_ID,
      groupIds: [GROUP_BILLING],
      exclusive: false,
      __provider: provider,
    });

    await expect(change).rejects.toMatchObject({
      partial: {
        id: OTHER_ROLE_ID,
        properties: { __provider: provider, groupIds: [GROUP_BILLING, GROUP_ADMINS], tenant: tenant.host },
        reasons: [expect.stringContaining("answered 403") as string],
      },
    });
  });
});
