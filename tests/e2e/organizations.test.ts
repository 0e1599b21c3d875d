import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, VIEWER } from "../../simulator/default-seed";
import { Stack } from "../../testkit/stack";

/* A role in an organization with the real CLI: found by name, assigned, refreshed and taken away. */

const bin = resolve(__dirname, "../../dist/cli/index.js");
const ACME = "org_5vJmTq8XbRz3kWcY";
const MANAGER = "rol_2kCvRw7ZtMh9sPxE";

let simulator: Simulator;
let stack: Stack | undefined;

afterEach(async () => {
  stack?.remove();
  await simulator.close();
});

const holders = () =>
  simulator.state().organizations[0]?.roles.find(({ id }) => id === MANAGER)?.groups ?? [];

const TYPE = "identity:index:OrganizationRoleGroupAssignment";

test("pulumi import takes over one by its id, and the rest that adopt lists; nothing changes", async () => {
  simulator = await startSimulator({
    rate: { burst: 1000, perSecond: 1000 },
    seed: {
      ...DEFAULT_SEED,
      connection_profiles: [],
      organizations: [
        {
          id: ACME,
          name: "acme",
          groups: [ADMINS, BILLING],
          roles: [
            { id: AGENT, groups: [ADMINS] },
            { id: VIEWER, groups: [BILLING] },
          ],
        },
      ],
    },
  });
  stack = await Stack.create({ program: "", language: "yaml" });
  await stack.configure(simulator);
  const { folder } = stack;
  const importing = async (...args: string[]) => {
    const imported = await stack?.pulumi([
      "import",
      ...args,
      "--out",
      "code.yaml",
      "--yes",
      "--skip-preview",
    ]);
    if (imported?.code !== 0) throw new Error(imported?.all);
    const written = readFileSync(join(folder, "code.yaml"), "utf8");
    const program = readFileSync(join(folder, "Pulumi.yaml"), "utf8");
    const own = program.includes("resources:") ? written.replace(/^resources:\n/, "") : written;
    writeFileSync(join(folder, "Pulumi.yaml"), `${program.trimEnd()}\n${own}`);
  };

  await importing(TYPE, "agents", `${ACME}/${AGENT}`);
  const exported = await stack.shell("pulumi stack export > state.json");
  expect(exported.code).toBe(0);
  const adopt = `node ${bin} adopt --organization acme --unmanaged --state state.json --format import`;
  expect((await stack.shell(`${adopt} --output import.json`)).code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, "import.json"), "utf8"))).toEqual({
    resources: [{ type: TYPE, name: "acme-billing-viewer", id: `${ACME}/${VIEWER}` }],
  });
  await importing("--file", "import.json");

  const again = await stack.pulumi(["preview", "--expect-no-changes"]);
  if (again.code !== 0) throw new Error(again.all);
  expect(simulator.log().filter((line) => !line.startsWith("GET ") && !line.includes("/oauth/"))).toEqual([]);
});

test("from its preview to its destroy", async () => {
  simulator = await startSimulator({
    rate: { burst: 1000, perSecond: 1000 },
    seed: {
      ...DEFAULT_SEED,
      roles: [
        ...(DEFAULT_SEED.roles ?? []),
        { id: MANAGER, name: "order-manager", type: "organization", owner_id: ACME },
      ],
      organizations: [{ id: ACME, name: "acme", groups: [ADMINS, BILLING] }],
    },
  });
  stack = await Stack.create({
    program: `
      const { getGroupOutput, getOrganizationOutput, getRoleOutput, OrganizationRoleGroupAssignment, RoleGroupAssignment } =
        require("pulumi-identity");
      const acme = getOrganizationOutput({ name: "acme" });
      const orders = new OrganizationRoleGroupAssignment("orders", {
        organizationId: acme.id,
        roleId: getRoleOutput({ name: "order-manager", organization: acme.id }).id,
        groupIds: [getGroupOutput({ name: "directory-admins" }).id, getGroupOutput({ name: "billing-team" }).id],
      });
      new RoleGroupAssignment("tenant", { roleId: "${AGENT}", groupIds: ["${ADMINS}"] });
      exports.id = orders.id;`,
  });
  await stack.configure(simulator);
  const preview = await stack.preview();
  expect(preview.all).toContain(`orders: role ${MANAGER} in ${ACME}: + ${BILLING}, ${ADMINS}`);
  expect(holders()).toEqual([]);

  // The stack's review has the rows of both kinds, and asks the organization.
  const review = await stack.review();
  expect(review.all).toContain("order-manager (organization)");
  expect(review.all).toMatch(/ in [^|]*acme/);

  const up = await stack.up();
  expect(up.all).toContain(`${ACME}/${MANAGER}`);
  expect([...holders()].sort()).toEqual([ADMINS, BILLING].sort());

  simulator.reset();
  const again = await stack.up({ args: ["--refresh"] });
  expect(again.all).toContain("3 unchanged");
  expect(simulator.log()).toContain(`GET /api/v2/organizations/${ACME}/roles/${MANAGER}/groups?take=100 200`);

  expect((await stack.destroy()).code).toBe(0);
  expect(holders()).toEqual([]);
});
