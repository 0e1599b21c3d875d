/**
 * `npm run demo`: the quickstart program goes through its whole life on a simulated tenant, with the real
 * Pulumi CLI. It deletes nothing for good: a program of its own does that. Every printed number is counted,
 * and every claim checked. `npm run demo -- --verbose` shows the CLI's output in full, and the requests.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual, parseArgs, promisify, styleText } from "node:util";
import { formatted } from "../cli/access/formats";
import { hanging, PLAIN } from "../cli/terminal";
import { type AccessJson, accessSchema } from "../cli/access/model";
import { type ReviewJson, reviewSchema } from "../provider/review/model";
import { runBin } from "../testkit/cli/bin";
import { type CommandResult, environmentOf, Stack } from "../testkit/stack";
import { type LoggedRequest, type Simulator, startSimulator } from "../simulator";
import { CONTRACTORS, PHONE, USER_ID, VIEWER } from "../simulator/default-seed";
import { call, caller, tokenRequest } from "../testkit/test-client";

const PROGRAM = "examples/quickstart";
/** Reads whose phone is lost, and what it can do. */
const LOST_DEVICE = "examples/lost-device";
/** In another stack: deletes the phone's credential. */
const REMOVAL = "examples/device-credential-removal";

/** In a third stack: a team that writes YAML. */
const CONTRACTORS_YAML = `resources:
  contractors:
    type: identity:RoleGroupAssignment
    properties:
      roleId: ${VIEWER}
      groupIds: [${CONTRACTORS}]
`;
const untilLine = (day: string) => `      until: "${day}"\n`;

const KINDS = ["ConnectionProfile", "RoleGroupAssignment"];

/** A claim of the demo turned out false. */
class DemoFailure extends Error {}

function claim(isTrue: boolean, sentence: string): asserts isTrue {
  if (!isTrue) throw new DemoFailure(sentence);
}

const styled = process.stdout.isTTY && !process.env["NO_COLOR"];
const bold = (text: string) => (styled ? styleText("bold", text) : text);
const dim = (text: string) => (styled ? styleText("dim", text) : text);

function say(...lines: string[]): void {
  for (const line of lines) console.log(line);
}

/** Of the narrowest terminal that people use. */
const WIDTH = 80;

/** Says what a command has made for this width. */
function sayNarrow(text: string): void {
  say(...text.split("\n").flatMap((line) => (line === "" ? [] : `  ${line}`)));
}

/** Says what a command has said, two columns further in. */
function sayOutput(lines: readonly string[], look = (line: string) => line): void {
  for (const line of lines) {
    const indent = line.length - line.trimStart().length + 2;
    if (line !== "") say(...hanging(line.trim(), indent, WIDTH).map(look));
  }
}

/** Requests without their ids and queries, by sender. */
interface Requests {
  /** From the resources, in Pulumi's process for providers. */
  resources: string[];
  /** From the program itself, which looks up a role and groups by name. */
  lookups: string[];
}

const TOKEN = "POST /oauth/token";

/** Splits by token: only the program lists roles and groups, and its process has its own token. */
function requestsOf(log: readonly LoggedRequest[]): Requests {
  const failed = log.filter(({ status }) => status < 200 || status > 299);
  claim(failed.length === 0, `The tenant refused a request: ${JSON.stringify(failed)}.`);
  const calls = log.map(({ method, path }) => `${method} ${withoutIds(path)}`);
  const isLookup = (call: string) => ["GET /roles", "GET /groups"].includes(call);
  const lookups = calls.filter(isLookup);
  const resources = calls.filter((call) => !isLookup(call));
  if (lookups.length > 0) {
    claim(resources.includes(TOKEN), "The program's lookups were answered without a token.");
    resources.splice(resources.lastIndexOf(TOKEN), 1);
    lookups.unshift(TOKEN);
  }
  return { resources, lookups };
}

/** `/api/v2/roles/rol_4hNkVx8QmTz2bRcW/groups?take=100` → `/roles/{id}/groups` */
function withoutIds(path: string): string {
  const [, kind, below] = /^\/api\/v2(\/[^/?]+)(\/[^?]+)?/.exec(path) ?? [];
  return kind === undefined ? path : kind + (below ?? "").replace(/^\/[^/]+/, "/{id}");
}

/** `GET /roles, GET /groups/{id} × 2` */
function counted(requests: readonly string[]): string {
  const numbers = new Map<string, number>();
  for (const request of requests) numbers.set(request, (numbers.get(request) ?? 0) + 1);
  return [...numbers]
    .map(([request, number]) => (number === 1 ? request : `${request} × ${number}`))
    .join(", ");
}

function sayRequests({ resources, lookups }: Requests): void {
  const line = (who: string, requests: string[]) =>
    `Requests of the ${who}: ${requests.length}${requests.length > 0 ? ` (${counted(requests)})` : ""}`;
  sayOutput([line("resources", resources)], dim);
  if (lookups.length > 0) sayOutput([line("program's lookups", lookups)], dim);
}

/** Keeps the lines of the CLI's output about its actions, only the last for each resource. */
function matter(output: string): string[] {
  const resources = new Map<string, string>();
  const told: string[] = [];
  const summary: string[] = [];
  let section = "";
  for (const line of output.split("\n")) {
    section = /^(\w[\w ]*):\s*$/.exec(line)?.[1] ?? section;
    const [, sign = "", kind, name, rest = ""] =
      /^\s*([+~-]*)\s+(?:pulumi-nodejs:dynamic\/identity|identity:index):(\w+) (\S+)(.*)$/.exec(line) ?? [];
    if (kind !== undefined && name !== undefined) {
      // A plugin's lines are here too.
      const done = rest
        .replace(/\(\S+s\) ?/, "")
        .replace(new RegExp(`;? ?${name}: .*$`), "")
        .trim();
      // A refresh also names resources that it leaves alone.
      if (sign !== "")
        resources.set(name, `${sign.padEnd(2)}${kind} ${name}${done === "" ? "" : ` ${done}`}`);
    } else if (section === "Resources" && /^ {4}\S/.test(line)) summary.push(line.trim());
    // The JSON at the end of some lines is for `review`.
    else if (section === "Diagnostics" && /^ {4}\S/.test(line))
      told.push(line.trim().replace(/ \{".*\}$/, ""));
  }
  return [...resources.values(), ...told, `${summary.join(", ")} (with the stack itself)`];
}

type State = ReturnType<Simulator["state"]>;

/** Returns each group's roles as pairs. */
const edges = ({ roles }: State) =>
  roles.flatMap((role) => role.groups.map((group) => `${String(role.id)} ${group}`));

/** Compares two states of a tenant, in the terms of a review. */
function changed(before: State, after: State) {
  const credentials = (state: State) => state.device_credentials.map(({ id }) => id);
  const profiles = (state: State) => state.connection_profiles.map(({ name }) => String(name));
  const without = (all: string[], some: string[]) => all.filter((one) => !some.includes(one)).sort();
  return {
    gained: without(edges(after), edges(before)),
    lost: without(edges(before), edges(after)),
    removed: without(credentials(before), credentials(after)),
    profiles: without(profiles(after), profiles(before)),
  };
}

/** Returns a review's claims in the same terms. */
function reviewed({ access, removals, profiles }: ReviewJson): ReturnType<typeof changed> {
  const edges = (wanted: string) =>
    access
      .filter(({ effect }) => effect === wanted)
      .map(({ role, group }) => `${role} ${group}`)
      .sort();
  const names = profiles.flatMap(({ changes }) => changes.filter(({ path }) => path === "name"));
  return {
    gained: edges("gains"),
    lost: edges("loses"),
    removed: removals.map(({ id }) => id).sort(),
    profiles: names.map(({ after }) => String(after)).sort(),
  };
}

/** Returns the day this many days from now, in UTC. */
function day(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

class Demo {
  readonly #started = Date.now();

  constructor(
    private readonly simulator: Simulator,
    private readonly stack: Stack,
    private readonly removal: Stack,
    private readonly contractors: Stack,
    private readonly verbose: boolean,
  ) {}

  async run(): Promise<void> {
    const { simulator, stack } = this;
    const before = this.#tenant();
    say(
      `The program ${bold(`${PROGRAM}/index.ts`)} assigns a role to two groups, finds`,
      "all three by name, and creates a connection profile. It deletes nothing.",
      `The tenant is a simulator at ${simulator.url}; Pulumi is the real CLI.`,
    );
    this.#sayTenant();

    this.#title(
      "1. What would happen to access?",
      "npx --no pulumi-identity review --stack test --json reviewed.json",
    );
    const state = simulator.state();
    const reviewFile = join(tmpdir(), "reviewed.json");
    const plan = await this.#review(reviewFile);

    this.#title("2. Do that, and nothing else.", "IDENTITY_REVIEW_FILE=reviewed.json pulumi up");
    const { requests: created } = await this.#step(stack.up({ env: { IDENTITY_REVIEW_FILE: reviewFile } }));
    claim(
      created.resources.filter((request) => request === TOKEN).length === 1 &&
        created.resources.length === 1 + KINDS.length,
      "Creating didn't take one request for each resource and one for a token.",
    );
    this.#sayTenant();
    const wanted = this.#tenant();
    claim(!isDeepStrictEqual(wanted, before), "The tenant is the same as before.");
    const became = changed(state, simulator.state());
    claim(isDeepStrictEqual(became, reviewed(plan)), "The tenant differs from the review.");
    say("  That is what the review said, and nothing else.");

    this.#title("3. Again, with nothing to do.", "pulumi up --expect-no-changes");
    const { requests: second } = await this.#step(stack.up({ args: ["--expect-no-changes"] }));
    claim(second.resources.length === 0, "The resources sent requests though nothing had changed.");
    claim(isDeepStrictEqual(this.#tenant(), wanted), "The second up changed the tenant.");

    this.#title("4. Meanwhile somebody changes the tenant by hand.");
    const applied = simulator.state();
    await this.#drift();
    const drifted = changed(applied, simulator.state());

    this.#title("5. Who has lost access?", "npx --no pulumi-identity review --stack test --drift");
    const drift = await this.#review(join(tmpdir(), "drift.json"), ["--drift"]);
    claim(isDeepStrictEqual(reviewed(drift), drifted), "The review lacks the changes made by hand.");

    this.#title(
      "6. Who has which role, and why?",
      "pulumi stack export | npx --no pulumi-identity access --state -",
    );
    const held = edges(simulator.state());
    const { roles } = await this.#access([stack]);
    const told = (isDrift: boolean) =>
      roles.flatMap(({ id, groups }) =>
        groups.flatMap((group) => ((group.status === "drift") === isDrift ? [`${id} ${group.id}`] : [])),
      );
    claim(isDeepStrictEqual(told(false).sort(), held.sort()), "The answer has other grants than the tenant.");
    claim(isDeepStrictEqual(told(true), drifted.lost), "The answer lacks the grant revoked by hand.");

    this.#title(
      "7. Held to the first review, a run refuses anything else.",
      "IDENTITY_REVIEW_FILE=reviewed.json pulumi up --refresh --target '**::enterprise'",
    );
    const args = ["--refresh", "--target", "**::enterprise"];
    await this.#refused(stack.up({ args, env: { IDENTITY_REVIEW_FILE: reviewFile } }));

    this.#title("8. Give it back.", "pulumi up --refresh");
    const { requests: repaired } = await this.#step(stack.up({ args: ["--refresh"] }));
    claim(
      repaired.resources.length === 1 + 2 + 3,
      "The repair didn't take one request for a token, two for the role, and three for the profile.",
    );
    claim(isDeepStrictEqual(this.#tenant(), wanted), "The repaired tenant differs from the program.");
    this.#sayTenant();

    this.#title(
      "9. A phone is lost. Whose, and what could a thief do with it?",
      `npx tsx index.ts '${USER_ID}'`,
    );
    await this.#lostDevice();

    this.#title(
      "10. A program of its own deletes its credential, which can't be undone.",
      "npx --no pulumi-identity review --stack test --json lost.json",
    );
    const withPhone = simulator.state();
    const lost = join(tmpdir(), "lost.json");
    const deletion = await this.#review(lost, [], this.removal);

    this.#title("11. Sign the phone out, for good.", "IDENTITY_REVIEW_FILE=lost.json pulumi up");
    await this.#step(this.removal.up({ env: { IDENTITY_REVIEW_FILE: lost } }));
    const deleted = changed(withPhone, simulator.state());
    claim(isDeepStrictEqual(deleted, reviewed(deletion)), "The tenant differs from the review.");
    claim(isDeepStrictEqual(deleted.removed, [PHONE]), "Another credential than the phone's is gone.");
    const signedOut = this.#tenant();
    say(`  Left of that user's credentials: ${signedOut.credentials.join(", ")}`);

    const [tomorrow, yesterday] = [day(1), day(-1)];
    this.#title("12. Another program, in YAML, gives a role until tomorrow.", "pulumi up");
    await this.#until(tomorrow);

    this.#title(
      "13. Who has that role, why, and how long?",
      `npx --no pulumi-identity access --state quickstart.json --state contractors.json --role ${VIEWER}`,
    );
    const [grant, ...others] = (
      await this.#access([stack, this.contractors], "--role", VIEWER)
    ).roles.flatMap(({ groups }) => groups);
    claim(
      grant?.id === CONTRACTORS && grant.by[0]?.until === tomorrow && others.length === 0,
      "The answer lacks the end of the contractors' grant.",
    );

    this.#title("14. The same line with yesterday's date, as if time had passed.", "pulumi up");
    await this.#until(yesterday);
    claim(isDeepStrictEqual(this.#tenant(), signedOut), "The tenant differs from before.");
    say("  The contractors have lost the role, and nobody else has.");

    this.#title("15. Clean up.", "pulumi destroy");
    await this.#step(stack.destroy());
    const after = this.#tenant();
    claim(after.profiles.length === 0, "A connection profile is left.");
    claim(isDeepStrictEqual(after.roles, before.roles), "The role has other groups than at the start.");
    claim(
      isDeepStrictEqual(after.credentials, signedOut.credentials),
      "Destroying changed the device credentials.",
    );
    this.#sayTenant();
    say("  The group support-desk had the role before, and keeps it.");

    say(
      "",
      bold(`All of this was checked, in ${Math.round((Date.now() - this.#started) / 1000)} s.`),
      "Next, on your own tenant: docs/start.md",
    );
  }

  /** Returns the tenant's contents by name. */
  #tenant() {
    const state = this.simulator.state();
    const groupName = (id: string) => String(state.groups.find((group) => group.id === id)?.name);
    return {
      profiles: state.connection_profiles.map(
        ({ name, enabled_features: features }) => `${String(name)} (${[features].flat().join(", ")})`,
      ),
      roles: state.roles.map(
        (role) => `${String(role.name)}: ${role.groups.map(groupName).sort().join(", ") || "none"}`,
      ),
      credentials: state.device_credentials.map(({ device_name: name }) => name as string),
    };
  }

  #sayTenant(): void {
    const { profiles, roles, credentials } = this.#tenant();
    say(
      "  On the tenant:",
      `    profiles     ${profiles.join(", ") || "none"}`,
      ...roles.map((role, index) => `    ${(index === 0 ? "roles" : "").padEnd(13)}${role}`),
      `    credentials  ${credentials.join(", ") || "none"}`,
    );
  }

  #title(title: string, command?: string): void {
    say("", bold(title));
    if (command !== undefined) sayOutput([`$ ${command}`], dim);
  }

  /** Runs a CLI command, and shows its output and the requests sent. */
  async #step(running: Promise<CommandResult>) {
    const { code, all } = await running;
    if (code !== 0) throw new DemoFailure(`The command failed. Its output:\n\n${all.trim()}\n`);
    sayOutput(this.verbose ? all.trimEnd().split("\n") : matter(all));
    const requests = requestsOf(this.simulator.requests());
    if (this.verbose) sayRequests(requests);
    this.simulator.reset();
    return { all, requests };
  }

  /** Runs a command that does something missing from the review it is held to. */
  async #refused(running: Promise<CommandResult>): Promise<void> {
    const { code, all } = await running;
    const [sentence] =
      /connection profile \S+: .*? doesn't allow that\./.exec(all.replace(/\s+/g, " ")) ?? [];
    claim(code !== 0 && sentence !== undefined, `The run was not refused. Its output:\n\n${all}`);
    sayOutput([sentence]);
    const writes = this.simulator
      .requests()
      .filter(({ method, path }) => method !== "GET" && path !== "/oauth/token");
    claim(writes.length === 0, `The run sent writes outside its review: ${JSON.stringify(writes)}.`);
    sayOutput([`Requests that change anything: ${writes.length}`], dim);
    this.simulator.reset();
  }

  /** Previews and reviews a change, or a drift, and shows the review. */
  async #review(file: string, args: string[] = [], stack = this.stack): Promise<ReviewJson> {
    const { code, stdout, all } = await stack.review({
      args: ["--format", "text", "--json", file, ...args],
      env: { COLUMNS: String(WIDTH - 2) },
    });
    if (code !== 0) throw new DemoFailure(`The review failed. Its output:\n\n${all.trim()}\n`);
    sayNarrow(stdout);
    this.#sayReads();
    return reviewSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  }

  /** Shows the owner of the lost phone, their permissions, and a line of code for each of their devices. */
  async #lostDevice(): Promise<void> {
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "index.ts", USER_ID], {
      cwd: resolve(__dirname, "..", LOST_DEVICE),
      env: { ...process.env, ...environmentOf(this.simulator) },
    });
    sayOutput(stdout.split("\n"));
    claim(stdout.includes(PHONE), "The lost phone has no line.");
    this.#sayReads();
  }

  /** Lets the third program grant the role until a day. */
  async #until(end: string): Promise<void> {
    const line = untilLine(end);
    this.contractors.write(CONTRACTORS_YAML + line);
    sayOutput([line.trim()], dim);
    await this.#step(this.contractors.up());
  }

  /** Compares the tenant with the states of stacks, and shows the answer. */
  async #access(stacks: readonly Stack[], ...args: string[]): Promise<AccessJson> {
    const { simulator } = this;
    const states: string[] = [];
    for (const [place, stack] of stacks.entries()) {
      const file = join(tmpdir(), `state-${place}.json`);
      const { stdout: exported } = await stack.pulumi(["stack", "export"]);
      writeFileSync(file, exported);
      states.push("--state", file);
    }
    const result = await runBin(environmentOf(simulator), ["access", ...states, ...args, "--format", "json"]);
    if (result.code !== 0) throw new DemoFailure(`The answer failed: ${result.stderr}`);
    const answer = accessSchema.parse(JSON.parse(result.stdout));
    sayNarrow(formatted({ ...answer, user: null }, "text", PLAIN, WIDTH - 2));
    this.#sayReads();
    return answer;
  }

  #sayReads(): void {
    const { simulator } = this;
    const requests = simulator.requests().map(({ method, path }) => `${method} ${withoutIds(path)}`);
    claim(
      requests.every((request) => request === TOKEN || request.startsWith("GET ")),
      "It sent a write.",
    );
    if (this.verbose) sayOutput([`Requests: ${requests.length} (${counted(requests)})`], dim);
    simulator.reset();
  }

  /** Changes the tenant behind Pulumi's back, with the API's own calls. */
  async #drift(): Promise<void> {
    const { simulator } = this;
    const form = new URLSearchParams(tokenRequest(simulator));
    const answer = await call(simulator.url, "POST", "/oauth/token", form);
    const api = caller(simulator, (answer.body as { access_token: string }).access_token);
    const { resources } = await this.stack.state();
    const find = (kind: string) => resources.find(({ type }) => type.endsWith(`:${kind}`));
    const profile = find("ConnectionProfile");
    const assignment = find("RoleGroupAssignment");
    const groups = assignment?.outputs?.["groupIds"] as string[];
    const renamed = await api("PATCH", `/connection-profiles/${profile?.id}`, { name: "changed by hand" });
    const taken = await api("DELETE", `/roles/${assignment?.id}/groups`, { groups: groups.slice(-1) });
    claim(renamed.status === 200 && taken.status === 204, "The tenant refused the changes by hand.");
    say("  The profile is renamed, and one of the groups loses the role.");
    simulator.reset();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { verbose: { type: "boolean", default: false } } });
  // Holds everything left over when a signal ends the demo.
  const temporary = mkdtempSync(join(tmpdir(), "pulumi-identity-demo-"));
  process.env["TMPDIR"] = temporary;
  // Killed commands may still write for a moment.
  const removeTemporary = () =>
    rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  process.once("exit", removeTemporary);
  const stopped = (signal: NodeJS.Signals) => {
    // Run after the listeners with which the stack ends its commands.
    process.off("exit", removeTemporary).once("exit", removeTemporary);
    process.exit({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal as string]);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stopped);

  const simulator = await startSimulator();
  const env = environmentOf(simulator);
  const stacks: Stack[] = [];
  const made = async (options: Parameters<typeof Stack.create>[0]) => {
    const stack = await Stack.create({ ...options, env });
    stacks.push(stack);
    return stack;
  };
  try {
    const quickstart = await made({ folder: PROGRAM });
    // Without it, the first preview doesn't name the tenant, and so can't look up names.
    await quickstart.config("identity:domain", simulator.url);
    const removal = await made({ folder: REMOVAL });
    const contractors = await made({ name: "contractors", language: "yaml" });
    await new Demo(simulator, quickstart, removal, contractors, values.verbose).run();
  } finally {
    for (const stack of stacks) stack.remove();
    await simulator.close();
  }
}

main().catch((error: unknown) => {
  const text =
    error instanceof DemoFailure ? error.message : error instanceof Error ? error.stack : String(error);
  console.error(`\nThe demo failed: ${text}`);
  process.exitCode = 1;
});
