import { type Simulator, startSimulator } from "../../simulator";
import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_CONTRACTORS,
  LOST_PHONE_CREDENTIAL_ID,
  OTHER_ROLE_ID,
} from "../../simulator/default-seed";
import { type CommandResult, environmentOf, Stack } from "./stack";

let simulator: Simulator;
let stack: Stack;

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

const program = (groupIds: string[], credentials: string[] = []) => `
  const { DeviceCredentialRemoval, RoleGroupAssignment } = require("pulumi-identity");
  new RoleGroupAssignment("viewers", { roleId: "${OTHER_ROLE_ID}", groupIds: ${JSON.stringify(groupIds)} });
  for (const id of ${JSON.stringify(credentials)}) new DeviceCredentialRemoval(id, { deviceCredentialId: id });`;

const GROUPS = [GROUP_ADMINS, GROUP_BILLING, GROUP_CONTRACTORS];
const groupsOfRole = () => simulator.state().roles.find(({ id }) => id === OTHER_ROLE_ID)?.groups;

function succeeded(result: CommandResult): void {
  if (result.code !== 0) throw new Error(result.all);
}

/** Returns the output without the terminal's line breaks. */
function refused({ code, all }: CommandResult): string {
  expect(code).toBeGreaterThan(0);
  return all.replace(/\s+/g, " ");
}

test("preview and up refuse a mass revocation with nothing sent, and it can be raised for one run", async () => {
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  const env = environmentOf(simulator);
  stack = await Stack.create({ program: program(GROUPS), env });
  await stack.config("identity:maxRevocations", "2");
  succeeded(await stack.up());
  simulator.reset();

  stack.write(program([GROUP_ADMINS], [LOST_PHONE_CREDENTIAL_ID]));
  const advice = "run the same command with IDENTITY_MAX_REVOCATIONS=3.";
  for (const result of [await stack.preview(), await stack.up({ args: ["--skip-preview=false"] })]) {
    const text = refused(result);
    expect(text).toContain("his run would revoke at least 3 grants and device credentials");
    expect(text).toContain(advice);
  }
  expect(simulator.requests()).toEqual([]);

  succeeded(await stack.up({ env: { IDENTITY_MAX_REVOCATIONS: "3" } }));
  expect(groupsOfRole()).toEqual([GROUP_ADMINS]);

  // A preview doesn't know deletes, so the run itself refuses them.
  stack.write("");
  const none = { env: { IDENTITY_MAX_REVOCATIONS: "0" } };
  succeeded(await stack.preview(none));
  for (const result of [await stack.up(none), await stack.destroy(none)]) {
    expect(refused(result)).toContain("run the same command with IDENTITY_MAX_REVOCATIONS=1.");
  }
  expect(groupsOfRole()).toEqual([GROUP_ADMINS]);
  succeeded(await stack.destroy());
  expect(groupsOfRole()).toEqual([]);
});
