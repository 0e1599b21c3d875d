import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

/* docs/messages.md speaks of messages that the package can print, word for word. */

const root = resolve(__dirname, "../..");
const page = readFileSync(join(root, "docs/messages.md"), "utf8");
const FOREIGN = "## Pulumi's own messages";

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

/** Returns the fixed parts of all texts in a source, the outermost expressions only. */
function textsIn(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const parts = fixedParts(node);
    if (parts.length > 0) found.push(...parts);
    else ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("x.ts", source, ts.ScriptTarget.Latest, true));
  return found;
}

/** Returns the messages that the lines of a list begin with. */
function entriesOf(markdown: string): string[] {
  const lines = markdown.match(/^- `.*(?:\n {2}.*)*/gm) ?? [];
  return lines.flatMap((line) => {
    const [, spans = ""] = /^- ((?:`[^`]+`(?:,\s+)?)+)/.exec(line) ?? [];
    return [...spans.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.replace(/\s+/g, " "));
  });
}

/** True if the sources have every part of a message between its `…`. */
function isSaid(message: string, texts: readonly string[]): boolean {
  return message
    .split("…")
    .filter((part) => /\w/.test(part))
    .every((part) => texts.some((text) => text.includes(part)));
}

const texts = ["provider", "cli"].flatMap((folder) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => textsIn(readFileSync(join(root, folder, name), "utf8"))),
);

test("each message on the page is one that the code can print", () => {
  const [ours = ""] = page.split(`\n${FOREIGN}\n`);
  const entries = entriesOf(ours);
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.filter((entry) => !isSaid(entry, texts))).toEqual([]);
});

test("a message that the code can't print would be found", () => {
  const source = "throw new IdentityError(`${name} was not sent: ` + `the run was ${why}, try again later`);";
  const said = textsIn(source);
  const entries = entriesOf("- `grp_1 was not sent: the run was …`, `no such words`: why\n- not a message\n");
  expect(entries).toEqual(["grp_1 was not sent: the run was …", "no such words"]);
  expect(
    ["… was not sent: the run was …, try again", ...entries].map((entry) => isSaid(entry, said)),
  ).toEqual([true, false, false]);
});

test("the page has every class of errors that a program can catch", () => {
  const index = readFileSync(join(root, "provider/index.ts"), "utf8");
  const classes = [...index.matchAll(/^ {2}(\w+Error),$/gm)].map(([, name = ""]) => name);
  expect(classes.length).toBeGreaterThan(5);
  for (const name of classes) expect(page).toContain(`\`${name}\``);
});
