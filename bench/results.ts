import { PROVIDERS, type ProviderName, type Life, OPERATIONS } from "./engine";

/**
 * Results of `npm run bench -- --only engine`: each life of a stack, with the subjects of one repetition next
 * to each other.
 */
export interface EngineResults {
  /** `2026-11-22` */
  date: string;
  node: string;
  cores: number;
  lives: { size: number; repetition: number; subject: ProviderName; life: Life }[];
}

/** One line of the table: medians over the repetitions. */
interface Row {
  size: number;
  operation: string;
  seconds: Record<ProviderName, number>;
  /** Relative to the floor of the same repetition: elapsed seconds, and seconds of processor time. */
  ratio: Record<ProviderName, number>;
  processorRatio: Record<ProviderName, number>;
  /** Per profile; the floor sends none. */
  requests: Record<ProviderName, number>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** Older results lack some subjects. */
function subjectsOf({ lives }: EngineResults): ProviderName[] {
  return PROVIDERS.filter((name) => lives.some(({ subject }) => subject === name));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function rowsOf({ lives }: EngineResults): Row[] {
  const sizes = [...new Set(lives.map(({ size }) => size))];
  return sizes.flatMap((size) =>
    OPERATIONS.map((operation, index) => {
      const of = (subject: ProviderName, value: (life: Life, repetition: number) => number) =>
        median(
          lives
            .filter((one) => one.size === size && one.subject === subject)
            .map(({ life, repetition }) => value(life, repetition)),
        );
      const secondsOf = (life: Life) => life.measured[index]?.seconds ?? NaN;
      const processorOf = (life: Life) => sum(Object.values(life.measured[index]?.processorSeconds ?? {}));
      const ratioOf = (subject: ProviderName, value: (life: Life) => number) =>
        of(subject, (life, repetition) => {
          const floor = lives.find(
            (one) => one.size === size && one.subject === "floor" && one.repetition === repetition,
          );
          return floor === undefined ? NaN : value(life) / value(floor.life);
        });
      return {
        size,
        operation,
        seconds: forEach((subject) => of(subject, secondsOf)),
        ratio: forEach((subject) => ratioOf(subject, secondsOf)),
        processorRatio: forEach((subject) => ratioOf(subject, processorOf)),
        requests: forEach((subject) => of(subject, (life) => (life.measured[index]?.requests ?? NaN) / size)),
      };
    }),
  );
}

function forEach(value: (subject: ProviderName) => number): Record<ProviderName, number> {
  return Object.fromEntries(PROVIDERS.map((subject) => [subject, value(subject)])) as Record<
    ProviderName,
    number
  >;
}

/** Lines of a Markdown table. */
export function tableOf(results: EngineResults): string[] {
  const subjects = subjectsOf(results);
  const compared = subjects.filter((subject) => subject !== "floor");
  const isOwn = (subject: ProviderName) => subject !== "tutorial";
  const header = [
    "Profiles",
    "Command",
    ...subjects.map((subject) => `${titled(subject)}, s`),
    ...compared.flatMap((subject) => [
      `${titled(subject)} ÷ floor`,
      ...(isOwn(subject) ? [`Processor time, ${subject} ÷ floor`] : []),
    ]),
    ...compared.map((subject, i) => (i === 0 ? `Requests per profile, ${subject}` : titled(subject))),
  ];
  const rows = rowsOf(results).map(({ size, operation, seconds, ratio, processorRatio, requests }) => [
    size.toLocaleString("en-US"),
    operation,
    ...subjects.map((subject) => seconds[subject].toFixed(1)),
    ...compared.flatMap((subject) => [
      ratio[subject].toFixed(2),
      ...(isOwn(subject) ? [processorRatio[subject].toFixed(2)] : []),
    ]),
    ...compared.map((subject) => requests[subject].toFixed(2)),
  ]);
  return linesOf([header, ...rows]);
}

function titled(subject: ProviderName): string {
  return subject.charAt(0).toUpperCase() + subject.slice(1);
}

/** Lines of a Markdown table, for each size: medians over the repetitions. */
export function sizesTableOf(results: EngineResults): string[] {
  const { lives } = results;
  const header = [
    "Profiles",
    "Provider",
    "Bytes of state for each profile",
    "Most memory of the provider host, MiB",
    "Processor time of the host in a preview without changes, s",
    "Of the program, s",
  ];
  const sizes = [...new Set(lives.map(({ size }) => size))];
  const rows = sizes.flatMap((size) =>
    subjectsOf(results).map((subject) => {
      const of = (value: (life: Life) => number) =>
        median(
          lives.filter((one) => one.size === size && one.subject === subject).map(({ life }) => value(life)),
        );
      const unchanged = (life: Life) =>
        life.measured.find(({ operation }) => operation === "preview, no change")?.processorSeconds;
      return [
        size.toLocaleString("en-US"),
        subject,
        of((life) => life.stateBytes).toFixed(0),
        of((life) => Math.max(...life.measured.map((one) => one.hostMegabytes))).toFixed(0),
        of((life) => unchanged(life)?.host ?? NaN).toFixed(2),
        of((life) => unchanged(life)?.program ?? NaN).toFixed(2),
      ];
    }),
  );
  return linesOf([header, ...rows]);
}

function linesOf([header = [], ...rows]: string[][]): string[] {
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/** For light and for dark. */
const COLOURS: Record<ProviderName, readonly [light: string, dark: string]> = {
  floor: ["#a3adb8", "#6b7682"],
  ours: ["#3451b2", "#8ea6ff"],
  plugin: ["#17805c", "#5fcf9f"],
  tutorial: ["#c46a00", "#f0a94a"],
};
const coloursOf = (mode: 0 | 1) =>
  Object.entries(COLOURS)
    .map(([subject, colours]) => `.${subject}{fill:${colours[mode]}}`)
    .join("");
const STYLE = [
  ".card{fill:#fff}text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.number{font-size:11px;fill:#59636e}",
  coloursOf(0),
  `@media (prefers-color-scheme:dark){.card{fill:#171c20}text{fill:#e6eaee}.number{fill:#a0abb6}${coloursOf(1)}}`,
].join("");
const BAR = 15;
const LEFT = 150;
const WIDTH = 720;

/** One bar per subject and command, at the largest size. */
export function chartOf(results: EngineResults): string {
  const subjects = subjectsOf(results);
  const rows = rowsOf(results);
  const largest = Math.max(...rows.map(({ size }) => size));
  const shown = rows.filter(({ size }) => size === largest);
  const most = Math.max(...shown.flatMap(({ seconds }) => subjects.map((subject) => seconds[subject])));
  const group = BAR * subjects.length + 18;
  const top = 76;
  const bars = shown.flatMap(({ operation, seconds }, index) => {
    const y = top + index * group;
    const width = (value: number) => Math.max(2, (value / most) * (WIDTH - LEFT - 64));
    return [
      `<text x="${LEFT - 12}" y="${y + (BAR * subjects.length) / 2 + 4}" text-anchor="end">${operation}</text>`,
      ...subjects.flatMap((subject, bar) => {
        const at = y + bar * BAR;
        return [
          `<rect class="${subject}" x="${LEFT}" y="${at}" width="${width(seconds[subject]).toFixed(1)}" height="${BAR - 3}" rx="2"/>`,
          `<text class="number" x="${(LEFT + width(seconds[subject]) + 6).toFixed(1)}" y="${at + BAR - 5}">${seconds[subject].toFixed(1)}</text>`,
        ];
      }),
    ];
  });
  const legend = subjects.map((subject, index) => {
    const x = LEFT + index * 104;
    return `<rect class="${subject}" x="${x}" y="44" width="12" height="12" rx="3"/><text x="${x + 18}" y="54">${subject}</text>`;
  });
  const height = top + shown.length * group;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    `<style>${STYLE}</style>`,
    `<rect class="card" width="100%" height="100%" rx="8"/>`,
    `<text class="title" x="16" y="28">Seconds of a command with ${largest.toLocaleString("en-US")} connection profiles</text>`,
    ...legend,
    ...bars,
    "</svg>",
    "",
  ].join("\n");
}
