import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, VIEWER } from "../../simulator/default-seed";
import { useSimulator } from "../../testkit/simulator";
import { Stack } from "../../testkit/stack";

/* Roles in an organization, imported by the real CLI. examples.test.ts has one from preview to destroy. */

const bin = resolve(__dirname, "../../dist/cli/index.js");
const ACME = "org_5vJmTq8XbRz3kWcY";

let stack: Stack | undefined;
afterAll(() => stack?.remove());

const simulator = useSimulator({
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

const TYPE = "identity:index:OrganizationRoleGroupAssignment";

test("pulumi import takes over one by its id, and the rest that adopt lists; nothing changes", async () => {
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
