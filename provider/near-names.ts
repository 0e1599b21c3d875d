/** Longer names are compared by their beginnings: an answer must not take up time. */
const LONGEST = 64;

/** A part of a name that is shorter says little: `main` is no misspelt `domain`. */
const SHORTEST_PART = 5;

/** How far a name is from what was written: the letters to change; 1 where one is a part of the other. */
function distance(wanted: string, name: string): number {
  const [a, b] = [letters(wanted), letters(name)];
  const changes = changesBetween(a, b);
  const [part, whole] = a.length < b.length ? [a, b] : [b, a];
  return part.length >= SHORTEST_PART && whole.includes(part) ? Math.min(changes, 1) : changes;
}

/** The names that come nearest to what somebody wrote, the nearest first. */
export function nearest(wanted: string, names: readonly string[], most: number, within = Infinity): string[] {
  return [...new Set(names)]
    .map((name) => ({ name, far: distance(wanted, name) }))
    .filter(({ far }) => far <= within)
    .sort((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** A change of a letter makes another word of a shorter name: `ad` and `adfs` are both strategies. */
const SHORTEST_MISSPELT = 8;

/** The name that may be misspelt: its letters in another spelling, or, of a longer one, all but one. */
export function misspelt(written: string, names: readonly string[]): string | undefined {
  if (names.includes(written)) return undefined;
  const changes = (name: string) => changesBetween(letters(written), letters(name));
  return names.find((name) => changes(name) <= (name.length < SHORTEST_MISSPELT ? 0 : 1));
}

/** `Support Agent`, `support-agent` and `supportAgent` are the same to whoever misspells them. */
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
