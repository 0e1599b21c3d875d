/*
 * One process of the dynamic provider host serves one run of the engine. What its handlers must know of each other is
 * kept here, under keys that name the tenant.
 */

const claims = new Set<string>();
const seen = new Set<string>();
let deploying = false;
const taken = new Set<string>();
const turns = new Map<string, Promise<unknown>>();

/**
 * Records that the engine has begun to bring resources to what the program says. Before that, within one run, it may
 * refresh, and compares what state holds: no resource wants anything by that.
 */
export function beginDeployment(): void {
  deploying = true;
}

export function isDeploying(): boolean {
  return deploying;
}

/** Records that state knows a resource of a kind. */
export function remember(kind: string, id: string): void {
  seen.add(JSON.stringify([kind, id]));
}

export function isRemembered(kind: string, id: string): boolean {
  return seen.has(JSON.stringify([kind, id]));
}

/**
 * Records that a resource of this run wants what the key names to be there. A delete that comes later, of a resource that
 * was renamed or replaced or that gave something away, must spare it.
 */
export function claim(...keys: readonly string[]): void {
  for (const key of keys) claims.add(key);
}

export function isClaimed(key: string): boolean {
  return claims.has(key);
}

/** Records that this run removes what the key names; a resource that wants it, and is seen later, must restore it. */
export function take(key: string): void {
  taken.add(key);
}

export function isTaken(key: string): boolean {
  return taken.has(key);
}

export function restored(key: string): void {
  taken.delete(key);
}

/** Runs one after the other what has the same key, so that a claim and a delete can't cross on their way. */
export function inTurn<T>(key: string, run: () => Promise<T>): Promise<T> {
  const before = turns.get(key) ?? Promise.resolve();
  const turn = before.then(run, run);
  turns.set(key, turn);
  const done = () => {
    if (turns.get(key) === turn) turns.delete(key);
  };
  turn.then(done, done);
  return turn;
}
