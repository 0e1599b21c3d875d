import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import MarkdownIt from "markdown-it";
import ts from "typescript";
import { parse as parseYaml } from "yaml";

/* Every block of code that a reader may copy, from the documents and from comments in the sources. */

interface Block {
  /** Relative to the repository. */
  file: string;
  /** Number of the first line of `text` in the file. */
  line: number;
  language: string;
  text: string;
}

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const filesIn = (folder: string, ending: string) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`)
    .sort();

const PARSERS: Record<string, (text: string) => unknown> = {
  json: JSON.parse,
  yaml: parseYaml,
  sh: parseShell,
  ...Object.fromEntries(
    Object.entries({
      go: "examples/go/main.go",
      java: "examples/java/src/main/java/example/App.java",
      python: "examples/python/__main__.py",
      hcl: "examples/hcl/main.tf",
    }).map(([language, file]) => [language, (text: string) => findIn(file, text)]),
  ),
};

/** Its blocks are changes to the sources: walk-through.long.ts checks them. */
const GUIDE = "docs/contributing/new-resource.md";
/** registry.long.ts runs its programs. */
const REGISTRY = "docs/_index.md";

const documents = [
  "README.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
  ...filesIn("docs", ".md").filter((file) => ![GUIDE, REGISTRY].includes(file)),
  ...filesIn("examples", "README.md"),
  "simulator/README.md",
  "testkit/README.md",
];
const sources = filesIn("provider", ".ts");

const inDocuments = documents.flatMap((file) => blocksIn(file, read(file)));
const inSources = sources.flatMap((file) =>
  commentsOf(file).flatMap(({ line, text }) => blocksIn(file, text, line)),
);
const blocks = [...inDocuments, ...inSources];
const written = (language: string) => blocks.filter((block) => block.language === language);

test("there are blocks of each kind", () => {
  for (const language of ["ts", "sh", "json"]) expect(written(language).length).toBeGreaterThan(1);
});

test("every block has a language that is checked, or none because it is plain text", () => {
  const known = [...Object.keys(PARSERS), "ts", "mermaid", "text", ""];
  const unknown = blocks.filter(({ language }) => !known.includes(language));
  expect(unknown.map((block) => problem(block, 0, `unknown language "${block.language}"`))).toEqual([]);
});

test("every `@example` in the sources is a block", () => {
  const plain = sources.flatMap((file) =>
    commentsOf(file).flatMap(({ line, text }) => {
      const examples = text.split(/^@/m).filter((tag) => /^example\b/.test(tag));
      return examples.every((example) => example.includes("```")) ? [] : [`${file}:${line}`];
    }),
  );
  expect(plain).toEqual([]);
});

test("`ts` blocks compile in a strict program, each as a module of its own", () => {
  // Proves that errors are found, and located. It runs along with the blocks, because each program takes
  // seconds.
  const wrong: Block = {
    file: "wrong.md",
    line: 8,
    language: "ts",
    text: [
      'import { ConnectionProfile } from "pulumi-identity";',
      'export const profile = new ConnectionProfile("enterprise", { nam: "enterprise" });',
      "export const name: string = profile.name;",
    ].join("\n"),
  };
  expect(typeErrors([...written("ts"), wrong])).toEqual([
    expect.stringMatching(/^wrong\.md:9: .*'nam' does not exist in type 'ConnectionProfileArgs'/),
    expect.stringMatching(/^wrong\.md:10: .*is not assignable to type 'string'/),
  ]);
});

test("what is written in another language can be parsed, or stands in its example", () => {
  // Proves that errors are found.
  const wrong = ["json", "yaml", "sh", "go"].map((language) => ({
    file: language,
    line: 8,
    language,
    text: "a: { (",
  }));
  expect([...blocks, ...wrong].flatMap(syntaxErrors)).toEqual([
    expect.stringMatching(/^json:8: /),
    expect.stringMatching(/^yaml:8: /),
    expect.stringMatching(/^sh:8: /),
    expect.stringMatching(/^go:8: /),
  ]);
});

/** The fenced blocks of a Markdown text, which begins at this line of the file. */
function blocksIn(file: string, markdown: string, firstLine = 1): Block[] {
  return new MarkdownIt().parse(markdown, {}).flatMap(({ type, map, info, content }) => {
    if (type !== "fence") return [];
    const [fence = 0] = map ?? [];
    return [{ file, line: firstLine + fence + 1, language: info.trim(), text: content }];
  });
}

/** The documentation comments of a source as Markdown, with the number of their first line. */
function commentsOf(file: string): { line: number; text: string }[] {
  const source = read(file);
  return [...source.matchAll(/^ *\/\*\*$[\s\S]*?\*\//gm)].map(({ index, 0: comment }) => ({
    line: source.slice(0, index).split("\n").length,
    text: comment.replace(/^ *(\/\*\*|\*\/|\* ?)/gm, ""),
  }));
}

function problem({ file, line }: Block, offset: number, message: string): string {
  return `${file}:${line + offset}: ${message}`;
}

function syntaxErrors(block: Block): string[] {
  try {
    PARSERS[block.language]?.(block.text);
    return [];
  } catch (error) {
    return [problem(block, 0, (error as Error).message)];
  }
}

function parseShell(text: string): void {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.trim());
}

/** Nobody compiles these languages here, but the examples have run. */
function findIn(example: string, text: string): void {
  const lines = (code: string) => code.replace(/^[ \t]+/gm, "");
  if (!lines(read(example)).includes(lines(text))) throw new Error(`not in ${example}`);
}

/** Returns the compiler's errors for the blocks, with the packages installed here. */
function typeErrors(modules: readonly Block[]): string[] {
  const paths = new Map(
    modules.map((block, index) => [join(root, `block-${index}.${ending(block)}`), block]),
  );
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    moduleDetection: ts.ModuleDetectionKind.Force,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node", "jest"],
  };
  const disk = ts.createCompilerHost(options);
  const program = ts.createProgram([...paths.keys()], options, {
    ...disk,
    getCurrentDirectory: () => root,
    fileExists: (path) => paths.has(path) || disk.fileExists(path),
    readFile: (path) => paths.get(path)?.text ?? disk.readFile(path),
    getSourceFile: (path, language, ...rest) => {
      const block = paths.get(path);
      return block === undefined
        ? disk.getSourceFile(path, language, ...rest)
        : ts.createSourceFile(path, block.text, language);
    },
  });
  return [...paths].flatMap(([path, block]) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText, start = 0 }) => {
        const offset = file?.getLineAndCharacterOfPosition(start).line ?? 0;
        return problem(block, offset, ts.flattenDiagnosticMessageText(messageText, " "));
      },
    );
  });
}

/** A Pulumi program is a CommonJS module; only an ES module may await at its top level. */
function ending({ text }: Block): "ts" | "mts" {
  return /^\S.*\bawait\b/m.test(text) && !/^export = /m.test(text) ? "mts" : "ts";
}
