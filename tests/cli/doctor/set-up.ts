import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { doctorCommand } from "../../../cli/doctor/command";
import { type Report } from "../../../cli/doctor/report";
import { type Caller } from "../../../cli/doctor/callers";
import { allScopesOf, SCOPES as SERVICE_SCOPES } from "../../../provider/service/scopes";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator";
import { CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED } from "../../../simulator/default-seed";
import { runCommand } from "../../../testkit/cli/in-process";

const repository = resolve(__dirname, "../../..");

/** Everything the package needs, and no more. */
export const SCOPES = [...allScopesOf(Object.values(SERVICE_SCOPES).flat()), "read:role_members"].filter(
  (scope) => scope !== "read:current_user",
);

/** A folder with a program, a Pulumi CLI that answers for its stack, and a tenant. */
export class SetUp {
  readonly folder = mkdtempSync(join(tmpdir(), "doctor-"));
  /** Of Pulumi: it has no plugins. */
  readonly home = join(this.folder, "home");
  /** Of the stack `dev`, by key; `secret` as `pulumi config --json` tells it. */
  readonly config: Record<string, { value: string; secret: boolean }> = {};
  environment: Record<string, string>;

  private constructor(readonly simulator: Simulator) {
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
    symlinkSync(join(repository, "node_modules"), join(this.folder, "node_modules"));
    this.environment = {
      PATH: [join(this.folder, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
      PULUMI_HOME: this.home,
    };
    this.pulumi(`case "$1" in
      version) echo v3.257.0;;
      stack) if [ "$2" = export ]; then cat "${join(this.folder, "state.json")}"; else echo dev; fi;;
      *) cat "${join(this.folder, "config.json")}";;
    esac`);
    this.state([]);
    this.set("domain", simulator.url);
    this.set("clientId", CLIENT_ID);
    this.set("clientSecret", CLIENT_SECRET, true);
  }

  static async start({ seed = {}, ...options }: SimulatorOptions = {}): Promise<SetUp> {
    const client = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: SCOPES.join(" ") };
    return new SetUp(
      await startSimulator({ ...options, seed: { ...DEFAULT_SEED, clients: [client], ...seed } }),
    );
  }

  async end(): Promise<void> {
    rmSync(this.folder, { recursive: true });
    await this.simulator.close();
  }

  set(name: string, value: string, secret = false): void {
    this.config[`identity:${name}`] = { value, secret };
  }

  unset(...names: string[]): void {
    for (const name of names) delete this.config[`identity:${name}`];
  }

  /** Sets the stack's state. */
  state(resources: readonly object[], pending: readonly object[] = []): void {
    const deployment = { resources, pending_operations: pending };
    writeFileSync(join(this.folder, "state.json"), JSON.stringify({ version: 3, deployment }));
  }

  /** The rest of Pulumi.yaml. */
  project(lines: string): void {
    writeFileSync(join(this.folder, "Pulumi.yaml"), `name: test\n${lines}\n`);
  }

  /** Replaces the Pulumi CLI by a script of `sh`. */
  pulumi(script: string): void {
    const file = join(this.folder, "bin/pulumi");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** Sets the Pulumi CLI's answer. */
  writeConfig(): void {
    writeFileSync(join(this.folder, "config.json"), JSON.stringify(this.config));
  }

  async examine({ stack, required = [] }: { stack?: string; required?: Caller[] } = {}): Promise<Report> {
    this.writeConfig();
    return reported(this.folder, this.environment, [
      ...(stack === undefined ? [] : ["--stack", stack]),
      ...(required.length === 0 ? [] : ["--require", required.join()]),
    ]);
  }

  /** Replaces values that differ from machine to machine by names. */
  masked(report: Report): Report {
    const names: [RegExp | string, string][] = [
      [this.folder, "/FOLDER"],
      [/(127\.0\.0\.1|localhost):\d+/g, "$1:PORT"],
      [/resolves to [\w:., ]+/g, "resolves to ADDRESSES"],
      [process.versions.node, "NODE_VERSION"],
      [report.package, "VERSION"],
      [/@pulumi\/pulumi \d[\d.]+/, "@pulumi/pulumi SDK_VERSION"],
    ];
    const mask = (text: string) =>
      names.reduce((masked, [from, to]) => masked.replaceAll(...both(from, to)), text);
    return JSON.parse(
      JSON.stringify(report, (_, value: unknown) => (typeof value === "string" ? mask(value) : value)),
    ) as Report;
  }
}

/** What the command reports in a folder. */
export async function reported(
  cwd: string,
  env: NodeJS.ProcessEnv,
  options: readonly string[] = [],
): Promise<Report> {
  const { stdout } = await runCommand(doctorCommand(), ["--format", "json", ...options], { env, cwd });
  return JSON.parse(stdout) as Report;
}

function both(from: RegExp | string, to: string): [RegExp, string] {
  const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return [typeof from === "string" ? new RegExp(escaped(from), "g") : new RegExp(from, "g"), to];
}
