import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ConcurrentUpdateError,
  LocalWorkspace,
  type PulumiCommand,
  type Stack,
} from "@pulumi/pulumi/automation";
import { program } from "./program";
import { type Session, sessionName } from "./session";
import { type Job } from "./queue";
import { stackName } from "./shards";

export interface Tools {
  session: Session;
  pulumiCommand: PulumiCommand;
  tell(line: string): void;
}

/** Applies a shard that this worker has claimed, and answers what became of it. */
export async function apply(shard: Job, tools: Tools): Promise<string> {
  const workDir = mkdtempSync(join(tmpdir(), "fleet-"));
  try {
    const stack = await LocalWorkspace.createOrSelectStack(
      { stackName: stackName(shard.shard), projectName: "fleet", program: program(shard, []) },
      {
        workDir,
        pulumiCommand: tools.pulumiCommand,
        // Names the sessions of these commands on Postgres.
        envVars: { PGAPPNAME: sessionName(shard.shard, tools.session.worker) },
      },
    );
    return await new Application(stack, shard, tools).run();
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

class Application {
  constructor(
    private readonly stack: Stack,
    private readonly shard: Job,
    private readonly tools: Tools,
  ) {}

  async run(): Promise<string> {
    const pending = await this.#pendingOperations();
    if (pending.length > 0) return this.#repair(pending);
    try {
      return await this.#up();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdateError)) throw error;
      await this.#unlock();
      return await this.#up();
    }
  }

  async #up(): Promise<string> {
    const { summary } = await this.stack.up({ refresh: this.shard.refresh });
    const isSame = Object.keys(summary.resourceChanges ?? {}).every((operation) => operation === "same");
    return isSame ? "no changes" : "changed";
  }

  /** A run was killed here. What it was creating may be on the tenant, and state does not know. */
  async #repair(pending: PendingOperation[]): Promise<string> {
    this.tools.tell(`repairs what a killed run has left: ${pending.length} operations were under way`);
    await this.#unlock();
    // What the killed run has sent may still take effect.
    await sleep(Number(process.env.IDENTITY_REQUEST_TIMEOUT_SECONDS ?? 30) * 1000);
    await this.stack.up({
      refresh: true,
      program: program(this.shard, interruptedProfiles(pending)),
    });
    // Last of all: should this worker be killed as well, the next one still knows what was interrupted.
    await this.stack.refresh({ clearPendingCreates: true });
    return "repaired";
  }

  /** `pulumi cancel` takes every lock away, so nobody else may be at work. */
  async #unlock(): Promise<void> {
    await this.tools.session.untilAlone(this.shard.shard);
    await this.stack.cancel();
  }

  async #pendingOperations(): Promise<PendingOperation[]> {
    const { deployment } = (await this.stack.exportStack()) as { deployment: Deployment | null };
    return deployment?.pending_operations ?? [];
  }
}

interface Deployment {
  pending_operations?: PendingOperation[];
}

export interface PendingOperation {
  type: string;
  resource: { type: string; inputs?: { name?: string } };
}

export function interruptedProfiles(pending: PendingOperation[]): string[] {
  return pending
    .filter(({ type, resource }) => type === "creating" && resource.type.endsWith(":ConnectionProfile"))
    .flatMap(({ resource }) => resource.inputs?.name ?? []);
}
