import { type Section } from "./document";

/** How much of a review is shown. */
export interface Room {
  /** How many rows of a section; all of them unless it is listed. */
  rows: ReadonlyMap<Section, number>;
  /** Whether what can't be undone is told in the fewest words. */
  isShort: boolean;
}

/** The longest text of at most `most` characters. What matters least is dropped first, and counted by the renderer. */
export function fit(sections: readonly Section[], most: number, render: (room: Room) => string): string {
  const rows = new Map<Section, number>();
  const room: { rows: Map<Section, number>; isShort: boolean } = { rows, isShort: false };
  const fits = () => render(room).length <= most;
  if (fits()) return render(room);
  const droppable = sections.filter(({ rank }) => rank > 0).sort((one, other) => other.rank - one.rank);
  for (const section of droppable) {
    let [least, excess] = [0, section.rows.length];
    while (least < excess - 1) {
      const middle = Math.floor((least + excess) / 2);
      rows.set(section, middle);
      if (fits()) least = middle;
      else excess = middle;
    }
    rows.set(section, least);
    if (fits()) return render(room);
  }
  room.isShort = true;
  return render(room);
}
