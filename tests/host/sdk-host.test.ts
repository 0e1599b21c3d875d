import { readPreview } from "../../cli/review/input/preview";
import { providerText } from "../../provider/pulumi/hidden-inputs";
import { ADMINS, ALL_SCOPES, BILLING, DEFAULT_SEED, VIEWER } from "../../simulator/default-seed";
import { API_ECHOES, type Echo, TOKEN_ECHOES } from "../../testkit/canaries/echoes";
import { checksSoFar, leaksIn, SPELLINGS } from "../../testkit/canaries/spellings";
import {
  assignment,
  Engine,
  failed,
  profile,
  type Program,
  type Run,
  RunFailed,
  secret,
} from "../../testkit/engine";
import { previewText } from "../../testkit/cli/previews";
import { Host } from "../../testkit/hosts/host";
import { PluginHost } from "../../testkit/hosts/plugin-host";
import { goOnFrom, leftBy } from "../../testkit/left";
import { oneOfEach, profiles } from "../../testkit/programs";
import { useTenant } from "../../testkit/tenant";

/* What only the processes that Pulumi starts show: their configuration, output and memory. */

const tenant = useTenant();

describe("one resource of each kind", () => {
  test("the state has the constant text, and neither token nor secret", async () => {
    const engine = new Engine(tenant);
    await engine.up(oneOfEach);

    for (const { kind, inputs, outputs } of engine.state.values()) {
      expect(inputs["__provider"]).toBe(providerText(kind));
      expect(outputs["__provider"]).toBe(providerText(kind));
      expect(providerText(kind).length).toBeLessThanOrEqual(150);
    }
    const state = JSON.stringify([...engine.state]);
    expect(state).not.toContain(tenant.clientSecret);
    for (const token of tenant.simulator.state().access_tokens) expect(state).not.toContain(token);
  });
});

describe("errors that handlers throw", () => {
  test("are one clean line, without a stack", async () => {
    const before = new Engine(tenant);
    await before.up({ p: profile({ name: "a" }) });
    const left = leftBy(before, tenant);
    const engine = goOnFrom(left, new Engine(tenant, { ownProcess: true }), tenant);
    tenant.fail({ path: "/api/v2/*", times: 10, action: { status: 403 } });

    for (const operation of [() => engine.destroy(), () => engine.up({ p: profile({ name: "b" }) })]) {
      const { errors, stderr } = await failed(operation());

      expect(errors).toHaveLength(1);
      expect(errors[0]).not.toContain("\n");
      expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(1);
      expect(stderr).not.toMatch(/^\s+at |dist\/|node_modules|undefined|\[object/m);
      expect(stderr).not.toMatch(/Error: .*Error: /);
    }
  });
});

describe("the contract with the engine", () => {
  const text = providerText("ConnectionProfile");
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

  test("without any setting, the preview says once that an up will need some", async () => {
    const engine = new Engine(tenant, { config: {} });

    const { messages } = await engine.preview({ ...oneOfEach, ...profiles(2) });
    expect(messages.filter((line) => line.startsWith("No tenant is configured."))).toEqual([
      "No tenant is configured. `pulumi up` will need identity:domain, identity:clientId and identity:clientSecret: `npx --no pulumi-identity doctor` says how to set them.",
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
        expect(other).toContain(
          "The settings of the connection are missing or wrong: see the first message.",
        );
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
    // Told in full by the first one.
    expect(errors.filter((error) => error.includes("see the first message"))).toHaveLength(4);
    expect(engine.state.size).toBe(5);
    expect(tenant.sent()).toEqual([]);
  });

  test("a tenant that the environment puts in place of the configured one is told once", async () => {
    const engine = new Engine(tenant, {
      config: { ...new Engine(tenant).config, "identity:domain": "configured.example.com" },
      startHost: () => PluginHost.start({ env: { IDENTITY_DOMAIN: tenant.url } }),
    });

    const { messages } = await engine.preview(profiles(2));

    const { host } = new URL(tenant.url);
    const fact = `{"tenant":"${host}","not":"configured.example.com"}`;
    expect(messages.filter((line) => line.endsWith(fact))).toEqual([
      `IDENTITY_DOMAIN wins over identity:domain: the tenant is ${host}, and not configured.example.com ${fact}`,
    ]);
    expect(readPreview(previewText([], messages)).environmentTenant).toBe(host);
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

describe("IDENTITY_LOG", () => {
  const engineWith = (IDENTITY_LOG: string) =>
    new Engine(tenant, { startHost: () => PluginHost.start({ env: { IDENTITY_LOG } }) });
  const program = (roleId: unknown) => ({ a: assignment({ roleId, groupIds: [ADMINS] }) });

  test("json prints JSON, without the ids that the program gives as secrets", async () => {
    const engine = engineWith("json");
    const { messages } = await engine.up(program(secret(VIEWER)));
    const [preview, ...json] = messages;
    expect(preview).toBe(`a: role [secret]: + ${ADMINS}`);
    const lines = json.map((line) => JSON.parse(line) as { event: string; path?: string });
    expect(lines.filter(({ event }) => event === "request").map(({ path }) => path)).toEqual([
      "/oauth/token",
      "/roles/[secret]/groups",
    ]);
    const destroyed = (await engine.destroy()).messages.join("\n");
    expect(destroyed).toContain("/roles/[secret]/groups");
    expect(destroyed).not.toContain(VIEWER);
  });

  test("of another value is told, and nothing is logged", async () => {
    const engine = engineWith("verbose\u001b");
    const { messages } = await engine.up(program(VIEWER));
    expect(messages.slice(1)).toEqual([
      'IDENTITY_LOG must be debug or json; it is "verbose\\u001b", and requests are not logged.',
    ]);
  });
});

describe("credentials that answers echo", () => {
  /*
   * The answers to every operation echo credentials in every spelling, through the SDK's provider host.
   * Neither these nor the secret input of a profile may reach the engine, the output, or state.
   */

  const CLIENT = { client_id: "canary", client_secret: `cA9/kw0!+&"x ~q7Zr2=`, scope: ALL_SCOPES };
  const TOKEN = "tk9.Xw2-vPq7.L0dR4";
  const PROFILE_ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  /** A value in a profile that the program gives as a secret. */
  const INPUT = "in7/Vq+&w ~Hc3p";
  const CANARIES = { "client secret": CLIENT.client_secret, "access token": TOKEN, "secret input": INPUT };

  /** All spellings at once, within the 1,000 characters that a quote may have. */
  const allSpellings = (canary: string) =>
    Object.values(SPELLINGS)
      .map((spell) => spell(canary))
      .join(" ");

  /** tests/canary has each place, with the client alone. */
  const PLACES = [
    "the message of a 400",
    "the code of a 403",
    "keys and values of an answer of another shape",
  ];

  const start = (): Program => ({
    p: profile({ name: "mine", strategyOverrides: { okta: { provisioning: { note: secret(INPUT) } } } }),
    a: assignment({ roleId: VIEWER, groupIds: [ADMINS] }),
  });

  /** Operations on the resources while the answers echo. */
  const OPERATIONS: Record<string, (engine: Engine) => Promise<Run>> = {
    create: (engine) =>
      engine.up({
        ...start(),
        q: profile({ name: "q", strategyOverrides: { okta: { provisioning: { note: secret(INPUT) } } } }),
      }),
    adopt: (engine) => engine.up({ ...start(), q: profile({ name: "x", adopt: PROFILE_ID }) }),
    update: (engine) =>
      engine.up({
        p: profile({
          name: "other",
          strategyOverrides: { okta: { provisioning: { note: secret(INPUT), more: 1 } } },
        }),
        a: assignment({ roleId: VIEWER, groupIds: [BILLING] }),
      }),
    refresh: (engine) => engine.refresh(),
    destroy: (engine) => engine.destroy({ continueOnError: true }),
  };

  const WITH_SECRET = {
    "identity:clientId": CLIENT.client_id,
    "identity:clientSecret": CLIENT.client_secret,
  };
  const WITH_TOKEN = { "identity:accessToken": TOKEN };
  /** The echoed values, with the credentials in use. */
  const ECHOED: Record<string, { canary: string; credentials: Record<string, string> }> = {
    "the client secret": { canary: CLIENT.client_secret, credentials: WITH_SECRET },
    "the access token": { canary: TOKEN, credentials: WITH_TOKEN },
  };

  afterAll(() =>
    process.stdout.write(`${checksSoFar()} searches for a canary in what handlers say and record\n`),
  );

  async function leaksOf(path: string, echo: Echo, echoed: string, operation: string): Promise<string[]> {
    const { canary, credentials } = ECHOED[echoed] as { canary: string; credentials: Record<string, string> };
    tenant.seed({
      clients: [...(DEFAULT_SEED.clients ?? []), CLIENT],
      tokens: [{ access_token: TOKEN, scope: ALL_SCOPES }],
      connection_profiles: [{ id: PROFILE_ID, name: "theirs" }],
    });
    const config = { "identity:domain": tenant.url, "identity:maxWaitSeconds": "1", ...credentials };
    const engine = new Engine(tenant, { config });
    await engine.up(start());
    tenant.clear();
    tenant.fail({ path, times: 20, action: echo(allSpellings(canary)) });
    const operate = OPERATIONS[operation] as (engine: Engine) => Promise<Run>;
    const run = await operate(engine).catch((error: unknown) => {
      if (error instanceof RunFailed) return error.run;
      throw error;
    });
    expect(tenant.sent().length).toBeGreaterThan(0);
    const shown = [...run.messages, ...run.errors, run.stderr].join("\n");
    // State has the secret input under its own name, where the engine encrypts it.
    const state = JSON.stringify([...engine.state], (key, value: unknown) =>
      key === "note" ? undefined : value,
    );
    return [
      ...leaksIn(`${operation}: shown`, shown, CANARIES),
      ...leaksIn(`${operation}: state`, state, CANARIES),
    ];
  }

  describe.each(Object.keys(ECHOED))("%s is echoed", (echoed) => {
    const first = Object.keys(ECHOED).indexOf(echoed);
    const rows = Object.keys(OPERATIONS).map((operation, i) => ({
      operation,
      place: PLACES[(first + i) % PLACES.length]!,
    }));

    test.each(rows)("by the API's answers to $operation: $place", async ({ operation, place }) => {
      expect(await leaksOf("/api/v2/*", API_ECHOES[place] as Echo, echoed, operation)).toEqual([]);
    });
  });

  test("the client secret is echoed by the token endpoint", async () => {
    const [echo] = Object.values(TOKEN_ECHOES);
    expect(await leaksOf("/oauth/token*", echo as Echo, "the client secret", "refresh")).toEqual([]);
  });
});
