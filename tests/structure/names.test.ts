import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(__dirname, "../..");

/** Names that stand in several files, and for the same thing in each. */
const shared: Record<string, string> = {
  schema: "the rules of a resource's inputs, or of a data source's arguments",
  Inputs: "the inputs of a resource",
  TYPE: "what a resource registers",
  source: "a data source",
  DAY_MS: "a day in milliseconds",
};

test("no top-level name of provider/ and cli/ stands for two things", () => {
  const files = new Map<string, Set<string>>();
  for (const folder of ["provider", "cli"]) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
      const path = join(entry.parentPath, entry.name);
      for (const name of topLevelNames(readFileSync(path, "utf8"))) {
        files.set(name, (files.get(name) ?? new Set()).add(path.slice(root.length + 1)));
      }
    }
  }
  const several = [...files].filter(([, places]) => places.size > 1);
  const unexplained = several.filter(([name]) => !(name in shared));
  expect(Object.fromEntries(unexplained.map(([name, places]) => [name, [...places]]))).toEqual({});
  expect(Object.keys(shared).filter((name) => !several.some(([found]) => found === name))).toEqual([]);
});

test("all declarations of a module are looked at", () => {
  const text = `
    const a = 1, { b, c: [d] } = e;
    export let f;
    export async function g() { const inner = 1; }
    class H {}
    export interface I {}
    type J = string;
    enum K {}
    export { other } from "./other";
  `;
  expect(topLevelNames(text)).toEqual(["a", "b", "d", "f", "g", "H", "I", "J", "K"]);
});

function topLevelNames(text: string): string[] {
  const source = ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true);
  return source.statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
    const isNamed =
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isEnumDeclaration(statement);
    return isNamed && statement.name !== undefined ? [statement.name.text] : [];
  });
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}
