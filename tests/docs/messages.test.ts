import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

/* docs/messages.md has every message of the package. */

const root = resolve(__dirname, "../..");
const page = plain(readFileSync(join(root, "docs/messages.md"), "utf8"));

/** Returns a line without Markdown. */
function plain(text: string): string {
  return text.replace(/[`*]/g, "").replace(/\s+/g, " ");
}

/** Returns each text's fixed parts, without the inserted values. */
function fixedParts(node: ts.Node): string[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [
      node.head.text,
      ...node.templateSpans.flatMap(({ expression, literal }) => [...fixedParts(expression), literal.text]),
    ];
  }
  if (ts.isParenthesizedExpression(node)) return fixedParts(node.expression);
  if (ts.isConditionalExpression(node)) return [...fixedParts(node.whenTrue), ...fixedParts(node.whenFalse)];
  if (!ts.isBinaryExpression(node)) return [];
  const [left, right] = [fixedParts(node.left), fixedParts(node.right)];
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return [...left, ...right];
  return [...left.slice(0, -1), `${left.at(-1) ?? ""}${right[0] ?? ""}`, ...right.slice(1)];
}

/** Returns the messages of errors, and problems of settings, in a file, each with its fixed parts. */
function messagesIn(path: string, text: string): { where: string; parts: string[] }[] {
  const found: { where: string; parts: string[] }[] = [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const said =
      ts.isNewExpression(node) && /Error$|^NoFile$/.test(node.expression.getText())
        ? (node.arguments ?? [])
        : ts.isPropertyAssignment(node) && node.name.getText() === "problem"
          ? [node.initializer]
          : [];
    const parts = said.flatMap(fixedParts).filter((part) => part.trim().split(/\s+/).length >= 3);
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (parts.length > 0) found.push({ where: `${path}:${line}`, parts });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** True if the page has four words in a row from one of the parts, or all of a shorter one. */
function isToldOf(parts: readonly string[]): boolean {
  return parts.some((part) => {
    const words = plain(part).trim().split(" ");
    return words.some((_, at) => {
      const phrase = words.slice(at, at + 4).join(" ");
      return words.slice(at, at + 4).length >= Math.min(4, words.length) && page.includes(phrase);
    });
  });
}

const sources = (readdirSync(join(root, "provider"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts"))
  .map((name) => `provider/${name}`);
const messages = sources.flatMap((path) => messagesIn(path, readFileSync(join(root, path), "utf8")));

test("messages are found in the sources, also those that are put together", () => {
  expect(messages.length).toBeGreaterThan(50);
  const source = "throw new IdentityError(`${name} was not sent: ` + `the run was ${why}, try again later`);";
  expect(messagesIn("x.ts", source)).toEqual([
    { where: "x.ts:1", parts: [" was not sent: the run was ", ", try again later"] },
  ]);
  expect(isToldOf(["no such words on this page"])).toBe(false);
});

test("the page tells what each of them means", () => {
  expect(messages.filter(({ parts }) => !isToldOf(parts))).toEqual([]);
});

test("the page has every class of errors that a program can catch", () => {
  const index = readFileSync(join(root, "provider/index.ts"), "utf8");
  const classes = [...index.matchAll(/^ {2}(\w+Error),$/gm)].map(([, name = ""]) => name);
  expect(classes.length).toBeGreaterThan(5);
  for (const name of classes) expect(page).toContain(`| ${name} |`);
});
