import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { type PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { secret } from "../../provider/pulumi/plugin/values";
import {
  ADMINS,
  AGENT,
  BILLING,
  DEFAULT_SEED,
  LAPTOP,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";
import { structOf, type Values } from "../../testkit/hosts/host";
import { TOKEN, useTenant } from "../../testkit/tenant";
import { PluginInProcess, RunsInProcess } from "../../testkit/hosts/plugin-in-process";
import { PluginHost, type PluginOptions } from "../../testkit/hosts/plugin-host";

/* The calls that only this door has, as the engine makes them. */

const tenant = useTenant();
const runs = new RunsInProcess();
let host: PluginHost | PluginInProcess;
afterAll(() => runs.stop());

async function start(options: PluginOptions = {}): Promise<PluginHost> {
  const started = await PluginHost.start(options);
  host = started;
  return started;
}

afterEach(() => host.stop());

const URN = "urn:pulumi:dev::access::identity:index";
const PROFILE_ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";

/** Sends settings as the engine does: the default provider's, unless it has a name. */
async function configure(args: Values = {}, provider = "default"): Promise<void> {
  const request = new rpc.ConfigureRequest();
  request.setUrn(`urn:pulumi:dev::access::pulumi:providers:identity::${provider}`);
  const { url, clientId, clientSecret } = tenant;
  request.setArgs(structOf({ domain: url, clientId, clientSecret: secret(clientSecret), ...args }));
  const answer = await host.call<rpc.ConfigureResponse>("configure", request);
  expect(answer.getAcceptsecrets()).toBe(true);
}

/** The plugin's process, with the tenant's settings. */
async function configured(): Promise<PluginHost> {
  const started = await start();
  await configure();
  return started;
}

/** The same in this process. */
async function inProcess(): Promise<void> {
  host = await PluginInProcess.start({ runs });
  await configure();
}

async function checked(
  type: string,
  news: Values,
  name = "it",
): Promise<rpc.CheckResponse.AsObject & { values: Values }> {
  const request = new rpc.CheckRequest();
  request.setUrn(`${URN}:${type}::${name}`);
  request.setOlds(structOf({}));
  request.setNews(structOf(news));
  const answer = await host.call<rpc.CheckResponse>("check", request);
  return { ...answer.toObject(), values: answer.getInputs()?.toJavaScript() ?? {} };
}

async function invoke(name: string, args: Values): Promise<Values> {
  const request = new rpc.InvokeRequest();
  request.setTok(`identity:index:${name}`);
  request.setArgs(structOf(args));
  const answer = await host.call<rpc.InvokeResponse>("invoke", request);
  return answer.getReturn()?.toJavaScript() ?? {};
}

async function checkedConfig(
  news: Values,
  urn: string,
): Promise<{ inputs: Values; reasons: string[]; properties: string[] }> {
  const request = new rpc.CheckRequest();
  request.setUrn(urn);
  request.setNews(structOf(news));
  const answer = await host.call<rpc.CheckResponse>("checkConfig", request);
  const failures = answer.getFailuresList();
  return {
    inputs: answer.getInputs()?.toJavaScript() ?? {},
    reasons: failures.map((failure) => failure.getReason()),
    properties: failures.map((failure) => failure.getProperty()),
  };
}

const defaultProvider = (project: string) =>
  `urn:pulumi:dev::${project}::pulumi:providers:identity::default_0_1_0`;

describe("the plugin", () => {
  test("prints its port and nothing else, tells its version, and has a schema", async () => {
    const plugin = await start();
    const info = await host.call<PluginInfo>("getPluginInfo", new Empty());
    const schema = await host.call<rpc.GetSchemaResponse>("getSchema", new rpc.GetSchemaRequest());

    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(info.getVersion()).toBe(version);
    expect(JSON.parse(schema.getSchema())).toMatchObject({ name: "identity", version });
    expect(plugin.output + plugin.stderr).toBe("");
  });

  test("needs only what npm installs with the package", async () => {
    const alone = mkdtempSync(join(tmpdir(), "alone-"));
    cpSync("dist/provider/plugin.js", join(alone, "plugin.js"));
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: object };
    mkdirSync(join(alone, "node_modules"));
    for (const name of Object.keys(dependencies))
      symlinkSync(resolve("node_modules", name), join(alone, "node_modules", name));

    await start({ plugin: join(alone, "plugin.js") });
    await configure();
    expect(await invoke("getRole", { name: "support-agent" })).toMatchObject({ id: AGENT });
  });

  test("has all that its schema names", async () => {
    await configured();
    const answer = await host.call<rpc.GetSchemaResponse>("getSchema", new rpc.GetSchemaRequest());
    const { resources, functions } = JSON.parse(answer.getSchema()) as Record<string, object>;
    const nameOf = (token: string) => token.split(":").at(-1) ?? "";

    for (const token of Object.keys(resources ?? {})) await checked(nameOf(token), {});
    for (const token of Object.keys(functions ?? {}))
      await expect(invoke(nameOf(token), { wrong: true })).rejects.toThrow("wrong: is not an input");
  });

  test("reaches the engine behind its flags, and past a proxy", async () => {
    const plugin = await start({
      flags: ["--logtostderr", "-v=9", "--tracing", "http://127.0.0.1:9"],
      env: { https_proxy: "http://127.0.0.1:9" },
    });
    await configure();

    await checked("DeviceCredentialRemoval", { deviceCredentialId: LAPTOP });

    expect(plugin.lines).toEqual([
      {
        urn: `${URN}:DeviceCredentialRemoval::it`,
        text: `it: permanently removes device credential ${LAPTOP}`,
      },
    ]);
  });

  test("lives on after an error, and ends with the engine", async () => {
    const plugin = await configured();

    await expect(checked("Elsewhere", {})).rejects.toThrow(
      "has no identity:index:Elsewhere. Check its spelling, or update the package.",
    );
    await expect(invoke("getNothing", {})).rejects.toThrow("has no identity:index:getNothing.");
    await expect(invoke(`get\u200b${tenant.clientSecret}`, {})).rejects.toThrow(
      "has no identity:index:get\\u200b[secret].",
    );
    expect((await checked("ConnectionProfile", { name: "enterprise" })).failuresList).toEqual([]);
    await plugin.endOfEngine();
  });

  test("sends nothing more once the run is cancelled, and a cancel at its end is silent", async () => {
    const plugin = await configured();
    const urn = `${URN}:ConnectionProfile::it`;
    const { values } = await checked("ConnectionProfile", { name: "enterprise" });
    await host.call("cancel", new Empty());
    const request = new rpc.CreateRequest();
    request.setUrn(urn);
    request.setProperties(structOf(values));

    await expect(host.call("create", request)).rejects.toThrow("was not sent: the run was cancelled");
    expect(tenant.sent()).toEqual([]);
    expect(plugin.lines).toEqual([]);
  });

  test("loads only what a call needs", async () => {
    const NODE_V8_COVERAGE = mkdtempSync(join(tmpdir(), "loaded-"));
    const plugin = await start({ env: { NODE_V8_COVERAGE } });
    await configure();
    await checked("ConnectionProfile", { name: "enterprise" });
    await invoke("getRole", { name: "billing-viewer" });
    await plugin.endOfEngine();

    const [report = ""] = readdirSync(NODE_V8_COVERAGE);
    const { result } = JSON.parse(readFileSync(join(NODE_V8_COVERAGE, report), "utf8")) as Coverage;
    const bundle = result.find(({ url }) => url.endsWith("/dist/provider/plugin.js"));
    // The bundle has a function for each file, with its name, which runs when it's loaded.
    const loaded = bundle?.functions
      .filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0)
      .map(({ functionName }) => functionName);
    const has = (file: string) => loaded?.some((name) => name.includes(file));
    expect(
      ["connection-profile/kind", "data-sources/get-role.js", "proto/provider_pb"].filter(has),
    ).toHaveLength(3);
    expect(["role-group-assignment/kind", "data-sources/get-user.js", "schema.json"].filter(has)).toEqual([]);
  });
});

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

describe("settings", () => {
  test("that break a rule are told by the resource", async () => {
    await start();
    await configure({ maxConcurrency: 0 });

    const { failuresList } = await checked("ConnectionProfile", { name: "enterprise" });

    expect(failuresList).toEqual([
      {
        property: "",
        reason: expect.stringMatching(/^identity:maxConcurrency .*whole number from 1 to 256/) as string,
      },
    ]);
  });

  test.each(["eu", "default_eu"])("of the explicit provider %s are named as its arguments", async (name) => {
    await start({ env: { IDENTITY_MAX_CONCURRENCY: "4", PULUMI_CONFIG: "no JSON" } });
    await configure({ maxConcurrency: 0, accessToken: null }, name);

    const { failuresList } = await checked("ConnectionProfile", { name: "enterprise" });

    expect(failuresList[0]?.reason).toMatch(`maxConcurrency of the Provider "${name}" must be`);
  });

  test("credentials are secrets in the state of a provider", async () => {
    await start();

    const { inputs } = await checkedConfig(
      { domain: "a.example", clientSecret: "given-in-clear" },
      defaultProvider("access"),
    );

    expect(inputs).toEqual({ domain: "a.example", clientSecret: secret("given-in-clear") });
  });

  test.each([
    [
      "a misspelt one of an explicit provider",
      { clientID: "x" },
      "eu",
      'clientID is no setting of the Provider "eu": did you mean clientId?',
    ],
    [
      "a misspelt one of the stack",
      { clientID: "x" },
      "default",
      "identity:clientID is no setting: did you mean identity:clientId? Correct the key in the stack's configuration.",
    ],
    [
      "an unknown one with hidden characters",
      { "colour\u202e\n::error::x": "x" },
      "eu",
      'colour\\u202e : :error::x is no setting of the Provider "eu".',
    ],
    ["an unknown one of the stack, which others may read", { colour: "x" }, "default", undefined],
  ])("%s", async (_, news, provider, reason) => {
    await start();

    const { reasons, properties } = await checkedConfig(
      { domain: "a.example", ...news },
      `urn:pulumi:dev::access::pulumi:providers:identity::${provider}`,
    );

    expect(reasons).toEqual(reason === undefined ? [] : [reason]);
    // The engine would print the property's value.
    expect(properties.join("")).toBe("");
  });

  test("a project named identity has keys of its own", async () => {
    await start();

    expect((await checkedConfig({ clientID: "x" }, defaultProvider("identity"))).reasons).toEqual([]);
  });

  test("a refresh without the program uses the credentials of today, and an explicit provider its own", async () => {
    const PULUMI_CONFIG = JSON.stringify({
      "identity:clientId": tenant.clientId,
      "identity:clientSecret": tenant.clientSecret,
    });
    await start({ env: { PULUMI_CONFIG } });
    await configure({ clientSecret: secret("rotated away") });
    expect((await invoke("getRole", { name: "billing-viewer" }))["id"]).toBe(VIEWER);
    await host.stop();

    await start({ env: { PULUMI_CONFIG } });
    await configure({ clientSecret: secret("rotated away") }, "eu");
    await expect(invoke("getRole", { name: "billing-viewer" })).rejects.toThrow(
      /clientSecret of the Provider "eu"/,
    );
  });
});

describe("secrets", () => {
  beforeEach(inProcess);

  test("an output that an option makes secret is no change", async () => {
    const inputs = { deviceCredentialId: LAPTOP };
    const { values } = await checked("DeviceCredentialRemoval", inputs);
    const request = new rpc.DiffRequest();
    request.setId(LAPTOP);
    request.setUrn(`${URN}:DeviceCredentialRemoval::it`);
    request.setOlds(structOf({ ...values, tenant: secret(tenant.host) }));
    request.setNews(structOf(values));
    const answer = await host.call<rpc.DiffResponse>("diff", request);

    expect(answer.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_NONE);
  });

  test.each([
    ["an input that an option makes a secret output is no change", false, false, "DIFF_NONE"],
    ["the same beside a program that gives it as a secret", true, true, "DIFF_NONE"],
    ["an input that the program makes secret is a change", false, true, "DIFF_SOME"],
    ["and one that it shows", true, false, "DIFF_SOME"],
  ] as const)("%s", async (_, was, is, changes) => {
    const groups = (isSecret: boolean) => ({
      roleId: AGENT,
      groupIds: isSecret ? secret([SUPPORT]) : [SUPPORT],
    });
    const { values } = await checked("RoleGroupAssignment", groups(is));
    const request = new rpc.DiffRequest();
    request.setId(AGENT);
    request.setUrn(`${URN}:RoleGroupAssignment::it`);
    request.setOldInputs(structOf({ ...groups(was), exclusive: false }));
    // Without the option, outputs are as secret as the inputs of the last update.
    const isOption = was === is;
    const olds = { ...groups(isOption || was), exclusive: false, tenant: tenant.host };
    request.setOlds(structOf(olds));
    request.setNews(structOf(values));

    const answer = await host.call<rpc.DiffResponse>("diff", request);

    expect(answer.getChanges()).toBe(rpc.DiffResponse.DiffChanges[changes]);
  });

  test("an element that is secret stays the only one, wherever it is sorted to", async () => {
    const { values } = await checked("RoleGroupAssignment", {
      roleId: VIEWER,
      groupIds: [secret(ADMINS), BILLING],
    });

    expect(values["groupIds"]).toEqual([BILLING, secret(ADMINS)]);
    expect(Object.keys(values).sort()).toEqual(["exclusive", "groupIds", "roleId"]);
  });
});

/* `exists` of a generated SDK: the engine reads an id, under a name that it makes up. */
describe("exists", () => {
  beforeEach(inProcess);

  async function exists(type: string, id: string): Promise<boolean> {
    const request = new rpc.ReadRequest();
    request.setId(id);
    request.setUrn(`${URN}:${type}::__exists__1`);
    request.setProperties(structOf({}));
    const answer = await host.call<rpc.ReadResponse>("read", request);
    // The engine takes empty properties for "not known yet".
    expect(answer.getProperties()?.toJavaScript()).not.toEqual({});
    expect(answer.getProperties() !== undefined).toBe(answer.getId() !== "");
    return answer.getId() !== "";
  }

  test.each([
    ["a profile", "ConnectionProfile", PROFILE_ID, true],
    ["a profile that is gone", "ConnectionProfile", "cop_5LcVt7K9sPmZa2GjRf8mYd", false],
    ["a role with groups", "RoleGroupAssignment", AGENT, true],
    ["a role without groups", "RoleGroupAssignment", VIEWER, false],
    ["a role that is gone", "RoleGroupAssignment", "rol_9aSj2WqTgFx7cUkE", false],
    ["the removal of a credential that is still there", "DeviceCredentialRemoval", LAPTOP, false],
    ["the removal of a credential that no list has", "DeviceCredentialRemoval", "dcr_4kWq9ZpHs2V6XnTb", true],
  ])("of %s", async (_, type, id, answer) => {
    tenant.seed({ connection_profiles: [{ id: PROFILE_ID, name: "theirs" }] });
    expect(await exists(type, id)).toBe(answer);
    expect(tenant.sent().filter((line) => !/^GET|^token/.test(line))).toEqual([]);
  });

  test("fails where the tenant can't tell", async () => {
    await expect(exists("ConnectionProfile", "")).rejects.toThrow("ConnectionProfile: id: must");
    tenant.withoutScopes("read:device_credentials");
    await expect(exists("DeviceCredentialRemoval", LAPTOP)).rejects.toThrow("read:device_credentials");
  });
});

describe("a preview that asks the provider", () => {
  beforeEach(inProcess);

  test("sends nothing for a create or an update, and answers the inputs", async () => {
    const inputs = { roleId: VIEWER, groupIds: [secret(ADMINS)], exclusive: false };
    const create = new rpc.CreateRequest();
    create.setUrn(`${URN}:RoleGroupAssignment::it`);
    create.setProperties(structOf(inputs));
    create.setPreview(true);
    const update = new rpc.UpdateRequest();
    update.setId(VIEWER);
    update.setUrn(`${URN}:RoleGroupAssignment::it`);
    update.setOlds(structOf({ ...inputs, groupIds: [BILLING], tenant: tenant.host }));
    update.setNews(structOf(inputs));
    update.setPreview(true);

    const created = await host.call<rpc.CreateResponse>("create", create);
    const updated = await host.call<rpc.UpdateResponse>("update", update);

    expect(created.getId()).toBe("");
    expect(created.getProperties()?.toJavaScript()).toEqual(inputs);
    expect(updated.getProperties()?.toJavaScript()).toEqual(inputs);
    expect(tenant.sent()).toEqual([]);
  });
});

describe("data sources", () => {
  beforeEach(inProcess);

  test("answer one page, and fields that aren't documented", async () => {
    tenant.seed({ users: [{ ...DEFAULT_SEED.users?.[0], user_id: USER_ID, shoeSize: { eu: 43 } }] });
    expect(
      await invoke("getUserPermissions", { userId: USER_ID, page: 1, perPage: 2, includeTotals: true }),
    ).toMatchObject({ permissions: [{}], truncated: true, total: 3 });
    expect(await invoke("getUser", { userId: USER_ID, fields: ["shoeSize", "emailVerified"] })).toEqual({
      emailVerified: true,
      additionalProperties: { shoeSize: { eu: 43 } },
      found: true,
    });
    const user = `GET /users/${encodeURIComponent(USER_ID)}`;
    expect(tenant.sent()).toEqual([
      TOKEN,
      `${user}/permissions?page=1&per_page=2&include_totals=true 200`,
      `${user}?fields=shoeSize%2Cemail_verified 200`,
    ]);
  });

  test("who need not exist is found, or not", async () => {
    expect(await invoke("getUser", { userId: USER_ID, fields: ["name"] })).toMatchObject({ found: true });
    expect(await invoke("getUser", { userId: "auth0|nobody", required: false })).toEqual({ found: false });
    await expect(invoke("getUser", { userId: "auth0|nobody" })).rejects.toThrow("Pass required: false");
  });

  test("lines name what was found by name, unless that or the id is a secret", async () => {
    const linesOf = async (roleId: unknown) => {
      const { length } = host.messages;
      await checked("RoleGroupAssignment", { roleId, groupIds: [SUPPORT, ADMINS] }, String(length));
      return host.messages.slice(length);
    };
    await invoke("getRole", { name: "support-agent" });
    await invoke("getGroup", { name: "support-desk" });
    await invoke("getGroup", { name: secret("directory-admins") });

    expect(await linesOf(AGENT)).toEqual([
      `0: role ${AGENT}: + ${SUPPORT}, ${ADMINS}`,
      `0: ${AGENT} is "support-agent", ${SUPPORT} is "support-desk"`,
    ]);
    expect(await linesOf(secret(AGENT))).toEqual([
      `2: role [secret]: + ${SUPPORT}, ${ADMINS}`,
      `2: ${SUPPORT} is "support-desk"`,
    ]);
  });

  test("what was asked with a secret, or answers one, is a secret", async () => {
    const user = await invoke("getUser", { userId: secret(USER_ID), fields: ["email"] });
    const tokens = await invoke("getUser", { userId: USER_ID, includeIdentityTokens: true });

    expect(user["email"]).toEqual(secret("support.one@example.com"));
    expect(
      Object.values(tokens).every((value) =>
        JSON.stringify(value).includes("4dabf18193072939515e22adb298388d"),
      ),
    ).toBe(true);
    await expect(invoke("getUser", { userId: secret("auth0|nobody") })).rejects.toThrow(/userId: \[secret\]/);
  });
});
