import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { WRITTEN } from "../provider/pulumi/hidden-inputs";
import { SIGNATURE_KEY } from "../provider/review/raw-inputs";
import { type Simulator } from "../simulator";
import { PREVIEW } from "../cli/review/input/make-preview";
export { environmentOf } from "./simulator";
import type { PulumiCli } from "../scripts/pulumi-cli/index.mjs" with { "resolution-mode": "import" };

const repository = resolve(__dirname, "..");
const WRITTEN_AT = new RegExp(`"${WRITTEN}": ?\\d+`, "g");
const REVIEW = "dist/cli/index.js";
/** The options with which the review makes a preview. */
const FOR_REVIEW = PREVIEW.slice(1);

const YAML_HEAD = "name: test\nruntime: yaml\n";

export interface StackOptions {
  /** The program's text. It runs in its own folder, with the repository's packages installed. */
  program?: string;
  /**
   * The language of `program`; JavaScript starts faster. Default "js". YAML comes without the head of a
   * Pulumi.yaml, and runs on the plugin.
   */
  language?: "js" | "ts" | "yaml";
  /**
   * Instead of `program`: a folder with a Pulumi.yaml, relative to the repository, run in place and left
   * unchanged.
   */
  folder?: string;
  /** The checkout whose packages a program finds. Default: this one. */
  checkout?: string;
  /** Default "test". */
  name?: string;
  /** The place of the state, in the form of `PULUMI_BACKEND_URL`. Default: the stack's own folder. */
  backend?: string;
  /**
   * Environment of every command, for example IDENTITY_DOMAIN. Neither PULUMI_* nor IDENTITY_* is inherited.
   */
  env?: Record<string, string>;
  /** Time limit of one command. Default 600. */
  seconds?: number;
  /**
   * A command follows the previous one at once. Default: after a minute, when the service's reads have caught
   * up.
   */
  isNextAtOnce?: boolean;
  /** Processes started by a command live on after it, until `remove`: to see which end by themselves. */
  leaveProcesses?: boolean;
}

export interface CommandResult {
  /** Exit code; null if the command was stopped at its time limit. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** Both, in the order of arrival. */
  all: string;
}

interface CommandOptions {
  args?: string[];
  env?: Record<string, string>;
}

export interface ResourceState {
  urn: string;
  type: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  [property: string]: unknown;
}

export interface Deployment {
  resources: ResourceState[];
  pending_operations?: { type: string; resource: ResourceState }[];
}

/** A client of a simulated tenant. */
type TenantClient = Pick<Simulator, "url" | "clientId" | "clientSecret">;

/** What `pulumi stack init` has left of a stack of a name, in its home. */
const initialised = new Map<string, [file: string, text: string][]>();

/** A stack of the real Pulumi CLI, with its state, configuration, plugins and home in a temporary folder. */
export class Stack {
  /** Contains everything that the stack writes. */
  readonly home: string;
  /** The program's folder. */
  readonly folder: string;
  readonly #cli: PulumiCli;
  readonly #options: StackOptions;
  readonly #configFile: string;
  readonly #running = new Set<ChildProcess>();
  readonly #left = new Set<ChildProcess>();

  readonly #name: string;
  readonly #backend: string;

  private constructor(cli: PulumiCli, options: StackOptions) {
    this.#cli = cli;
    this.#options = options;
    this.home = mkdtempSync(join(tmpdir(), "pulumi-identity-stack-"));
    for (const name of ["state", "pulumi", "program", "user"]) mkdirSync(join(this.home, name));
    const own = join(this.home, "program");
    installPlugin(join(this.home, "pulumi"), options.checkout);
    this.#name = options.name ?? "test";
    this.#backend = options.backend ?? `file://${join(this.home, "state")}`;
    this.#configFile = join(own, `Pulumi.${this.#name}.yaml`);
    if (options.folder === undefined) {
      this.folder = own;
      // Without loading the TypeScript compiler, a JavaScript program takes two seconds of processor time
      // less.
      const runtime = { name: "nodejs", options: { typescript: options.language === "ts" } };
      if (options.language !== "yaml")
        writeFileSync(
          join(own, "Pulumi.yaml"),
          JSON.stringify({
            name: "test",
            main: this.#main,
            runtime,
          }),
        );
      // The packages resolve as for a user who has installed them, wherever the program is.
      const { checkout = repository } = options;
      symlinkSync(join(checkout, "node_modules"), join(own, "node_modules"), "junction");
      this.write(options.program ?? "");
    } else {
      this.folder = resolve(repository, options.folder);
      // `stack init` writes the stack's configuration next to Pulumi.yaml: here, not in the program's folder.
      copyFileSync(join(this.folder, "Pulumi.yaml"), join(own, "Pulumi.yaml"));
    }
  }

  static async create(options: StackOptions): Promise<Stack> {
    const stack = new Stack(await pulumiCli(), options);
    try {
      await stack.#init();
      return stack;
    } catch (error) {
      stack.remove();
      throw error;
    }
  }

  /** The command takes a quarter of a second of processor time, and leaves the same for each stack. */
  async #init(): Promise<void> {
    const { folder, backend } = this.#options;
    const own = join(this.home, "program");
    const earlier = folder === undefined && backend === undefined ? initialised.get(this.#name) : undefined;
    if (earlier !== undefined) {
      for (const [file, text] of earlier) {
        mkdirSync(dirname(join(this.home, file)), { recursive: true });
        writeFileSync(join(this.home, file), text);
      }
      const project = createHash("sha1").update(join(own, "Pulumi.yaml")).digest("hex");
      const selected = { stacks: { [this.#backend]: `organization/test/${this.#name}` } };
      mkdirSync(join(this.home, "pulumi", "workspaces"));
      writeFileSync(
        join(this.home, "pulumi", "workspaces", `test-${project}-workspace.json`),
        JSON.stringify(selected),
      );
      return;
    }
    const args = ["stack", "init", this.#name, "--non-interactive"];
    expectSuccess("pulumi stack init", await this.#run(args, {}, own));
    if (folder !== undefined || backend !== undefined) return;
    const files = readdirSync(join(this.home, "state"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    initialised.set(
      this.#name,
      [...files, this.#configFile].map((file) => [relative(this.home, file), readFileSync(file, "utf8")]),
    );
  }

  /** The same stack from another machine, as for a second pipeline. */
  checkout(): Stack {
    const other = new Stack(this.#cli, { ...this.#options, name: this.#name, backend: this.#backend });
    copyFileSync(this.#configFile, other.#configFile);
    return other;
  }

  /** Replaces the program's text. */
  write(program: string): void {
    if (this.#options.folder !== undefined) {
      throw new Error(
        `The program in ${this.#options.folder} runs as it stands; give \`program\` instead of \`folder\`.`,
      );
    }
    const head = this.#options.language === "yaml" ? YAML_HEAD : "";
    writeFileSync(join(this.folder, this.#main), head + program);
  }

  /** Switches to a program in another language. */
  rewrite(language: "js" | "yaml", program: string): void {
    this.#options.language = language;
    const runtime = { name: "nodejs", options: { typescript: false } };
    if (language === "js")
      writeFileSync(
        join(this.folder, "Pulumi.yaml"),
        JSON.stringify({ name: "test", main: "index.js", runtime }),
      );
    this.write(program);
  }

  /** `key` with its namespace: "identity:domain". */
  async config(key: string, value: string, { secret = false } = {}): Promise<CommandResult> {
    const result = await this.pulumi([
      "config",
      "set",
      ...this.#withConfig,
      secret ? "--secret" : "--plaintext",
      "--",
      key,
      value,
    ]);
    return expectSuccess(`pulumi config set ${key}`, result);
  }

  /** Configures a tenant's client, its secret encrypted. */
  async configure({ url, clientId, clientSecret }: TenantClient): Promise<void> {
    const plain = { domain: url, clientId };
    const args = Object.entries(plain).flatMap(([key, value]) => ["--plaintext", `identity:${key}=${value}`]);
    const secret = ["--secret", `identity:clientSecret=${clientSecret}`];
    const result = await this.pulumi(["config", "set-all", ...this.#withConfig, ...args, ...secret]);
    expectSuccess("pulumi config set-all", result);
  }

  async unsetConfig(key: string): Promise<CommandResult> {
    const result = await this.pulumi(["config", "rm", ...this.#withConfig, "--", key]);
    return expectSuccess(`pulumi config rm ${key}`, result);
  }

  /** `json`: the input of the review. */
  preview({
    json = false,
    args = [],
    env,
  }: CommandOptions & { json?: boolean } = {}): Promise<CommandResult> {
    return this.pulumi(["preview", ...this.#withConfig, ...(json ? FOR_REVIEW : []), ...args], { env });
  }

  /** Returns the output of `pulumi-identity review` in the program's folder. */
  review({ args = [], env = {} }: CommandOptions = {}): Promise<CommandResult> {
    const { checkout = repository } = this.#options;
    const all = [join(checkout, REVIEW), "review", "--stack", this.#name, ...args, "--", ...this.#withConfig];
    return this.#run(all, env, this.folder, process.execPath);
  }

  /** Without its own preview, unless `args` has "--skip-preview=false". */
  up({ args = [], env }: CommandOptions = {}): Promise<CommandResult> {
    return this.pulumi(["up", ...this.#withConfig, "--yes", "--skip-preview", ...args], { env });
  }

  /** Without a preview or, if `args` has "--preview-only", only a preview. */
  refresh({ args = [], env }: CommandOptions = {}): Promise<CommandResult> {
    const how = args.includes("--preview-only") ? [] : ["--yes", "--skip-preview"];
    return this.pulumi(["refresh", ...this.#withConfig, ...how, ...args], { env });
  }

  destroy({ args = [], env }: CommandOptions = {}): Promise<CommandResult> {
    return this.pulumi(["destroy", ...this.#withConfig, "--yes", "--skip-preview", ...args], { env });
  }

  /** The stack's outputs, secrets in clear. */
  async outputs(): Promise<Record<string, unknown>> {
    const { resources } = await this.state();
    const { outputs = {} } = resources.find(({ type }) => type === "pulumi:pulumi:Stack") ?? {};
    // Without a command, which would take a fifth of a second of processor time.
    if (!JSON.stringify(outputs).includes(SIGNATURE_KEY)) return outputs;
    const result = await this.pulumi(["stack", "output", "--json", "--show-secrets"]);
    return JSON.parse(expectSuccess("pulumi stack output", result).stdout) as Record<string, unknown>;
  }

  /** The contents of the state file; `showSecrets`: as exported by the CLI, in clear. */
  async state({ showSecrets = false } = {}): Promise<Deployment> {
    const deployment =
      showSecrets || !this.#backend.startsWith("file://")
        ? await this.#exported(showSecrets)
        : this.#recorded();
    return { ...deployment, resources: deployment.resources ?? [] };
  }

  async #exported(showSecrets: boolean): Promise<Partial<Deployment>> {
    const result = await this.pulumi(["stack", "export", ...(showSecrets ? ["--show-secrets"] : [])]);
    const { stdout } = expectSuccess("pulumi stack export", result);
    return (JSON.parse(stdout) as { deployment: Partial<Deployment> }).deployment;
  }

  /** Without a command, which would take half a second. */
  #recorded(): Partial<Deployment> {
    const text = readFileSync(this.#stateFiles()[0] ?? "", "utf8");
    const { checkpoint } = JSON.parse(text) as { checkpoint: { latest?: Partial<Deployment> | null } };
    return checkpoint.latest ?? {};
  }

  /** Empty if the backend isn't a folder. */
  #stateFiles(): string[] {
    if (!this.#backend.startsWith("file://")) return [];
    const stacks = join(this.#backend.slice("file://".length), ".pulumi", "stacks");
    if (!existsSync(stacks)) return [];
    return readdirSync(stacks)
      .map((project) => join(stacks, project, `${this.#name}.json`))
      .filter((file) => existsSync(file));
  }

  #letAMinutePass(): void {
    for (const file of this.#stateFiles()) {
      const text = readFileSync(file, "utf8");
      if (text.includes(WRITTEN)) writeFileSync(file, text.replaceAll(WRITTEN_AT, `"${WRITTEN}": 0`));
    }
  }

  /** Any other command on this stack, for example `["cancel", "--yes"]`. */
  pulumi(args: string[], { env }: { env?: Record<string, string> } = {}): Promise<CommandResult> {
    const [command = "", ...rest] = args;
    return this.#run([command, "--non-interactive", "--stack", this.#name, ...rest], env ?? {}, this.folder);
  }

  /** Runs a script of `sh` in the program's folder; `pulumi` is on its PATH, and the stack is selected. */
  shell(script: string): Promise<CommandResult> {
    return this.#run(["-e", "-c", script], {}, this.folder, "sh");
  }

  /** Kills everything at once, the engine and its plugins. */
  kill(): void {
    for (const child of this.#running) endSession(child);
  }

  /** Sends a signal to the running commands, but not to processes they have started. */
  signal(signal: NodeJS.Signals): void {
    for (const child of this.#running) child.kill(signal);
  }

  /** Sends a signal to the running provider hosts; with `leaveProcesses`, and on Linux only. */
  signalHosts(signal: NodeJS.Signals): void {
    send(signal, this.hosts());
  }

  /** Process ids of provider hosts that are still running; with `leaveProcesses`, and on Linux only. */
  hosts(): number[] {
    if (process.platform !== "linux") return [];
    return [...this.#left]
      .flatMap(({ pid }) => (pid === undefined ? [] : sessionMembers(pid)))
      .filter((pid) => /cmd\/dynamic-provider|pulumi-resource-identity/.test(commandOf(pid)));
  }

  /** Ends all remaining processes and removes all files. It does not destroy resources. */
  remove(): void {
    this.kill();
    for (const child of this.#left) endSession(child);
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  }

  get #main(): string {
    const { language = "js" } = this.#options;
    return language === "yaml" ? "Pulumi.yaml" : `index.${language}`;
  }

  get #withConfig(): string[] {
    return ["--config-file", this.#configFile];
  }

  #environment(): Record<string, string | undefined> {
    const inherited = Object.entries(process.env).filter(
      // NODE_ENV and JEST_* come from the test runner, not from a user's shell.
      ([name]) => !/^(PULUMI|IDENTITY|JEST|npm)_/i.test(name) && name !== "NODE_ENV",
    );
    return {
      ...Object.fromEntries(inherited),
      ...this.#cli.env,
      PATH: shellPath(this.#cli.env.PATH),
      HOME: join(this.home, "user"),
      NO_COLOR: "1",
      PULUMI_BACKEND_URL: this.#backend,
      PULUMI_CONFIG_PASSPHRASE: "test",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_HOME: join(this.home, "pulumi"),
      // `npm run check` checks the types of everything that runs here.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
  }

  #run(
    args: string[],
    env: Record<string, string>,
    cwd: string,
    bin = this.#cli.bin,
  ): Promise<CommandResult> {
    const seconds = this.#options.seconds ?? 600;
    if (this.#options.isNextAtOnce !== true) this.#letAMinutePass();
    const child = spawn(bin, args, {
      cwd,
      env: { ...this.#environment(), ...this.#options.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#running.add(child);
    const result: CommandResult = { code: null, stdout: "", stderr: "", all: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        result[stream] += text;
        result.all += text;
      });
    }
    const { leaveProcesses = false } = this.#options;
    if (leaveProcesses) this.#left.add(child);
    const onExit = () => endSession(child);
    process.once("exit", onExit);
    return new Promise<CommandResult>((resolve, reject) => {
      const limit = setTimeout(() => {
        result.all += `\n${basename(bin)} ${args[0]} was stopped: no end after ${seconds} s.`;
        endSession(child);
      }, seconds * 1000);
      child.once("error", reject);
      child.once("exit", () => {
        clearTimeout(limit);
        // A provider that outlives its engine would keep the pipes open.
        if (!leaveProcesses) endSession(child);
      });
      child.once("close", (code) => resolve({ ...result, code }));
    }).finally(() => {
      process.off("exit", onExit);
      this.#running.delete(child);
    });
  }
}

/** The PATH of a user's shell: `npm test` adds this repository's commands, of which the plugin is one. */
export function shellPath(path = ""): string {
  const folders = path.split(delimiter);
  return folders.filter((folder) => !/[\\/]node_modules[\\/]\.bin$/.test(folder)).join(delimiter);
}

/** Leaves the plugin of a checkout, as its build made it, where `pulumi plugin install` would put it. */
function installPlugin(pulumiHome: string, checkout = repository): void {
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string };
  const folder = join(pulumiHome, "plugins", `resource-identity-v${version}`);
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(checkout, "dist/provider/plugin.js"), join(folder, "pulumi-resource-identity"));
}

/** Returns the result of a command that must succeed; throws with its output otherwise. */
export function succeeded(result: CommandResult): CommandResult {
  if (result.code !== 0) throw new Error(result.all);
  return result;
}

/**
 * Throws if one of the CLI's set-up steps fails, because no test expects that. Results of `up` and the like
 * go to the test unchecked.
 */
function expectSuccess(command: string, result: CommandResult): CommandResult {
  if (result.code !== 0) {
    const code = result.code === null ? "was stopped" : `ended with code ${result.code}`;
    throw new Error(`${command} ${code}: ${result.all.trim()}`);
  }
  return result;
}

/**
 * Ends everything that a command has started. The engine gives each plugin its own process group, and plugins
 * outlive a killed engine. They only share the session that `detached` began.
 */
export function endSession(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const members = process.platform === "linux" ? sessionMembers(child.pid) : descendants(child.pid);
  send("SIGKILL", [child.pid, ...members]);
}

function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has already ended.
    }
  }
}

function sessionMembers(session: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        // pid (command) state parent group session …; a command may hold spaces and parentheses.
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(")").at(-1)?.trim().split(" ");
        return Number(fields?.[3]) === session;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Works without /proc, but finds nothing once the engine itself has ended. */
function descendants(ancestor: number): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const found = new Set([ancestor]);
  let before = 0;
  while (before !== found.size) {
    before = found.size;
    for (const row of rows) {
      const [pid = 0, parent = 0] = row.trim().split(/\s+/).map(Number);
      if (found.has(parent)) found.add(pid);
    }
  }
  found.delete(ancestor);
  return [...found];
}

let cli: Promise<PulumiCli> | undefined;

/** In its own process, because Jest can't load ES modules. `options`: of the first call, `--languages`. */
export function pulumiCli(...options: string[]): Promise<PulumiCli> {
  const script = join(repository, "scripts", "pulumi-cli", "index.mjs");
  cli ??= promisify(execFile)(process.execPath, [script, ...options]).then(
    ({ stdout }) => JSON.parse(stdout) as PulumiCli,
    (error: Error & { stderr?: string }) => {
      throw new Error(error.stderr?.trim() || error.message);
    },
  );
  return cli;
}
