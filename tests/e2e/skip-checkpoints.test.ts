import { setTimeout } from "node:timers/promises";
import { type Simulator, startSimulator } from "../../simulator";
import { environmentOf, Stack } from "./stack";

/** The risk of PULUMI_SKIP_CHECKPOINTS, and the way back, as in docs/scale.md. */
let simulator: Simulator;
let stack: Stack;

/** The program of docs/recovery.md for pipelines. */
const PROGRAM = `
const { ConnectionProfile, getConnectionProfiles } = require("pulumi-identity");
module.exports = async () => {
  const { connectionProfiles } = await getConnectionProfiles();
  for (const name of ["one", "two", "three"]) {
    const found = connectionProfiles.find((profile) => profile.name === name);
    new ConnectionProfile(name, { name, adopt: found?.id, deleteOnDestroy: true });
  }
};`;

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

test("without checkpoints a killed run leaves nothing in state; a program that looks profiles up adopts each, and makes no twin", async () => {
  simulator = await startSimulator();
  stack = await Stack.create({
    program: PROGRAM,
    env: environmentOf(simulator),
  });
  const profiles = () => simulator.state().connection_profiles;
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

  const made = profiles().map(({ id }) => id);
  await stack.pulumi(["cancel", "--yes"]);
  const recovered = await stack.up();
  expect({ code: recovered.code, all: recovered.all }).toMatchObject({ code: 0 });
  expect(profiles().map(({ id }) => id)).toEqual(made);
  expect(await stack.preview({ args: ["--expect-no-changes"] })).toMatchObject({ code: 0 });

  // The next run finds its profile and keeps it.
  stack.write(PROGRAM.replace('"three"', '"three", "four"'));
  for (let run = 0; run < 2; run++) expect(await stack.up()).toMatchObject({ code: 0 });
  expect(await stack.preview({ args: ["--expect-no-changes"] })).toMatchObject({ code: 0 });
  expect(profiles()).toHaveLength(4);
  expect(await stack.destroy()).toMatchObject({ code: 0 });
  expect(profiles()).toEqual([]);
});
