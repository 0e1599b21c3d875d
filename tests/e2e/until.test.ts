import { GROUP_ADMINS as ADMINS, OTHER_ROLE_ID as VIEWER } from "../../simulator/default-seed";
import { type Simulator, startSimulator } from "../../simulator";
import { reviewIn } from "./review/review";
import { type CommandResult, Stack } from "./stack";

jest.setTimeout(120_000);

/*
 * That a command has one moment, whatever its processes' own clocks say, is the doing of the real CLI and its
 * processes.
 */

const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { RoleGroupAssignment } = require("pulumi-identity");
const end = Number(process.env.END);
// Somebody takes their time to confirm the preview.
if (!pulumi.runtime.isDryRun())
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, end + 1500 - Date.now()));
new RoleGroupAssignment("a", { roleId: "${VIEWER}", groupIds: ["${ADMINS}"], until: new Date(end).toISOString() });
`;

let simulator: Simulator;
let stack: Stack;
let end: string;

beforeAll(async () => {
  simulator = await startSimulator();
  stack = await Stack.create({ program: PROGRAM });
});
afterAll(async () => {
  stack.remove();
  await simulator.close();
});

const env = () => ({
  IDENTITY_DOMAIN: simulator.url,
  IDENTITY_CLIENT_ID: simulator.clientId,
  IDENTITY_CLIENT_SECRET: simulator.clientSecret,
  END: end,
});
const succeeded = ({ code, all }: CommandResult) => expect([code, code === 0 ? "" : all]).toEqual([0, ""]);
const holders = () => simulator.state().roles.find(({ id }) => id === VIEWER)?.groups;

test("an up does what its preview has shown, also where the end comes between the two; the next one takes the role away", async () => {
  end = String(Date.now() + 6000);

  const up = await stack.up({ args: ["--skip-preview=false"], env: env() });
  succeeded(up);
  expect(up.all).toContain(`a: role ${VIEWER}: + ${ADMINS}, until ${new Date(Number(end)).toISOString()}`);
  expect(holders()).toEqual([ADMINS]);

  const preview = await stack.preview({ json: true, env: env() });
  succeeded(preview);
  const { json } = await reviewIn({}, [preview.stdout], "--format", "text");
  expect(json).toMatchObject({ counts: { loses: 1, unknown: 0 }, categories: ["revoke"] });
  succeeded(await stack.up({ env: env() }));
  expect(holders()).toEqual([]);
  succeeded(await stack.up({ args: ["--expect-no-changes"], env: env() }));
});
