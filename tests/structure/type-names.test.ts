import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(__dirname, "../..");

/** Its classes are those of the other entry, by the same names. */
const TWINS = "provider/plugin-classes.ts";

test("no two exported types share a name", () => {
  const files = new Map<string, string[]>();
  const entries = ["provider", "cli"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }),
  );
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
    const path = join(entry.parentPath, entry.name);
    const file = path.slice(root.length + 1);
    if (file === TWINS) continue;
    for (const name of typesOf(readFileSync(path, "utf8")))
      files.set(name, [...(files.get(name) ?? []), file]);
  }
  const twice = [...files].filter(([, all]) => all.length > 1);
  // One word has one meaning: rename one of them, or import it.
  expect(Object.fromEntries(twice)).toEqual({});
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
