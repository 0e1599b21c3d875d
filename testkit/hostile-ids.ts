/** Texts that a stranger could give as an id; none may be accepted. */
export const HOSTILE_IDS: [what: string, of: (real: string) => string][] = [
  ["a line break", (real) => `${real}\n`],
  ["a control character", (real) => `${real}\u001b[2J`],
  ["a CI command", () => "::add-mask::x"],
  ["a CI command behind the id", (real) => `${real}::add-mask::x`],
  ["HTML", () => "<script>alert(1)</script>"],
  ["a path", (real) => `${real}/../../users`],
  ["a query", (real) => `${real}?fields=x`],
  ["an escaped slash", (real) => `${real}%2f`],
  ["a hidden character", (real) => `${real}\u200b`],
  ["another script", (real) => real.replace("_", "_а")],
  ["5,000 characters", (real) => real.padEnd(5_000, "x")],
  ["another kind of object", () => "con_2GjRf8mYd5LcVt7K"],
  ["a prefix alone", (real) => real.slice(0, 4)],
  ["nothing", () => ""],
];
