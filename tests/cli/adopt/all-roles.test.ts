import { type SeedInput } from "../../../simulator";
import {
  AGENT,
  BILLING,
  CLIENT_SECRET,
  DEFAULT_SEED,
  SUPPORT,
  VIEWER,
} from "../../../simulator/default-seed";
import { adopted, registeredBy } from "../../../testkit/cli/adopt";
import { shownOnTerminal } from "../../../testkit/cli/terminal";
import { useSimulator } from "../../../testkit/simulator";

const EMPTY = "rol_2kVpYs6TgLc8dJmE";
const SEED: SeedInput = {
  ...DEFAULT_SEED,
  connection_profiles: [],
  roles: [
    { id: VIEWER, name: "billing-viewer", groups: [BILLING] },
    { id: EMPTY, name: "nobody's" },
    { id: AGENT, name: "support\nagent", groups: [SUPPORT] },
  ],
};

const simulator = useSimulator({ seed: SEED });
beforeEach(() => {
  simulator.seed(SEED);
  simulator.reset();
});

const reads = () =>
  simulator
    .requests()
    .filter(({ path }) => path.startsWith("/api/v2/roles"))
    .map(({ path }) => path.replace(/^\/api\/v2|\?.*$/g, ""))
    .sort();
const lacks = (scope: string) =>
  simulator.seed({
    ...SEED,
    clients: [{ client_id: simulator.clientId, client_secret: CLIENT_SECRET, scope }],
  });

test("--all-roles writes every role that has groups, with its name, and reads each once", async () => {
  const program = await adopted(simulator, { allRoles: true, ids: true, role: [AGENT] });
  const registered = await registeredBy(program);
  expect(registered.map(({ inputs }) => [inputs["roleId"], inputs["groupIds"]])).toEqual([
    [AGENT, [SUPPORT]],
    [VIEWER, [BILLING]],
  ]);
  expect(program).toContain('\n// The role "billing-viewer".\nnew RoleGroupAssignment(');
  expect(program).toContain('// The role "support agent".\n');
  expect(program).not.toContain(EMPTY);
  expect(reads()).toEqual(["/roles", ...[EMPTY, AGENT, VIEWER].map((id) => `/roles/${id}/groups`)].sort());
});

test("a role without groups that is named, too, is told of", async () => {
  expect(await adopted(simulator, { allRoles: true, role: [EMPTY] })).toContain(
    `// No assignment of the role ${EMPTY} "nobody's": no group has it.`,
  );
});

describe("roles of organizations", () => {
  const roles = SEED.roles!.map((role) =>
    role.id === AGENT ? { ...role, type: "organization" as const, owner_id: "org_1" } : role,
  );
  beforeEach(() => simulator.seed({ ...SEED, roles }));

  test("are left out by --all-roles, and not read", async () => {
    const program = await adopted(simulator, { allRoles: true, ids: true });
    expect(program).toContain(VIEWER);
    expect(program).not.toContain(AGENT);
    expect(reads()).not.toContain(`/roles/${AGENT}/groups`);
  });

  test("are written if they are named", async () =>
    expect(await adopted(simulator, { allRoles: true, role: [AGENT] })).toContain(`roleId: "${AGENT}"`));
});

test("what a state knows is left out without a word", async () => {
  const type = "pulumi-nodejs:dynamic/identity:RoleGroupAssignment";
  const outputs = { tenant: new URL(simulator.url).host, groupIds: [SUPPORT] };
  const resource = { urn: `urn:pulumi:test::project::${type}::a`, type, id: AGENT, outputs };
  const text = JSON.stringify({ version: 3, deployment: { resources: [resource] } });
  const program = await adopted(simulator, {
    allRoles: true,
    ids: true,
    unmanaged: true,
    exports: [{ file: "state.json", text }],
  });
  expect(program).not.toContain(AGENT);
  expect(program).toContain(VIEWER);
});

test("without read:roles --all-roles fails, and names the scope", async () => {
  lacks("read:connection_profiles read:group_roles");
  await expect(adopted(simulator, { allRoles: true })).rejects.toThrow("Grant read:roles to the client");
});

test("roles of which the tenant lists only a part are refused, with the way around it", async () => {
  const roles = Array.from({ length: 120 }, (_, i) => ({ id: `rol_${i}`, groups: [SUPPORT] }));
  simulator.seed({ ...SEED, roles, behaviour: { max_numbered_entries: 100 } });
  await expect(adopted(simulator, { allRoles: true })).rejects.toThrow(
    "GET /roles can't be read whole: after 100 of 120 entries it answered 400: You can only page through the first 100 " +
      "records. Running this again won't help: ask the service's support. Name the roles by --role.",
  );
  expect(await adopted(simulator, { role: ["rol_119"] })).toContain("rol_119");
});

describe("where no role was asked for", () => {
  const shown = (options?: Parameters<typeof adopted>[1]) =>
    shownOnTerminal(() => adopted(simulator, options));

  test("a terminal shows the roles", async () => {
    expect(await shown()).toContain(
      "Roles are left out. Name them by --role, or give --all-roles for all that have groups:\n" +
        `  ${VIEWER} "billing-viewer"\n  ${EMPTY} "nobody's"\n  ${AGENT} "support agent"\n`,
    );
  });

  test("it says which ones are of organizations", async () => {
    const roles = [{ id: AGENT, name: "support", type: "organization" as const, groups: [SUPPORT] }];
    simulator.seed({ ...SEED, roles });
    expect(await shown()).toContain(`  ${AGENT} "support" (organization)\n`);
  });

  test("a client that may not read them is shown none, and all else is as ever", async () => {
    lacks("read:connection_profiles");
    const read = async () => expect(await adopted(simulator)).toContain("// There is no connection profile.");
    expect(await shownOnTerminal(read)).not.toContain("Roles are left out");
  });

  test("nobody reads them where nobody looks", async () => {
    const { isTTY } = process.stderr;
    process.stderr.isTTY = false;
    await adopted(simulator).finally(() => (process.stderr.isTTY = isTTY));
    expect(reads()).toEqual([]);
  });
});
