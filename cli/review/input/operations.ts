/* The operations of Pulumi's engine, as its preview names them. */

interface StepOp {
  /** `part`: of a replacement; only --show-replacement-steps shows it. `none`: nothing changes by it. */
  change: "own" | "part" | "none";
  /** The sides without which a step is useless. */
  needs: readonly ("oldState" | "newState")[];
  /** When it deletes, if it does: at the end of the run, or only if state is marked so. */
  deletes?: "last" | "last if marked";
}

const NOTHING: StepOp = { change: "none", needs: [] };

const OPERATIONS: ReadonlyMap<string, StepOp> = new Map<string, StepOp>([
  ["create", { change: "own", needs: ["newState"] }],
  ["update", { change: "own", needs: ["oldState", "newState"] }],
  ["delete", { change: "own", needs: ["oldState"], deletes: "last" }],
  ["replace", { change: "own", needs: ["oldState", "newState"], deletes: "last if marked" }],
  ["create-replacement", { change: "part", needs: ["newState"] }],
  ["delete-replaced", { change: "part", needs: ["oldState"], deletes: "last if marked" }],
  ["read-replacement", { change: "part", needs: [] }],
  ["import-replacement", { change: "part", needs: [] }],
  ["same", NOTHING],
  ["refresh", NOTHING],
  ["import", NOTHING],
  ["read", NOTHING],
  ["discard", { ...NOTHING, deletes: "last" }],
  ["discard-replaced", NOTHING],
  ["remove-pending-replace", NOTHING],
]);

export function isImport(op: string): boolean {
  return op === "import" || op === "import-replacement";
}

export function isKnownOperation(op: string): boolean {
  return OPERATIONS.has(op);
}

/** An operation that this release doesn't know may change anything. */
export function changeBy(op: string): StepOp["change"] {
  return OPERATIONS.get(op)?.change ?? "own";
}

export function neededBy(op: string): StepOp["needs"] {
  return OPERATIONS.get(op)?.needs ?? [];
}

/**
 * True if a resource goes after all creates and updates, even one that was only read: before that,
 * `deletedWith` spares nothing.
 */
export function isDeletedLast(op: string, state: { delete: boolean } | undefined): boolean {
  const deletes = OPERATIONS.get(op)?.deletes;
  return deletes === "last" || (deletes === "last if marked" && state?.delete === true);
}
