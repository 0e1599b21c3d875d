import { deepEqual, ok } from "node:assert/strict";
import ts from "typescript";
import { entriesOf, isSaid, textsIn } from "./messages";
import { KEEPERS, stateOf } from "./module-state";
import { filesIn, read, rule } from "./rule";

const sources = filesIn(["provider", "cli"], ".ts").map((file) => ({ file, text: read(file) }));

rule("no module keeps state, save those that say why", () => {
  const found = sources
    .map(({ file, text }) => ({ file, names: stateOf(text) }))
    .filter(({ names }) => names.length > 0);
  // Declare constants `as const`, ReadonlySet, ReadonlyMap or Readonly. Keep everything else in an object
  // that is passed on, or name the file in module-state.ts.
  deepEqual(
    found.filter(({ file }) => !(file in KEEPERS)),
    [],
  );
  deepEqual(
    Object.keys(KEEPERS).filter((name) => found.every(({ file }) => file !== name)),
    [],
  );
});

rule("no two exported types share a name", () => {
  const files = new Map<string, string[]>();
  for (const { file, text } of sources)
    // Its classes are those of the other entry, by the same names.
    if (file !== "provider/plugin-classes.ts")
      for (const name of typesOf(text)) files.set(name, [...(files.get(name) ?? []), file]);
  // One word has one meaning: rename one of them, or import it.
  deepEqual(
    [...files].filter(([, all]) => all.length > 1),
    [],
  );
});

/** The names of types that a module declares and exports. */
function typesOf(text: string): string[] {
  const file = ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest);
  return file.statements.flatMap((statement) => {
    const isType =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isEnumDeclaration(statement);
    if (!isType || statement.name === undefined) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported === true ? [statement.name.text] : [];
  });
}

rule(
  "docs/troubleshooting.md has messages that the code can print, and every error that a program can catch",
  () => {
    const page = read("docs/troubleshooting.md");
    const [ours = ""] = page.split("\n## Pulumi's own messages\n");
    const texts = sources.flatMap(({ text }) => textsIn(text));
    const entries = entriesOf(ours);
    ok(entries.length > 8);
    deepEqual(
      entries.filter((entry) => !isSaid(entry, texts)),
      [],
    );
    const classes = [...read("provider/index.ts").matchAll(/^ {2}(\w+Error),$/gm)].map(([, name]) => name);
    ok(classes.length > 5);
    deepEqual(
      classes.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  },
);
