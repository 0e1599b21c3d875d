import { recordsOf, type SeedInput, type Simulator, startSimulator } from "../../simulator";
import {
  knowsUntil,
  PROGRAM,
  readFixture,
  RELEASES,
  restore,
  type Situation,
  stepOf,
} from "../upgrade/fixtures";
import { type CommandResult, environmentOf, Stack } from "../../testkit/stack";

/*
 * docs/upgrading.md: this release previews, refreshes, updates and destroys the state of every earlier one.
 */

const id = (prefix: string, last: number) => `${prefix}${"1".repeat(15)}${last}`;
const groups = (...last: number[]) => last.map((digit) => id("grp_", digit));
/** The group that has each role from elsewhere. */
const [OTHERS] = groups(5);

let simulator: Simulator;
let stack: Stack;

beforeEach(async () => {
  simulator = await startSimulator();
  stack = await Stack.create({ env: environmentOf(simulator) });
});

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

/** Restores a stack and a tenant as a release left them. */
async function leftBy(release: string, situation: Situation): Promise<void> {
  stack.write(PROGRAM);
  await restore(readFixture(release, situation, simulator.url), stack, simulator);
}

function succeeded({ code, all }: CommandResult): CommandResult {
  if (code !== 0) throw new Error(all);
  return { code, all, stdout: "", stderr: "" };
}

/** Returns a preview's steps, without `same` and `read`: `update complete`. */
async function planned(step: { env: Record<string, string> }): Promise<string[]> {
  const { code, stdout, all } = await stack.preview({ ...step, args: ["--json"] });
  if (code !== 0) throw new Error(all);
  const { steps } = JSON.parse(stdout) as { steps: { op: string; urn: string }[] };
  return steps
    .filter(({ op }) => !["same", "read", "refresh"].includes(op))
    .map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`)
    .sort();
}

/**
 * Returns state without values that change over time. For resources read by `get`, a refresh adds the
 * settings as inputs.
 */
async function resources(): Promise<Left[]> {
  const { resources } = await stack.state({ showSecrets: true });
  return resources.map(({ urn, id, inputs, outputs, external }) => ({
    urn,
    id,
    ...(outputs !== undefined && { outputs }),
    ...(external !== true && { inputs }),
  }));
}

interface Left {
  urn: string;
  outputs?: Record<string, unknown>;
}

/** The first draft recorded them; a refresh drops them. */
function withoutManagedFields({ outputs, ...rest }: Left): Left {
  const { managedFields: _recorded, ...kept } = outputs ?? {};
  return { ...rest, ...(outputs !== undefined && { outputs: kept }) };
}

/** Returns the program's objects on the tenant, by name. */
function tenant(): { profiles: Record<string, unknown>; roles: string[][]; credentials: string[] } {
  const { connection_profiles, roles, device_credentials } = simulator.state();
  return {
    profiles: Object.fromEntries(
      connection_profiles.map(({ id: _id, name, ...settings }) => [
        name,
        Object.fromEntries(
          Object.entries(settings).filter(([, value]) => value !== null && Object.keys(value).length > 0),
        ),
      ]),
    ),
    roles: roles.map((role) => role.groups.sort()),
    credentials: device_credentials.map((credential) => credential.id),
  };
}

describe.each(RELEASES)("state of %s", (release) => {
  const step = (name: string) => ({ env: stepOf(release, name) });
  /** The groups of the last role. In releases that know ends, its assignment ends. */
  const ending = (...last: number[]) => (knowsUntil(release) ? [[OTHERS, ...groups(...last)].sort()] : []);
  const afterDestroy = [[OTHERS], [], [OTHERS], [OTHERS], [OTHERS], ...ending()];

  test("is what the tenant holds", async () => {
    await leftBy(release, "settled");
    const records: SeedInput = recordsOf(simulator.state());

    expect(await planned(step("settled"))).toEqual([]);
    // A preview reads only the objects of `get`.
    expect(simulator.log().filter((line) => !line.startsWith("POST /oauth/token"))).toEqual([
      `GET /api/v2/connection-profiles/${id("cop_", 3)} 200`,
    ]);
    const before = await resources();
    const updated = succeeded(await stack.refresh()).all.matchAll(/dynamic\/identity:\w+ (\S+) updated/g);
    // The resource read by `get` is called "found".
    expect([...updated].filter(([, name]) => name !== "found")).toEqual([]);
    expect(await resources()).toEqual(before.map(withoutManagedFields));
    expect(recordsOf(simulator.state())).toEqual(records);
  });

  test("stays as it is where the program changes to camel case", async () => {
    await leftBy(release, "settled");
    const records = recordsOf(simulator.state());
    const camel = { env: { ...step("settled").env, SPELLING: "camel" } };

    succeeded(await stack.up({ ...camel, args: ["--expect-no-changes"] }));
    expect(recordsOf(simulator.state())).toEqual(records);
    expect(simulator.log().filter((line) => !/^(?:GET|POST \/oauth\/token) /.test(line))).toEqual([]);
  });

  test("is updated and destroyed", async () => {
    await leftBy(release, "settled");

    const profiles = ["adopted", "complete", "minimal", "other", "secret"];
    const assignments = ["additive", "exclusive", "giver", "other", "receiver", "secret"];
    if (knowsUntil(release)) assignments.push("ended", "ending");
    const updates = [...profiles, ...assignments].map((name) => `update ${name}`);
    expect(await planned(step("changed"))).toEqual(["replace phone", ...updates.sort()]);
    succeeded(await stack.up(step("changed")));
    expect(tenant()).toEqual({
      profiles: {
        complete: {
          organization: { show_as_button: "optional", assign_membership_on_login: "required" },
          connection_name_prefix_template: "new-{org_id}",
          enabled_features: ["scim"],
          strategy_overrides: {
            okta: { enabled_features: [], connection_config: {} },
            samlp: { enabled_features: ["universal_logout"] },
          },
        },
        "minimal, changed": {},
        "a hidden name": { organization: { show_as_button: "none" } },
        adopted: { enabled_features: ["universal_logout"] },
        "adopted to delete": {},
        kept: {},
        retained: {},
        "by hand 3": {},
        "other, changed": {},
      },
      roles: [
        [...groups(1, 3), OTHERS],
        groups(2, 3),
        [...groups(4), OTHERS],
        [...groups(1, 2, 3), OTHERS],
        [...groups(1, 2), OTHERS],
        ...ending(2),
      ],
      credentials: [id("dcr_", 4)],
    });
    expect(await planned(step("changed"))).toEqual([]);

    succeeded(await stack.destroy());
    expect(tenant()).toEqual({
      roles: afterDestroy,
      profiles: {
        adopted: { enabled_features: ["universal_logout"] },
        kept: {},
        retained: {},
        "by hand 3": {},
      },
      credentials: [id("dcr_", 4)],
    });
    expect((await stack.state()).resources).toEqual([]);
  });

  test("that a failed run has left is completed by the next up", async () => {
    await leftBy(release, "unfinished");

    succeeded(await stack.refresh());
    succeeded(await stack.up(step("unfinished")));

    expect(tenant().profiles["complete"]).toMatchObject({ connection_name_prefix_template: "new-{org_id}" });
    expect(tenant().roles[0]).toEqual([...groups(1, 3), OTHERS]);
    expect(tenant().roles[3]).toEqual([...groups(1, 2, 3), OTHERS]);
    expect(tenant().roles.slice(5)).toEqual(ending(1));
    expect(await planned(step("unfinished"))).toEqual([]);
    expect(JSON.stringify(await resources())).not.toMatch(/"(?:unsure|unconfirmed)"/);

    succeeded(await stack.destroy());
    expect(tenant().roles).toEqual(afterDestroy);
    expect((await stack.state()).resources).toEqual([]);
  });

  test("that a failed run has left is destroyed", async () => {
    await leftBy(release, "unfinished");

    const handedOver = /"handedOver":\["(\w+)"\]/.exec(JSON.stringify(await resources()))?.slice(1) ?? [];
    succeeded(await stack.destroy({ args: ["--refresh"] }));

    // Groups keep the role if an earlier release left them to an assignment that never got them.
    const [first, second, third, fourth = [], ...others] = afterDestroy;
    expect(tenant().roles).toEqual([first, second, third, [...handedOver, ...fourth], ...others]);
    expect(Object.keys(tenant().profiles).sort()).toEqual(["adopted", "by hand 3", "kept", "retained"]);
    expect((await stack.state()).resources).toEqual([]);
  });
});
