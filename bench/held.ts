import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReviewGuard } from "../provider/review/guard";
import { type ReviewJson } from "../provider/review/model";

const TENANT = "tenant.example.com";
const GROUPS_PER_CALL = 50;

/**
 * The cost of checking against a review with this many rows: reading the file once, and each request.
 * Milliseconds.
 */
export async function costOfHeld(rows: number): Promise<{ once: number; each: number }> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-bench-"));
  const groups = Array.from({ length: rows }, (_, n) => `grp_${String(n).padStart(18, "0")}`);
  const review: ReviewJson = {
    version: 1,
    kind: "preview",
    made: new Date().toISOString(),
    unknownAccepted: false,
    environmentTenant: null,
    stack: null,
    tenants: [TENANT],
    complete: true,
    failed: false,
    errors: [],
    fingerprint: "0".repeat(32),
    counts: {
      gains: rows,
      loses: 0,
      keeps: 0,
      removals: 0,
      created: 0,
      changed: 0,
      adopted: 0,
      deleted: 0,
      unknown: 0,
      others: 0,
    },
    categories: ["grant"],
    access: groups.map((group) => ({ tenant: TENANT, role: "rol_1", group, effect: "gains", by: [] })),
    profiles: [],
    removals: [],
    names: {},
    roles: [],
    unknown: [],
    notes: [],
    after: [{ tenant: TENANT, role: "rol_1", groups: groups.map((id) => ({ id })) }],
    removed: [],
  };
  try {
    const file = join(folder, "review.json");
    writeFileSync(file, JSON.stringify(review));
    const guard = new ReviewGuard({ file, required: false, tenant: TENANT, isDefault: true });
    const begin = performance.now();
    guard.problems(undefined);
    const once = performance.now() - begin;
    const calls = 2_000;
    const call = (n: number) => ({
      method: "POST" as const,
      path: "/roles/{id}/groups",
      ids: { id: "rol_1" },
      body: { groups: Array.from({ length: GROUPS_PER_CALL }, (_, i) => groups[(n + i) % rows]) },
      scopes: [],
    });
    const all = Array.from({ length: calls }, (_, n) => call(n));
    const start = performance.now();
    for (const one of all) await guard.send(one, () => Promise.resolve(undefined));
    return { once, each: (performance.now() - start) / calls };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
