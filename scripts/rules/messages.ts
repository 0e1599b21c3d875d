import ts from "typescript";

/* docs/troubleshooting.md speaks of messages that the package can print, word for word. */

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
export function textsIn(source: string): string[] {
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
export function entriesOf(markdown: string): string[] {
  const lines = markdown.match(/^- `.*(?:\n {2}.*)*/gm) ?? [];
  return lines.flatMap((line) => {
    const [, spans = ""] = /^- ((?:`[^`]+`(?:,\s+)?)+)/.exec(line) ?? [];
    return [...spans.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.replace(/\s+/g, " "));
  });
}

/** True if the sources have every part of a message between its `…`. */
export function isSaid(message: string, texts: readonly string[]): boolean {
  return message
    .split("…")
    .filter((part) => /\w/.test(part))
    .every((part) => texts.some((text) => text.includes(part)));
}
