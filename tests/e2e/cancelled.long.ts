import { setTimeout } from "node:timers/promises";
import { recordsOf, type Simulator, startSimulator } from "../../simulator";
import { DEFAULT_SEED } from "../../simulator/default-seed";
import { type CommandResult, environmentOf, Stack } from "../../testkit/stack";

/*
 * A run that is cancelled or killed sends nothing more, and leaves no provider host behind; through either
 * door. Messages lead to what no state knows.
 */
const COUNT = 12;
const yaml = (count: number) => {
  const profiles = Array.from(
    { length: count },
    (_, i) => `  p${i}: { type: "identity:ConnectionProfile", properties: { name: p${i} } }\n`,
  );
  return `resources:\n${profiles.join("")}`;
};
const PROGRAMS = {
  js: `
const { ConnectionProfile } = require("pulumi-identity");
for (let i = 0; i < ${COUNT}; i++) new ConnectionProfile("p" + i, { name: "p" + i });`,
  yaml: yaml(COUNT),
} as const;
type Language = keyof typeof PROGRAMS;

let simulator: Simulator;
let stack: Stack;

beforeEach(async () => {
  // Two are created at once, and the next one must wait for 20 s.
  simulator = await startSimulator({ rate: { burst: 2, perSecond: 0.05 } });
});

/** The same tenant, without a limit that anything could meet. */
async function liftLimit(): Promise<void> {
  const seed = { ...DEFAULT_SEED, ...recordsOf(simulator.state()) };
  const port = Number(new URL(simulator.url).port);
  await simulator.close();
  simulator = await startSimulator({ port, seed, rate: { burst: 1_000, perSecond: 1_000 } });
}

async function start(language: Language, program: string = PROGRAMS[language]): Promise<void> {
  stack = await Stack.create({
    program,
    language,
    leaveProcesses: true,
    env: environmentOf(simulator),
  });
}

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

test.each(["js", "yaml"] as const)("%s: after Ctrl-C nothing that waits is sent", async (language) => {
  await start(language);
  const run = stack.up();
  await profilesMade(2, run);
  stack.signal("SIGINT");
  const signalled = Date.now();

  const { code, all } = await run;

  expect(code).not.toBe(0);
  expect(all).toContain("POST /connection-profiles was not sent: the run was cancelled.");
  await untilNoHostLives();
  // Each existing one was requested before the signal, and state knows it.
  const made = profileIds();
  expect(posts().filter(({ at }) => at > signalled)).toEqual([]);
  expect(await managedIds()).toEqual(made);
  expect(made.length).toBeLessThan(COUNT);
});

test.each(["js", "yaml"] as const)(
  "%s: after SIGKILL of the CLI nothing that waits is sent, and no provider host lives on",
  async (language) => {
    await start(language);
    const run = stack.up();
    await profilesMade(2, run);
    stack.signal("SIGKILL");
    const killed = Date.now();

    await untilNoHostLives();

    expect(posts().filter(({ at }) => at > killed)).toEqual([]);
    expect(profileIds()).toHaveLength(2);
    // The language host survives, and would keep the output open.
    stack.kill();
    await run;
  },
);

test("yaml: a second Ctrl-C ends the run at once", async () => {
  await start("yaml");
  simulator.fail({ method: "POST", path: "/api/v2/connection-profiles", action: { delay: 120_000 } });
  const run = stack.up();
  await profilesMade(1, run);
  stack.signal("SIGINT");
  await setTimeout(300);
  stack.signal("SIGINT");
  const signalled = Date.now();

  expect((await run).code).not.toBe(0);

  expect(Date.now() - signalled).toBeLessThan(60_000);
  await untilNoHostLives();
});

test("yaml: after a killed create the next up names the profile, and adopt takes it over", async () => {
  await start("yaml", yaml(1));
  // The service has created the profile, but its answer is still on the way when everything is killed.
  simulator.fail({ method: "POST", path: "/api/v2/connection-profiles", action: { delay: 60_000 } });
  const interrupted = stack.up();
  await profilesMade(1, interrupted);
  stack.kill();
  expect((await interrupted).code).not.toBe(0);
  await liftLimit();
  const [id = ""] = profileIds();

  // Release the killed run's lock.
  await stack.pulumi(["cancel", "--yes"]);
  const again = await stack.up();
  expect(again.code).not.toBe(0);
  expect(again.all).toContain(`already holds the connection profile ${id} named "p0"`);
  expect(again.all).toContain(`add adopt: "${id}"`);
  expect(profileIds()).toEqual([id]);

  stack.write(yaml(1).replace("name: p0", `name: p0, adopt: ${id}`));
  const adopted = await stack.up();
  if (adopted.code !== 0) throw new Error(adopted.all);
  expect(profileIds()).toEqual([id]);
  expect(await managedIds()).toEqual([id]);
});

test("yaml: a killed plugin fails the run, and the next one goes on from what was made", async () => {
  await start("yaml");
  const run = stack.up();
  await profilesMade(2, run);
  // What is made is known once the engine has written it down.
  while ((await managedIds()).length < 2) await setTimeout(20);
  stack.signalHosts("SIGKILL");

  expect((await run).code).not.toBe(0);

  expect(await managedIds()).toEqual(profileIds());
  const next = await stack.preview();
  expect(next.code).toBe(0);
  expect(next.stdout).toContain(`+ ${COUNT - 2} to create`);
});

/** Fails, rather than waits forever, if the run ends first. */
async function profilesMade(count: number, run: Promise<CommandResult>): Promise<void> {
  let result: CommandResult | undefined;
  void run.then((ended) => (result = ended));
  while (profileIds().length < count) {
    if (result !== undefined) throw new Error(result.all);
    await setTimeout(20);
  }
}

async function untilNoHostLives(): Promise<void> {
  while (stack.hosts().length > 0) await setTimeout(100);
}

function posts() {
  return simulator.requests().filter(({ path }) => path.startsWith("/api/v2/connection-profiles"));
}

function profileIds(): string[] {
  return simulator
    .state()
    .connection_profiles.map(({ id }) => String(id))
    .sort();
}

async function managedIds(): Promise<string[]> {
  const { resources } = await stack.state();
  return resources
    .filter(({ type }) => type.endsWith("ConnectionProfile"))
    .map(({ id }) => String(id))
    .sort();
}
