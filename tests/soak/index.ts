import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { ConnectionProfile, getRoleGroups, getUser, Provider, RoleGroupAssignment } from "pulumi-identity";
import { ADMINS, AGENT, USER_ID, VIEWER } from "../../simulator/default-seed";
import { type InlineOutcome, runInline } from "../../testkit/inline-engine";
import { type Request } from "./tenants";

const USAGE = `Usage: node --expose-gc --import tsx tests/soak/index.ts [--runs N] [--warm-up N]

Runs inline programs of four stacks side by side in one process, previews and updates in turn: two on one tenant, one of them with
five Providers of equal settings, one on a tenant whose client gets another secret every ten rounds, one on a tenant that fails.
Fails when memory has grown since the warm-up, when a timer or a listener is left, or when a message is wrong.

What is real: the programs, the SDK's language server, gRPC, data sources, HTTP, tokens and the client. The stand-ins are the
\`pulumi\` command, which would take seconds for each run, with its provider host, a process that ends with each run; and the
tenants, which are simulated in a process of their own. The stand-in also closes the two gRPC connections of each run, which the
SDK leaves to a timer of half an hour: they would hide what this package holds.

Options:
  --runs N     How many runs, a multiple of four. Default: 2000.
  --warm-up N  Runs before memory is first measured. Default: 200.
  --growth N   Most growth of memory after that, in percent. Default: 10.
  --rest N     Seconds without a run before each measurement. Default: 6: connections that nobody uses are closed by then.
`;

const STACKS = 4;
const ROUNDS_PER_SECRET = 10;

interface Tenants {
  clientId: string;
  clientSecret: string;
  urls: [steady: string, rotating: string, failing: string];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "2000" },
      "warm-up": { type: "string", default: "200" },
      growth: { type: "string", default: "10" },
      rest: { type: "string", default: "6" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const [runs, warmUp] = [Number(values.runs), Number(values["warm-up"])];
  const settled = () => sleep(Number(values.rest) * 1_000);
  if (global.gc === undefined) throw new Error("Run it with node --expose-gc.");
  const child = fork(join(__dirname, "tenants.ts"), { execArgv: ["--import", "tsx"] });
  const [tenants] = (await once(child, "message")) as [Tenants];
  const ask = async (request: Request) => {
    child.send(request);
    await once(child, "message");
  };

  const problems: string[] = [];
  let secret = tenants.clientSecret;
  const start = performance.now();
  let [begun, warm] = [leftOvers(), memory()];
  for (let round = 0; round < runs / STACKS; round++) {
    if (round % ROUNDS_PER_SECRET === 0) {
      secret = `secret-of-round-${round}-${"x".repeat(40)}`;
      await ask("forget");
      await ask({ rotateTo: secret });
    }
    const outcomes = await roundOf(tenants, secret, round);
    problems.push(...outcomes.flatMap((outcome, stack) => problemsOf(outcome, stack, secret, round)));
    if (problems.length > 20) break;
    if ((round + 1) * STACKS === warmUp) {
      await settled();
      [begun, warm] = [leftOvers(), memory()];
      console.log(`${warmUp} runs in ${seconds(start)}: ${megabytes(warm)}`);
    }
  }
  await settled();
  const [ended, held] = [leftOvers(), memory()];
  const growth = held / warm - 1;
  console.log(`${runs} runs in ${seconds(start)}: ${megabytes(held)}, ${(growth * 100).toFixed(1)} % more`);
  console.log(`Left: ${JSON.stringify(ended)}`);
  if (growth * 100 > Number(values.growth))
    problems.push(`Memory has grown by ${(growth * 100).toFixed(1)} %.`);
  if (!isDeepStrictEqual(begun, ended))
    problems.push(`After the warm-up there were ${JSON.stringify(begun)}.`);
  for (const problem of problems) console.log(problem);
  child.disconnect();
  process.exitCode = problems.length > 0 ? 1 : 0;
}

const asConfig = ([domain, clientId, clientSecret]: [string, string, string]) => ({
  "identity:domain": domain,
  "identity:clientId": clientId,
  "identity:clientSecret": clientSecret,
});

function roundOf({ urls, clientId, clientSecret }: Tenants, secret: string, round: number) {
  const [steady, rotating, failing] = urls;
  const isPreview = round % 2 === 0;
  const run = (index: number, config: Record<string, string>, program: () => Promise<object>) =>
    runInline({ stack: `stack-${index}`, config, isPreview, program: program as never });
  return Promise.all([
    run(0, asConfig([steady, clientId, clientSecret]), async () => {
      declare();
      const { email } = await getUser({ userId: USER_ID });
      return { email };
    }),
    run(1, {}, async () => {
      const providers = ["a", "b", "c", "d", "e"].map(
        (name) => new Provider(name, { domain: steady, clientId, clientSecret }),
      );
      const users = await Promise.all(
        providers.map((provider) => getUser({ userId: USER_ID }, { provider })),
      );
      return { emails: [...new Set(users.map(({ email }) => email))] };
    }),
    run(2, asConfig([rotating, clientId, secret]), async () => {
      declare();
      const { groups } = await getRoleGroups({ roleId: AGENT });
      return { groups: groups.length };
    }),
    run(3, asConfig([failing, clientId, clientSecret]), async () => {
      declare();
      // Begun now, and awaited only later, as programs do.
      const user = getUser({ userId: USER_ID });
      await sleep(1);
      return { email: (await user).email };
    }),
  ]);
}

function declare(): void {
  new ConnectionProfile("profile", { name: "enterprise", enabledFeatures: ["scim"] });
  new RoleGroupAssignment("admins", { roleId: VIEWER, groupIds: [ADMINS] });
}

function problemsOf(outcome: InlineOutcome, stack: number, secret: string, round: number): string[] {
  const { declared, outputs, errors } = outcome;
  const text = JSON.stringify(outcome);
  const wanted = [
    declared.length === 2 && errors.length === 0 && typeof outputs["email"] === "string",
    errors.length === 0 && (outputs["emails"] as unknown[] | undefined)?.length === 1,
    declared.length === 2 && errors.length === 0 && outputs["groups"] === 1,
    errors.length > 0 &&
      errors.every((error) => /getUser\(.*\) on 127\.0\.0\.1:\d+: GET \/users\/.* answered 500/.test(error)),
  ][stack];
  const isTold = text.includes(secret);
  if (wanted === true && !isTold) return [];
  return [
    `Round ${round}, stack ${stack}${isTold ? ", told a secret" : ""}: ${text.replaceAll(secret, "[secret]")}`,
  ];
}

function memory(): number {
  for (let i = 0; i < 4; i++) global.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns timers that keep a process alive, and listeners of the process. */
function leftOvers(): Record<string, number> {
  const timers = process
    .getActiveResourcesInfo()
    .filter((name) => name === "Timeout" || name === "Immediate");
  const listeners = process.eventNames().map((name) => [String(name), process.listenerCount(name)] as const);
  return { timers: timers.length, ...Object.fromEntries(listeners.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

const seconds = (start: number) => `${((performance.now() - start) / 1000).toFixed(0)} s`;
const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

void main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
