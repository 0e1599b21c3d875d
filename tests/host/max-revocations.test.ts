import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { STACK } from "../../provider/pulumi/hidden-inputs";
import { ADMINS, AGENT, BILLING, CONTRACTORS, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { viewers } from "../../testkit/assignments";
import { assignment, Engine, type EngineOptions, failed, profile } from "../../testkit/engine";
import { catchLines, HostInProcess, inProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { hostsOfWays } from "../../testkit/ways";
import { lossesText } from "../contract/words";
import { within, withoutVariables } from "./environment";

/*
 * Where the limit on revocations comes from: the environment, a Provider, the stack's file. tests/contract
 * has what counts.
 */

const tenant = useTenant();
catchLines();
const { YAML: plugin } = hostsOfWays();
afterEach(withoutVariables);

const engineOf = (options: EngineOptions = {}) =>
  new Engine(tenant, { startHost: within({}, inProcess), ...options });
const REPOSITORY = resolve(__dirname, "../..");
const ALL = [ADMINS, BILLING, CONTRACTORS, SUPPORT];
const agents = (...groupIds: string[]) => assignment({ roleId: AGENT, groupIds });
const allow = (engine: Engine, count: number | string) => {
  engine.config = { ...engine.config, "identity:maxRevocations": String(count) };
};
const writes = () => tenant.sent().filter((line) => /^(DELETE|POST \/roles|PATCH)/.test(line));

const lost = (...groups: string[]) => `role ${VIEWER}: − ${groups.sort().join(", ")}`;

const excess = (count: number, limit: number, by: string) =>
  `his run would revoke at least ${lossesText(count)}, and identity:maxRevocations ` +
  `(IDENTITY_MAX_REVOCATIONS) allows ${limit}. Most are revoked by ${by}. Review the change; if you mean it, run ` +
  `the same command with IDENTITY_MAX_REVOCATIONS=${count}.`;

const MISSPELT =
  "Nothing was deleted. identity:maxRevocation is no setting: did you mean identity:maxRevocations? " +
  "Correct the key, or remove it: pulumi config rm identity:maxRevocation.";

test("a limit in a variable that is misspelt stops previews, changes and deletes, and no refresh", async () => {
  const made = engineOf();
  await made.up({ a: viewers(...ALL), b: agents(ADMINS) });
  tenant.sent();
  const env = { IDENTITY_MAX_REVOCATION: "1" };
  const engine = engineOf({ startHost: within(env, plugin) });
  made.state.forEach((resource, name) => engine.state.set(name, resource));
  const problem =
    "IDENTITY_MAX_REVOCATION is no setting: did you mean IDENTITY_MAX_REVOCATIONS? Rename the variable, or unset it.";

  expect((await failed(engine.preview({ a: viewers(ADMINS) }))).errors.join()).toContain(problem);
  expect((await failed(engine.up({ a: viewers(ADMINS) }))).errors.join()).toContain(problem);
  for (const run of [engine.up({}), engine.destroy()]) {
    const { errors } = await failed(run);
    expect(errors).toEqual(expect.arrayContaining([`a: Nothing was deleted. ${problem}`]));
  }
  expect(writes()).toEqual([]);
  expect([...engine.state.keys()]).toEqual(["a", "b"]);
  expect((await engine.refresh()).errors).toEqual([]);
});

describe("a limit that is set after the last up", () => {
  const ofProvider = (limit: string) => ({
    providers: { eu: { ...new Engine(tenant).config, "identity:maxRevocations": limit } },
  });
  const eu = (groups: string[]) => ({ ...viewers(...groups), provider: "eu" });
  const inEnvironment = (env: Record<string, string>): [string, (options: EngineOptions) => Engine][] => [
    ["the classes", (options) => engineOf({ ...options, startHost: within(env, inProcess) })],
    ["the plugin", (options) => engineOf({ ...options, startHost: within(env, plugin) })],
  ];

  test.each(inEnvironment({ IDENTITY_MAX_REVOCATIONS: "1" }))(
    "of the environment, %s: a Provider that allows more is held to it, and it is named",
    async (_, start) => {
      const engine = start(ofProvider("5"));
      await engine.up({ a: eu([ADMINS, BILLING]) });
      tenant.sent();
      const { errors } = await failed(engine.destroy());
      expect(errors.join()).toContain(
        "IDENTITY_MAX_REVOCATIONS allows 1. Most are revoked by role " +
          `${VIEWER} (2). Review the change; if you mean it, run the same command with IDENTITY_MAX_REVOCATIONS=2.`,
      );
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
    const up = engineOf();
    await up.up({ a: viewers(ADMINS, BILLING) });
    const config = { ...up.config, ...before };
    const engine = engineOf({ config, startHost: within(env, plugin) });
    up.state.forEach((resource, name) => engine.state.set(name, resource));
    if (limit !== undefined) {
      expect((await failed(engine.destroy())).errors).toEqual([
        `a: role ${VIEWER} was not changed: t${excess(2, limit, `role ${VIEWER} (2)`)}`,
      ]);
      return;
    }
    // It knows today's settings, and has nothing to say about them.
    expect((await engine.destroy()).messages).toEqual([lost(ADMINS, BILLING)]);
  });

  test("of the stack's configuration, the plugin: a misspelt one stops a destroy, and an up without resources", async () => {
    const up = engineOf();
    await up.up({ a: viewers(ADMINS, BILLING) });
    const env = { PULUMI_CONFIG: JSON.stringify({ "identity:maxRevocation": "1" }) };
    const engine = engineOf({ startHost: within(env, plugin) });
    up.state.forEach((resource, name) => engine.state.set(name, resource));
    for (const run of [engine.destroy(), engine.up({})])
      expect((await failed(run)).errors).toEqual([`a: ${MISSPELT}`]);
  });

  test("a destroy that may not see today's settings says once what restrains it, before it revokes", async () => {
    const says = (limit: string, why: string) =>
      `In this run, ${limit}, and no review is required. ${why}, set IDENTITY_MAX_REVOCATIONS or IDENTITY_REQUIRE_REVIEW in the environment.`;
    // The repository is no project.
    const startHost = within({}, (address, moment) => new HostInProcess(address, moment, REPOSITORY));
    const engine = engineOf({ ...ofProvider("5"), startHost });
    const program = { a: viewers(ADMINS), b: agents(ADMINS), c: profile({ name: "enterprise" }) };
    await engine.up(program);
    // It has the program, and so today's settings.
    expect((await engine.up({ a: viewers(BILLING), c: program.c })).messages.join()).not.toContain(
      "In this run",
    );
    expect((await engine.destroy()).messages).toEqual([
      says(
        "revocations have no limit",
        `Today's configuration isn't known, because there is no Pulumi.yaml of this project in ${REPOSITORY} or above. To restrain this run`,
      ),
      lost(BILLING),
    ]);
    await engine.up({ a: eu([ADMINS]) });
    expect((await engine.destroy()).messages).toEqual([
      says(
        "revocations are limited to 5",
        'A run without the program has the arguments of the Provider "eu" of the last up: to restrain it',
      ),
      lost(ADMINS),
    ]);
    await engine.up({ c: program.c });
    // Nothing is revoked.
    expect((await engine.destroy()).messages).toEqual([]);
  });
});

describe("a limit in the stack's file that is set after the last up, through the classes", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "restraints-"));
    symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"), "junction");
    writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const BOTH = { a: viewers(ADMINS, BILLING) };
  const configured = (values: string) =>
    writeFileSync(
      join(folder, "Pulumi.test.yaml"),
      `config: { identity:domain: a, identity:clientId: b, identity:clientSecret: { secure: c }${values} }\n`,
    );
  const start = (env: Record<string, string> = {}) => {
    const startHost = (address: string, moment?: number) => new HostInProcess(address, moment, folder);
    return engineOf({ startHost: within({ PULUMI_PROJECT: "test", ...env }, startHost) });
  };
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

  test("it holds a destroy in the SDK's own host", async () => {
    const engine = new Engine(tenant, { folder, env: { PULUMI_PROJECT: "test" } });
    await engine.up(BOTH);
    configured(", identity:maxRevocations: 1");
    expect((await failed(engine.destroy())).errors).toEqual([refusal(1)]);
  });

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

  test("a misspelt one stops a destroy, and an up whose program has no resource left", async () => {
    const engine = await after(", identity:maxRevocation: 1");
    for (const run of [() => engine.destroy(), () => engine.up({})])
      expect((await failed(run())).errors).toEqual([`a: ${MISSPELT}`]);
    expect(writes()).toEqual([]);
    configured(", identity:colour: red");
    expect((await engine.destroy()).errors).toEqual([]);
  });

  test("what can't be known is said once, before anything is revoked", async () => {
    const engine = await after(", identity:maxRevocations: { secure: v1:x }");
    allow(engine, 7);
    expect((await engine.destroy()).messages).toEqual([
      "In this run, revocations are limited to 7, and no review is required. Today's configuration isn't known, because " +
        "identity:maxRevocations is encrypted in Pulumi.test.yaml. To restrain this run, set IDENTITY_MAX_REVOCATIONS or " +
        "IDENTITY_REQUIRE_REVIEW in the environment.",
      lost(ADMINS, BILLING),
    ]);
  });

  test("state that doesn't name its stack: that is said, is no difference, and ends with the next update", async () => {
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
      expect.stringContaining("because state doesn't name its stack."),
      lost(...ALL),
    ]);
  });
});

test("of a Provider: its argument is named, and no variable, which it would not read", async () => {
  const providers = { eu: { ...new Engine(tenant).config, "identity:maxRevocations": "0" } };
  const engine = engineOf({ providers });
  const eu = (groups: string[]) => ({ ...viewers(...groups), provider: "eu" });
  await engine.up({ a: eu([ADMINS, BILLING]) });
  const { errors } = await failed(engine.up({ a: eu([ADMINS]) }));
  expect(errors.join()).toContain(
    'if you mean it, raise maxRevocations of the Provider "eu" to 1 for this one run; a destroy sees it with --run-program.',
  );
  expect(errors.join()).not.toContain("IDENTITY_");
});
