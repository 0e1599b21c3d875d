import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readRules } from "../../../cli/rules/file";
import { type SeedInput } from "../../../simulator";
import { asked, state } from "../../../testkit/cli/access";
import { adopted } from "../../../testkit/cli/adopt";
import { adds, AskedTenant } from "../../../testkit/cli/asked";
import { run } from "../../../testkit/rate-limit/simulation";
import { BIG_GROUPS, changesOf, RULES, SMALL_GROUPS, TWELVE } from "../../../testkit/cli/large-tenant";

/* How many requests the commands send to a large tenant. docs/scale.md has them. */

const tenant = AskedTenant.forTests();

const COMMANDS = {
  "access --rules": () =>
    asked(tenant.simulator, {
      exports: [state(new URL(tenant.simulator.url).host, "access/prod", {})],
      rules: readRules({ file: "rules.yaml", text: RULES }),
    }),
  "review --rules of 200 roles": () => reviewOf(changesOf(200)),
  "review --rules of 12 roles": () => reviewOf(TWELVE),
  "adopt --all-roles --ids": () => adopted(tenant.simulator, { allRoles: true, ids: true }),
} as const;

/** Gives each role to one more group. */
function reviewOf(changes: readonly { role: string; group: string }[]) {
  const steps = changes.map(({ role, group }, place) => adds(`assignment-${place}`, role, [group]));
  return tenant.reviewed([steps], { rules: RULES });
}

/** The requests, and those for direct holders among them. */
async function sentBy(command: keyof typeof COMMANDS, seed: SeedInput): Promise<[number, number]> {
  tenant.seed(seed);
  await COMMANDS[command]();
  const log = tenant.simulator.log();
  const direct = log.filter((line) => line.includes("/users?")).length;
  return [log.length - direct, direct];
}

interface Row {
  command: keyof typeof COMMANDS;
  requests: number;
  /** For direct holders. */
  direct: number;
}

const SMALL: Row[] = [
  { command: "access --rules", requests: 125, direct: 200 },
  { command: "review --rules of 200 roles", requests: 313, direct: 200 },
  { command: "review --rules of 12 roles", requests: 81, direct: 12 },
  { command: "adopt --all-roles --ids", requests: 66, direct: 0 },
];
const BIG: Row[] = [
  { command: "access --rules", requests: 255, direct: 200 },
  { command: "review --rules of 200 roles", requests: 443, direct: 200 },
  { command: "review --rules of 12 roles", requests: 196, direct: 12 },
];

test.each(SMALL)("groups of 100 members at most: $command", async ({ command, requests, direct }) =>
  expect(await sentBy(command, SMALL_GROUPS)).toEqual([requests, direct]),
);

test.each(BIG)("5,000 people in groups of hundreds: $command", async ({ command, requests, direct }) =>
  expect(await sentBy(command, BIG_GROUPS)).toEqual([requests, direct]),
);

/** Minutes on a tenant that answers two requests a second, in virtual time. */
async function minutesOf(requests: number): Promise<string> {
  const trip = () => 50;
  const { elapsedMs } = await run(
    { rate: { burst: 10, perSecond: 2 } },
    { requests, there: trip, back: trip },
  );
  return (elapsedMs / 60_000).toFixed(1);
}

test("the page on scale has the requests and minutes", async () => {
  const [access, review] = BIG;
  const lines = await Promise.all(
    [access, review].map(async (row) => {
      const { command = "", requests = 0, direct = 0 } = row ?? {};
      const [name = "", of = ""] = command.split(/(?= of )/);
      return `| \`${name}\`${of} | ${requests + direct} | ${await minutesOf(requests + direct)} |`;
    }),
  );
  const page = readFileSync(join(__dirname, "../../../docs/scale.md"), "utf8").replace(/ +/g, " ");
  expect(page).toContain(lines.join("\n"));
});
