// Makes the package schema, with which Pulumi checks YAML programs and generates SDKs for other languages.
// Names and words come from the types and comments of provider/, secrets and replacements from the tables and
// kinds that handlers use. A comment holds in every language; `@remarks` have what only TypeScript has.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import ts from "typescript";

const TEXT = { type: "string" };
const ANY = { $ref: "pulumi.json#/Any" };
const TOKEN = "identity:index:";
const REPOSITORY = "pulumi-identity/pulumi-identity";
/**
 * Names that SDKs have. For Node.js there is none: the published package is no generated SDK, a language
 * here advertises one, and its name would belong to whoever registers it. Java and .NET have names inside
 * generated code, which would otherwise look like Pulumi's own.
 */
const LANGUAGES = {
  python: {
    packageName: "pulumi_identity",
    pyproject: { enabled: true },
    // As Pulumi's own package.
    pythonRequires: ">=3.10",
    respectSchemaVersion: true,
  },
  go: {
    importBasePath: `github.com/${REPOSITORY}/sdk/go/identity`,
    modulePath: `github.com/${REPOSITORY}/sdk/go`,
    respectSchemaVersion: true,
  },
  csharp: { rootNamespace: "PulumiIdentity", respectSchemaVersion: true },
  java: { basePackage: "io.github.pulumiidentity" },
};
/** The registry's words for what this is: it knows no category for identity. */
const TAGS = ["kind/native", "category/infrastructure"];

/** TypeScript has undefined for it. */
const FOUND = "False if nothing was found and `required` is false. All other results are missing then.";

/** @typedef {Record<string, any>} Json */

/**
 * @param {string} root Folder of the repository.
 * @param {string} built Folder with the JavaScript of provider/.
 * @returns {Json}
 */
export function makeSchema(root, built) {
  const require = createRequire(import.meta.url);
  /** @typedef {{ meaning: string, secret?: true, isList?: true, values?: { of: Json } }} Row */
  /** @type {{ SETTINGS: Record<string, Row>, environmentName: (setting: string) => string }} */
  const { SETTINGS, environmentName } = require(join(built, "pulumi", "settings-table.js"));
  /** @type {{ PLUGIN_URL: string }} */
  const { PLUGIN_URL } = require(join(built, "pulumi", "plugin-source.js"));
  const kinds = kindsIn(built, require);
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
  /** Names of types that inputs have. @type {Set<string>} */
  const given = new Set();

  const { version, description, license, homepage, repository, keywords } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  /** @type {Json} */
  const schema = {
    name: "identity",
    displayName: "Identity",
    version,
    description,
    keywords: [...keywords.filter((/** @type {string} */ word) => word !== "dynamic-provider"), ...TAGS],
    homepage,
    license,
    repository: repository.url.replace(/^git\+|\.git$/g, ""),
    logoUrl: `https://raw.githubusercontent.com/${REPOSITORY}/main/docs/site/public/logo.svg`,
    pluginDownloadURL: PLUGIN_URL,
    publisher: "pulumi-identity",
    meta: { supportPack: true },
    language: LANGUAGES,
    config: { variables: settingsOf({ isConfig: true }) },
    // None is required: the environment may have them all.
    provider: { description: comment(symbolOf("Provider")), inputProperties: settingsOf() },
    resources: Object.fromEntries(
      [...exported.keys()].filter(isResource).map((name) => [TOKEN + name, resourceOf(name)]),
    ),
    functions: Object.fromEntries(
      [...exported.keys()].filter(isDataSource).map((name) => [TOKEN + name, functionOf(name)]),
    ),
    types,
  };
  refer(schema);
  return schema;

  /** Settings are texts, numbers, switches or lists in the table; a list is text in configuration. */
  function settingsOf({ isConfig = false } = {}) {
    const { properties } = objectOf(declared("ProviderArgs"));
    for (const [name, { secret, values, isList, meaning }] of Object.entries(SETTINGS)) {
      const { description } = properties[name];
      const one = values === undefined ? TEXT : typeOf(name, values.of, description);
      const type = isList && !isConfig ? { type: "array", items: one } : one;
      const words = isConfig ? inConfig(name, isList ? meaning : description) : description;
      properties[name] = { ...type, description: words, ...(secret && { secret }) };
    }
    return properties;
  }

  /**
   * Variables of the environment restrain an explicit provider, and win over the stack's configuration.
   *
   * @param {string} name
   * @param {string} description
   */
  function inConfig(name, description) {
    const [meaning, fallback = ""] = description
      .replace(/ `IDENTITY_\w+`[^.]*\./, "")
      .split(/(?= Default: )/);
    return `${meaning} \`${environmentName(name)}\` takes precedence.${fallback}`;
  }

  /**
   * @param {string} name
   * @param {Json} of
   * @param {string} description
   */
  function typeOf(name, of, description) {
    if (of.enum === undefined) return of;
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const values = Object.entries(of.enum).map(([value, meaning]) => ({
      name: nameOf(value),
      value,
      description: meaning,
    }));
    types[TOKEN + type] = {
      type: "string",
      description: description.replace(/ Default: .*/, ""),
      enum: values,
    };
    return { $ref: `#/types/${TOKEN}${type}` };
  }

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
    const inputs = objectOf(declared(`${name}Args`));
    const { properties, required } = objectOf(declared(name), { isResult: true });
    const kind = kinds.get(name);
    if (kind === undefined) throw new Error(`No kind is called ${name}.`);
    for (const [input, { description = "" }] of Object.entries(inputs.properties)) {
      if (isReplacing(kind, input)) inputs.properties[input].willReplaceOnChanges = true;
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
    const inputs = args && objectOf(declaration(args));
    const outputs = objectOf(referred(result), { isResult: true });
    if (inputs?.properties["required"] !== undefined) {
      outputs.properties["found"] = { type: "boolean", description: FOUND };
      outputs.required = ["found"];
    }
    return {
      description: signature === undefined ? "" : comment(signature),
      ...(inputs !== undefined && { inputs: { type: "object", ...inputs } }),
      outputs: { type: "object", ...outputs },
    };
  }

  /**
   * Properties of an interface, or of what a class declares.
   *
   * @param {ts.InterfaceDeclaration | ts.ClassDeclaration} node
   * @param {{ isResult?: boolean }} [place]
   * @returns {{ properties: Json, required: string[] }}
   */
  function objectOf(node, { isResult = false } = {}) {
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
      const { isOptional, ...spec } = specOf(member.type, isResult);
      properties[name] = { ...spec, ...(description !== "" && { description }) };
      if (member.questionToken === undefined && !isOptional) required.push(name);
    }
    return { properties, required };
  }

  /**
   * @param {ts.TypeNode} node
   * @param {boolean} isResult True for what the tenant answers: it may know more values than an enum, and
   *   some languages fail on those.
   * @returns {Json} `isOptional`: undefined is one of the values.
   */
  function specOf(node, isResult) {
    if (ts.isParenthesizedTypeNode(node)) return specOf(node.type, isResult);
    if (ts.isArrayTypeNode(node)) return { type: "array", items: plain(specOf(node.elementType, isResult)) };
    if (isText(checker.getTypeFromTypeNode(node))) return (isResult ? undefined : enumOf(node)) ?? TEXT;
    if (ts.isUnionTypeNode(node)) {
      const parts = node.types.filter((part) => part.kind !== ts.SyntaxKind.UndefinedKeyword);
      const isOptional = parts.length < node.types.length;
      const all = parts.map((part) => plain(specOf(part, isResult)));
      const specs = [...new Map(all.map((spec) => [JSON.stringify(spec), spec])).values()];
      // If a value may have several types, use text if possible, because a language has only one type for it.
      const [spec = ANY] = specs.length === 1 ? specs : specs.filter(({ type }) => type === "string");
      return { ...spec, ...(isOptional && { isOptional }) };
    }
    // Only settings may have fractions, and their table says which.
    if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: "integer" };
    if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
    if (!ts.isTypeReferenceNode(node)) return ANY;
    const name = node.typeName.getText();
    const [argument] = node.typeArguments ?? [];
    if (["pulumi.Input", "pulumi.Output", "InputsOf"].includes(name) && argument !== undefined)
      return specOf(argument, isResult);
    if (name === "ByStrategy" && argument !== undefined)
      return { type: "object", additionalProperties: plain(specOf(argument, isResult)) };
    if (name === "Record") return { type: "object", additionalProperties: ANY };
    const found = symbolAt(node);
    if (found === undefined) return TEXT;
    // A text that one form of a function has as a secret Output.
    if (found.flags & ts.SymbolFlags.TypeParameter) return { ...TEXT, secret: true };
    const target = declaration(found);
    if (ts.isTypeAliasDeclaration(target)) return specOf(target.type, isResult);
    if (!isResult) given.add(name);
    // Enums of inputs are texts in results, which makes another type.
    const token = `${TOKEN}${name}${isResult && given.has(name) ? "Values" : ""}`;
    if (!(token in types)) {
      types[token] = {};
      const { properties, required } = objectOf(target, { isResult });
      types[token] = { type: "object", description: comment(found), properties, required };
    }
    return { $ref: `#/types/${token}` };
  }

  /**
   * The enum of a named union of texts; undefined for a type of another form.
   *
   * @param {ts.TypeNode} node
   * @returns {Json | undefined}
   */
  function enumOf(node) {
    const found = ts.isTypeReferenceNode(node) ? symbolAt(node) : undefined;
    const target = found && declaration(found);
    if (!target || !ts.isTypeAliasDeclaration(target) || !ts.isUnionTypeNode(target.type)) return undefined;
    const values = target.type.types.map((part) => {
      if (!ts.isLiteralTypeNode(part) || !ts.isStringLiteral(part.literal)) return undefined;
      const [, words = ""] = /\/\*\* (.*?) \*\/[\s|]*$/.exec(beforeValue(part)) ?? [];
      const value = part.literal.text;
      return { name: nameOf(value), value, ...(words !== "" && { description: words }) };
    });
    if (values.includes(undefined)) return undefined;
    const token = `${TOKEN}${found?.name}`;
    types[token] = { type: "string", description: found && comment(found), enum: values };
    return { $ref: `#/types/${token}` };
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
    const words = inAllLanguages(text);
    if (fallback === undefined) return words;
    const said = ts
      .displayPartsToString(fallback)
      .replace(/\s*\n\s*/g, " ")
      .trim();
    const plainly = said
      .replace(/^`undefined`: /, "")
      .replace(/^(?:true|false|"(\w+)"|[\d.]+)$/, (one, text) => `\`${text ?? one}\``);
    return `${words} Default: ${plainly.replace(/\.?$/, ".")}`;
  }
}

/**
 * A comment without links, the ends of its lines, and samples in TypeScript's syntax.
 *
 * @param {string} text
 */
function inAllLanguages(text) {
  return text
    .replace(/\{@link[\s*]+(?:\w+\.)?(\w+)\s*\}/g, "`$1`")
    .split(/\n{2,}/)
    .map((paragraph) =>
      paragraph
        .replace(/\s*\n\s*/g, " ")
        .replace(/,? e\.g\. `\{ [^`]*\}`/gi, "")
        .trim(),
    )
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/**
 * The text before a value of a union, with its comment.
 *
 * @param {ts.TypeNode} part
 */
function beforeValue(part) {
  const text = part.getSourceFile().text.slice(0, part.getStart());
  return text.slice(text.lastIndexOf('"', part.getFullStart() - 1) + 1);
}

/** @typedef {{ name: string, fields: { consequence?: (name: string, request: Json) => string } }} Kind */

/**
 * The kinds of all resources, by their names.
 *
 * @param {string} built
 * @param {NodeJS.Require} require
 * @returns {Map<string, Kind>}
 */
function kindsIn(built, require) {
  const folder = join(built, "resources");
  const files = readdirSync(folder).map((name) => join(folder, name, "kind.js"));
  const all = files.flatMap((file) => Object.values(require(file)));
  const kinds = all.filter(({ name, fields }) => typeof name === "string" && fields !== undefined);
  return new Map(kinds.map((kind) => [kind.name, kind]));
}

/**
 * True if every change of an input replaces the resource.
 *
 * @param {Kind} kind
 * @param {string} name
 */
function isReplacing({ fields: { consequence } }, name) {
  const id = "id";
  return ["another", id, undefined].every(
    (value) => consequence?.(name, { id, inputs: { [name]: value } }) === "replace",
  );
}

/**
 * Makes references of all names of properties, resources and functions in descriptions, so that each language
 * writes them its own way: `groupIds` is `group_ids` in Python.
 *
 * Settings stay as they are: Pulumi 3.260 knows no references to inputs of a provider, and would generate no
 * SDK from a schema that has one.
 *
 * @param {Json} schema
 */
function refer(schema) {
  const { resources, functions, types } = schema;
  /** @type {[Json, string, Json[]][]} Names, their place, and what has descriptions. */
  const places = [];
  for (const [token, resource] of Object.entries(resources)) {
    const { inputProperties, properties } = resource;
    const base = `#/resources/${token}`;
    places.push([inputProperties, `${base}/inputProperties`, [resource, ...valuesOf(inputProperties)]]);
    places.push([properties, `${base}/properties`, valuesOf(properties)]);
  }
  for (const [token, one] of Object.entries(functions)) {
    const [inputs, outputs] = [one.inputs?.properties ?? {}, one.outputs.properties];
    const [base, described] = [`#/functions/${token}`, [...valuesOf(inputs), ...valuesOf(outputs)]];
    places.push([inputs, `${base}/inputs/properties`, [one, ...valuesOf(inputs)]]);
    places.push([outputs, `${base}/outputs/properties`, described]);
    places.push([inputs, `${base}/inputs/properties`, valuesOf(outputs)]);
  }
  for (const [token, type] of Object.entries(types))
    places.push([
      type.properties ?? {},
      `#/types/${token}/properties`,
      [type, ...valuesOf(type.properties ?? {})],
    ]);

  for (const [names, base, described] of places)
    for (const one of described)
      if (one.description !== undefined) one.description = withReferences(one.description, names, base);

  /**
   * @param {string} text
   * @param {Json} names
   * @param {string} base
   */
  function withReferences(text, names, base) {
    return (
      text
        .replace(/`(\w+)`(?= of an? `(\w+)`)/g, (word, name, owner) =>
          resources[TOKEN + owner]?.inputProperties[name] === undefined
            ? word
            : ref(`#/resources/${TOKEN}${owner}/inputProperties/${name}`),
        )
        // These go before a name of the service: "the profile's `organization`", "sent as `fields`".
        .replace(/(?<!'s? |[Ss]ent as )`(\w+)`/g, (word, name) => {
          if (names[name] !== undefined) return ref(`${base}/${name}`);
          const kind = ["resources", "functions", "types"].find((one) => schema[one][TOKEN + name]);
          return kind === undefined ? word : ref(`#/${kind}/${TOKEN}${name}`);
        })
    );
  }
}

/**
 * `universal_logout` → `UniversalLogout`, which each language spells its own way.
 *
 * @param {string} value
 */
function nameOf(value) {
  return value.replace(/(?:^|[^A-Za-z0-9])([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** @param {string} target */
function ref(target) {
  return `{{% ref ${target} %}}`;
}

/**
 * @param {Json} object
 * @returns {Json[]}
 */
function valuesOf(object) {
  return Object.values(object);
}
