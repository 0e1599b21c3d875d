import { Engine, type EngineOptions, failed, profile, type Program } from "../engine";
import { json, TOKEN, useTenant } from "../tenant";

const tenant = useTenant();

const SETTING = "identity:uniqueProfileNames (IDENTITY_UNIQUE_PROFILE_NAMES)";
const LIST = "GET /connection-profiles?take=10 200";
const posted = (name: string) => `POST /connection-profiles ${json({ name })} 201`;

function careful(options: EngineOptions = {}): Engine {
  const engine = new Engine(tenant, options);
  engine.config["identity:uniqueProfileNames"] = "true";
  return engine;
}

/** A profile that the stack does not know. */
async function stranger(name: string): Promise<string> {
  const { id } = (await tenant.outside("POST", "/connection-profiles", { name })) as { id: string };
  return id;
}

function profiles(...names: string[]): Program {
  return Object.fromEntries(names.map((name) => [name, profile({ name })]));
}

describe.each(["allow", "conflict"] as const)("where the service would %s a second name", (conflict) => {
  beforeEach(() => tenant.behave({ profile_name_conflict: conflict }));

  test.each([1, 8])("one list serves all creates, --parallel %i", async (parallel) => {
    await stranger("somebody else's");

    await careful({ parallel }).up(profiles("a", "b", "c", "d", "e"));

    const [token, list, ...creates] = tenant.sent();
    expect([token, list]).toEqual([TOKEN, LIST]);
    expect(creates.sort()).toEqual(["a", "b", "c", "d", "e"].map(posted));
  });

  test("a name that the tenant holds is refused, with the profile and the way to adopt it", async () => {
    const id = await stranger("enterprise");

    const { errors } = await failed(careful().up(profiles("enterprise")));

    expect(errors).toEqual([
      `enterprise: POST /connection-profiles was not sent, as ${SETTING} is on: The tenant ${tenant.host} already holds ` +
        `the connection profile ${id} named "enterprise". To manage it with this resource, add adopt: "${id}"; ` +
        'otherwise choose another name. If the resource was only renamed, give it aliases: [{ name: "<its former name>" }].',
    ]);
    expect(tenant.sent()).toEqual([TOKEN, LIST]);
    expect(tenant.profiles()).toHaveLength(1);
  });

  test("what was refused is adopted as the message says, without another list", async () => {
    const id = await stranger("enterprise");
    const engine = careful();
    await failed(engine.up(profiles("enterprise")));
    tenant.sent();

    await engine.up({ enterprise: profile({ name: "enterprise", adopt: id }) });

    expect(tenant.sent().join()).not.toContain("?take=");
    expect(engine.resource("enterprise").id).toBe(id);
    expect(tenant.profiles()).toHaveLength(1);
  });

  test("all refused ones are named in one run with --continue-on-error", async () => {
    const ids = [await stranger("a"), await stranger("b"), await stranger("c")];

    const { errors } = await failed(
      careful({ parallel: 1 }).up(profiles("a", "b", "c"), { continueOnError: true }),
    );

    expect(errors.map((error) => /adopt: "(cop_\w+)"/.exec(error)?.[1])).toEqual(ids);
    expect(tenant.sent()).toEqual([TOKEN, LIST]);
  });

  test("a second resource of the run with the same name is refused", async () => {
    const run = await failed(
      careful().up({ first: profile({ name: "enterprise" }), second: profile({ name: "enterprise" }) }),
    );

    expect(run.errors).toEqual([
      `second: POST /connection-profiles was not sent, as ${SETTING} is on: another resource of this run has the name ` +
        '"enterprise", too. Choose another one.',
    ]);
    expect(tenant.sent()).toEqual([TOKEN, LIST, posted("enterprise")]);
  });

  test("a list that fails is told, and nothing is created", async () => {
    tenant.fail({ method: "GET", times: 100, action: { status: 403 } });

    const { errors } = await failed(careful().up(profiles("a", "b"), { continueOnError: true }));

    expect(errors).toHaveLength(2);
    for (const error of errors) {
      expect(error).toContain(
        `POST /connection-profiles was not sent, as ${SETTING} is on: which names the tenant holds could not be read. ` +
          "GET /connection-profiles answered 403",
      );
    }
    expect(tenant.sent()).toEqual([TOKEN, "GET /connection-profiles?take=10 403"]);
    expect(tenant.profiles()).toEqual([]);
  });

  test("runs without a create list nothing", async () => {
    const engine = careful();
    await engine.up(profiles("a"));
    tenant.sent();

    await engine.preview(profiles("a", "b"));
    await engine.up(profiles("a"));
    expect(tenant.sent()).toEqual([]);

    await engine.destroy();
    expect(tenant.sent().join()).not.toContain("?take=");
  });

  test("off, which is the default, a create is one request", async () => {
    for (const value of [undefined, "false"]) {
      const engine = careful();
      if (value === undefined) delete engine.config["identity:uniqueProfileNames"];
      else engine.config["identity:uniqueProfileNames"] = value;
      await engine.up(profiles(`off ${value}`));
      expect(tenant.sent()).toEqual([TOKEN, posted(`off ${value}`)]);
    }
  });

  test("the name that a renamed resource of the same run had is no stranger's", async () => {
    const engine = careful({ parallel: 1 });
    await engine.up({ old: profile({ name: "old" }) });
    tenant.sent();

    await engine.up({ old: profile({ name: "new" }), next: profile({ name: "old" }) });

    expect(tenant.profiles().map(({ name }) => name)).toEqual(["new", "old"]);
  });

  test.each([{ replace: ["a"] }, {}])(
    "a profile that is deleted and then replaced keeps its name, %j",
    async (options) => {
      const engine = careful();
      const program = (enabledFeatures: string[]): Program => ({
        a: {
          ...profile({ name: "a", enabledFeatures }),
          deleteBeforeReplace: true,
          replaceOnChanges: ["enabledFeatures"],
        },
      });
      await engine.up(program(["scim"]));
      const before = engine.resource("a").id;

      await engine.up(program([]), options);

      expect(engine.resource("a").id).not.toBe(before);
      expect(tenant.profiles()).toMatchObject([{ id: engine.resource("a").id, name: "a" }]);
    },
  );
});

describe("where the service allows equal names", () => {
  beforeEach(() => tenant.behave({ profile_name_conflict: "allow" }));

  test.each(["old", "next"])(
    "the name of a resource that gets another one is free, with %s first",
    async (first) => {
      const engine = careful();
      await engine.up(profiles("old"));
      const old = profile({ name: "new" });
      const next = profile({ name: "old" });

      await engine.up(first === "old" ? { old, next } : { next, old });

      expect(
        tenant
          .profiles()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(["new", "old"]);
    },
  );

  test("the name is free also where the engine comes to that resource only when the names are read", async () => {
    const engine = careful();
    await engine.up(profiles("old"));
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { delay: 100 } });

    await engine.up({
      slow: profile({ name: "slow" }),
      next: profile({ name: "old" }),
      old: profile({ name: "new" }, { dependsOn: ["slow"] }),
    });

    expect(
      tenant
        .profiles()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["new", "old", "slow"]);
  });

  test.each([
    ["gets", profile({ name: "b" })],
    ["is adopted with", profile({ name: "b", adopt: "cop_2GjRf8mYd5LcVt7K9sPmZa" })],
  ])("a name that another resource %s is refused", async (_, other) => {
    tenant.seed({ connection_profiles: [{ id: "cop_2GjRf8mYd5LcVt7K9sPmZa", name: "theirs" }] });
    const engine = careful();
    if (other.inputs["adopt"] === undefined) await engine.up({ other: profile({ name: "a" }) });

    const { errors } = await failed(
      engine.up({ other, next: profile({ name: "b" }) }, { continueOnError: true }),
    );

    expect(errors).toEqual([expect.stringContaining('another resource of this run has the name "b", too')]);
  });

  test.each(["kept", "next"])(
    "the name of a resource that keeps it is refused, with %s first",
    async (first) => {
      const engine = careful();
      await engine.up({ kept: profile({ name: "a" }) });
      const kept = profile({ name: "a" });
      const next = profile({ name: "a" });

      await failed(engine.up(first === "kept" ? { kept, next } : { next, kept }));

      expect(tenant.profiles().map(({ name }) => name)).toEqual(["a"]);
    },
  );

  test("a profile is replaced by one of its name, created before the other is deleted", async () => {
    const engine = careful();
    const program = (enabledFeatures: string[]): Program => ({
      a: { ...profile({ name: "a", enabledFeatures }), replaceOnChanges: ["enabledFeatures"] },
    });
    await engine.up(program(["scim"]));
    const before = engine.resource("a").id;

    await engine.up(program([]));

    expect(engine.resource("a").id).not.toBe(before);
    expect(tenant.profiles()).toMatchObject([{ id: engine.resource("a").id, name: "a" }]);
  });

  // The engine does not tell the host of what it is going to delete.
  test.each([
    ["pulumi up --replace", profiles("a"), { replace: ["a"] }],
    ["a rename without an alias", { b: profile({ name: "a" }) }, {}],
  ])("%s is refused while the name is taken by the profile that is to go", async (_, program, options) => {
    const engine = careful();
    await engine.up(profiles("a"));
    const { id } = engine.resource("a");

    const { errors } = await failed(engine.up(program, options));

    expect(errors[0]).toContain(`already holds the connection profile ${id} named "a"`);
    expect(tenant.profiles()).toMatchObject([{ id, name: "a" }]);
  });

  test("several profiles of the name are all named", async () => {
    const [first, second] = [await stranger("twin"), await stranger("twin")];

    const { errors } = await failed(careful().up(profiles("twin")));

    expect(errors[0]).toContain(`already holds the connection profiles ${first}, ${second} named "twin"`);
  });

  test("names beyond the first page count", async () => {
    for (let i = 0; i < 11; i++) await stranger(`other ${i}`);
    const id = await stranger("enterprise");

    const { errors } = await failed(careful().up(profiles("enterprise")));

    expect(errors[0]).toContain(`add adopt: "${id}"`);
    expect(tenant.sent()).toEqual([
      TOKEN,
      LIST,
      expect.stringMatching(/^GET \/connection-profiles\?.*from=.* 200$/),
    ]);
  });

  test("an explicit provider has the setting for itself", async () => {
    const id = await stranger("enterprise");
    const { config } = new Engine(tenant);
    const engine = new Engine(tenant, {
      providers: { careful: { ...config, "identity:uniqueProfileNames": "true" }, plain: config },
    });
    const enterprise = profile({ name: "enterprise" });

    const { errors } = await failed(engine.up({ refused: { ...enterprise, provider: "careful" } }));
    expect(errors[0]).toContain('as uniqueProfileNames of the Provider "careful" is on');
    expect(errors[0]).toContain(`add adopt: "${id}"`);

    await engine.up({ made: { ...enterprise, provider: "plain" } });
    expect(tenant.profiles()).toHaveLength(2);
  });
});

test("IDENTITY_UNIQUE_PROFILE_NAMES switches it on as well", async () => {
  const id = await stranger("enterprise");
  const engine = new Engine(tenant, { env: { IDENTITY_UNIQUE_PROFILE_NAMES: "true" } });

  const { errors } = await failed(engine.up(profiles("enterprise")));

  expect(errors[0]).toContain(`add adopt: "${id}"`);
  expect(tenant.sent()).toEqual([TOKEN, LIST]);
});

test("a secret name is not shown", async () => {
  await stranger("a hidden name");
  const secretName: Program = { p: { ...profile({ name: "a hidden name" }), secrets: ["name"] } };

  const run = await failed(careful().up(secretName));

  expect(run.errors[0]).toContain("add adopt: ");
  expect(JSON.stringify(run)).not.toContain("a hidden name");
});

test("a value that is neither true nor false fails the preview", async () => {
  const engine = careful();
  engine.config["identity:uniqueProfileNames"] = "yes";

  const { errors } = await failed(engine.preview(profiles("a")));

  expect(errors[0]).toContain(`${SETTING} must be true or false; it is "yes".`);
  expect(tenant.sent()).toEqual([]);
});
