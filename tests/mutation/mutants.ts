import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One small change to a source file, in Stryker's way. */
export interface Mutant {
  /** Relative to the repository, with slashes. */
  file: string;
  /** Counted from 1. */
  line: number;
  operator: string;
  start: number;
  end: number;
  replacement: string;
}

/** Their replacements may bind less tightly than the originals. */
const NEEDS_PARENTHESES = new Set(["LogicalOperator", "BooleanLiteral"]);

/** Returns every mutant of the file or the folder's files, always in the same order. */
export async function mutantsOf(root: string, path: string): Promise<Mutant[]> {
  const names = readdirSync(join(root, "provider"), { recursive: true, encoding: "utf8" })
    .map((name) => `provider/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".ts") && (name === path || name.startsWith(`${path}/`)))
    .sort();
  const contents = new Map(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
  // Published only as ES modules.
  const { Instrumenter } = await import("@stryker-mutator/instrumenter");
  const { mutants } = await new Instrumenter(SILENT).instrument(
    names.map((name) => ({ name, mutate: true, content: contents.get(name) ?? "" })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  return mutants.map(({ fileName, location, mutatorName, replacement }) => {
    const lines = (contents.get(fileName) ?? "").split("\n");
    const offset = ({ line, column }: { line: number; column: number }) =>
      lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, column);
    return {
      file: fileName,
      line: location.start.line + 1,
      operator: mutatorName,
      start: offset(location.start),
      end: offset(location.end),
      replacement: NEEDS_PARENTHESES.has(mutatorName) ? `(${replacement})` : replacement,
    };
  });
}

export function mutated(content: string, { start, end, replacement }: Mutant): string {
  return content.slice(0, start) + replacement + content.slice(end);
}

/** In one line: `provider/http/retry.ts:12 EqualityOperator: a < b → a <= b`. */
export function described(mutant: Mutant, content: string): string {
  const before = content.slice(mutant.start, mutant.end);
  return `${mutant.file}:${mutant.line} ${mutant.operator}: ${oneLine(before)} → ${oneLine(mutant.replacement)}`;
}

function oneLine(code: string): string {
  const line = code.replace(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 60)} … ${line.slice(-35)}` : line;
}

const SILENT = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
};
