import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";

jest.setTimeout(90_000);
const repository = resolve(__dirname, "../../..");
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";

/**
 * The programs of these tests; `make(name, args, options)` declares a profile, and the mocks give it the id
 * `cop_<name>`. In a preview what is to be adopted has no id yet, as from the engine.
 */
const PROGRAMS = {
  both: `
    make("first", { adopt: "${ID}" });
    make("second", { adopt: "${ID}" });`,
  outputs: `
    make("first", { adopt: pulumi.output("${ID}") });
    make("second", { adopt: new Promise((resolve) => setTimeout(resolve, 10, "${ID}")) });`,
  adoptsManaged: `
    make("manager");
    make("adopter", { adopt: "cop_manager" });`,
  adoptsManagedFirst: `
    make("adopter", { adopt: "cop_manager" });
    make("manager");`,
  adoptsManagedLate: `
    make("manager");
    make("adopter", { adopt: new Promise((resolve) => setTimeout(resolve, 50, "cop_manager")) });`,
  adoptsManagedInPreview: `
    make("adopter", { adopt: "cop_manager" });
    make("manager", { name: new Promise((resolve) => setTimeout(resolve, 10, "manager")) });`,
  secret: `
    make("first", { adopt: pulumi.secret("${ID}") });
    make("second", { adopt: "${ID}" });`,
  secretOfManaged: `
    make("manager");
    make("adopter", { adopt: pulumi.secret("cop_manager") });`,
  transformed: `
    const transformations = [({ props, opts }) => ({ props: { ...props, adopt: "${ID}" }, opts })];
    make("first", {}, { transformations });
    make("second", { adopt: "${ID}" });`,
  apart: `
    const eu = new Provider("eu", { domain: "eu.example.com", accessToken: "given" });
    make("first", { adopt: "${ID}" });
    make("other profile", { adopt: "cop_other" });
    make("other tenant", { adopt: "${ID}" }, { provider: eu });
    make("new");`,
  ownId: 'make("first", { adopt: "cop_first" });',
  got: `
    make("first", { adopt: "${ID}" });
    ConnectionProfile.get("second", "${ID}");`,
  parent: `
    const parent = make("first", { adopt: "${ID}" });
    new RoleGroupAssignment("child", { roleId: "rol_1", groupIds: [] }, { parent });`,
  one: `make("first", { adopt: "${ID}" });`,
  oneAgain: `make("second", { adopt: "${ID}" });`,
};
type Failures = Partial<Record<keyof typeof PROGRAMS, string>>;

/** As in role-group-assignment/two-owners.test.ts. */
const RUNNER = `
const pulumi = require("@pulumi/pulumi");
const { ConnectionProfile, Provider, RoleGroupAssignment } = require("./provider/index.ts");
const make = (name, args, options) => new ConnectionProfile(name, { name, ...args }, options);
const failures = {};
let running;
process.on("unhandledRejection", (error) => (failures[running] ??= error.message));
const run = async (name, declare) => {
  running = name;
  const isPreview = name.endsWith("InPreview");
  const idOf = ({ name, id, inputs }) => id || (isPreview && inputs.adopt ? undefined : inputs.adopt || "cop_" + name);
  const newResource = (args) => ({ id: idOf(args), state: args.inputs });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", isPreview);
  await pulumi.runtime.runInPulumiStack(async () => declare()).catch((error) => (failures[name] ??= error.message));
  // Node tells of an unhandled rejection only once nothing else is to be done.
  await new Promise((resolve) => setTimeout(resolve, 100));
};
(async () => {
  ${Object.entries(PROGRAMS)
    .map(([name, program]) => `await run("${name}", () => {${program}});`)
    .join("\n")}
  console.log(JSON.stringify(failures));
})();
`;

let failures: Failures;
beforeAll(async () => {
  const args = ["--require", require.resolve("tsx/cjs"), "--eval", RUNNER];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
  failures = JSON.parse(stdout) as Failures;
});

const bothAdopt = `ConnectionProfile "first" and "second" both adopt ${ID}. Let one of them manage the profile.`;
const isManaged =
  'ConnectionProfile "adopter" adopts cop_manager, which "manager" manages. Let one of them manage the profile.';

describe("two profiles of one program", () => {
  test.each(["both", "outputs", "transformed"] as const)(
    "that adopt the same are refused, with both names: %s",
    (program) => {
      expect(failures[program]).toBe(bothAdopt);
    },
  );

  test.each(["adoptsManaged", "adoptsManagedFirst", "adoptsManagedLate", "adoptsManagedInPreview"] as const)(
    "of which one adopts what the other manages are refused, in either order: %s",
    (program) => {
      expect(failures[program]).toBe(isManaged);
    },
  );

  test("are refused without a word of an id that is secret", () => {
    expect(failures.secret).toBe(bothAdopt.replace(ID, "one profile"));
    expect(failures.secretOfManaged).toBe(isManaged.replace("cop_manager", "a profile"));
  });

  test.each(["apart", "ownId", "got", "parent"] as const)("are fine otherwise: %s", (program) => {
    expect(failures[program]).toBeUndefined();
  });

  test("are fine in two programs of one process, such as a user's unit tests", () => {
    expect([failures.one, failures.oneAgain]).toEqual([undefined, undefined]);
  });
});
