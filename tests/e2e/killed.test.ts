import { setTimeout } from "node:timers/promises";
import { type Simulator, startSimulator } from "../../simulator";
import { type CommandResult, environmentOf, Stack } from "./stack";

/** A run killed during a create leaves a profile that no state knows; messages lead the user back to it. */
let simulator: Simulator;
const stacks: Stack[] = [];

const program = (adopt = "") => `
const { ConnectionProfile } = require("pulumi-identity");
new ConnectionProfile("enterprise", { name: "enterprise", enabledFeatures: ["scim"]${adopt} });`;

afterEach(async () => {
  for (const stack of stacks.splice(0)) stack.remove();
  await simulator.close();
});

test("after a killed create the next up names the profile, and adopt takes it over", async () => {
  simulator = await startSimulator();
  const stack = await Stack.create({
    program: program(),
    env: environmentOf(simulator),
  });
  stacks.push(stack);
  // The service has created the profile, but its answer is still on the way when everything is killed.
  simulator.fail({ method: "POST", path: "/api/v2/connection-profiles", action: { delay: 60_000 } });
  const interrupted: Promise<CommandResult> = stack.up();
  while (simulator.state().connection_profiles.length === 0) await setTimeout(50);
  stack.kill();
  expect((await interrupted).code).not.toBe(0);
  simulator.reset();
  const id = simulator.state().connection_profiles[0]?.id as string;

  // Release the killed run's lock.
  await stack.pulumi(["cancel", "--yes"]);
  const again = await stack.up();
  expect(again.code).not.toBe(0);
  expect(again.all).toContain(`already holds the connection profile ${id} named "enterprise"`);
  expect(again.all).toContain(`add adopt: "${id}"`);
  expect(simulator.state().connection_profiles).toHaveLength(1);

  stack.write(program(`, adopt: "${id}", deleteOnDestroy: true`));
  const adopted = await stack.up();
  if (adopted.code !== 0) throw new Error(adopted.all);
  expect((await stack.preview({ args: ["--expect-no-changes"] })).code).toBe(0);
  expect((await stack.destroy()).code).toBe(0);
  expect(simulator.state().connection_profiles).toEqual([]);
});
