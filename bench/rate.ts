import { environmentOf, Stack } from "../testkit/stack";
import { type Tenant } from "./subjects";
import { requestsOf, withTenant } from "./tenant-process";

/*
 * Commands with a YAML program of many connection profiles, on a tenant with a rate limit: ours, in the
 * comparison with OpenTofu.
 */

export const PROFILES = 200;
export const BURST = 50;
export const PER_SECOND = 10;

/** In this order; each finds the stack as the previous one left it. */
const WORKS = {
  "create all": { run: (stack: Stack) => stack.up() },
  "plan with reads": { run: (stack: Stack) => stack.preview({ args: ["--refresh"] }) },
  refresh: { run: (stack: Stack) => stack.refresh() },
  "update all, with reads": {
    program: programOf("second"),
    run: (stack: Stack) => stack.up({ args: ["--refresh"] }),
  },
} satisfies Record<string, { program?: string; run: (stack: Stack) => ReturnType<Stack["up"]> }>;

export interface RateResult {
  work: string;
  seconds: number;
  sent: number;
  /** Answers 429. */
  refused: number;
}

function programOf(prefix: string): string {
  const profiles = Array.from(
    { length: PROFILES },
    (_, index) => `  profile-${index}:
    type: identity:ConnectionProfile
    properties:
      name: profile ${index}
      connectionNamePrefixTemplate: "${prefix}-{org_id}"
      enabledFeatures: [scim]
`,
  );
  return `resources:\n${profiles.join("")}`;
}

export function measureRate(): Promise<RateResult[]> {
  return withTenant(`${BURST},${PER_SECOND}`, async (tenant) => {
    const stack = await Stack.create({
      program: programOf("first"),
      language: "yaml",
      env: environmentOf(tenant),
      seconds: 600,
    });
    try {
      const results: RateResult[] = [];
      for (const [work, { run, ...changed }] of Object.entries(WORKS)) {
        if ("program" in changed) stack.write(changed.program);
        results.push(await measured(work, () => run(stack), tenant));
      }
      return results;
    } finally {
      stack.remove();
    }
  });
}

async function measured(
  work: string,
  run: () => ReturnType<Stack["up"]>,
  tenant: Tenant,
): Promise<RateResult> {
  await fetch(`${tenant.url}/_simulator/reset`, { method: "POST" });
  const begin = performance.now();
  const { code, all } = await run();
  const seconds = (performance.now() - begin) / 1000;
  if (code !== 0) throw new Error(`${work}: ${all}`);
  const log = await requestsOf(tenant);
  return { work, seconds, sent: log.length, refused: log.filter(({ status }) => status === 429).length };
}
