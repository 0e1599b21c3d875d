import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type KindName, kindOfType } from "../../provider/kinds";
import { type CommandResult, type Deployment, type ResourceState as RealState, Stack } from "../stack";
import { type Program, type UpOptions } from "../engine";
import { programText } from "../engine/program-text";
import { newState, urnOf } from "../engine/state";
import {
  type Held,
  type Known,
  type Limits,
  type Outcome,
  type Settings,
  type Stage,
  StateBroken,
} from "./stage";
import { EU } from "./universe";

/** The mark of a secret in state. */
const SECRET = "4dabf18193072939515e22adb298388d";

/** The real Pulumi CLI. */
export class RealStage implements Stage {
  readonly standIn = undefined;

  private constructor(private readonly stack: Stack) {}

  static async create(main: Settings, eu: Settings): Promise<RealStage> {
    const stack = await Stack.create({
      env: {
        EU_DOMAIN: eu["identity:domain"] ?? "",
        EU_CLIENT_ID: eu["identity:clientId"] ?? "",
        EU_CLIENT_SECRET: eu["identity:clientSecret"] ?? "",
      },
    });
    for (const [key, value] of Object.entries(main))
      await stack.config(key, value, { secret: key === "identity:clientSecret" });
    return new RealStage(stack);
  }

  async up(
    program: Program,
    options: UpOptions & { parallel: number },
    _limits?: Limits,
    held?: Held,
  ): Promise<Outcome> {
    this.stack.write(programText(program, [EU]));
    const env: Record<string, string> = held === undefined ? {} : { IDENTITY_REVIEW_FILE: held.reviewFile };
    const result = readable(await this.stack.up({ args: this.#args(program, options), env }));
    return { errors: result.code === 0 ? [] : [result.all], output: result.all };
  }

  async previewJson(program: Program, options: UpOptions): Promise<string> {
    this.stack.write(programText(program, [EU]));
    const args = this.#args(program, options);
    const { stdout, all } = readable(await this.stack.preview({ json: true, args }));
    if (stdout.trim() === "") throw new Error(all);
    return stdout;
  }

  async refresh(): Promise<string[]> {
    readable(await this.stack.refresh());
    // The tests' engine covers the rest.
    return [];
  }

  async taint(key: string): Promise<void> {
    const known = this.#recorded().find(
      (state) => keyOf(state) === key && !state["external"] && !state["delete"],
    );
    if (known !== undefined) expectSuccess(await this.stack.pulumi(["state", "taint", known.urn, "--yes"]));
  }

  async states(): Promise<Known[]> {
    const { resources } = await this.stack.state({ showSecrets: true });
    return resources.filter(({ type }) => kindOfType(type) !== undefined).map(knownOf);
  }

  close(): Promise<void> {
    this.stack.remove();
    return Promise.resolve();
  }

  /** Reads the file, because a command takes a second; secrets are encrypted. */
  #recorded(): RealState[] {
    const file = join(this.stack.home, "state", ".pulumi", "stacks", "test", "test.json");
    if (!existsSync(file)) return [];
    const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
      checkpoint: { latest: Partial<Deployment> | null };
    };
    return (checkpoint.latest?.resources ?? []).filter(({ type }) => kindOfType(type) !== undefined);
  }

  #args(
    program: Program,
    { target = [], exclude = [], replace = [], parallel }: UpOptions & { parallel?: number },
  ): string[] {
    const urn = (key: string) => {
      const { kind = "RoleGroupAssignment", name = key, parent } = program[key] ?? {};
      return urnOf({ kind, name, parent });
    };
    return [
      ...(parallel === undefined ? [] : ["--parallel", String(parallel)]),
      ...target.flatMap((key) => ["--target", urn(key)]),
      ...exclude.flatMap((key) => ["--exclude", urn(key)]),
      ...replace.flatMap((key) => ["--replace", urn(key)]),
    ];
  }
}

/** After an alias renamed a component, `--target` with it leaves children without their parent. */
function readable(result: CommandResult): CommandResult {
  if (result.all.includes("snapshot integrity")) throw new StateBroken(result.all);
  return result;
}

function parentOf({ urn }: RealState): string | undefined {
  const [parent, child] = urn.split("::")[2]?.split("$") ?? [];
  return child === undefined ? undefined : parent;
}

function nameOf({ urn }: RealState): string {
  return urn.split("::").slice(3).join("::");
}

function keyOf(state: RealState): string {
  const parent = parentOf(state);
  return parent === undefined ? nameOf(state) : `${parent}/${nameOf(state)}`;
}

function knownOf(state: RealState): Known {
  const provider = /::pulumi:providers:pulumi-nodejs::(.+)::[^:]*$/.exec(String(state["provider"]))?.[1];
  const made = newState({
    kind: kindOfType(state.type) as KindName,
    id: state.id ?? "",
    inputs: revealed(state.inputs ?? {}) as Record<string, unknown>,
    outputs: revealed(state.outputs ?? {}) as Record<string, unknown>,
    provider: provider === EU ? EU : undefined,
    dependsOn: [],
    name: nameOf(state),
    parent: parentOf(state),
    protect: state["protect"] === true,
    retainOnDelete: state["retainOnDelete"] === true,
    deletedWith: state["deletedWith"] as string | undefined,
    replaceWith: [],
    replacementTrigger: undefined,
    ignoreChanges: [],
    replaceOnChanges: [],
    importId: undefined,
    secrets: [],
  });
  const { external = false, pendingReplacement = false } = state as {
    external?: boolean;
    pendingReplacement?: boolean;
  };
  return {
    key: keyOf(state),
    state: { ...made, external, pendingReplacement },
    isPendingDelete: state["delete"] === true,
  };
}

function revealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== "object" || value === null) return value;
  if (SECRET in value) return revealed(JSON.parse((value as unknown as { plaintext: string }).plaintext));
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, revealed(child)]));
}

function expectSuccess({ code, all }: CommandResult): void {
  if (code !== 0) throw new Error(all);
}
