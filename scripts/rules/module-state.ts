import ts from "typescript";

/** Files of provider/ and cli/ that keep something from call to call, with the reason why an object can't. */
export const KEEPERS: Readonly<Record<string, string>> = {
  "provider/border.ts": "patterns, of which nothing but `replace` and `matchAll` is asked",
  "provider/http/page.ts": "shapes, made once: held weakly, by those of the entries",
  "provider/pulumi/host/door.ts": "the runs of a host process, which the handlers of all kinds share",
  "provider/pulumi/host/sightings.ts": "a key: what it stands for lives in the run",
  "provider/pulumi/plugin/invoke.ts": "a key: what it stands for lives in the run",
  "provider/pulumi/plugin/server.ts": "a key: what it stands for lives as long as the call",
  "provider/pulumi/program/data-source.ts": "keys, and the questions of a script while they are under way",
  "provider/pulumi/program/data-source-error.ts": "errors that have left: held weakly, by their causes",
  "provider/pulumi/program/connection.ts":
    "keys, and the clients of a script, which has nothing else to hold them",
  "provider/pulumi/program/found-names.ts": "a key: what it stands for lives as long as the program",
  "provider/pulumi/program/program-folder.ts": "looked up once in a process, since the answer can't change",
  "provider/resources/connection-profile/profiles-of-run.ts": "a key: what it stands for lives in the run",
  "cli/review/kinds/assignment-step.ts": "what is read from a step: held weakly, by the step",
  "provider/resources/role-group-assignment/declared.ts":
    "a key: what it stands for lives as long as the program",
  "provider/resources/role-group-assignment/listed-in-run.ts": "a key: what it stands for lives in the run",
  "provider/resources/role-group-assignment/roles-of-run.ts": "a key: what it stands for lives in the run",
  "provider/review/guard.ts": "a key: what it stands for lives as long as the operation",
};

/**
 * Returns the names of a module's variables and static properties that can change, or whose values can. An
 * object typed by an interface of its own counts as what the interface says, and so does the result of a
 * call.
 */
export function stateOf(text: string): string[] {
  const names: string[] = [];
  const source = ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true);
  const judge = (node: ts.VariableDeclaration | ts.PropertyDeclaration, constant: boolean) => {
    if (!constant || isMutable(node)) names.push(node.name.getText());
  };
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      const { declarations, flags } = statement.declarationList;
      for (const declaration of declarations) judge(declaration, (flags & ts.NodeFlags.Const) !== 0);
    } else if (ts.isClassDeclaration(statement)) {
      for (const member of statement.members.filter(ts.isPropertyDeclaration)) {
        const flags = ts.getCombinedModifierFlags(member);
        if (flags & ts.ModifierFlags.Static) judge(member, (flags & ts.ModifierFlags.Readonly) !== 0);
      }
    }
  }
  return names;
}

function isMutable({ name, type, initializer }: ts.VariableDeclaration | ts.PropertyDeclaration): boolean {
  // A destructured value has no name, so nobody can change it.
  if (initializer === undefined || !ts.isIdentifier(name)) return false;
  let value = initializer;
  while (ts.isAsExpression(value) || ts.isSatisfiesExpression(value) || ts.isParenthesizedExpression(value)) {
    if (ts.isAsExpression(value) && /^const$|^readonly |^Readonly/.test(value.type.getText())) return false;
    value = value.expression;
  }
  const typeText = type?.getText() ?? "";
  if (/^readonly |^Readonly/.test(typeText)) return false;
  if (ts.isNewExpression(value) || ts.isArrayLiteralExpression(value)) return true;
  if (!ts.isObjectLiteralExpression(value)) return false;
  return value.properties.length === 0 || typeText === "" || /^(Partial<)?Record</.test(typeText);
}
