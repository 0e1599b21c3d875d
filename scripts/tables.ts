// Writes the tables of inputs, outputs and results in docs/, from the sources: between
// `<!-- table: ConnectionProfileArgs -->`, where the name is that of an exported class or interface, and
// `<!-- /table -->`. A part of `npm run picture`.
// node --import tsx scripts/tables.ts [--check]
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { type InputDifference } from "../provider/pulumi/resource-kind";
import { connectionProfileKind } from "../provider/resources/connection-profile/kind";
import { deviceCredentialRemovalKind } from "../provider/resources/device-credential-removal/kind";
import { roleGroupAssignmentKind } from "../provider/resources/role-group-assignment/kind";

const root = resolve(__dirname, "..");
const KINDS = [connectionProfileKind, deviceCredentialRemovalKind, roleGroupAssignmentKind];
const BLOCK = /(<!-- table: (\w+) -->\n)[^]*?(<!-- \/table -->)/g;

/** Shows a type's texts if there are at most this many, or else its name. */
const MOST_VALUES = 4;

const entry = join(root, "provider/index.ts");
const program = ts.createProgram([entry], { module: ts.ModuleKind.NodeNext, strict: true, types: [] });
const checker = program.getTypeChecker();
const exported = new Map(
  checker
    .getExportsOfModule(
      checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol,
    )
    .map((symbol) => [symbol.name, checker.getAliasedSymbol(symbol)]),
);

const isCheck = process.argv.includes("--check");
for (const name of readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".md")) continue;
  const path = join(root, "docs", name);
  const before = readFileSync(path, "utf8");
  const after = before.replace(
    BLOCK,
    (_, start: string, type: string, end: string) =>
      `${start}\n<!-- prettier-ignore -->\n${tableOf(type)}\n\n${end}`,
  );
  if (after === before) continue;
  if (!isCheck) writeFileSync(path, after);
  else {
    console.error(`The tables of docs/${name} are not current: run \`npm run picture\`.`);
    process.exitCode = 1;
  }
}

type Field = ts.PropertySignature | ts.PropertyDeclaration;

function tableOf(name: string): string {
  const declaration = exported.get(name)?.declarations?.[0];
  if (
    declaration === undefined ||
    !(ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration))
  )
    throw new Error(`docs/ has a table of ${name}, which is no exported class or interface.`);
  const members: readonly (ts.TypeElement | ts.ClassElement)[] = [...declaration.members];
  const fields = members.filter(
    (member): member is Field =>
      ts.isPropertySignature(member) || (ts.isPropertyDeclaration(member) && isDeclared(member)),
  );
  const kind = KINDS.find((each) => `${each.name}Args` === name);
  const isGiven = name.endsWith("Args");
  const header = [
    kind !== undefined ? "Input" : isGiven ? "Argument" : "Name",
    isGiven ? "Meaning and limits" : "Meaning",
    "Type",
    ...(isGiven ? ["Default"] : []),
    ...(kind !== undefined ? ["Replaces?"] : []),
  ];
  const rows = fields.map((member) => {
    const input = member.name.getText();
    const cells = [`\`${input}\``, textOf(member), code(typeText(member.type))];
    if (isGiven) cells.push(defaultOf(member));
    if (kind !== undefined) cells.push(kind.consequence?.(differenceOf(input)) === "replace" ? "yes" : "no");
    return cells;
  });
  return [header, header.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

/** True for `declare readonly`: an output of a resource, not its static method. */
function isDeclared(member: ts.PropertyDeclaration): boolean {
  return member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) === true;
}

function differenceOf(name: string): InputDifference {
  return { name, id: "", before: {}, after: { [name]: "other" } };
}

/** Returns a type as programs see it: without the Input or Output around it, and with short names in full. */
function typeText(node: ts.TypeNode | undefined): string {
  if (node === undefined) return "";
  if (ts.isUnionTypeNode(node))
    return node.types
      .filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword)
      .map(typeText)
      .join(" | ");
  if (ts.isArrayTypeNode(node)) {
    const element = typeText(node.elementType);
    return element.includes(" | ") ? `(${element})[]` : `${element}[]`;
  }
  if (!ts.isTypeReferenceNode(node)) return node.getText();
  const [first] = node.typeArguments ?? [];
  const name = node.typeName.getText();
  if (name === "pulumi.Input" || name === "pulumi.Output") return typeText(first);
  if (name === "Record") return "object";
  if (name === "ByStrategy") return `{ [strategy]: ${typeText(first)} }`;
  const { flags, types = [] } = checker.getTypeFromTypeNode(node) as Partial<ts.UnionType>;
  const isList = flags === ts.TypeFlags.Union && types.every((type) => type.isStringLiteral());
  return isList && types.length <= MOST_VALUES
    ? types.map((type) => checker.typeToString(type)).join(" | ")
    : name;
}

function defaultOf(member: Field): string {
  if (member.questionToken === undefined) return "required";
  const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === "default");
  const text = ts.getTextOfJSDocComment(tag?.comment) ?? "not set";
  if (/^(?:true|false|\d+|"\w+")$/.test(text)) return code(text);
  return text.replace(/^`undefined`: /, "").replace(/\.$/, "");
}

function textOf(member: Field): string {
  const symbol = checker.getSymbolAtLocation(member.name);
  return ts
    .displayPartsToString(symbol?.getDocumentationComment(checker))
    .replace(/\{@link (?:\w+\.)?(\w+) ?\}/g, "`$1`")
    .replaceAll(/\s*\n\s*/g, " ");
}

function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}
