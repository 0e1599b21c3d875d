import { type Progress } from "./queue";
import { stackName } from "./shards";

const STATES = {
  retry: "waits to be tried again",
  active: "running",
  completed: "done",
  cancelled: "failed",
  failed: "failed",
} as const;

/** One line for a shard, which changes only when there is news. Undefined: there is nothing to tell. */
export function line({ shard, state, session, report, seconds }: Progress): string | undefined {
  if (state === "created") return undefined;
  // The worker is about to claim it, or is gone.
  if (state === "active" && session === null) return undefined;
  const worker = state === "active" ? session?.split("/")[2] : report?.worker;
  const by = worker && state !== "retry" ? ` by ${worker}` : "";
  const time = state === "completed" ? `, ${seconds} s` : "";
  const message = state === "active" || !report?.message ? "" : `: ${report.message}`;
  return `${stackName(shard)} ${STATES[state]}${by}${time}${message}`;
}

/** `3 of 12 done, 1 failed, 4 running, 4 waiting; workers: 4` */
export function summary(rows: Progress[], workers: number): string {
  const count = (...states: Progress["state"][]) => rows.filter(({ state }) => states.includes(state)).length;
  return (
    `${count("completed")} of ${rows.length} done, ${count("failed", "cancelled")} failed, ${count("active")} running, ` +
    `${count("created", "retry")} waiting; workers: ${workers}`
  );
}

export function isOver(rows: Progress[]): boolean {
  return rows.every(({ state }) => ["completed", "failed", "cancelled"].includes(state));
}
