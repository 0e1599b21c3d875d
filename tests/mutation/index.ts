import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { judge, type Verdict } from "./jest";
import { described, type Mutant, mutantsOf } from "./mutants";
import { nearestTests } from "./nearest-tests";
import { ProjectCopy } from "./project-copy";
import { Score } from "./score";
import { shuffled } from "./shuffle";

const USAGE = `Usage: npm run mutation -- [options]

Changes the sources at random places, one small change (mutant) at a time in a copy of the project, and shows which
changes no test notices.

Options:
  --sample N   How many mutants to judge, evenly from the folders. Those that don't compile don't count. Default: 30.
  --all        Every mutant. Takes many hours.
  --seed N     Draws the same mutants again. Default: a new seed, which is printed.
  --only PATH  A folder or file in place of provider/http, provider/pulumi and provider/resources.
  --line N     With --only FILE: every mutant that begins at the line.
  --help       This text.
`;

const FOLDERS = ["provider/http", "provider/pulumi", "provider/resources"];
const SLOW_MS = 5_000;
const root = resolve(__dirname, "../..");

interface Options {
  sample: number;
  seed: number;
  folders: string[];
  line: number | undefined;
}

function options(): Options | undefined {
  const { values } = parseArgs({
    options: {
      sample: { type: "string", default: "30" },
      all: { type: "boolean", default: false },
      seed: { type: "string", default: String(randomInt(2 ** 31)) },
      only: { type: "string" },
      line: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const everything = values.all || values.line !== undefined;
  return {
    sample: everything ? Number.POSITIVE_INFINITY : wholeNumber("--sample", values.sample),
    seed: wholeNumber("--seed", values.seed),
    folders: values.only === undefined ? FOLDERS : [values.only],
    line: values.line === undefined ? undefined : wholeNumber("--line", values.line),
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`${option} is "${text}"; give it a whole number.`);
}

async function run({ sample, seed, folders, line }: Options): Promise<void> {
  console.log(`Seed ${seed}.`);
  const copy = new ProjectCopy(root);
  process.once("SIGINT", () => process.exit(130));
  process.once("exit", () => copy.remove());
  const score = new Score();
  for (const [index, folder] of folders.entries()) {
    // The first folders take what can't be divided evenly.
    const share = Math.floor(sample / folders.length) + (index < sample % folders.length ? 1 : 0);
    const mutants = (await mutantsOf(copy.root, folder)).filter(
      (mutant) => line === undefined || mutant.line === line,
    );
    let judged = 0;
    for (const mutant of shuffled(mutants, seed)) {
      if (judged === share) break;
      const verdict = await copy.with(mutant, () => verdictOn(copy.root, mutant));
      console.log(
        `${sentence(verdict).padEnd(13)} ${described(mutant, readFileSync(join(copy.root, mutant.file), "utf8"))}`,
      );
      if (typeof verdict === "object") console.log(`              by ${verdict.file}: ${verdict.test}`);
      if (verdict === undefined) continue;
      score.add(folder, mutant.operator, verdict !== "survived");
      judged++;
    }
  }
  console.log(`\n${score.table()}`);
}

/** A slow test may have failed because the machine is busy: it must fail twice. */
async function verdictOn(copyRoot: string, mutant: Mutant): Promise<Verdict> {
  let tests = nearestTests(copyRoot, mutant.file);
  while (tests.length > 0) {
    const verdict = await judge(copyRoot, tests);
    if (typeof verdict === "string" || verdict.ms < SLOW_MS) return verdict;
    if ((await judge(copyRoot, [verdict.file])) !== "survived") return verdict;
    tests = tests.slice(tests.indexOf(verdict.file) + 1);
  }
  return "survived";
}

function sentence(verdict: Verdict | undefined): string {
  if (verdict === undefined) return "no compile";
  return typeof verdict === "string" ? verdict : "killed";
}

try {
  const given = options();
  if (given === undefined) console.log(USAGE);
  else void run(given);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
