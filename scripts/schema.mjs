// Makes the package schema, with which Pulumi checks YAML programs and generates SDKs for other languages. It
// comes from the types and comments of provider/, so all languages see the same as TypeScript.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const TEXT = { type: "string" };
const ANY = { $ref: "pulumi.json#/Any" };
const TOKEN = "identity:index:";
/** Comments say with these words that a change replaces the resource. */
const REPLACES = /\bChanging it replaces\b/;
/** Sentences that hold only in TypeScript, where assignments know each other, and calls are shared. */
const OF_TYPESCRIPT = /(?<=^|[.:] )[^.]*(?:keeps the role throughout|in one program share)[^.]*\. ?/g;

/** @typedef {Record<string, any>} Json */

/**
 * @param {string} root Folder of the repository.
 * @returns {Json}
 */
export function makeSchema(root) {
  const entry = join(root, "provider", "index.ts");
  const { config } = ts.readConfigFile(join(root, "tsconfig.build.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([entry], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error("provider/index.ts exports nothing.");
  const exported = new Map(checker.getExportsOfModule(module).map((one) => [one.name, resolved(one)]));
  /** @type {Json} */
  const types = {};

  const { version, description, license, homepage, repository, keywords } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const settings = objectOf(declared("ProviderArgs"));
  for (const setting of Object.values(settings.properties))
    if (/Always kept as a secret/.test(setting.description)) setting.secret = true;
  return {
    name: "identity",
    displayName: "Identity",
    version,
    description,
    keywords: [...keywords, "kind/native"],
    homepage,
    license,
    repository: repository.url.replace(/^git\+|\.git$/g, ""),
    publisher: "pulumi-identity",
    config: { variables: settings.properties },
    provider: {
      description: comment(symbolOf("Provider")),
      inputProperties: settings.properties,
      requiredInputs: settings.required,
    },
    resources: Object.fromEntries(
      [...exported.keys()].filter(isResource).map((name) => [TOKEN + name, resourceOf(name)]),
    ),
    functions: Object.fromEntries(
      [...exported.keys()].filter(isDataSource).map((name) => [TOKEN + name, functionOf(name)]),
    ),
    types,
  };

  /** @param {string} name */
  function isResource(name) {
    return exported.has(`${name}Args`) && name !== "Provider";
  }

  /** @param {string} name */
  function isDataSource(name) {
    return /^get[A-Z]/.test(name) && !name.endsWith("Output");
  }

  /** @param {string} name */
  function resourceOf(name) {
    const { properties, required } = objectOf(declared(name));
    const inputs = objectOf(declared(`${name}Args`));
    for (const [input, { description = "" }] of Object.entries(inputs.properties)) {
      if (REPLACES.test(description)) inputs.properties[input].willReplaceOnChanges = true;
      // The class refers to its arguments, and readers here can't follow that.
      if (properties[input] !== undefined) properties[input].description = description;
    }
    return {
      description: comment(symbolOf(name)),
      properties,
      required,
      inputProperties: inputs.properties,
      requiredInputs: inputs.required,
      aliases: [{ type: `pulumi-nodejs:dynamic/identity:${name}` }],
    };
  }

  /** @param {string} name */
  function functionOf(name) {
    const [signature] = checker.getTypeOfSymbol(symbolOf(name)).getCallSignatures();
    const answer = signature?.declaration?.type;
    const result = answer && ts.isTypeReferenceNode(answer) ? answer.typeArguments?.[0] : undefined;
    if (result === undefined || !ts.isTypeReferenceNode(result))
      throw new Error(`${name} answers no Promise of an interface.`);
    const args = exported.get(`${name[0]?.toUpperCase()}${name.slice(1)}Args`);
    return {
      description: signature === undefined ? "" : comment(signature),
      ...(args !== undefined && { inputs: { type: "object", ...objectOf(declaration(args)) } }),
      outputs: { type: "object", ...objectOf(referred(result)) },
    };
  }

  /**
   * Properties of an interface, or of what a class declares.
   *
   * @param {ts.InterfaceDeclaration | ts.ClassDeclaration} node
   * @returns {{ properties: Json, required: string[] }}
   */
  function objectOf(node) {
    /** @type {Json} */
    const properties = {};
    /** @type {string[]} */
    const required = [];
    for (const member of node.members) {
      const isField = ts.isPropertySignature(member) || ts.isPropertyDeclaration(member);
      if (!isField || member.type === undefined || !ts.isIdentifier(member.name)) continue;
      if (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) continue;
      const name = member.name.text;
      const symbol = checker.getSymbolAtLocation(member.name);
      const description = symbol === undefined ? "" : comment(symbol);
      const { isOptional, ...spec } = specOf(member.type);
      properties[name] = { ...spec, ...(description !== "" && { description }) };
      if (/\bA secret; only with\b/.test(description)) properties[name].secret = true;
      if (member.questionToken === undefined && !isOptional) required.push(name);
    }
    return { properties, required };
  }

  /**
   * @param {ts.TypeNode} node
   * @returns {Json} `isOptional`: undefined is one of the values.
   */
  function specOf(node) {
    if (ts.isParenthesizedTypeNode(node)) return specOf(node.type);
    if (ts.isArrayTypeNode(node)) return { type: "array", items: plain(specOf(node.elementType)) };
    if (isText(checker.getTypeFromTypeNode(node))) return TEXT;
    if (ts.isUnionTypeNode(node)) {
      const parts = node.types.filter((part) => part.kind !== ts.SyntaxKind.UndefinedKeyword);
      const isOptional = parts.length < node.types.length;
      const all = parts.map((part) => plain(specOf(part)));
      const specs = [...new Map(all.map((spec) => [JSON.stringify(spec), spec])).values()];
      // If a value may have several types, use text if possible, because a language has only one type for it.
      const [spec = ANY] = specs.length === 1 ? specs : specs.filter(({ type }) => type === "string");
      return { ...spec, ...(isOptional && { isOptional }) };
    }
    if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: "number" };
    if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
    if (!ts.isTypeReferenceNode(node)) return ANY;
    const name = node.typeName.getText();
    const [argument] = node.typeArguments ?? [];
    if ((name === "pulumi.Input" || name === "pulumi.Output") && argument !== undefined)
      return specOf(argument);
    if (name === "ByStrategy" && argument !== undefined)
      return { type: "object", additionalProperties: plain(specOf(argument)) };
    if (name === "Record") return { type: "object", additionalProperties: ANY };
    const found = symbolAt(node);
    if (found === undefined || found.flags & ts.SymbolFlags.TypeParameter) return TEXT;
    const target = declaration(found);
    if (ts.isTypeAliasDeclaration(target)) return specOf(target.type);
    if (!(TOKEN + name in types)) {
      types[TOKEN + name] = {};
      const { properties, required } = objectOf(target);
      types[TOKEN + name] = { type: "object", description: comment(found), properties, required };
    }
    return { $ref: `#/types/${TOKEN}${name}` };
  }

  /** @param {ts.Type} type */
  function isText(type) {
    const parts = type.isUnion() ? type.types : [type];
    return parts.every(({ flags }) => flags & ts.TypeFlags.StringLike);
  }

  /** @param {Json} spec */
  function plain(spec) {
    return Object.fromEntries(Object.entries(spec).filter(([name]) => name !== "isOptional"));
  }

  /**
   * The interface that a type refers to.
   *
   * @param {ts.TypeReferenceNode} node
   */
  function referred(node) {
    const found = symbolAt(node);
    if (found === undefined) throw new Error(`${node.getText()} is nowhere.`);
    return declaration(found);
  }

  /** @param {ts.TypeReferenceNode} node */
  function symbolAt(node) {
    const found = checker.getSymbolAtLocation(node.typeName);
    return found && resolved(found);
  }

  /** @param {string} name */
  function declared(name) {
    return declaration(symbolOf(name));
  }

  /** @param {string} name */
  function symbolOf(name) {
    const found = exported.get(name);
    if (found === undefined) throw new Error(`provider/index.ts exports no ${name}.`);
    return found;
  }

  /**
   * @param {ts.Symbol} of
   * @returns {any}
   */
  function declaration(of) {
    return of.declarations?.[0];
  }

  /** @param {ts.Symbol} one */
  function resolved(one) {
    return one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one;
  }

  /** @param {ts.Symbol | ts.Signature} of */
  function comment(of) {
    const text = ts.displayPartsToString(of.getDocumentationComment(checker));
    const fallback = of.getJsDocTags().find(({ name }) => name === "default")?.text;
    const words = text
      .replace(/\{@link (?:\w+\.)?(\w+)\}/g, "`$1`")
      .split(/\n{2,}/)
      .map((paragraph) =>
        paragraph
          .replace(/\s*\n\s*/g, " ")
          .replace(OF_TYPESCRIPT, "")
          .trim(),
      )
      .filter((paragraph) => paragraph !== "")
      .join("\n\n");
    if (fallback === undefined) return words;
    return `${words} Default: ${ts
      .displayPartsToString(fallback)
      .replace(/\s*\n\s*/g, " ")
      .trim()}`;
  }
}
