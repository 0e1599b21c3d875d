import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(__dirname, "../../docs/recovery.md");
/** A fenced block, and the comment before it, which names it. */
const BLOCK = /^(?: *<!-- block: (\S+) -->\n\n)?( *)```(\S*)\n([^]*?)^ *```$/gm;

/** The blocks of docs/recovery.md by their names, so that the rounds run exactly what the page says. */
export class RecoveryPage {
  readonly #blocks: ReadonlyMap<string, string>;
  readonly #taken = new Set<string>();

  constructor(page = readFileSync(PAGE, "utf8")) {
    const named = [...page.matchAll(BLOCK)].map(([block, name, margin = "", , text = ""]) => {
      if (name === undefined) throw new Error(`A block of docs/recovery.md has no name:\n${block}`);
      return [name, text.replaceAll(new RegExp(`^${margin}`, "gm"), "").trim()] as const;
    });
    this.#blocks = new Map(named);
    if (this.#blocks.size < named.length) throw new Error("Two blocks of docs/recovery.md share a name.");
  }

  /** Returns the text of a block that is about to run. */
  take(name: string): string {
    const text = this.#blocks.get(name);
    if (text === undefined) throw new Error(`docs/recovery.md has no block "${name}".`);
    this.#taken.add(name);
    return text;
  }

  /** The names of the blocks that nothing has run yet. */
  left(): string[] {
    return [...this.#blocks.keys()].filter((name) => !this.#taken.has(name));
  }
}
