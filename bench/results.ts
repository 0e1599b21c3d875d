import { type Measured, OPERATIONS, type ProviderName } from "./engine";

/**
 * Results of `npm run bench -- --only engine`: each life of a stack, with the subjects of one repetition next
 * to each other.
 */
export interface EngineResults {
  /** `2026-11-22` */
  date: string;
  node: string;
  cores: number;
  lives: { size: number; repetition: number; subject: ProviderName; measured: Measured[] }[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** Lines of a Markdown table: medians over the repetitions. */
export function tableOf({ lives }: EngineResults): string[] {
  const header = ["Profiles", "Command", "Pulumi alone, s", "Classes, s", "Plugin, s"];
  const sizes = [...new Set(lives.map(({ size }) => size))];
  const rows = sizes.flatMap((size) =>
    OPERATIONS.map((operation, place) => {
      const secondsOf = (subject: ProviderName) =>
        median(
          lives
            .filter((one) => one.size === size && one.subject === subject)
            .map(({ measured }) => measured[place]?.seconds ?? NaN),
        );
      return [
        size.toLocaleString("en-US"),
        operation,
        ...(["floor", "ours", "plugin"] as const).map((subject) => secondsOf(subject).toFixed(1)),
      ];
    }),
  );
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
