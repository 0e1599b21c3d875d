import { WRITTEN } from "../../provider/pulumi/hidden-inputs";
import { assignment, Engine, later, profile, type Program, removal, secret, type UpOptions } from "../engine";
import { urnOf } from "../engine/state";
import { type Json } from "../engine/preview-json";
import { programText } from "../engine/program-text";
import { stopWarmHost } from "../hosts/host";
import { Tenant } from "../tenant";
import { ADMINS, BILLING, CONTRACTORS, LAPTOP, PHONE, SUPPORT } from "../../simulator/default-seed";
import { type Fault, type SeedInput } from "../../simulator";
import { Stack } from "../stack";

/*
 * Compares `preview --json` of the tests' engine with the real one: the same story for both, each with its
 * own tenant.
 */

const role = (letter: string) => `rol_${letter.repeat(16)}`;
const PARTNERS = "cop_5wTqXn8YkLbVd2sPmZaGhJ";
const SEED: SeedInput = {
  roles: [..."ABCDEFGHJK"].map((letter) => ({ id: role(letter), groups: [SUPPORT] })),
  connection_profiles: [{ id: PARTNERS, name: "partners" }],
};
const TEAM = "acme:index:Team";
const CREW = "acme:index:Crew";
const on = (letter: string, groupIds: unknown, more = {}) =>
  assignment({ roleId: role(letter), groupIds }, more);

interface Chapter {
  program: Program;
  options?: Pick<UpOptions, "target" | "exclude" | "replace" | "continueOnError">;
  /** Marked beforehand. */
  taint?: string[];
  /** Faults for the `up`, which then fails. */
  faults?: Fault[];
}

/** Each `up` starts from the state that the previous one left. */
const STORY: Chapter[] = [
  {
    program: {
      upd: on("A", [ADMINS, BILLING]),
      gone: on("B", [ADMINS], { retainOnDelete: true }),
      same: on("C", [ADMINS], { provider: "eu" }),
      moves: on("D", [ADMINS, BILLING], { replaceOnChanges: ["groupIds"] }),
      first: on("E", [ADMINS], { deleteBeforeReplace: true }),
      with: on("F", [ADMINS], { deletedWith: "gone" }),
      fails: on("G", [ADMINS], { replaceOnChanges: ["groupIds"] }),
      old: on("H", [ADMINS]),
      phone: removal(PHONE),
      enterprise: profile({
        name: "enterprise",
        organization: { showAsButton: "none" },
        connectionConfig: secret({}),
      }),
      [`${TEAM}/twin`]: on("J", [ADMINS], { name: "twin", parent: TEAM }),
      [`${CREW}/twin`]: on("J", [BILLING], { name: "twin", parent: CREW }),
      hidden: on("K", secret([ADMINS, BILLING])),
    },
  },
  {
    program: {
      upd: on("A", [ADMINS, CONTRACTORS, SUPPORT], { protect: true }),
      same: on("C", [ADMINS], { provider: "eu" }),
      moves: on("D", [ADMINS, CONTRACTORS], { replaceOnChanges: ["groupIds"] }),
      first: on("F", [ADMINS], { deleteBeforeReplace: true }),
      fails: on("G", [BILLING], { replaceOnChanges: ["groupIds"] }),
      renamed: on("H", [ADMINS], { aliases: ["old"] }),
      phone: removal(LAPTOP),
      enterprise: profile({
        name: later("enterprise"),
        organization: { showAsButton: "optional", assignMembershipOnLogin: "none" },
        connectionConfig: secret({}),
        enabledFeatures: ["scim"],
      }),
      [`${TEAM}/twin`]: on("J", [ADMINS], { name: "twin", parent: TEAM }),
      [`${CREW}/twin`]: on("J", [CONTRACTORS, later(BILLING)], { name: "twin", parent: CREW }),
      hidden: on("K", secret([ADMINS, CONTRACTORS])),
      exclusive: on("B", [CONTRACTORS], { dependsOn: ["upd"] }),
    },
    faults: [{ method: "DELETE", path: `/api/v2/roles/${role("G")}/groups`, action: { status: 403 } }],
  },
  {
    // A delete is pending, a managed resource becomes read-only, and a get becomes managed.
    program: {
      upd: on("A", [ADMINS], { protect: true, ignoreChanges: ["groupIds"] }),
      same: assignment({}, { get: role("D"), provider: "eu" }),
      moves: on("D", [ADMINS, CONTRACTORS], { replaceOnChanges: ["groupIds"] }),
      first: on("F", [ADMINS]),
      fails: on("G", [BILLING]),
      renamed: assignment({}, { get: role("H") }),
      [`${TEAM}/twin`]: on("J", [ADMINS], { name: "twin", parent: TEAM }),
      [`${CREW}/twin`]: on("J", [BILLING], { name: "twin", parent: CREW }),
      exclusive: on("B", [CONTRACTORS], { dependsOn: ["upd"] }),
    },
    taint: ["moves", "first"],
    options: { exclude: ["hidden"] },
  },
  {
    program: {
      upd: on("A", [BILLING, ADMINS]),
      same: on("C", [ADMINS, BILLING], { provider: "eu" }),
      moves: on("D", [ADMINS, CONTRACTORS]),
      renamed: assignment({}, { get: role("G") }),
      // A failure ends the run: simultaneous steps may or may not be reported.
      bad: on("A", [], { dependsOn: ["upd", "same", "moves", "renamed"] }),
    },
    options: { replace: ["moves"], target: ["moves", "upd", "same", "bad"] },
  },
  {
    program: {
      upd: on("A", [ADMINS]),
      one: on("B", [ADMINS]),
      two: on("C", [BILLING]),
      three: on("D", [BILLING], { replaceOnChanges: ["groupIds"] }),
    },
  },
  {
    // Renamed and replaced resources aren't targets under their former names; others are new, and not
    // targets.
    program: {
      upd: on("A", [ADMINS]),
      "one-2": on("E", [ADMINS], { aliases: ["one"] }),
      "two-2": on("C", [ADMINS, BILLING], { aliases: ["two"] }),
      "three-2": on("D", [ADMINS], { aliases: ["three"], replaceOnChanges: ["groupIds"] }),
      four: on("F", [ADMINS]),
    },
    options: { target: ["one-2", "upd"] },
  },
  {
    program: {
      upd: on("A", [ADMINS]),
      "one-2": on("E", [ADMINS]),
      "two-2": on("C", [ADMINS, BILLING]),
      "three-2": on("D", [ADMINS], { aliases: ["three"], replaceOnChanges: ["groupIds"] }),
      four: on("F", [ADMINS]),
    },
    faults: [{ method: "DELETE", path: `/api/v2/roles/${role("D")}/groups`, action: { status: 403 } }],
  },
  {
    // A pending delete has the name of its replacement.
    program: {
      upd: on("A", [ADMINS]),
      "three-2": on("D", [ADMINS], { replaceOnChanges: ["groupIds"] }),
    },
    options: { exclude: ["upd"] },
  },
];

const real = new Tenant();
const standIn = new Tenant();
let stack: Stack;
let engine: Engine;

beforeAll(async () => {
  for (const tenant of [real, standIn]) {
    await tenant.open();
    tenant.seed(SEED);
  }
  stack = await Stack.create({
    env: {
      EU_DOMAIN: real.url,
      EU_CLIENT_ID: real.clientId,
      EU_CLIENT_SECRET: real.clientSecret,
    },
  });
  await stack.configure(real);
  const settings = {
    "identity:domain": standIn.url,
    "identity:clientId": standIn.clientId,
    "identity:clientSecret": standIn.clientSecret,
  };
  engine = new Engine(standIn, { parallel: 1, config: settings, providers: { eu: settings } });
});
afterAll(async () => {
  stack.remove();
  await real.close();
  await standIn.close();
  await stopWarmHost();
});

test.each(STORY.map((chapter, index) => [index + 1, chapter] as const))(
  "chapter %i is told alike",
  async (_, { program, options = {}, taint = [], faults = [] }) => {
    const urn = (key: string) => {
      const state = program[key] ?? engine.state.get(key);
      if (state === undefined) throw new Error(`There is no ${key}.`);
      return urnOf({ kind: state.kind, name: state.name ?? key, parent: state.parent });
    };
    const { target = [], exclude = [], replace = [] } = options;
    const args = [
      ...["--parallel", "1"],
      ...target.flatMap((key) => ["--target", urn(key)]),
      ...exclude.flatMap((key) => ["--exclude", urn(key)]),
      ...replace.flatMap((key) => ["--replace", urn(key)]),
    ];
    stack.write(programText(program, ["eu"]));
    for (const key of taint) {
      engine.taint(key);
      const { code, all } = await stack.pulumi(["state", "taint", urn(key), "--yes"]);
      if (code !== 0) throw new Error(all);
    }

    const { stdout } = await stack.preview({ json: true, args });
    const printed = normal(JSON.parse(await engine.previewJson(program, options)) as Json, standIn);
    const expected = normal(JSON.parse(stdout) as Json, real);

    real.fail(...faults);
    standIn.fail(...faults);
    // Chance decides which deletes were done before another failed.
    const { code } = await stack.up({ args: [...args, "--continue-on-error"] });
    const isDone = await engine.up(program, { ...options, continueOnError: true }).then(
      () => true,
      () => false,
    );
    expect(printed).toEqual(expected);
    // An unused fault would otherwise hit some delete in a later chapter.
    for (const tenant of [real, standIn])
      expect(tenant.sent().filter((line) => line.endsWith(" 403"))).toHaveLength(faults.length);
    expect(isDone).toBe(code === 0);
  },
);

/** Removes values that differ from run to run, and places in the program. */
function normal(json: Json, tenant: Tenant): unknown {
  const text = JSON.stringify(json, (key, value: unknown) =>
    LEFT_OUT.includes(key) ? undefined : key === "warning" ? undefined : value,
  );
  const plain = JSON.parse(
    text
      .replaceAll(tenant.host, "tenant")
      .replace(/(::[\w-]+)::[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "$1::id")
      .replace(/"id":"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"/g, '"id":"id"'),
  ) as Json;
  const { config, changeSummary, diagnostics = [], steps = [] } = plain;
  const own = steps.filter(({ urn }) => /pulumi-nodejs/.test(urn));
  const told = diagnostics.filter(({ message }) => !/package\.json/.test(message));
  const sorted = (items: object[]) =>
    items
      .map((item) => JSON.stringify(sortedKeys(item)))
      .sort()
      .map((item) => JSON.parse(item) as unknown);
  return { config, changeSummary, diagnostics: sorted(told), steps: sorted(own) };
}

const LEFT_OUT = [
  ...["created", "modified", "sourcePosition", "stackTrace", "propertyDependencies", "dependencies"],
  ...["additionalSecretOutputs", "customTimeouts", "aliases", "duration", WRITTEN],
];

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, child]) => [key, sortedKeys(child)]),
  );
}
