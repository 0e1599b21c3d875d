/** Longer names are compared by their beginnings, to keep answers fast. */
const LONGEST = 64;

/** A shorter part of a name proves little: `main` isn't a misspelt `domain`. */
const SHORTEST_PART = 5;

/** Counts the letters to change to get from one name to the other; 1 if one is part of the other. */
function distance(sought: string, name: string): number {
  const [a, b] = [letters(sought), letters(name)];
  const changes = changesBetween(a, b);
  const [part, whole] = a.length < b.length ? [a, b] : [b, a];
  return part.length >= SHORTEST_PART && whole.includes(part) ? Math.min(changes, 1) : changes;
}

/** Returns the names most similar to the given one, the nearest first. */
export function nearest(sought: string, names: readonly string[], most: number, within = Infinity): string[] {
  return [...new Set(names)]
    .map((name) => ({ name, far: distance(sought, name) }))
    .filter(({ far }) => far <= within)
    .sort((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** Returns the only difference between two names that look alike; undefined if they differ in more. */
export function onlyDifference(name: string, other: string): "case" | "Unicode form" | undefined {
  if (name === other) return undefined;
  const [one, two] = [name, other].map((text) => text.normalize("NFKC")) as [string, string];
  if (one === two) return "Unicode form";
  return one.toLowerCase() === two.toLowerCase() ? "case" : undefined;
}

/** In a shorter name, one changed letter makes another word: `ad` and `adfs` are both strategies. */
const SHORTEST_MISSPELT = 8;

/**
 * Returns the name that may be misspelt: the same letters in another spelling or, for longer names, all but
 * one.
 */
export function misspelt(written: string, names: readonly string[]): string | undefined {
  if (names.includes(written)) return undefined;
  const changes = (name: string) => changesBetween(letters(written), letters(name));
  return names.find((name) => changes(name) <= (name.length < SHORTEST_MISSPELT ? 0 : 1));
}

/** Treats `Support Agent`, `support-agent` and `supportAgent` as the same. */
function letters(name: string): string {
  return name
    .slice(0, LONGEST)
    .replace(/[\s_.:-]/g, "")
    .toLowerCase();
}

function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
