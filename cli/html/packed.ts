/**
 * A JSON document in which each text, number, list and object stands once, since a large tenant repeats its
 * names and lines thousands of times. A list is `[0, …items]`, an object of the second shape `[2, …values]`:
 * each item and value is a place in `values`, and the last of these is the document.
 */
export interface Packed {
  /** The names of an object's members. */
  shapes: string[][];
  values: (string | number | boolean | null | number[])[];
}

/** Takes what `JSON.stringify` would write. */
export function packed(json: unknown): Packed {
  const shapes = new Table<string[]>();
  const values = new Table<Packed["values"][number]>();
  const place = (value: unknown): number => {
    if (typeof value !== "object" || value === null)
      return values.place(value as string | number | boolean | null);
    if (Array.isArray(value)) return values.place([0, ...value.map(place)]);
    const shape = shapes.place(Object.keys(value));
    return values.place([shape + 1, ...Object.values(value).map(place)]);
  };
  place(JSON.parse(JSON.stringify(json)));
  return { shapes: shapes.items, values: values.items };
}

/** Equal parts of what it returns are one object. */
export function unpacked({ shapes, values }: Packed): unknown {
  const made: unknown[] = [];
  for (const value of values) made.push(Array.isArray(value) ? unpackedPart(value, shapes, made) : value);
  return made.at(-1);
}

function unpackedPart([shape = 0, ...places]: number[], shapes: Packed["shapes"], made: unknown[]): unknown {
  const parts = places.map((place) => made[place]);
  if (shape === 0) return parts;
  // Not by assignment: a member may have the name `__proto__`.
  return Object.fromEntries((shapes[shape - 1] ?? []).map((name, index) => [name, parts[index]]));
}

/** Has each item once, in the order in which they come. */
class Table<Item> {
  readonly items: Item[] = [];
  readonly #places = new Map<string, number>();

  place(item: Item): number {
    const key = JSON.stringify(item);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.items.length);
    return this.items.push(item) - 1;
  }
}
