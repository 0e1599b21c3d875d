import { setTimeout } from "node:timers/promises";
import { type Simulator, startSimulator } from "../../simulator";
import { Stack } from "./stack";

/** What PULUMI_SKIP_CHECKPOINTS risks, and the way back, as docs/scale.md tells it. */
let simulator: Simulator;
let stack: Stack;

const PROGRAM = `
const { ConnectionProfile } = require("pulumi-identity");
for (const name of ["one", "two", "three"]) new ConnectionProfile(name, { name });`;

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

test("without checkpoints a killed run leaves nothing in state; a careful up creates none again and names each", async () => {
  simulator = await startSimulator();
  stack = await Stack.create({
    program: PROGRAM,
    env: {
      IDENTITY_DOMAIN: simulator.url,
      IDENTITY_CLIENT_ID: simulator.clientId,
      IDENTITY_CLIENT_SECRET: simulator.clientSecret,
    },
  });
  const profiles = () => simulator.state().connection_profiles;
  // Two creates are answered; everything is killed while the third is under way.
  const path = "/api/v2/connection-profiles";
  simulator.fail({ method: "POST", path, after: 2, action: { delay: 60_000 } });
  const interrupted = stack.up({
    args: ["--parallel", "1"],
    env: { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" },
  });
  while (profiles().length < 3) await setTimeout(50);
  stack.kill();
  expect((await interrupted).code).not.toBe(0);
  simulator.reset();
  expect(await stack.state()).toMatchObject({ resources: [] });

  await stack.pulumi(["cancel", "--yes"]);
  const careful = await stack.up({
    args: ["--continue-on-error"],
    env: { IDENTITY_UNIQUE_PROFILE_NAMES: "true" },
  });
  expect(careful.code).not.toBe(0);
  for (const { id } of profiles()) expect(careful.all).toContain(`add adopt: "${String(id)}"`);
  expect(profiles()).toHaveLength(3);
});
