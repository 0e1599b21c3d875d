import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { firstFailure } from "./jest";
import { type Mutant, mutantsOf } from "./mutants";
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
    // The first folders take the remainder.
    const share = Math.floor(sample / folders.length) + (index < sample % folders.length ? 1 : 0);
    const mutants = (await mutantsOf(copy.root, folder)).filter(
      (mutant) => line === undefined || mutant.line === line,
    );
    let judged = 0;
    for (const mutant of shuffled(mutants, seed)) {
      if (judged === share) break;
      const verdict = await judge(copy, mutant);
      console.log(`${verdict.padEnd(10)}  ${copy.describe(mutant)}`);
      if (verdict === "no compile") continue;
      score.add(folder, mutant.operator, verdict === "killed");
      judged++;
    }
  }
  console.log(`\n${score.table()}`);
}

/** A test that also fails without the mutant, for instance on a busy machine, doesn't judge it. */
async function judge(copy: ProjectCopy, mutant: Mutant): Promise<"killed" | "survived" | "no compile"> {
  let tests = nearestTests(copy.root, mutant.file);
  while (tests.length > 0) {
    if (!copy.apply(mutant)) return "no compile";
    const failure = await firstFailure(copy.root, tests);
    if (failure === undefined) return "survived";
    const { file, test = "does not load, or hangs" } = failure;
    copy.restore();
    if ((await firstFailure(copy.root, [file], failure.test)) === undefined) {
      console.log(`            ${file}: ${test}`);
      return "killed";
    }
    console.log(`            fails without the mutant, too: ${file}: ${test}`);
    tests = tests.filter((other) => other !== file);
  }
  return "survived";
}

try {
  const given = options();
  if (given === undefined) console.log(USAGE);
  else void run(given);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
