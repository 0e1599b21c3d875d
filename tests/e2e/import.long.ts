import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, VIEWER } from "../../simulator/default-seed";
import { useSimulator } from "../../testkit/simulator";
import { Stack } from "../../testkit/stack";

/* `pulumi import` of what adopt lists: the program that Pulumi writes changes nothing. */

const bin = resolve(__dirname, "../../dist/cli/index.js");
const ACME = "org_5vJmTq8XbRz3kWcY";
const [PLAIN, FULL] = ["cop_2GjRf8mYd5LcVt7K9sPmZa", "cop_5wTqXn8YkLbVd2sPmZaGhJ"];

let stack: Stack | undefined;
afterAll(() => stack?.remove());

const simulator = useSimulator({
  seed: {
    ...DEFAULT_SEED,
    connection_profiles: [
      { id: PLAIN, name: "plain" },
      {
        id: FULL,
        name: "full",
        enabled_features: ["scim"],
        organization: { show_as_button: "optional" },
      },
    ],
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

test("one resource by its id, and the rest that adopt lists", async () => {
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
  const adopt = `node ${bin} adopt --organization acme --role ${AGENT} --unmanaged --state state.json`;
  expect((await stack.shell(`${adopt} --format import --output import.json`)).code).toBe(0);
  const { resources } = JSON.parse(readFileSync(join(folder, "import.json"), "utf8")) as {
    resources: { type: string; id: string }[];
  };
  expect(resources.map(({ type, id }) => `${type} ${id}`).sort()).toEqual([
    `identity:index:ConnectionProfile ${PLAIN}`,
    `identity:index:ConnectionProfile ${FULL}`,
    `${TYPE} ${ACME}/${VIEWER}`,
    `identity:index:RoleGroupAssignment ${AGENT}`,
  ]);
  await importing("--file", "import.json");

  const again = await stack.pulumi(["preview", "--expect-no-changes"]);
  if (again.code !== 0) throw new Error(again.all);
  expect(simulator.log().filter((line) => !line.startsWith("GET ") && !line.includes("/oauth/"))).toEqual([]);
});
