import { CUT, NEVER_CUT, type Row, type Section, SHORTENED_FROM } from "./document";

/** How much of a review is shown. */
export interface Room {
  /** Whether what can't be undone is told in the fewest words. */
  isShort: boolean;
  shows(row: Row): boolean;
  /** How many of the details of a row are shown. */
  detailsOf(row: Row): number;
}

/** The longest text of at most `most` characters. What matters least is cut first, and counted by the renderer. */
export function fit(sections: readonly Section[], most: number, render: (room: Room) => string): string {
  const units = new Units(sections);
  const limits = new Map<number, number>();
  let isShort = false;
  const text = () => render(units.room(limits, isShort));
  if (text().length <= most) return text();
  for (const rank of units.ranks) {
    if (rank < SHORTENED_FROM && !isShort) {
      isShort = true;
      if (text().length <= most) return text();
      // Few words more are worth it, but not if they take the place of most dangers.
      isShort =
        rank === CUT.irreversible || render(units.room(nothingButTheLast(units), false)).length > most / 2;
    }
    let [least, excess] = [0, units.count(rank)];
    while (least < excess - 1) {
      const middle = Math.floor((least + excess) / 2);
      limits.set(rank, middle);
      if (text().length <= most) least = middle;
      else excess = middle;
    }
    limits.set(rank, least);
    if (text().length <= most) return text();
  }
  return firstLines(text(), most);
}

/** Only what can't be undone. */
function nothingButTheLast({ ranks }: Units): Map<number, number> {
  return new Map(ranks.filter((rank) => rank > CUT.irreversible).map((rank) => [rank, 0]));
}

/** What can be cut, numbered within its rank in the order in which it is shown. */
class Units {
  readonly #counts = new Map<number, number>();
  readonly #rows = new Map<Row, number>();
  readonly #details = new Map<Row, number>();

  constructor(sections: readonly Section[]) {
    for (const row of sections.flatMap(({ rows }) => rows)) {
      this.#rows.set(row, this.#add(row.rank, 1));
      this.#details.set(row, this.#add(rankOfDetails(row), row.details?.length ?? 0));
    }
  }

  /** Those that are cut first come first. */
  get ranks(): number[] {
    return [...this.#counts.keys()].filter((rank) => rank !== NEVER_CUT).sort((one, other) => other - one);
  }

  count(rank: number): number {
    return this.#counts.get(rank) ?? 0;
  }

  room(limits: ReadonlyMap<number, number>, isShort: boolean): Room {
    const limit = (rank: number) => limits.get(rank) ?? Infinity;
    return {
      isShort,
      shows: (row) => (this.#rows.get(row) ?? 0) < limit(row.rank),
      detailsOf: (row) => {
        const left = limit(rankOfDetails(row)) - (this.#details.get(row) ?? 0);
        return Math.max(0, Math.min(left, row.details?.length ?? 0));
      },
    };
  }

  #add(rank: number, count: number): number {
    const first = this.count(rank);
    this.#counts.set(rank, first + count);
    return first;
  }
}

function rankOfDetails({ rank, detailsRank = rank }: Row): number {
  return detailsRank;
}

/** So many stacks that their titles alone are too long. */
function firstLines(text: string, most: number): string {
  const note = "\n… there is no room for the rest\n";
  const end = text.lastIndexOf("\n", most - note.length);
  return text.slice(0, Math.max(0, end)) + note;
}
