// Prints the tables of provider/http/rate-limit/README.md: `npx tsx tests/http/rate-limit/experiments.ts`.
// Time is virtual and chance is seeded, so every run gives the same numbers.
import { type BucketTuning, TUNING } from "../../../provider/http/rate-limit/bucket";
import { drawn, minimumMs, run, type Service } from "../../../testkit/rate-limit/simulation";

const PLANS = {
  "2, 2/s": { burst: 2, perSecond: 2 },
  "10, 2/s": { burst: 10, perSecond: 2 },
  "10, 150/min": { burst: 10, perSecond: 2.5 },
  "50, 16/s": { burst: 50, perSecond: 16 },
};
const SEEDS = [1, 2, 3];
/** The minimum duration of an experiment's requests. */
const SECONDS = 30;

/** The users of a bucket: this many processes, and others that take a share of the refill. */
const CROWDS = {
  "1 process": { processes: 1, others: 0 },
  "3 processes": { processes: 3, others: 0 },
  "10 processes": { processes: 10, others: 0 },
  "1 process, others take 80 %": { processes: 1, others: 0.8 },
};

interface Measured {
  /** Elapsed time ÷ the minimum that the bucket allows. */
  ratio: number;
  /** Share of refused requests. */
  refused: number;
}

/** The mean over the seeds. */
async function measure(
  rate: Service["rate"],
  { processes, others }: { processes: number; others: number },
  tuning: Partial<BucketTuning> = {},
): Promise<Measured> {
  const service = { rate, traffic: rate.perSecond * others };
  // The same number from each process.
  const each = Math.ceil((rate.burst + SECONDS * (rate.perSecond - service.traffic)) / processes);
  const requests = each * processes;
  const runs = SEEDS.map(async (seed) => {
    const latency = drawn(seed, 10, 40);
    const { elapsedMs, sent, refused } = await run(service, {
      requests,
      processes,
      there: latency,
      back: latency,
      tuning,
    });
    return { ratio: elapsedMs / minimumMs(service, requests), refused: refused / sent };
  });
  return mean(await Promise.all(runs));
}

function mean(measured: Measured[]): Measured {
  const average = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
  return {
    ratio: average(measured.map(({ ratio }) => ratio)),
    refused: average(measured.map(({ refused }) => refused)),
  };
}

/** `1.08, 0.4 %` */
function cell({ ratio, refused }: Measured): string {
  return `${ratio.toFixed(2)}, ${(refused * 100).toFixed(1)} %`;
}

function row(cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Each known plan, shared in each way. */
export async function planTable(): Promise<string> {
  const lines = [row(["plan", ...Object.keys(CROWDS)]), row(Array<string>(5).fill("---"))];
  for (const [plan, rate] of Object.entries(PLANS)) {
    const cells = await Promise.all(Object.values(CROWDS).map((crowd) => measure(rate, crowd)));
    lines.push(row([plan, ...cells.map(cell)]));
  }
  return lines.join("\n");
}

const VARIATIONS: [keyof BucketTuning, number[]][] = [
  ["slowestFillSeconds", [2, 4, 12]],
  ["minimumRate", [0.05, 1]],
  ["longestWaitMs", [1_000, 10_000]],
  ["rateWindowMs", [1_000, 20_000]],
  ["rateSampleMs", [0, 500]],
  ["simultaneousStarts", [1, 3, 30]],
  ["fullBucketGrowth", [1, 2]],
  ["refusalBackoff", [0.4, 1]],
  ["competitionShare", [0.01, 0.3]],
];

/** Each constant changed on its own: the mean over all plans. */
async function tuningTable(): Promise<string> {
  const lines = [row(["constant", "value", ...Object.keys(CROWDS)]), row(Array<string>(6).fill("---"))];
  const measured = async (tuning: Partial<BucketTuning>) => {
    const crowds = Object.values(CROWDS).map(async (crowd) =>
      mean(await Promise.all(Object.values(PLANS).map((rate) => measure(rate, crowd, tuning)))),
    );
    return (await Promise.all(crowds)).map(cell);
  };
  lines.push(row(["all", "as they are", ...(await measured({}))]));
  for (const [name, values] of VARIATIONS) {
    for (const value of values) {
      lines.push(row([name, `${TUNING[name]} → ${value}`, ...(await measured({ [name]: value }))]));
    }
  }
  return lines.join("\n");
}

if (require.main === module) {
  void (async () => console.log(`${await planTable()}\n\n${await tuningTable()}`))();
}
