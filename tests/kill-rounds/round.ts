import { strict as assert } from "node:assert";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type CommandResult, Stack } from "../../testkit/stack";
import { type Simulator, startSimulator } from "../../simulator";
import {
  type Access,
  actualTenant,
  FIRST,
  OUTSIDER,
  programOf,
  SECOND,
  TENANT,
  wantedTenant,
} from "./access";
import { type Plan } from "./plan";
import { type RecoveryPage } from "./recovery-page";
import { environmentOf } from "../../testkit/simulator";

/** In either program. */
const RESOURCES = 20;
/** A provider host ends within this time, even on a busy machine. */
const HOST_ENDS_WITHIN_MS = 60_000;

export interface Outcome {
  /** True if the signal was sent while the command ran. */
  wasHit: boolean;
  /** Requests of the command answered before the signal. */
  answered: number;
  /** Profiles that the command left behind without state knowing them, and that the recovery adopted. */
  adopted: number;
}

/**
 * Kills a run as planned, recovers by docs/recovery.md, and throws unless program, state and tenant agree.
 */
export async function runRound(plan: Plan, page: RecoveryPage): Promise<Outcome> {
  const simulator = await startSimulator({
    seed: TENANT,
    rate: { burst: 10_000, perSecond: 10_000 },
    behaviour: { profile_name_conflict: plan.uniqueNames ? "conflict" : "allow" },
  });
  const stack = await Stack.create({
    program: programOf(FIRST, plan.door),
    language: plan.door === "YAML" ? "yaml" : "js",
    leaveProcesses: true,
    env: environmentOf(simulator),
  });
  installCommand(stack);
  try {
    return await new Round(plan, page, simulator, stack).run();
  } finally {
    stack.remove();
    await simulator.close();
  }
}

/** Like npm: `npx pulumi-identity` finds it on the PATH of the scripts. */
function installCommand({ home }: Stack): void {
  const command = resolve(__dirname, "../../dist/cli/index.js");
  chmodSync(command, 0o755);
  mkdirSync(join(home, "bin"));
  symlinkSync(command, join(home, "bin/pulumi-identity"));
}

class Round {
  readonly #access: Access;

  constructor(
    private readonly plan: Plan,
    private readonly page: RecoveryPage,
    private readonly simulator: Simulator,
    private readonly stack: Stack,
  ) {
    this.#access = plan.command === "up with changes" ? SECOND : FIRST;
  }

  async run(): Promise<Outcome> {
    if (this.plan.command !== "up from nothing") {
      const { code, all } = await this.stack.up();
      if (code !== 0) throw new Error(all);
    }
    if (this.plan.command === "refresh") await this.#drift();
    this.stack.write(programOf(this.#access, this.plan.door));
    const hit = await this.#kill();
    const adopted = await this.#recover();
    await this.#check();
    return { ...hit, adopted: Object.keys(adopted).length };
  }

  /** Other people's changes on the tenant in the meantime. */
  async #drift(): Promise<void> {
    const idOf = (name: string) =>
      this.simulator.state().connection_profiles.find((profile) => profile.name === name)?.id;
    await this.#outside("DELETE", `/connection-profiles/${idOf("profile-1")}`);
    await this.#outside("PATCH", `/connection-profiles/${idOf("profile-2")}`, { enabled_features: [] });
    const { role, groups } = FIRST.assignments["billing"] as Access["assignments"][string];
    await this.#outside("DELETE", `/roles/${role}/groups`, { groups: groups.slice(0, 1) });
  }

  async #outside(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(`${this.simulator.url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${OUTSIDER}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${path} answered ${answer.status}`);
  }

  /** Runs the command, and sends the signal during it. */
  async #kill(): Promise<Omit<Outcome, "adopted">> {
    const { afterAnswers, afterMs, victim, signal, slowness } = this.plan;
    this.simulator.reset();
    this.simulator.fail({ times: 10_000, action: { delay: slowness } });
    let hasEnded = false;
    const run = this.#start().finally(() => (hasEnded = true));
    while (!hasEnded && this.simulator.requests().length < afterAnswers) await setTimeout(10);
    await setTimeout(afterMs);
    const hit = { wasHit: !hasEnded, answered: this.simulator.requests().length };
    if (victim === "CLI") this.stack.signal(signal);
    else this.stack.signalHosts(signal);
    await this.#noHostLives();
    // Pulumi also leaves the language host behind, which would keep the command's output open.
    if (victim === "CLI" && signal === "SIGKILL") this.stack.kill();
    await run;
    this.simulator.reset();
    return hit;
  }

  #start(): Promise<CommandResult> {
    if (this.plan.command === "refresh") return this.stack.refresh();
    if (this.plan.command === "destroy") return this.stack.destroy();
    return this.stack.up();
  }

  async #noHostLives(): Promise<void> {
    const end = Date.now() + HOST_ENDS_WITHIN_MS;
    while (this.stack.hosts().length > 0) {
      if (Date.now() > end) throw new Error("A provider host lives on after its engine.");
      await setTimeout(100);
    }
  }

  /** Follows docs/recovery.md; returns the adopted profiles. */
  async #recover(): Promise<Record<string, string>> {
    await this.#follow("repair");
    await this.#follow("unlock");
    if (this.plan.command === "destroy") {
      await this.#follow("destroy");
      return {};
    }
    await this.#follow("refresh");
    const adopted = wantedIn((await this.#follow("find")).stdout, this.#access);
    this.stack.write(programOf(this.#access, this.plan.door, adopted, this.page));
    await this.#follow("finish");
    return adopted;
  }

  /** Runs a block of the page. */
  async #follow(block: string): Promise<CommandResult> {
    const script = this.page.take(block);
    const result = await this.stack.shell(`PATH="${this.stack.home}/bin:$PATH"\n${script}`);
    if (result.code !== 0) throw new Error(`$ ${script}\n${result.all}`);
    return result;
  }

  async #check(): Promise<void> {
    const wanted = this.plan.command === "destroy" ? undefined : this.#access;
    const removed = [...FIRST.removals, ...this.#access.removals];
    const tenant = this.simulator.state();
    // As JSON, because under Jest, values from Node's own modules have other prototypes.
    assert.equal(
      JSON.stringify(actualTenant(tenant), null, 2),
      JSON.stringify(wantedTenant(wanted, removed), null, 2),
      "The tenant is not as the program says.",
    );
    const { resources, pending_operations: pending = [] } = await this.stack.state();
    assert.equal(pending.length, 0, "State has pending operations.");
    const managed = resources.filter(({ type }) =>
      /^(pulumi-nodejs:dynamic\/identity|identity:index):/.test(type),
    );
    assert.equal(
      managed.length,
      wanted === undefined ? 0 : RESOURCES,
      "State lacks resources, or has too many.",
    );
    for (const { type, id, outputs } of managed) {
      if (!type.endsWith("ConnectionProfile")) continue;
      const found = tenant.connection_profiles.find((profile) => profile.id === id);
      assert.equal(found?.name, outputs?.["name"], `${type} ${id} of state is another one on the tenant.`);
    }
    if (wanted === undefined) return;
    await this.#follow("check");
  }
}

/** Returns the ids that `adopt --unmanaged` prints and the program wants, by the resource's name. */
function wantedIn(printed: string, { profiles, renamed }: Access): Record<string, string> {
  const found = [...printed.matchAll(/adopt: "(cop_\w+)",\n +name: "(.+)",/g)];
  const resourceOf = (name: string) => Object.keys(profiles).find((one) => (renamed[one] ?? one) === name);
  return Object.fromEntries(
    found.flatMap(([, id = "", name = ""]) => {
      const resource = resourceOf(name);
      return resource === undefined ? [] : [[resource, id] as const];
    }),
  );
}
