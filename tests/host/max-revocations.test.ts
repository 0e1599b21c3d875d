import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { STACK } from "../../provider/pulumi/hidden-inputs";
import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_CONTRACTORS,
  GROUP_SUPPORT,
  LAPTOP_CREDENTIAL_ID,
  LOST_PHONE_CREDENTIAL_ID,
  OTHER_ROLE_ID as VIEWER,
  PUBLIC_KEY_CREDENTIAL_ID,
  ROLE_ID as AGENT,
} from "../../simulator/default-seed";
import {
  assignment,
  Engine,
  type EngineOptions,
  failed,
  profile,
  type Program,
  removal,
  secret,
  UNKNOWN,
} from "../../testkit/engine";
import { PluginHost } from "../../testkit/hosts/plugin-host";
import { exactly, viewers } from "../../testkit/assignments";
import { json, useTenant } from "../../testkit/tenant";

const tenant = useTenant();
const ALL = [GROUP_ADMINS, GROUP_BILLING, GROUP_CONTRACTORS, GROUP_SUPPORT];
const agents = (...groupIds: string[]) => assignment({ roleId: AGENT, groupIds });
const allow = (engine: Engine, count: number | string) => {
  engine.config = { ...engine.config, "identity:maxRevocations": String(count) };
};
const writes = () => tenant.sent().filter((line) => /^(DELETE|POST \/roles|PATCH)/.test(line));

/** A stack created without a limit, and changed under one. */
async function made(program: Program, limit: number, options: { parallel?: number } = {}): Promise<Engine> {
  const engine = new Engine(tenant, options);
  await engine.up(program);
  tenant.sent();
  allow(engine, limit);
  return engine;
}

const lost = (...groups: string[]) => `role ${VIEWER}: − ${groups.sort().join(", ")}`;

const excess = (count: number, limit: number, by: string) =>
  `his run would revoke at least ${count} grants and device credentials, and identity:maxRevocations ` +
  `(IDENTITY_MAX_REVOCATIONS) allows ${limit}. Most are revoked by ${by}. Review the change; if you mean it, run ` +
  `the same command with IDENTITY_MAX_REVOCATIONS=${count}.`;

test("what replaceOnChanges replaces is planned as an update, and its delete counts no group again", async () => {
  const one = (group: string) => ({ ...viewers(group), replaceOnChanges: ["groupIds"] });
  const engine = await made({ a: one(GROUP_ADMINS) }, 1);
  await engine.up({ a: one(GROUP_BILLING) });
  expect(tenant.groupsOf(VIEWER)).toEqual([GROUP_BILLING]);
});

test("what a trigger replaces: a preview names its losers, and counts them", async () => {
  const triggered = (replacementTrigger: string, ...groups: string[]) => ({
    ...viewers(...groups),
    replacementTrigger,
  });
  const engine = await made({ a: triggered("1", GROUP_ADMINS, GROUP_BILLING, GROUP_SUPPORT) }, 1);
  const program = { a: triggered("2", GROUP_SUPPORT) };

  for (const run of ["preview", "up"] as const)
    expect((await failed(engine[run](program))).errors).toEqual([`a: T${excess(2, 1, "a (2)")}`]);
  expect(tenant.sent()).toEqual([]);

  allow(engine, 2);
  const losers = [GROUP_ADMINS, GROUP_BILLING].sort().join(", ");
  const line = `a: role ${VIEWER}: − ${losers}, once what it replaces is deleted`;
  expect((await engine.preview(program)).messages).toEqual([line]);
  expect((await engine.up(program)).messages).toContain(line);
  expect(tenant.groupsOf(VIEWER)).toEqual([GROUP_SUPPORT]);
});

test("a replacement that turns out to have ended gives the role to nobody: what is deleted counts", async () => {
  const moving = assignment({ roleId: AGENT, groupIds: [GROUP_SUPPORT], until: "2199-12-31" });
  const engine = await made({ a: viewers(GROUP_ADMINS, GROUP_BILLING), b: moving }, 2);
  // The engine checks it first with the end from state and then, because its role changes, with the
  // program's.
  const moved = assignment({
    roleId: VIEWER,
    groupIds: [GROUP_ADMINS, GROUP_BILLING],
    until: "2020-02-29",
  });
  const program = { b: { ...moved, ignoreChanges: ["until"] } };

  const { errors } = await failed(engine.up(program, { continueOnError: true }));

  expect(errors).toEqual([expect.stringContaining("would revoke at least 3")]);
});

test("what is deleted before it is replaced leaves its groups to the replacement, and counts nothing", async () => {
  const first = { ...viewers(GROUP_ADMINS, GROUP_BILLING), deleteBeforeReplace: true };
  const engine = await made({ a: first }, 0);
  engine.taint("a");
  await engine.up({ a: first });
  const groups = json({ groups: [GROUP_ADMINS, GROUP_BILLING].sort() });
  expect(writes()).toEqual([`POST /roles/${VIEWER}/groups ${groups} 204`]);
});

test("groups that an update removes: preview and update are refused, nothing is sent, and state stays", async () => {
  const engine = await made({ a: viewers(...ALL) }, 2);
  const program = { a: viewers(GROUP_ADMINS) };
  const before = structuredClone([...engine.state]);

  for (const run of ["preview", "up"] as const) {
    expect((await failed(engine[run](program))).errors).toEqual([`a: T${excess(3, 2, "a (3)")}`]);
  }
  expect(tenant.sent()).toEqual([]);
  expect([...engine.state]).toEqual(before);

  allow(engine, 3);
  expect((await engine.preview(program)).errors).toEqual([]);
  await engine.up(program);
  expect(tenant.groupsOf(VIEWER)).toEqual([GROUP_ADMINS]);
});

test("0 refuses every loss, and lets everything else be done", async () => {
  const engine = await made({ a: viewers(GROUP_ADMINS) }, 0);
  await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING), p: profile({ name: "enterprise" }) });
  // A profile isn't anybody's access.
  await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING) });
  const { errors } = await failed(engine.up({ a: viewers(GROUP_ADMINS) }));
  expect(errors).toEqual([`a: T${excess(1, 0, "a (1)")}`]);
  expect(tenant.groupsOf(VIEWER).sort()).toEqual([GROUP_ADMINS, GROUP_BILLING].sort());
});

test("losses of several resources add up, and the largest contributors are named", async () => {
  const engine = await made({ a: viewers(...ALL), b: agents(...ALL) }, 5);
  const program = {
    a: viewers(GROUP_ADMINS),
    b: agents(GROUP_ADMINS, GROUP_BILLING),
    c: removal(LOST_PHONE_CREDENTIAL_ID),
  };
  for (const run of ["preview", "up"] as const) {
    expect((await failed(engine[run](program))).errors).toContain(
      `c: T${excess(6, 5, "a (3), b (2), c (1)")}`,
    );
  }
  // Changes within the limit are done, as far as they had begun.
  expect(writes().filter((line) => line.includes("credentials"))).toEqual([]);
});

test("device credentials are counted before they are removed", async () => {
  const engine = await made({}, 2);
  const program = {
    phone: removal(LOST_PHONE_CREDENTIAL_ID),
    laptop: removal(LAPTOP_CREDENTIAL_ID),
    key: removal(PUBLIC_KEY_CREDENTIAL_ID),
  };
  const { errors } = await failed(engine.preview(program));
  expect(errors).toEqual([`key: T${excess(3, 2, "phone (1), laptop (1), key (1)")}`]);
  await failed(engine.up(program));
  expect(writes().length).toBeLessThanOrEqual(2);

  allow(engine, 3);
  await engine.up(program);
  expect((await engine.preview(program)).steps).toEqual([]);
});

test.each([
  ["a", "b"],
  ["b", "a"],
] as const)("a group that moves from %s to %s does not count", async (from, to) => {
  const program = (had: string[], has: string[]): Program => {
    const groups = { [from]: had, [to]: has };
    return { a: viewers(...(groups["a"] as string[])), b: viewers(...(groups["b"] as string[])) };
  };
  const engine = await made(program([GROUP_ADMINS, GROUP_BILLING], [GROUP_SUPPORT]), 0);
  const moved = program([GROUP_ADMINS], [GROUP_BILLING, GROUP_SUPPORT]);
  await engine.preview(moved);
  await engine.up(moved);
  // Neither is one that takes over all groups of a removed assignment.
  await engine.up({ [to]: viewers(GROUP_ADMINS, GROUP_BILLING, GROUP_SUPPORT) });
  expect(writes().filter((line) => line.startsWith("DELETE"))).toEqual([]);
});

test("an assignment that changes its role takes the former one from its groups, which its delete counts", async () => {
  const engine = await made({ a: viewers(GROUP_ADMINS, GROUP_BILLING) }, 1);
  const program = { a: agents(GROUP_ADMINS, GROUP_BILLING) };
  expect((await engine.preview(program)).errors).toEqual([]);
  const { errors } = await failed(engine.up(program));
  expect(errors).toEqual([`a: role ${VIEWER} was not changed: t${excess(2, 1, `role ${VIEWER} (2)`)}`]);
  expect(writes().filter((line) => line.startsWith("DELETE"))).toEqual([]);

  allow(engine, 2);
  await engine.up(program);
  expect(tenant.groupsOf(VIEWER)).toEqual([]);
});

test("what a new exclusive assignment takes away is known once the tenant was asked", async () => {
  await tenant.outside("POST", `/roles/${VIEWER}/groups`, { groups: ALL });
  const engine = new Engine(tenant);
  allow(engine, 2);
  const program = { a: exactly(GROUP_ADMINS) };
  for (const run of ["preview", "up"] as const) {
    expect((await failed(engine[run](program))).errors).toEqual([`a: T${excess(3, 2, "a (3)")}`]);
  }
  expect(writes()).toEqual([]);

  allow(engine, 3);
  await engine.up(program);
  expect(tenant.groupsOf(VIEWER)).toEqual([GROUP_ADMINS]);
});

test("groups that an exclusive assignment finds only in the update are counted before anything is sent", async () => {
  const engine = await made({ a: exactly(GROUP_ADMINS) }, 1);
  await tenant.outside("POST", `/roles/${VIEWER}/groups`, { groups: [GROUP_CONTRACTORS, GROUP_SUPPORT] });
  const before = structuredClone([...engine.state]);
  const program = { a: exactly(GROUP_ADMINS, GROUP_BILLING) };
  expect((await failed(engine.preview(program))).errors).toEqual([`a: T${excess(2, 1, "a (2)")}`]);

  // The look-ahead gets no answer.
  tenant.fail({ method: "GET", path: `/api/v2/roles/${VIEWER}/groups`, action: { status: 403 } });
  const { errors } = await failed(engine.up(program));

  expect(errors).toEqual([`a: a was not changed: t${excess(2, 1, "a (2)")}`]);
  // Not even for the added group.
  expect(writes()).toEqual([]);
  expect([...engine.state]).toEqual(before);
});

test("a delete is refused whole, and its message is about nothing else of the run", async () => {
  const engine = await made(
    { a: viewers(GROUP_ADMINS, GROUP_BILLING), p: profile({ name: "enterprise" }) },
    1,
  );
  expect((await engine.preview({})).errors).toEqual([]);

  const { errors } = await failed(engine.destroy({ continueOnError: true }));

  expect(errors).toEqual([`a: role ${VIEWER} was not changed: t${excess(2, 1, `role ${VIEWER} (2)`)}`]);
  expect(writes()).toEqual([expect.stringMatching(/^DELETE \/connection-profiles/)]);
  expect([...engine.state.keys()]).toEqual(["a"]);

  allow(engine, 2);
  await engine.destroy();
  expect(tenant.groupsOf(VIEWER)).toEqual([]);
});

test("a limit in a variable that is misspelt stops previews, changes and deletes, and no refresh", async () => {
  const made = new Engine(tenant);
  await made.up({ a: viewers(...ALL), b: agents(GROUP_ADMINS) });
  tenant.sent();
  const env = { IDENTITY_MAX_REVOCATION: "1" };
  const engine = new Engine(tenant, { startHost: () => PluginHost.start({ env }) });
  made.state.forEach((resource, name) => engine.state.set(name, resource));
  const problem =
    "IDENTITY_MAX_REVOCATION is no setting: did you mean IDENTITY_MAX_REVOCATIONS? Rename the variable, or unset it.";

  expect((await failed(engine.preview({ a: viewers(GROUP_ADMINS) }))).errors.join()).toContain(problem);
  expect((await failed(engine.up({ a: viewers(GROUP_ADMINS) }))).errors.join()).toContain(problem);
  for (const run of [engine.up({}), engine.destroy()]) {
    const { errors } = await failed(run);
    expect(errors).toEqual(expect.arrayContaining([`a: Nothing was deleted. ${problem}`]));
  }
  expect(writes()).toEqual([]);
  expect([...engine.state.keys()]).toEqual(["a", "b"]);
  expect((await engine.refresh()).errors).toEqual([]);
});

test.each([1, 8])("of many deletes, %i at a time, those that fit the number are done", async (parallel) => {
  const engine = await made(
    { a: viewers(GROUP_ADMINS, GROUP_BILLING), b: agents(GROUP_ADMINS, GROUP_BILLING) },
    3,
    { parallel },
  );
  const { errors } = await failed(engine.destroy({ continueOnError: true }));
  expect(errors).toHaveLength(1);
  expect(writes()).toEqual([expect.stringMatching(/^DELETE/)]);
  expect(engine.state.size).toBe(1);
});

test("a delete is counted with what updates of the same run have taken away", async () => {
  const engine = await made(
    { a: viewers(GROUP_ADMINS, GROUP_BILLING), b: agents(GROUP_ADMINS, GROUP_BILLING) },
    2,
  );
  const { errors } = await failed(engine.up({ a: viewers(GROUP_ADMINS) }));
  expect(errors).toEqual([`b: role ${AGENT} was not changed: t${excess(3, 2, `role ${AGENT} (2), a (1)`)}`]);
  expect(writes()).toEqual([`DELETE /roles/${VIEWER}/groups ${json({ groups: [GROUP_BILLING] })} 204`]);
  expect(tenant.groupsOf(AGENT)).toEqual(expect.arrayContaining([GROUP_ADMINS, GROUP_BILLING]));
});

test("the id of a secret role is in no message, not even in that of another resource", async () => {
  const hidden = assignment({ roleId: secret(VIEWER), groupIds: [GROUP_ADMINS] });
  const engine = await made({ b: agents(GROUP_ADMINS, GROUP_BILLING), a: hidden }, 2, { parallel: 1 });

  const { errors } = await failed(engine.destroy({ continueOnError: true }));

  expect(errors).toEqual([
    `b: role ${AGENT} was not changed: t${excess(3, 2, `role ${AGENT} (2), role [secret] (1)`)}`,
  ]);
});

test("a group that is not known yet may be any of those before, so that a preview counts none as lost", async () => {
  const engine = await made({ a: viewers(GROUP_ADMINS, GROUP_BILLING) }, 0);
  const unknown = assignment({ roleId: VIEWER, groupIds: [GROUP_ADMINS, UNKNOWN] });
  expect((await engine.preview({ a: unknown })).errors).toEqual([]);
  expect((await failed(engine.preview({ a: viewers(GROUP_ADMINS) }))).errors).toHaveLength(1);
});

describe("a limit that is set after the last up", () => {
  const ofProvider = (limit: string) => ({
    providers: { eu: { ...new Engine(tenant).config, "identity:maxRevocations": limit } },
  });
  const eu = (groups: string[]) => ({ ...viewers(...groups), provider: "eu" });
  const inEnvironment = (env: Record<string, string>): [string, (options: EngineOptions) => Engine][] => [
    ["the SDK's host", (options) => new Engine(tenant, { ...options, env })],
    [
      "the plugin",
      (options) => new Engine(tenant, { ...options, startHost: () => PluginHost.start({ env }) }),
    ],
  ];

  test.each(inEnvironment({ IDENTITY_MAX_REVOCATIONS: "1" }))(
    "of the environment, %s: a Provider that allows more is held to it, and it is named",
    async (_, start) => {
      const engine = start(ofProvider("5"));
      await engine.up({ a: eu([GROUP_ADMINS, GROUP_BILLING]) });
      tenant.sent();
      const { errors } = await failed(engine.destroy());
      expect(errors.join()).toContain(
        "IDENTITY_MAX_REVOCATIONS allows 1. Most are revoked by role " +
          `${VIEWER} (2). Review the change; if you mean it, run the same command with IDENTITY_MAX_REVOCATIONS=2.`,
      );
      expect(writes()).toEqual([]);
    },
  );

  test.each(inEnvironment({ IDENTITY_MAX_REVOCATIONS: "5" }))(
    "of the environment, %s: it never allows more than the Provider",
    async (_, start) => {
      const engine = start(ofProvider("1"));
      await engine.up({ a: eu([GROUP_ADMINS, GROUP_BILLING]) });
      const { errors } = await failed(engine.destroy());
      expect(errors.join()).toContain('maxRevocations of the Provider "eu" allows 1.');
    },
  );

  test.each(inEnvironment({ IDENTITY_REQUIRE_REVIEW: "false" }))(
    "of the environment, %s: it never lifts a review that the Provider requires",
    async (_, start) => {
      const providers = { eu: { ...new Engine(tenant).config } };
      const engine = start({ providers });
      await engine.up({ a: eu([GROUP_ADMINS]) });
      providers.eu["identity:requireReview"] = "true";
      tenant.sent();
      const { errors } = await failed(engine.up({ a: eu([GROUP_ADMINS, GROUP_BILLING]) }));
      expect(errors.join()).toContain("Nothing is sent without a review");
      expect(writes()).toEqual([]);
    },
  );

  test.each([
    ["a new one counts", {}, { "identity:maxRevocations": "1" }, 1],
    [
      "one that was taken out doesn't",
      { "identity:maxRevocations": "1" },
      { "identity:colour": "x" },
      undefined,
    ],
    ["without a configuration, the last up's does", { "identity:maxRevocations": "1" }, {}, 1],
  ])("of the stack's configuration, the plugin: %s", async (_, before, today, limit) => {
    const env = { PULUMI_CONFIG: JSON.stringify(today) };
    const up = new Engine(tenant);
    await up.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING) });
    const config = { ...up.config, ...before };
    const engine = new Engine(tenant, { config, startHost: () => PluginHost.start({ env }) });
    up.state.forEach((resource, name) => engine.state.set(name, resource));
    if (limit !== undefined) {
      expect((await failed(engine.destroy())).errors).toEqual([
        `a: role ${VIEWER} was not changed: t${excess(2, limit, `role ${VIEWER} (2)`)}`,
      ]);
      return;
    }
    // It knows today's settings, and has nothing to say about them.
    expect((await engine.destroy()).messages).toEqual([lost(GROUP_ADMINS, GROUP_BILLING)]);
  });

  test("a destroy that may not see today's settings says once what restrains it, before it revokes", async () => {
    const says = (limit: string, why: string) =>
      `In this run, ${limit}, and no review is required. ${why}, set IDENTITY_MAX_REVOCATIONS or IDENTITY_REQUIRE_REVIEW in the environment.`;
    const engine = new Engine(tenant, ofProvider("5"));
    const program = { a: viewers(GROUP_ADMINS), b: agents(GROUP_ADMINS), c: profile({ name: "enterprise" }) };
    await engine.up(program);
    // It has the program, and so today's settings.
    expect((await engine.up({ a: viewers(GROUP_BILLING), c: program.c })).messages.join()).not.toContain(
      "In this run",
    );
    expect((await engine.destroy()).messages).toEqual([
      says(
        "revocations have no limit",
        `Today's configuration isn't known, because there is no Pulumi.yaml of this project in ${resolve(__dirname, "../..")} or above. To restrain this run`,
      ),
      lost(GROUP_BILLING),
    ]);
    await engine.up({ a: eu([GROUP_ADMINS]) });
    expect((await engine.destroy()).messages).toEqual([
      says(
        "at most 5 revocations are allowed",
        'A run without the program has the arguments of the Provider "eu" of the last up: to restrain it',
      ),
      lost(GROUP_ADMINS),
    ]);
    await engine.up({ c: program.c });
    // Nothing is revoked.
    expect((await engine.destroy()).messages).toEqual([]);
  });
});

describe("a limit in the stack's file that is set after the last up, the SDK's host", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "restraints-"));
    symlinkSync(resolve(__dirname, "../../node_modules"), join(folder, "node_modules"), "junction");
    writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const BOTH = { a: viewers(GROUP_ADMINS, GROUP_BILLING) };
  const configured = (values: string) =>
    writeFileSync(
      join(folder, "Pulumi.test.yaml"),
      `config: { identity:domain: a, identity:clientId: b, identity:clientSecret: { secure: c }${values} }\n`,
    );
  const start = (env: Record<string, string> = {}) =>
    new Engine(tenant, { folder, env: { PULUMI_PROJECT: "test", ...env } });
  /** A stack that was created without restraints, and has this configuration today. */
  async function after(values: string, env?: Record<string, string>): Promise<Engine> {
    const engine = start(env);
    await engine.up(BOTH);
    tenant.sent();
    configured(values);
    return engine;
  }
  const refusal = (limit: number) =>
    `a: role ${VIEWER} was not changed: t${excess(2, limit, `role ${VIEWER} (2)`)}`;

  test("it holds a destroy, and an up whose program has no resource left", async () => {
    const engine = await after(", identity:maxRevocations: 1");
    const runs = [() => engine.destroy(), () => engine.destroy({ refresh: true }), () => engine.up({})];
    for (const run of runs) expect((await failed(run())).errors).toEqual([refusal(1)]);
    expect(writes()).toEqual([]);
  });

  test("it never allows more than the last up's, and less than the environment does", async () => {
    const engine = await after(", identity:maxRevocations: 5");
    allow(engine, 0);
    expect((await failed(engine.destroy())).errors).toEqual([refusal(0)]);
    const raised = start({ IDENTITY_MAX_REVOCATIONS: "5" });
    engine.state.forEach((resource, name) => raised.state.set(name, resource));
    configured(", identity:maxRevocations: 0");
    expect((await raised.destroy()).errors).toEqual([]);
  });

  test("a required review holds it, too, and a value that breaks its rule stops it", async () => {
    const engine = await after(", identity:requireReview: true");
    expect((await failed(engine.destroy())).errors.join()).toContain("Nothing is sent without a review");
    configured(", identity:maxRevocations: few");
    expect((await failed(engine.destroy())).errors.join()).toContain(
      'identity:maxRevocations (IDENTITY_MAX_REVOCATIONS) must be a whole number of at least 0; it is "few".',
    );
    expect(writes()).toEqual([]);
  });

  test("a destroy says nothing of restraints that nobody has set", async () => {
    const engine = await after("");
    expect((await engine.destroy()).messages).toEqual([lost(GROUP_ADMINS, GROUP_BILLING)]);
  });

  test.each([
    [
      ", identity:maxRevocations: { secure: v1:x }",
      "identity:maxRevocations is encrypted in Pulumi.test.yaml",
    ],
    ["", "Pulumi.test.yaml lacks identity:audience, which the last up had"],
  ])("what can't be known is said once, before anything is revoked: %s", async (values, why) => {
    const engine = await after(values);
    engine.config = { ...engine.config, "identity:audience": "/api/v2/", "identity:maxRevocations": "7" };
    if (values !== "") delete engine.config["identity:audience"];
    else configured(", identity:maxRevocations: 9");
    expect((await engine.destroy()).messages).toEqual([
      `In this run, at most 7 revocations are allowed, and no review is required. Today's configuration isn't known, because ${why}. ` +
        "To restrain this run, set IDENTITY_MAX_REVOCATIONS or IDENTITY_REQUIRE_REVIEW in the environment.",
      lost(GROUP_ADMINS, GROUP_BILLING),
    ]);
  });

  test("older state doesn't name its stack: that is said, is no difference, and ends with the next update", async () => {
    const engine = await after("");
    const { outputs } = engine.resource("a");
    expect(outputs[STACK]).toBe("test");
    delete outputs[STACK];
    expect((await engine.preview(BOTH)).steps).toEqual([]);
    await engine.up(BOTH);
    await engine.refresh();
    expect(engine.resource("a").outputs).not.toHaveProperty(STACK);
    const more = { a: viewers(...ALL) };
    await engine.up(more);
    await engine.refresh();
    expect(engine.resource("a").outputs[STACK]).toBe("test");
    expect((await engine.preview(more)).steps).toEqual([]);
    delete engine.resource("a").outputs[STACK];
    expect((await engine.destroy()).messages).toEqual([
      expect.stringContaining("because state that an older release wrote doesn't name its stack."),
      lost(...ALL),
    ]);
  });
});

test("of a Provider: its argument is named, and no variable, which it would not read", async () => {
  const providers = { eu: { ...new Engine(tenant).config, "identity:maxRevocations": "0" } };
  const engine = new Engine(tenant, { providers });
  const eu = (groups: string[]) => ({ ...viewers(...groups), provider: "eu" });
  await engine.up({ a: eu([GROUP_ADMINS, GROUP_BILLING]) });
  const { errors } = await failed(engine.up({ a: eu([GROUP_ADMINS]) }));
  expect(errors.join()).toContain(
    'if you mean it, raise maxRevocations of the Provider "eu" to 1 for this one run; a destroy sees it with --run-program.',
  );
  expect(errors.join()).not.toContain("IDENTITY_");
});
