import { type BehaviourInput } from "../simulator";
import { Engine, failed, profile, UNKNOWN } from "./engine";
import { type Values } from "./host";
import { json, TOKEN, useTenant } from "./tenant";

const tenant = useTenant();

const full: Values = {
  name: "enterprise",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" },
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  connectionConfig: {},
  strategyOverrides: { okta: { enabledFeatures: ["scim"] }, oidc: { connectionConfig: {} } },
};

/** An engine that has made the resource `p`, and the id of its profile. */
async function made(inputs: Values): Promise<{ engine: Engine; id: string; url: string }> {
  const engine = new Engine(tenant);
  await engine.up({ p: profile(inputs) });
  tenant.sent();
  const { id } = engine.resource("p");
  return { engine, id, url: `/connection-profiles/${id}` };
}

describe("create", () => {
  test("a preview sends nothing, the up one POST with the API's field names", async () => {
    const engine = new Engine(tenant);

    expect((await engine.preview({ p: profile(full) })).steps).toEqual(["create p"]);
    expect(tenant.sent()).toEqual([]);

    await engine.up({ p: profile(full) });
    expect(tenant.sent()).toEqual([
      TOKEN,
      `POST /connection-profiles ${json({
        name: "enterprise",
        organization: full["organization"],
        connection_name_prefix_template: "con-{org_id}",
        enabled_features: ["scim", "universal_logout"],
        connection_config: {},
        strategy_overrides: { okta: { enabled_features: ["scim"] }, oidc: { connection_config: {} } },
      })} 201`,
    ]);
    expect(engine.resource("p")).toMatchObject({
      id: expect.stringMatching(/^cop_/) as string,
      outputs: { ...full, tenant: tenant.host },
      initErrors: [],
    });
  });

  test.each([
    ["all inputs", full],
    ["the name alone", { name: "bare" }],
    [
      "empty values, which the service may answer as null",
      { name: "empty", enabledFeatures: [], organization: {} },
    ],
    ["an empty prefix", { name: "empty", connectionNamePrefixTemplate: "" }],
    ["an empty override", { name: "empty", strategyOverrides: { okta: {} } }],
  ])("with %s, the next preview, up and refresh find no change", async (_what, inputs) => {
    const { engine, id } = await made(inputs);

    expect((await engine.preview({ p: profile(inputs) })).steps).toEqual([]);
    expect((await engine.up({ p: profile(inputs) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);

    expect((await engine.refresh()).steps).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, `GET /connection-profiles/${id} 200`]);
    expect((await engine.up({ p: profile(inputs) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });
});

describe("update", () => {
  test("of one field sends that field alone", async () => {
    const { engine, url } = await made(full);

    const program = { p: profile({ ...full, connectionNamePrefixTemplate: "new-{org_id}" }) };
    expect((await engine.preview(program)).steps).toEqual(["update p: connectionNamePrefixTemplate"]);
    expect(tenant.sent()).toEqual([]);
    await engine.up(program);

    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"connection_name_prefix_template":"new-{org_id}"} 200`,
    ]);
    expect(engine.resource("p").outputs).toMatchObject({ connectionNamePrefixTemplate: "new-{org_id}" });
  });

  test("that adds a field at depth sends the whole field, so that nothing beside it is lost", async () => {
    const { engine, url } = await made({
      name: "a",
      strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
    });

    const strategyOverrides = { okta: { enabledFeatures: ["scim"] }, adfs: { enabledFeatures: [] } };
    await engine.up({ p: profile({ name: "a", strategyOverrides }) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"strategy_overrides":{"adfs":{"enabled_features":[]},"okta":{"enabled_features":["scim"]}}} 200`,
    ]);
  });

  test("that only changes the order of features changes nothing", async () => {
    const { engine } = await made(full);

    const reordered = {
      ...full,
      enabledFeatures: ["universal_logout", "scim", "scim"],
      strategyOverrides: { oidc: { connectionConfig: {} }, okta: { enabledFeatures: ["scim"] } },
    };
    expect((await engine.up({ p: profile(reordered) })).steps).toEqual([]);
    expect((await engine.preview({ p: profile(reordered) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("leaves values alone that somebody else has set", async () => {
    const { engine, id, url } = await made({ name: "a", organization: { show_as_button: "none" } });
    await tenant.outside("PATCH", url, {
      enabled_features: ["scim"],
      organization: { show_as_button: "none", assign_membership_on_login: "required" },
    });

    expect((await engine.refresh()).steps).toEqual([]);
    tenant.sent();
    await engine.up({ p: profile({ name: "a", organization: { show_as_button: "optional" } }) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"organization":{"assign_membership_on_login":"required","show_as_button":"optional"}} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ enabled_features: ["scim"] });
  });
});

/** Nobody says what a PATCH does to nested values, nor what null does: each combination is a service that may be met. */
const SERVICES: BehaviourInput[] = (["replace", "merge"] as const).flatMap((nested_patch) =>
  (["clear", "keep", "reject"] as const).map((null_in_patch) => ({ nested_patch, null_in_patch })),
);

describe.each(SERVICES)("removal, where the service has %j", (behaviour) => {
  /** A merging service with no use for null can't be told to remove what is inside an object. */
  const keepsNested = behaviour.nested_patch === "merge" && behaviour.null_in_patch !== "clear";
  beforeEach(() => tenant.behave(behaviour));

  test("of a text and of a list", async () => {
    const { engine, id, url } = await made(full);
    const { name, organization, connectionConfig, strategyOverrides } = full;
    const program = { p: profile({ name, organization, connectionConfig, strategyOverrides }) };

    const { steps, messages } = await engine.up(program);

    expect(steps).toEqual(["update p: connectionNamePrefixTemplate, enabledFeatures"]);
    expect(messages).toEqual([]);
    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"connection_name_prefix_template":"","enabled_features":[]} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ connection_name_prefix_template: "", enabled_features: [] });
    await expectSettled(engine, program);
  });

  test("of one value inside an object", async () => {
    const { engine, id } = await made({ name: "a", organization: full["organization"] });
    const program = { p: profile({ name: "a", organization: { show_as_button: "optional" } }) };

    const { steps, messages } = await engine.up(program);

    expect(steps).toEqual(["update p: organization"]);
    expectRemovedOrTold("organization.assign_membership_on_login", messages);
    expect(tenant.profile(id)?.["organization"]).toEqual(
      keepsNested ? full["organization"] : { show_as_button: "optional" },
    );
    await expectSettled(engine, program);
  });

  test("of a whole object", async () => {
    const { engine, id } = await made({ name: "a", organization: { show_as_button: "optional" } });
    const program = { p: profile({ name: "a" }) };

    const { messages } = await engine.up(program);

    expectRemovedOrTold("organization.show_as_button", messages);
    const left = tenant.profile(id)?.["organization"] ?? {};
    expect(left).toEqual(keepsNested ? { show_as_button: "optional" } : {});
    await expectSettled(engine, program);
  });

  test("of one strategy among two", async () => {
    const { okta, oidc } = {
      okta: { enabledFeatures: ["scim"] },
      oidc: { enabledFeatures: ["universal_logout"] },
    };
    const { engine, id } = await made({ name: "a", strategyOverrides: { okta, oidc } });
    const program = { p: profile({ name: "a", strategyOverrides: { oidc } }) };

    const { messages } = await engine.up(program);

    expectRemovedOrTold("strategyOverrides.okta.enabledFeatures", messages);
    expect(tenant.profile(id)?.["strategy_overrides"]).toMatchObject({
      oidc: { enabled_features: ["universal_logout"] },
    });
    await expectSettled(engine, program);
  });

  test("and then the value is set again", async () => {
    const { engine, id } = await made({ name: "a", organization: full["organization"] });
    await engine.up({ p: profile({ name: "a", organization: { show_as_button: "optional" } }) });
    const program = { p: profile({ name: "a", organization: full["organization"] }) };

    await engine.up(program);

    expect(tenant.profile(id)?.["organization"]).toEqual(full["organization"]);
    await expectSettled(engine, program);
  });

  function expectRemovedOrTold(path: string, messages: string[]): void {
    const told = messages.filter((message) => message.includes(`kept ${path}`));
    expect({ messages, told: told.length }).toEqual({ messages, told: keepsNested ? 1 : 0 });
    if (!keepsNested) expect(messages).toEqual([]);
  }

  /** Nothing more is done, now or after a refresh. */
  async function expectSettled(engine: Engine, program: Parameters<Engine["up"]>[0]): Promise<void> {
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  }
});

describe("drift", () => {
  test("is found by refresh, shown by the preview and repaired by up", async () => {
    const { engine, id, url } = await made(full);
    await tenant.outside("PATCH", url, { name: "meddled", enabled_features: ["scim"] });

    expect((await engine.refresh()).steps).toEqual(["drift p: enabledFeatures, name"]);
    expect(engine.resource("p")).toMatchObject({
      inputs: { name: "meddled", enabledFeatures: ["scim"] },
      outputs: { name: "meddled", enabledFeatures: ["scim"] },
    });
    tenant.sent();
    expect((await engine.preview({ p: profile(full) })).steps).toEqual(["update p: enabledFeatures, name"]);
    await engine.up({ p: profile(full) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"enabled_features":["scim","universal_logout"],"name":"enterprise"} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ name: "enterprise" });
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("is a value that somebody has taken away", async () => {
    const { engine, url } = await made(full);
    await tenant.outside("PATCH", url, { organization: { show_as_button: "optional" } });

    expect((await engine.refresh()).steps).toEqual(["drift p: organization"]);
    tenant.sent();
    await engine.up({ p: profile(full) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"organization":{"assign_membership_on_login":"required","show_as_button":"optional"}} 200`,
    ]);
  });

  test("is not what somebody has added, or answered in another order", async () => {
    const { engine, url } = await made({ name: "a", enabledFeatures: ["scim", "universal_logout"] });
    await tenant.outside("PATCH", url, {
      enabled_features: ["universal_logout", "scim"],
      connection_name_prefix_template: "theirs",
    });

    expect((await engine.refresh()).steps).toEqual([]);
    tenant.sent();
    expect(
      (await engine.up({ p: profile({ name: "a", enabledFeatures: ["scim", "universal_logout"] }) })).steps,
    ).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("a profile that is gone is made again", async () => {
    const { engine, url } = await made({ name: "a" });
    await tenant.outside("DELETE", url);

    expect((await engine.refresh()).steps).toEqual(["gone p"]);
    tenant.sent();
    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual(["create p"]);

    expect(tenant.sent()).toEqual([TOKEN, 'POST /connection-profiles {"name":"a"} 201']);
  });

  test("a profile that is gone without a refresh fails the update and says what to do", async () => {
    const { engine, url } = await made({ name: "a" });
    await tenant.outside("DELETE", url);

    const { errors } = await failed(engine.up({ p: profile({ name: "b" }) }));

    expect(errors).toEqual([expect.stringMatching(/^p: PATCH .* answered 404.*pulumi refresh/)]);
    expect(engine.resource("p").outputs).toMatchObject({ name: "a" });
  });
});

describe("destroy", () => {
  test("deletes the profile", async () => {
    const { engine, url } = await made(full);

    expect((await engine.destroy()).steps).toEqual(["delete p"]);

    expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url} 204`]);
    expect(tenant.profiles()).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  test.each([404, 204] as const)(
    "of a profile that is gone is done, where the service answers %i",
    async (status) => {
      tenant.behave({ delete_unknown_profile: status });
      const { engine, url } = await made({ name: "a" });
      await tenant.outside("DELETE", url);

      await engine.destroy();

      expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url} ${status}`]);
      expect(engine.state.size).toBe(0);
    },
  );

  test("that is refused keeps the resource in the state", async () => {
    const { engine, url } = await made({ name: "a" });
    tenant.fail({ method: "DELETE", path: "*", action: { status: 403 } });

    const { errors } = await failed(engine.destroy());

    expect(errors).toEqual([expect.stringContaining(`DELETE ${url} answered 403`)]);
    expect(errors[0]).toContain("delete:connection_profiles");
    expect(engine.resource("p").outputs).toMatchObject({ name: "a" });
  });

  test("leaves the profile in place with deleteOnDestroy: false, and says so", async () => {
    const { engine, id } = await made({ name: "a", deleteOnDestroy: false });

    const { messages } = await engine.destroy();

    expect(tenant.sent()).toEqual([]);
    expect(messages).toEqual([expect.stringContaining(`${id} stays`)]);
    expect(tenant.profile(id)).toBeDefined();
  });

  test("turning deleteOnDestroy on or off sends nothing", async () => {
    const { engine } = await made({ name: "a", deleteOnDestroy: false });

    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual(["update p: deleteOnDestroy"]);

    expect(tenant.sent()).toEqual([]);
    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual([]);
  });
});

describe("adopt", () => {
  const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  const url = `/connection-profiles/${id}`;
  beforeEach(() =>
    tenant.seed({ connection_profiles: [{ id, name: "theirs", enabled_features: ["scim"] }] }),
  );

  test("previews what changes, changes only that, and leaves the profile on destroy", async () => {
    const engine = new Engine(tenant);
    const program = { p: profile({ name: "ours", adopt: id }) };

    const { messages } = await engine.preview(program);
    expect(messages).toEqual([expect.stringMatching(new RegExp(`${id}.*"theirs".*changes its name`))]);
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`]);

    await engine.up(program);
    expect(engine.resource("p").id).toBe(id);
    expect(tenant.sent().filter((line) => !line.startsWith("GET"))).toEqual([
      TOKEN,
      `PATCH ${url} {"name":"ours"} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ name: "ours", enabled_features: ["scim"] });
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);

    const destroyed = await engine.destroy();
    expect(destroyed.messages).toEqual([expect.stringContaining("adopted")]);
    expect(tenant.sent()).toEqual([]);
    expect(tenant.profile(id)).toMatchObject({ name: "ours" });
  });

  test("of a profile that is already as wanted writes nothing", async () => {
    const engine = new Engine(tenant);

    await engine.up({ p: profile({ name: "theirs", adopt: id }) });

    expect(tenant.sent().filter((line) => /PATCH|POST/.test(line))).toEqual([]);
  });

  test("with deleteOnDestroy: true deletes the profile on destroy", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "theirs", adopt: id, deleteOnDestroy: true }) });
    tenant.sent();

    await engine.destroy();

    expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url} 204`]);
  });

  test("removing the argument afterwards changes nothing on the tenant and keeps the profile on destroy", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "theirs", adopt: id }) });
    tenant.sent();

    await engine.up({ p: profile({ name: "theirs" }) });
    await engine.destroy();

    expect(tenant.sent()).toEqual([]);
    expect(tenant.profile(id)).toBeDefined();
  });

  test("of an id that does not exist is refused at preview", async () => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.preview({ p: profile({ name: "a", adopt: "cop_doesNotExist" }) }));

    expect(errors).toEqual([expect.stringContaining("cop_doesNotExist")]);
  });

  test("moving a profile from one resource to another does not delete it", async () => {
    const engine = new Engine(tenant);
    await engine.up({ before: profile({ name: "theirs", adopt: id, deleteOnDestroy: true }) });

    await engine.up({ after: profile({ name: "theirs", adopt: id, deleteOnDestroy: true }) });

    expect(tenant.profile(id)).toBeDefined();
    expect([...engine.state.keys()]).toEqual(["after"]);
  });

  test("is what a name conflict leads to", async () => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ p: profile({ name: "theirs" }) }));

    expect(errors).toEqual([expect.stringMatching(/answered 409/)]);
    expect(errors[0]).toContain(`adopt: "${id}"`);
  });
});

describe("missing scopes", () => {
  test("create: names the scope and shows how to adopt", async () => {
    tenant.withoutScopes("create:connection_profiles");
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ p: profile({ name: "a" }) }));

    expect(errors).toEqual([expect.stringContaining("create:connection_profiles")]);
    expect(errors[0]).toContain("adopt:");
    expect(engine.state.size).toBe(0);
  });

  test("read: falls back to an empty PATCH, which answers with the record", async () => {
    const { engine, url } = await made({ name: "a" });
    tenant.withoutScopes("read:connection_profiles");

    expect((await engine.refresh()).steps).toEqual([]);

    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 403`, `PATCH ${url} {} 200`]);
  });

  test("read and update: says which to grant, and the state stays", async () => {
    const { engine } = await made({ name: "a" });
    tenant.withoutScopes("read:connection_profiles", "update:connection_profiles");

    const { errors } = await failed(engine.refresh());

    expect(errors).toEqual([expect.stringContaining("Grant read:connection_profiles")]);
    expect(engine.resource("p").outputs).toMatchObject({ name: "a" });
  });

  test("update: the state stays as it was", async () => {
    const { engine } = await made({ name: "a" });
    tenant.withoutScopes("update:connection_profiles");

    const { errors } = await failed(engine.up({ p: profile({ name: "b" }) }));

    expect(errors).toEqual([expect.stringContaining("Grant update:connection_profiles")]);
    expect(engine.resource("p").outputs).toMatchObject({ name: "a" });
  });
});

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
      expect(text).toMatch(/enabledFeatures\[\d\]: must be scim or universal_logout; received "sso"/);
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
    ["null", { name: null }, /name: .*received null/],
    ["a number", { name: 7 }, /name: .*received 7/],
    ["a null feature", { name: "a", enabledFeatures: [null] }, /enabledFeatures\[0\]: .*received null/],
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
    const { engine, id } = await made({ name: "a" });

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
    const { engine } = await made({ name: "a" });

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
    const { engine } = await made({ name: "a" });

    await engine.up({ p: profile({ name: "a" }, { secrets: ["name"] }) });
    await engine.up({ p: profile({ name: "a" }) });

    expect(tenant.sent()).toEqual([]);
  });
});

describe("failures half-way", () => {
  test("a create whose answer was lost is not repeated, and the next up finishes", async () => {
    const engine = new Engine(tenant);
    const program = { p: profile({ name: "a" }) };
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { drop: "after" } });

    await engine.up(program).catch(() => undefined);
    expect(tenant.profiles()).toHaveLength(1);
    await engine.up(program);

    expect(tenant.sent().filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(tenant.profiles()).toHaveLength(1);
    expect(engine.resource("p").id).toBe(tenant.profiles()[0]?.["id"]);
    expect((await engine.up(program)).steps).toEqual([]);
  });

  test("a create whose answer is garbage is looked for, not repeated", async () => {
    tenant.behave({ profile_name_conflict: "allow" });
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { garbage: "html" } });

    await engine.up({ p: profile({ name: "a" }) });

    expect(tenant.sent().filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(tenant.profiles()).toMatchObject([{ id: engine.resource("p").id, name: "a" }]);
  });

  test("a create that may have found what was there before counts as adopted, and says so", async () => {
    await tenant.outside("POST", "/connection-profiles", { name: "mine" });
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { drop: "before" } });

    const { messages } = await engine.up({ p: profile({ name: "mine" }) });

    expect(messages.join("\n")).toContain("counts as adopted");
    await engine.destroy();
    expect(tenant.profiles()).toHaveLength(1);
  });

  test("an update whose answer was lost, and that can't be looked up, is looked at by the next up", async () => {
    const { engine, id, url } = await made({ name: "a" });
    tenant.fail({ method: "PATCH", path: "*", action: { drop: "after" } });
    tenant.fail({ method: "GET", path: "*/connection-profiles/*", times: 4, action: { status: 503 } });
    await failed(engine.up({ p: profile({ name: "b" }) }));
    tenant.sent();

    // Back to what the state says, which the tenant no longer holds.
    await engine.up({ p: profile({ name: "a" }) });
    expect(tenant.profile(id)).toMatchObject({ name: "a" });
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${json({ name: "a" })} 200`]);
    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual([]);
  });

  test("an update whose answer was lost is finished by the next up", async () => {
    const { engine, id } = await made({ name: "a" });
    tenant.fail({ method: "PATCH", path: "*", action: { drop: "after" } });
    const program = { p: profile({ name: "b" }) };

    await engine.up(program).catch(() => undefined);
    await engine.up(program);

    expect(tenant.profile(id)).toMatchObject({ name: "b" });
    expect((await engine.up(program)).steps).toEqual([]);
  });

  test("a create that fails leaves nothing in the state, and the next up creates", async () => {
    const engine = new Engine(tenant);
    const program = { p: profile({ name: "a" }) };
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { status: 500 } });

    const { errors } = await failed(engine.up(program));

    expect(errors).toEqual([expect.stringMatching(/^p: POST \/connection-profiles answered 500/)]);
    expect(engine.state.size).toBe(0);
    expect(tenant.sent()).toEqual([TOKEN, "POST /connection-profiles 500"]);
    expect((await engine.up(program)).steps).toEqual(["create p"]);
  });

  test("a 429 is waited for", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { status: 429 } });

    await engine.up({ p: profile({ name: "a" }) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      "POST /connection-profiles 429",
      'POST /connection-profiles {"name":"a"} 201',
    ]);
  });
});

describe("hostile values", () => {
  test.each(["constructor", "prototype", "toString", "hasOwnProperty"])(
    "the key %s in a free-form object is sent as it is, or refused",
    async (key) => {
      const organization = Object.fromEntries([[key, { polluted: "yes" }]]);
      const engine = new Engine(tenant);

      const { errors } = await failed(engine.up({ p: profile({ name: "a", organization }) }));

      // The service refuses the key, so either side has seen it; what must not happen is that it vanishes on the way.
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

  test.each(["", ".", "..", " ", "a\nb", "a\u0000b", "\ud800", "x".repeat(513)])(
    "the id %j is refused by adopt",
    async (adopt) => {
      const { errors } = await failed(new Engine(tenant).preview({ p: profile({ name: "a", adopt }) }));

      expect(errors).toEqual([expect.stringContaining("adopt: must be an id")]);
      expect(tenant.sent()).toEqual([]);
    },
  );

  test.each([
    ["a/b", "a%2Fb"],
    ["../users", "..%2Fusers"],
    ["50%", "50%25"],
    ["a?b#c", "a%3Fb%23c"],
    ["auth0|ä", "auth0%7C%C3%A4"],
  ])("the id %j is one segment of the path", async (adopt, segment) => {
    await failed(new Engine(tenant).up({ p: profile({ name: "a", adopt }) }));

    const [, ...requests] = tenant.sent();
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) expect(request).toContain(`/connection-profiles/${segment} `);
  });

  test.each(["\u{1F600}".repeat(25), "\u202eright-to-left", 'quote"and\\backslash', "{org_id}"])(
    "the name %j reaches the service unchanged",
    async (name) => {
      const { engine, id } = await made({ name });

      expect(tenant.profile(id)).toMatchObject({ name });
      expect((await engine.refresh()).steps).toEqual([]);
    },
  );
});
