interface Count {
  killed: number;
  survived: number;
}

/** Counts verdicts by folder and by operator. Mutants that don't compile are not among them. */
export class Score {
  readonly #counts = new Map<string, Count>();

  add(folder: string, operator: string, killed: boolean): void {
    for (const row of [folder, operator, "all"]) {
      const count = this.#counts.get(row) ?? { killed: 0, survived: 0 };
      count[killed ? "killed" : "survived"]++;
      this.#counts.set(row, count);
    }
  }

  /** One line a row, folders first: `provider/http: 38 of 40 killed (95 %)`. */
  table(): string {
    return [...this.#counts]
      .sort(([one], [other]) => place(one) - place(other) || one.localeCompare(other))
      .map(([row, { killed, survived }]) => {
        const all = killed + survived;
        return `${row}: ${killed} of ${all} killed (${Math.floor((100 * killed) / all)} %)`;
      })
      .join("\n");
  }
}

function place(row: string): number {
  if (row === "all") return 2;
  return row.startsWith("provider") ? 0 : 1;
}
