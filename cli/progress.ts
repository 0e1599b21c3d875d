/** What a person sees at a terminal while the tenant is read; elsewhere it shows nothing. */
export class Progress {
  #isShown = false;

  constructor(private readonly stream: Pick<NodeJS.WriteStream, "isTTY" | "write">) {}

  /** Whether anybody looks. */
  get isSeen(): boolean {
    return this.stream.isTTY;
  }

  /** Replaces what was shown before. */
  show(text: string): void {
    if (!this.stream.isTTY) return;
    this.stream.write(`\r\u001b[K${text}`);
    this.#isShown = true;
  }

  /** Leaves lines for good. */
  tell(lines: readonly string[]): void {
    this.clear();
    if (this.stream.isTTY) this.stream.write(lines.map((line) => `${line}\n`).join(""));
  }

  clear(): void {
    if (this.#isShown) this.stream.write("\r\u001b[K");
    this.#isShown = false;
  }
}
