import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  OTHER_ROLE_ID,
  ROLE_ID,
} from "../../../simulator/default-seed";

jest.setTimeout(90_000);
const repository = resolve(__dirname, "../../..");

/**
 * The programs of these tests; `make(name, args, options)` declares an assignment, `unknown` is what a
 * preview can't know.
 */
const PROGRAMS = {
  sameGroup: `
    make("first", { groupIds: ["${ADMINS}", "${BILLING}"] });
    make("second", { groupIds: ["${ADMINS}"] });`,
  sameGroups: `
    make("first", { groupIds: ["${ADMINS}", "${BILLING}"] });
    make("second", { groupIds: ["${BILLING}", "${ADMINS}"] });`,
  firstExclusive: `
    make("first", { exclusive: true });
    make("second", { groupIds: ["${BILLING}"] });`,
  secondExclusive: `
    make("first", {});
    make("second", { groupIds: ["${BILLING}"], exclusive: true });`,
  outputs: `
    make("first", { groupIds: pulumi.output(["${ADMINS}"]) });
    make("second", { roleId: pulumi.output("${ROLE_ID}") });`,
  secret: `
    make("first", { groupIds: [pulumi.secret("${ADMINS}")] });
    make("second", {});`,
  apart: `
    const eu = new Provider("eu", { domain: "eu.example.com", accessToken: "given" });
    make("first", {});
    make("other groups", { groupIds: ["${BILLING}"] });
    make("other role", { roleId: "${OTHER_ROLE_ID}" });
    make("other tenant", {}, { provider: eu });`,
  unknownRolesInPreview: `
    make("first", { roleId: unknown });
    make("second", { roleId: unknown });`,
  unknownGroupsInPreview: `
    make("first", { groupIds: unknown.apply((id) => [id]) });
    make("second", { exclusive: true });`,
  one: 'make("first", {});',
  oneAgain: 'make("second", {});',
};
type Failures = Partial<Record<keyof typeof PROGRAMS, string>>;

/**
 * Runs the programs one after the other in one process, and prints what each ended with: a rejection that
 * nobody handles, which Jest would take for a failure of its own.
 */
const RUNNER = `
const pulumi = require("@pulumi/pulumi");
const { Provider, RoleGroupAssignment } = require("./provider/index.ts");
const make = (name, args, options) =>
  new RoleGroupAssignment(name, { roleId: "${ROLE_ID}", groupIds: ["${ADMINS}"], ...args }, options);
const failures = {};
let running;
let unknown;
process.on("unhandledRejection", (error) => (failures[running] ??= error.message));
const run = async (name, declare) => {
  running = name;
  const isPreview = name.endsWith("InPreview");
  const newResource = ({ name, inputs }) => ({ id: isPreview ? undefined : name + "-id", state: inputs });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", isPreview);
  const main = async () => {
    unknown = new pulumi.CustomResource("test:index:New", "new").id;
    declare();
  };
  await pulumi.runtime.runInPulumiStack(main).catch((error) => (failures[name] ??= error.message));
  // Node tells of an unhandled rejection only once nothing else is to be done.
  await new Promise((resolve) => setTimeout(resolve, 50));
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

describe("two assignments of one program", () => {
  test("that claim the same group of the same role are refused, with both names", () => {
    expect(failures.sameGroup).toMatch(/"first".*"second"/);
    expect(failures.sameGroup).toContain(`claim ${ADMINS} for the role ${ROLE_ID}.`);
  });

  test("are told of all groups that they share", () => {
    expect(failures.sameGroups).toMatch(
      new RegExp(`claim (${ADMINS}, ${BILLING}|${BILLING}, ${ADMINS}) for`),
    );
  });

  test.each(["firstExclusive", "secondExclusive"] as const)("are refused: %s", (program) => {
    expect(failures[program]).toMatch(/"first".*"second".*exclusive/);
  });

  test("are refused when the values are Outputs", () => {
    expect(failures.outputs).toMatch(/"first".*"second"/);
  });

  test("are refused without a word of what is secret", () => {
    expect(failures.secret).toContain('"first" and "second" both claim a group for one role');
    expect(failures.secret).not.toContain(ADMINS);
  });

  test("are fine with other groups, another role or another tenant", () => {
    expect(failures.apart).toBeUndefined();
  });

  test.each(["unknownRolesInPreview", "unknownGroupsInPreview"] as const)(
    "are fine as long as a preview can't know that they clash: %s",
    (program) => {
      expect(failures[program]).toBeUndefined();
    },
  );

  test("are fine in two programs of one process, such as a user's unit tests", () => {
    expect([failures.one, failures.oneAgain]).toEqual([undefined, undefined]);
  });
});
