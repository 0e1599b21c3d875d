export interface Place {
  file: string;
  line: number;
}

/** A part of a sentence that isn't the package's own words: each format escapes it in its own way. */
export type Part =
  | string
  /** A value from the program, the tenant or the state. */
  | { value: string }
  /** An id, shown in full next to its name, if it has one. */
  | { id: string }
  | { place: Place };

/** How a format writes the parts that aren't words. */
export interface Rendering {
  value: (text: string) => string;
  id: (id: string) => string;
  place: (place: Place) => string;
}

export class Sentence {
  constructor(readonly parts: readonly Part[]) {}

  get isEmpty(): boolean {
    return this.parts.every((part) => part === "");
  }

  /** This sentence; the other one if it's empty. */
  or(other: Sentence): Sentence {
    return this.isEmpty ? other : this;
  }

  render({ value, id, place }: Rendering): string {
    const texts = this.parts.map((part) => {
      if (typeof part === "string") return part;
      if ("value" in part) return value(part.value);
      return "id" in part ? id(part.id) : place(part.place);
    });
    return texts.join("");
  }

  toString(): string {
    return this.render({ value: (text) => text, id: (text) => text, place: placeText });
  }

  /** For a page, which renders them: words that follow each other are one part. */
  toJSON(): readonly Part[] {
    const parts: Part[] = [];
    for (const part of this.parts) {
      const last = parts.at(-1);
      if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
      else if (part !== "") parts.push(part);
    }
    return parts;
  }
}

type Insert = Sentence | Part;

/** `` say`the groups of ${id(role)} are secret` ``; a plain string is inserted as a value. */
export function say(words: TemplateStringsArray, ...inserts: Insert[]): Sentence {
  // A review makes many thousands of sentences, so this spares arrays.
  const parts: Part[] = [];
  for (let index = 0; index < words.length; index++) {
    parts.push(words[index] as string);
    const insert = inserts[index];
    if (insert instanceof Sentence) parts.push(...insert.parts);
    else if (typeof insert === "string") parts.push({ value: insert });
    else if (insert !== undefined) parts.push(insert);
  }
  return new Sentence(parts);
}

/**
 * The end of a sentence that may have nothing to say: `` tail`, until ${until}` `` is empty if an insert is
 * undefined, null or empty.
 */
export function tail(words: TemplateStringsArray, ...inserts: (Insert | null | undefined)[]): Sentence {
  return inserts.some(isNothing) ? new Sentence([]) : say(words, ...(inserts as Insert[]));
}

function isNothing(insert: Insert | null | undefined): boolean {
  if (insert instanceof Sentence) return insert.isEmpty;
  return insert === undefined || insert === null || insert === "";
}

/** `support index.ts:18`, or `support` if nobody knows its place. */
export function placed(name: string, line: Place | null | undefined): Sentence {
  return line ? say`${name} ${{ place: line }}` : say`${name}`;
}

/** `index.ts:18` */
export function placeText({ file, line }: Place): string {
  return `${file}:${line}`;
}

export function word(text: string): Sentence {
  return new Sentence([text]);
}

export const id = (text: string): { id: string } => ({ id: text });

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a, b and c` */
export function list(items: readonly Insert[]): Sentence {
  const sentences = items.map((item) => say`${item}`);
  return new Sentence(
    sentences.flatMap(({ parts }, index) => {
      const isLast = index === sentences.length - 1;
      return index === 0 ? parts : [isLast ? " and " : ", ", ...parts];
    }),
  );
}

const MOST_NAMED = 10;

/** `a, b and c`, of ids or sentences; of many, the first ten `and 990 more` */
export function some(items: readonly (string | Sentence)[]): Sentence {
  const left = items.length - MOST_NAMED;
  const more = left <= 0 ? [] : [new Sentence([`${grouped(left)} more`])];
  const named = items.slice(0, MOST_NAMED).map((item) => (typeof item === "string" ? id(item) : item));
  return list([...named, ...more]);
}

/** `1,000`. `toLocaleString` would take a fifth of the command's time on its first call. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 group`, `2 groups` */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}

/**
 * Cases, such as the sentences that a row may say, each with whether it is true. A review has many thousands
 * of rows, so it makes only the sentences that count.
 */
export type Cases<Of> = readonly (readonly [isTrue: boolean, what: () => Of])[];

export function firstOf<Of>(cases: Cases<Of>): Of | undefined {
  return cases.find(([isTrue]) => isTrue)?.[1]();
}

export function allOf<Of>(cases: Cases<Of>): Of[] {
  return cases.filter(([isTrue]) => isTrue).map(([, what]) => what());
}

/** Returns a value as a list of one; an empty list if it's undefined or null. */
export function optional<Item>(item: Item | null | undefined): Item[] {
  return item === undefined || item === null ? [] : [item];
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOSPC: "no space left",
};

/** Says why a file couldn't be read or written. `missing`: what isn't there. */
export function fileReason(error: unknown, missing = "no such file"): string {
  const { code } = error as { code?: string };
  if (code === "ENOENT") return missing;
  return FILE_REASONS[code ?? ""] ?? code ?? String(error);
}
