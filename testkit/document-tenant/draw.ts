import { createHash } from "node:crypto";

/** Draws the same values whenever it's made from the same parts. */
export class Draw {
  private state: number;

  constructor(...parts: (string | number)[]) {
    this.state = createHash("sha256").update(parts.join(" ")).digest().readInt32LE();
  }

  /** Returns a whole number from 0 to `end` - 1, by mulberry32. */
  below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % end;
  }

  one<T>(values: ArrayLike<T>): T {
    return values[this.below(values.length)] as T;
  }

  shuffled<T>(values: readonly T[]): T[] {
    const left = [...values];
    return values.map(() => left.splice(this.below(left.length), 1)[0] as T);
  }

  text(alphabet: string, from: number, to = from): string {
    const length = from + this.below(to - from + 1);
    return Array.from({ length }, () => this.one(alphabet)).join("");
  }
}
