import { setTimeout } from "node:timers/promises";
import { startSimulator } from "../../simulator";
import { describePlan, planOf } from "../kill-rounds/plan";
import { runRound } from "../kill-rounds/round";
import { NEW_SEED } from "../../testkit/properties";
import { environmentOf, Stack } from "../../testkit/stack";

/** Four of the rounds of `npm run kill-rounds`: two that are always the same, and two new ones. */
const FIXED_SEEDS = [24_000, 24_005];
const seeds = [...FIXED_SEEDS, NEW_SEED, NEW_SEED + 5];

// A round is a dozen commands of the CLI.

test.each(seeds)("npm run kill-rounds -- --rounds 1 --seed %i", async (seed) => {
  const plan = planOf(seed);
  const outcome = await runRound(plan).catch((error: Error) => {
    throw new Error(`${describePlan(plan)}: ${error.message}`);
  });
  console.log(`${describePlan(plan)}: ${JSON.stringify(outcome)}`);
});

/** The program of docs/recovery.md for pipelines. */
const LOOKS_UP = `
const { ConnectionProfile, getConnectionProfiles } = require("pulumi-identity");
module.exports = async () => {
  const { connectionProfiles } = await getConnectionProfiles();
  for (const name of ["one", "two", "three"]) {
    const found = connectionProfiles.find((profile) => profile.name === name);
    new ConnectionProfile(name, { name, adopt: found?.id, deleteOnDestroy: true });
  }
};`;

/* The risk of PULUMI_SKIP_CHECKPOINTS, and the way back, as in docs/scale.md. */
test("without checkpoints a killed run leaves nothing in state; a program that looks profiles up adopts each, and makes no twin", async () => {
  const simulator = await startSimulator();
  const stack = await Stack.create({ program: LOOKS_UP, env: environmentOf(simulator) });
  const profiles = () => simulator.state().connection_profiles.map(({ id }) => id);
  try {
    // Two creates are answered; everything is killed during the third.
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

    const made = profiles();
    await stack.pulumi(["cancel", "--yes"]);
    const recovered = await stack.up();
    expect({ code: recovered.code, all: recovered.all }).toMatchObject({ code: 0 });
    expect(profiles()).toEqual(made);
    // The next run finds them, and keeps them.
    expect(await stack.preview({ args: ["--expect-no-changes"] })).toMatchObject({ code: 0 });
  } finally {
    stack.remove();
    await simulator.close();
  }
});
