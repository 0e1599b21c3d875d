import { setTimeout } from "node:timers/promises";
import { startSimulator } from "../../simulator";
import { describePlan, planOf } from "../kill-rounds/plan";
import { RecoveryPage } from "../kill-rounds/recovery-page";
import { runRound } from "../kill-rounds/round";
import { NEW_SEED } from "../../testkit/properties";
import { environmentOf, Stack } from "../../testkit/stack";

/**
 * Three of the rounds of `npm run kill-rounds`: a new one, and two that are always the same. These adopt
 * profiles through the classes, and destroy through YAML.
 */
const FIXED_SEEDS = [24_048, 24_059];
const seeds = [...FIXED_SEEDS, NEW_SEED];

const page = new RecoveryPage();

// A round is a dozen commands of the CLI.

test.each(seeds)("npm run kill-rounds -- --rounds 1 --seed %i", async (seed) => {
  const plan = planOf(seed);
  const outcome = await runRound(plan, page).catch((error: Error) => {
    throw new Error(`${describePlan(plan)}: ${error.message}`);
  });
  console.log(`${describePlan(plan)}: ${JSON.stringify(outcome)}`);
});

/* The risk of PULUMI_SKIP_CHECKPOINTS, and the way back, as in docs/scale.md. */
test("without checkpoints a killed run leaves nothing in state; a program that looks profiles up adopts each, and makes no twin", async () => {
  const simulator = await startSimulator();
  const stack = await Stack.create({
    program: page.take("look-up"),
    language: "ts",
    env: environmentOf(simulator),
  });
  const profiles = () => simulator.state().connection_profiles.map(({ id }) => id);
  try {
    // One create is answered; everything is killed during the other.
    const path = "/api/v2/connection-profiles";
    simulator.fail({ method: "POST", path, after: 1, action: { delay: 60_000 } });
    const interrupted = stack.up({
      args: ["--parallel", "1"],
      env: { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" },
    });
    while (profiles().length < 2) await setTimeout(50);
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

test("each block of docs/recovery.md has run above", () => {
  expect(page.left()).toEqual([]);
});

test.each([
  ["a block without a name", "```sh\ntrue\n```\n", "A block of docs/recovery.md has no name:"],
  [
    "two of one name",
    "<!-- block: a -->\n\n```sh\ntrue\n```\n".repeat(2),
    "Two blocks of docs/recovery.md share a name.",
  ],
])("%s is refused", (_what, text, message) => {
  expect(() => new RecoveryPage(text)).toThrow(message);
});
