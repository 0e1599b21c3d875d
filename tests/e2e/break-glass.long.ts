import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import { type CommandResult, environmentOf, Stack, succeeded } from "../../testkit/stack";
import { linkPackages } from "./linked-packages";

/* docs/temporary-access.md, with examples/break-glass and the script that ends grants as they stand. */

const example = resolve(__dirname, "../../examples/break-glass");
const expire = resolve(__dirname, "../../examples/pipelines/shell/expire.sh");
const textOf = (file: string) => readFileSync(join(example, file), "utf8");
const seed = JSON.parse(textOf("seed.json")) as SeedInput;
const [{ id: ON_CALL }] = seed.groups as [{ id: string }];
const OTHER = "grp_8HvYs4eMk3ZpLfDr6tXbNj";

let simulator: Simulator;
let stack: Stack;

beforeAll(async () => {
  const groups = [...(seed.groups ?? []), { id: OTHER, name: "support-desk" }];
  simulator = await startSimulator({ seed: { ...seed, groups } });
  stack = await Stack.create({ language: "ts", program: textOf("index.ts"), env: environmentOf(simulator) });
  linkPackages(stack.folder);
  const project = textOf("Pulumi.yaml").replace(/^name: .*$/m, "name: test");
  writeFileSync(join(stack.folder, "Pulumi.yaml"), project);
  copyFileSync(join(example, "rules.yaml"), join(stack.folder, "rules.yaml"));
});

afterAll(async () => {
  stack.remove();
  await simulator.close();
});

const HOUR = 3_600_000;
const command = (line: string) => stack.shell(`node_modules/.bin/pulumi-identity ${line}`);
const until = (end: string) => stack.config("test:breakGlassUntil", end);
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const holders = () => simulator.state().roles[0]?.groups ?? [];
const pastAt = (moment: number) =>
  new Promise((done) => setTimeout(done, Math.max(0, moment - Date.now()) + 100));

function exits(result: CommandResult, code: number): string {
  if (result.code !== code) throw new Error(result.all);
  return result.all.replace(/\s+/g, " ");
}

test("nothing is granted while nobody has set an end", async () => {
  succeeded(await stack.up());
  expect(holders()).toEqual([]);
});

test("the group gets the role for some hours, which the rules allow and the audit shows", async () => {
  // The page's own command.
  const set =
    "pulumi config set breakGlassUntil \"$(node -p 'new Date(Date.now() + 4 * 3600e3).toISOString()')\"";
  succeeded(await stack.shell(set));
  const reviewed = exits(await command("review --rules rules.yaml --fail-on rules --people"), 0);
  expect(reviewed).toContain("➕ 1 grant");
  expect(reviewed).toContain("Nothing breaks `rules.yaml`");
  expect(reviewed).toContain("1 person: `auth0");
  succeeded(await stack.up());
  expect(holders()).toEqual([ON_CALL]);

  const audit = exits(await command("access --rules rules.yaml --ends-within 4h --fail-on rules,ends"), 3);
  expect(audit).toContain("Nothing breaks the rules of rules.yaml");
  expect(audit).toMatch(
    /Ends within 4 hours \S+, in 3 hours break-glass-admin on-call break-glass \(index\.ts:\d+\) in test\/test change until \(index\.ts:\d+\)/,
  );
  expect(audit).toContain("Found what --fail-on names: ends.");
});

test("an end too far ahead breaks the rule", async () => {
  await until(inHours(72));
  const refused = exits(await command("review --rules rules.yaml --fail-on rules"), 3);
  expect(refused).toContain("allows 1 day ahead at most");
});

test("after the end, the scheduled run takes the role away, and a later one has nothing to do", async () => {
  const end = Date.now() + 25_000;
  // On a clock in another zone.
  await until(new Date(end + 2 * HOUR).toISOString().replace("Z", "+02:00"));
  succeeded(await stack.up());
  expect(holders()).toEqual([ON_CALL]);
  await pastAt(end);
  const audit = exits(await command("access --ends-within 1h --fail-on expired"), 3);
  expect(audit).toContain("ago: the next run takes it away");

  expect(exits(await stack.shell(expire), 0)).toContain("➖ 1 revocation");
  expect(holders()).toEqual([]);
  const after = exits(await command("access --ends-within 1h --fail-on expired,ends"), 0);
  expect(after).toContain("No grant ends within 1 hour");
  simulator.reset();
  expect(exits(await stack.up(), 0)).toContain("it gives the role to no group until it is prolonged");
  expect(simulator.log()).toEqual([]);
});

test("an end that is this moment takes the role away early", async () => {
  await until(inHours(2));
  succeeded(await stack.up());
  expect(holders()).toEqual([ON_CALL]);
  succeeded(await stack.shell("pulumi config set breakGlassUntil \"$(node -p 'new Date().toISOString()')\""));
  expect(exits(await stack.up(), 0)).toContain(`− ${ON_CALL}, since it ended`);
  expect(holders()).toEqual([]);
});

test("the next end gives the role again, and no run takes away more than that one grant", async () => {
  await until(inHours(2));
  stack.write(textOf("index.ts").replace(`"${ON_CALL}"]`, `"${ON_CALL}", "${OTHER}"]`));
  const broken = exits(await command("review --rules rules.yaml --fail-on rules"), 3);
  expect(broken).toContain("support-desk");
  succeeded(await stack.up());
  expect(holders()).toHaveLength(2);

  await until("2020-12-31T18:00:00+01:00");
  const limited = await stack.up();
  expect(limited.code).toBeGreaterThan(0);
  expect(limited.all.replace(/\s+/g, " ")).toContain("(IDENTITY_MAX_REVOCATIONS) allows 1.");
  expect(holders()).toHaveLength(2);
});

test("a time that stands without quotes in the configuration is refused before anything is sent", async () => {
  const file = join(stack.folder, "Pulumi.test.yaml");
  const plain = readFileSync(file, "utf8").replace(/(breakGlassUntil): .*/, "$1: 2026-12-01T18:00:00+01:00");
  writeFileSync(file, plain);
  simulator.reset();
  const refused = await stack.preview();
  expect(refused.code).toBeGreaterThan(0);
  expect(refused.all.replace(/\s+/g, " ")).toContain("must be in quotes in the stack's configuration file");
  expect(simulator.log()).toEqual([]);
});
