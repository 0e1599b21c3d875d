import { resolve } from "node:path";
import { adopted, type LookUp, type Registered, registeredBy, typeErrors } from "../../../testkit/cli/adopt";
import { ROLES, tenants } from "./tenants";
import { catchLines, inProcess } from "../../../testkit/hosts/host-in-process";
import { wordsOf } from "../../../testkit/facts";
import fc, { NEW_SEED, runsOf } from "../../../testkit/properties";
import { type SeedInput } from "../../../simulator";
import { Engine, type Program } from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";

const tenant = useTenant();
const RUNS = runsOf(8);

const written: string[] = [];
let profiles = 0;

catchLines();
afterAll(() => process.stdout.write(`${written.length} programs of ${profiles} profiles\n`));

const isWrite = (line: string) => !/^(GET |token$)/.test(line);

function programIn(registered: readonly Registered[], isAdopting = true): Program {
  return Object.fromEntries(
    registered.map(({ kind, name, inputs: { adopt, ...inputs } }) => [
      name,
      { kind, inputs: { ...inputs, ...(isAdopting && adopt !== undefined && { adopt }) } },
    ]),
  );
}

/** Returns a program's statement for each profile, with the comments above it. */
function statementsOf(program: string): string[] {
  return program.trimEnd().split(/\n\n/).slice(1);
}

/** A name that several objects share finds none, so programs must not use it. */
const lookUp: LookUp = (call, name) => {
  const { roles, groups } = tenant.simulator.state();
  const [found, ...others] = (call === "getRole" ? roles : groups).filter((one) => one.name === name);
  return others.length === 0 && found !== undefined ? found.id : "none";
};

async function isAdoptedWithoutChange(seed: SeedInput & { connection_profiles: object[] }): Promise<void> {
  tenant.seed(seed);
  const before = tenant.profiles();
  const text = await adopted(tenant, { role: [...ROLES] });
  written.push(text);
  profiles += before.length;
  expect(tenant.sent().filter(isWrite)).toEqual([]);

  const registered = await registeredBy(text, lookUp);
  const adopting = registered.filter(({ kind }) => kind === "ConnectionProfile");
  const undeclared = [...text.matchAll(/^\/\/ Can't be declared: the connection profile (\S+),/gm)];
  expect(
    [...adopting.map(({ inputs }) => inputs["adopt"]), ...undeclared.map(([, id]) => id)].sort(),
  ).toEqual(before.map(({ id }) => id).sort());
  expect(new Set(registered.map(({ name }) => name)).size).toBe(registered.length);

  const engine = new Engine(tenant, { startHost: inProcess });
  const preview = await engine.preview(programIn(registered));
  for (const { name, inputs } of adopting) {
    const line = preview.messages.find((message) => message.startsWith(`${name}: adopts `));
    expect(wordsOf(line ?? "")).toMatch(
      new RegExp(
        `^${name}: adopts connection profile ${String(inputs["adopt"])}, named .*: it stays as it is$`,
      ),
    );
  }
  expect(tenant.sent().filter(isWrite)).toEqual([]);

  await engine.up(programIn(registered));
  expect(tenant.sent().filter((line) => isWrite(line) && !line.startsWith("POST /roles/"))).toEqual([]);
  expect(tenant.profiles()).toEqual(before);
  for (const program of [programIn(registered), programIn(registered, false)]) {
    expect(await engine.preview(program)).toMatchObject({ steps: [], messages: [] });
  }
  expect((await engine.refresh()).steps).toEqual([]);
  expect(tenant.sent().filter(isWrite)).toEqual([]);
}

describe.each([
  ["the fixed seed", undefined],
  ["a new seed", NEW_SEED],
])("%s", (_, seed) => {
  const options = { numRuns: RUNS, ...(seed !== undefined && { seed }) };

  test(
    "a program of any tenant changes nothing when it is previewed and applied",
    () => fc.assert(fc.asyncProperty(tenants, isAdoptedWithoutChange), options),
    300_000,
  );

  test(
    "one more profile changes nothing of the others",
    () =>
      fc.assert(
        fc.asyncProperty(tenants, async ({ connection_profiles: all, ...rest }) => {
          fc.pre(all.length > 1);
          tenant.seed({ ...rest, connection_profiles: all.slice(1) });
          const fewer = statementsOf(await adopted(tenant));
          tenant.seed({ ...rest, connection_profiles: all });
          const more = statementsOf(await adopted(tenant));
          expect(more.filter((statement) => fewer.includes(statement))).toEqual(fewer);
          expect(more.length).toBe(fewer.length + 1);
        }),
        { ...options, numRuns: runsOf(6) },
      ),
    120_000,
  );
});

test("all programs type-check under strict", () => {
  expect(written.length).toBeGreaterThanOrEqual(2 * RUNS);
  expect(typeErrors(written, resolve(__dirname, "../../../dist/provider/index.d.ts"))).toEqual([]);
}, 300_000);
