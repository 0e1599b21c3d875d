import { randomInt } from "node:crypto";
import { inspect, parseArgs } from "node:util";
import { divertLines } from "../../testkit/hosts/host-in-process";
import { type ClaimName, CLAIMS } from "./claims";
import { RealStage } from "../../testkit/worlds/real-stage";
import { search } from "./truth";

const USAGE = `Usage: npm run truth -- [--worlds N] [--seed S] [--without CLAIM,…] [--changed] [--cli]

Lives through random worlds: previews and reviews a change, makes it, and compares what was said with what was sent. World
i has the seed <seed> + i. A failing world is made smaller, and printed.

Options:
  --worlds N       How many. Default: 2000; with --cli 100.
  --seed S         Seed of the first world. Default: a new one.
  --without C,…    Claims that are not looked at: ${CLAIMS.join(", ")}.
  --shrink S       Seconds for making a failing world smaller. Default: 30.
  --changed        Lets something happen between the review and the run that is held to it: to the tenant, the state, the
                   program, the configuration or the order. Nothing may be sent outside the review. 500 worlds.
  --cli            With the real Pulumi CLI, instead of the tests' engine.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      worlds: { type: "string" },
      seed: { type: "string" },
      without: { type: "string" },
      shrink: { type: "string" },
      changed: { type: "boolean" },
      cli: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const worlds = wholeNumber(
    "--worlds",
    values.worlds ?? (values.cli ? "100" : values.changed ? "500" : "2000"),
  );
  const seed = wholeNumber("--seed", values.seed ?? String(randomInt(2 ** 30)));
  const without = (values.without?.split(",") ?? []) as ClaimName[];
  const unknown = without.filter((name) => !CLAIMS.includes(name));
  if (unknown.length > 0) throw new Error(`There is no claim ${unknown.join(", ")}.`);
  divertLines();
  const begin = performance.now();
  process.stdout.write(`${worlds} worlds, seeds ${seed} to ${seed + worlds - 1}\n`);
  const found = await search({
    worlds,
    seed,
    without,
    changed: values.changed === true,
    ...(values.cli && { stage: (main, eu) => RealStage.create(main, eu), atOnce: 2 }),
    shrinkMs: 1000 * wholeNumber("--shrink", values.shrink ?? "30"),
    onFailure: ({ seed, claims, text }) =>
      process.stdout.write(
        `\n--- world ${seed} FAILED: ${claims.join(", ")}. To repeat it: npm run truth --${values.changed ? " --changed" : ""} --worlds 1 --seed ${seed}\n${text}`,
      ),
  });
  const counts = new Map<string, number>();
  for (const { claims } of found.failed)
    for (const claim of claims) counts.set(claim, (counts.get(claim) ?? 0) + 1);
  const seconds = Math.round((performance.now() - begin) / 1000);
  const outcomes = Object.entries(found.outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  process.stdout.write(
    `\n${found.worlds} worlds in ${seconds} s: ${outcomes.join(", ")}; ${found.failed.length} failed\n`,
  );
  for (const [claim, count] of [...counts].sort((one, other) => other[1] - one[1]))
    process.stdout.write(`  ${claim}: ${count}\n`);
  process.exit(found.failed.length === 0 ? 0 : 1);
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number, not "${text}".`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${inspect(error)}\n${USAGE}`);
  process.exit(2);
});
