import { WRITTEN } from "../../provider/pulumi/hidden-inputs";
import { Engine } from "../engine";
import { urnOf } from "../engine/state";
import { type Json } from "../engine/preview-json";
import { programText } from "../engine/program-text";
import { stopWarmHost } from "../hosts/host";
import { Tenant } from "../tenant";
import { Stack } from "../stack";
import { SEED, STORY } from "./preview-story";

/*
 * Compares `preview --json` of the tests' engine with the real one: the same story for both, each with its
 * own tenant.
 */

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
