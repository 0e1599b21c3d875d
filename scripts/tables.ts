// Writes the defaults in the comments of `ProviderArgs`, and the tables and numbers of docs/, README.md,
// CONTRIBUTING.md and SECURITY.md, from the sources: between
// `<!-- table: ConnectionProfileArgs -->`, where the name is that of an exported class or interface, and
// `<!-- /table -->`; and the lists of all names, of scopes, too, between
// `<!-- api: resources -->` and `<!-- /api -->`; the settings; and what was measured, between
// `<!-- measured: commands -->` and `<!-- /measured -->`, also within a line. A part of `npm run picture`.
// node --import tsx scripts/tables.ts [--check]
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { type Command } from "commander";
import ts from "typescript";
import { accessCommand } from "../cli/access/command";
import { adoptCommand } from "../cli/adopt/command";
import { COMMAND_SCOPES, READER_SCOPES } from "../cli/doctor/callers";
import { doctorCommand } from "../cli/doctor/command";
import { initCommand } from "../cli/init/command";
import { reviewCommand } from "../cli/review/command";
import { rulesCommand } from "../cli/rules/command";
import { tokenCommand } from "../cli/token";
import { KIND_NAMES, type KindName } from "../provider/kinds";
import { groupedBy } from "../provider/access/grants";
import { environmentName, type Setting, SETTING_NAMES, SETTINGS } from "../provider/pulumi/settings-table";
import { type ResourceKind } from "../provider/pulumi/resource-kind";
import { type ScopedOperation, SCOPES } from "../provider/service/scopes";
import { measured } from "./measured";

const root = resolve(__dirname, "..");
const load = createRequire(__filename);
const BLOCK = /(<!-- (table|api|settings|measured): (\w+) -->\n)[^]*?(<!-- \/\2 -->)/g;
const NUMBER = /(<!-- measured: (\w+) -->)[^\n]*?(<!-- \/measured -->)/g;

const COMMANDS: Command[] = [
  reviewCommand(),
  accessCommand(),
  rulesCommand(),
  adoptCommand(),
  doctorCommand(),
  tokenCommand(),
  initCommand(),
];

const ENTRIES = [
  ["`pulumi-identity`", "Classes, functions, types and errors"],
  [
    "`pulumi-identity/plugin`",
    "The same, with classes that [use the plugin](languages.md#typescript-through-the-plugin)",
  ],
  ["`pulumi-identity/review`, `pulumi-identity/access`", "Types of the JSON that these commands write"],
  [
    "`pulumi-identity/review.schema.json`, `access.schema.json`, `rules.schema.json`",
    "JSON Schemas of these files",
  ],
  ["`pulumi-identity/schema.json`", "The schema for [SDKs](languages.md#a-typed-sdk)"],
  ["`pulumi-identity/runtime`", "What state refers to. Programs don't import it"],
  [
    "`pulumi-identity`, `pulumi-resource-identity`",
    "The two programs in `node_modules/.bin`: the commands and the plugin",
  ],
];

/** Sections of a resource that has no page of its own. */
const SECTIONS: Partial<Record<KindName, string>> = {
  OrganizationRoleGroupAssignment: "resources/role-group-assignment.md#organizationrolegroupassignment",
};

/** Shows a type's texts if there are at most this many, or else its name. */
const MOST_VALUES = 4;

const isCheck = process.argv.includes("--check");

const PROVIDER = "provider/pulumi/program/provider.ts";
const provider = readFileSync(join(root, PROVIDER), "utf8");
keep(PROVIDER, provider, withDefaults(provider));

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

const MAKERS = { table: tableOf, api: listOf, settings: settingsTable, measured };

const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
for (const name of [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...inDocs.map((page) => join("docs", page)),
]) {
  if (!name.endsWith(".md")) continue;
  const before = readFileSync(join(root, name), "utf8");
  const after = before
    .replace(
      BLOCK,
      (_, start: string, kind: keyof typeof MAKERS, of: string, end: string) =>
        `${start}\n<!-- prettier-ignore -->\n${MAKERS[kind](of)}\n\n${end}`,
    )
    .replace(NUMBER, (_, start: string, of: string, end: string) => start + measured(of) + end);
  keep(name, before, after);
}

function keep(name: string, before: string, after: string): void {
  if (after === before) return;
  if (!isCheck) writeFileSync(join(root, name), after);
  else {
    console.error(`${name} is not current: run \`npm run picture\`.`);
    process.exitCode = 1;
  }
}

/** Returns the source with the defaults of the settings in the comments of `ProviderArgs`. */
function withDefaults(source: string): string {
  return source.replace(/(?<=@default ).*(?=\n +\*\/\n +(\w+)\?: )/g, (_, name: keyof typeof SETTINGS) => {
    const { default: fallback }: Setting<unknown> = SETTINGS[name];
    return isSaid(fallback) ? `\`undefined\`: ${fallback.says}.` : JSON.stringify(fallback);
  });
}

function isSaid(fallback: unknown): fallback is { says: string } {
  return typeof fallback === "object" && fallback !== null && "says" in fallback;
}

type Field = ts.PropertySignature | ts.PropertyDeclaration;

function fieldsOf(name: string): Field[] {
  const declaration = exported.get(name)?.declarations?.[0];
  if (
    declaration === undefined ||
    !(ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration))
  )
    throw new Error(`docs/ has a table of ${name}, which is no exported class or interface.`);
  const members: readonly (ts.TypeElement | ts.ClassElement)[] = [...declaration.members];
  return members.filter(
    (member): member is Field =>
      ts.isPropertySignature(member) || (ts.isPropertyDeclaration(member) && isDeclared(member)),
  );
}

function tableOf(name: string): string {
  const fields = fieldsOf(name);
  const kind = KIND_NAMES.find((each) => `${each}Args` === name);
  const isGiven = name.endsWith("Args");
  const header = [
    kind !== undefined ? "Input" : isGiven ? "Argument" : "Name",
    "Meaning",
    "Type",
    ...(isGiven ? ["Default"] : []),
    ...(kind !== undefined ? ["Replaces?"] : []),
  ];
  const rows = fields.map((member) => {
    const input = member.name.getText();
    const cells = [`\`${input}\``, textOf(member), code(typeText(member.type))];
    if (isGiven) cells.push(defaultOf(member));
    if (kind !== undefined) cells.push(replaces(kind, input) ? "yes" : "no");
    return cells;
  });
  return markdown(header, rows);
}

function markdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

/** Returns a table of the page with all names. */
function listOf(what: string): string {
  switch (what) {
    case "resources":
      return inLine(
        [...KIND_NAMES].sort().map((name) => link(name, SECTIONS[name] ?? `resources/${dashed(name)}.md`)),
      );
    case "dataSources": {
      const names = [...exported.keys()].filter((name) => /^get[A-Z]\w*(?<!Output)$/.test(name)).sort();
      return inLine(names.map((name) => link(name, `data-sources.md#${name.toLowerCase()}`)));
    }
    case "readerScopes":
      return inLine(READER_SCOPES.map(code));
    case "commands":
      return inLine(COMMANDS.map((command) => code(command.name())));
    case "errors": {
      const names = [...exported.keys()].filter((name) => name.endsWith("Error") && name !== "IdentityError");
      return inLine(names.sort().map(code));
    }
    case "scopes":
      return scopesList(SCOPES);
    case "commandScopes":
      return scopesList(COMMAND_SCOPES);
    case "entries":
      return markdown(["Entry", "Holds"], ENTRIES);
    default:
      throw new Error(`docs/ has a list of ${what}, which nobody makes.`);
  }
}

/** An entry for all callers that do the same, and a line for all that they do with the same scopes. */
function scopesList(callers: Record<string, readonly ScopedOperation[]>): string {
  const rows = Object.entries(callers).flatMap(([caller, operations]) =>
    operations.map(({ does, scopes }) => [code(caller), does, scopes.map(code).join(", ") || "none"]),
  );
  const entries = groupedBy(joined(joined(rows, 0, ", "), 1, "; "), ([caller = ""]) => caller);
  return [...entries]
    .map(([caller, lines]) => {
      const [first = "", ...more] = lines.map(([, does = "", scopes = ""]) => `${does}: ${scopes}`);
      return more.length === 0 ? `- ${caller}, ${first}` : [`- ${caller}`, first, ...more].join("\n  - ");
    })
    .join("\n");
}

/** Makes one row of those that differ in one column only. */
function joined(rows: readonly string[][], column: number, separator: string): string[][] {
  const groups = groupedBy(rows, (cells) => JSON.stringify(cells.filter((_, other) => other !== column)));
  return [...groups.values()].map(([first = [], ...more]) =>
    first.map((cell, at) =>
      at === column ? [first, ...more].map((cells) => cells[at]).join(separator) : cell,
    ),
  );
}

function settingsTable(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { meaning, values, default: fallback }: Setting<unknown> = SETTINGS[name];
    return [code(name), code(environmentName(name)), meaning, values?.shown ?? "", shown(fallback)];
  });
  return markdown(["Key", "Environment variable", "Meaning", "Values", "Default"], rows);
}

function shown(fallback: unknown): string {
  if (typeof fallback === "number") return String(fallback);
  if (typeof fallback === "string" || typeof fallback === "boolean") return code(String(fallback));
  return (fallback as { says: string } | undefined)?.says ?? "";
}

function inLine(names: readonly string[]): string {
  return `${names.join(", ")}.`;
}

function link(name: string, page: string): string {
  return `[${code(name)}](${page})`;
}

/** `getUserPermissions` → `get-user-permissions` */
function dashed(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, "-$&").toLowerCase();
}

/** True for `declare readonly`: an output of a resource, not its static method. */
function isDeclared(member: ts.PropertyDeclaration): boolean {
  return member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) === true;
}

/** True if a change of an input replaces the resource. */
function replaces(kind: KindName, input: string): boolean {
  const exports = load(`../provider/resources/${dashed(kind)}/kind`) as Record<string, ResourceKind<object>>;
  const own = Object.values(exports).find(({ name }) => name === kind);
  return own?.fields.consequence?.(input, { id: "", inputs: { [input]: "other" } }) === "replace";
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
  if (["pulumi.Input", "pulumi.Output", "InputsOf"].includes(name)) return typeText(first);
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

/** The comment's first paragraph: the rest is for editors. */
function textOf(member: Field): string {
  const symbol = checker.getSymbolAtLocation(member.name);
  return ts
    .displayPartsToString(symbol?.getDocumentationComment(checker))
    .replace(/\n{2,}[^]*/, "")
    .replace(/\{@link (?:\w+\.)?(\w+) ?\}/g, "`$1`")
    .replaceAll(/\s*\n\s*/g, " ");
}

function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}
