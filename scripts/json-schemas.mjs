// Makes the JSON Schemas of the package's files, and types of what its commands print, from the zod objects
// that read them: a program needs no zod, and zod's releases are none of its concern.
import { join } from "node:path";
import { createRequire } from "node:module";
import { buildSync } from "esbuild";

/** @typedef {Record<string, any>} Json */

/** `type`: programs read it too, by `pulumi-identity/NAME`. */
const FILES = [
  {
    name: "review",
    model: "provider/review/model.ts",
    of: "reviewSchema",
    type: "ReviewJson",
    isList: true,
    title: "Review of pulumi-identity",
    description:
      "What `pulumi-identity review --json FILE` writes for a stack; for several, a list of these.",
  },
  {
    name: "access",
    model: "cli/access/model.ts",
    of: "accessSchema",
    type: "AccessJson",
    isList: false,
    title: "Access of pulumi-identity",
    description: "What `pulumi-identity access --format json` prints: who has which role, and why.",
  },
  {
    name: "rules",
    model: "cli/rules/schema.ts",
    of: "rulesSchema",
    type: undefined,
    isList: false,
    title: "Rules of pulumi-identity",
    description: undefined,
  },
];

/** What later releases may do to the JSON of a command. */
const LATER = "Later releases can add members, but never change the meaning of one.";

/**
 * @param {string} root Folder of the repository.
 * @returns {{ name: string, schema: string, declaration?: string }[]}
 */
export function makeJsonSchemas(root) {
  return FILES.map((file) => {
    const { name, type, isList, title, description } = file;
    const { $schema, ...one } = jsonSchemaOf(root, file);
    const words = { title, ...(description !== undefined && { description: `${description} ${LATER}` }) };
    const schema = isList
      ? {
          $schema,
          ...words,
          oneOf: [ref(name), { type: "array", items: ref(name) }],
          definitions: { [name]: one },
        }
      : { $schema, ...words, ...one };
    return {
      name,
      schema: `${JSON.stringify(schema)}\n`,
      ...(type !== undefined && {
        declaration: `${comment(`${description} ${LATER}`, "")}export interface ${type} ${typeText(one, "")}\n`,
      }),
    };
  });
}

/**
 * @param {string} root
 * @param {{ model: string, of: string }} file
 * @returns {Json}
 */
function jsonSchemaOf(root, { model, of }) {
  // With the model's own copy of zod, because that has its descriptions.
  const { outputFiles } = buildSync({
    stdin: {
      contents: `export { ${of} as model } from "./${model}"; export { toJSONSchema } from "zod";`,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
  });
  /** @type {{ exports: any }} */
  const module = { exports: {} };
  const load = new Function("module", "exports", "require", outputFiles[0]?.text ?? "");
  load(module, module.exports, createRequire(join(root, "package.json")));
  return module.exports.toJSONSchema(module.exports.model, {
    target: "draft-7",
    // Readers of this release accept what later ones add.
    io: "input",
    override: (/** @type {{ jsonSchema: Json }} */ { jsonSchema }) => {
      for (const bound of ["minimum", "maximum"])
        if (Math.abs(jsonSchema[bound]) === Number.MAX_SAFE_INTEGER) delete jsonSchema[bound];
      if (jsonSchema["propertyNames"]?.minLength === undefined) delete jsonSchema["propertyNames"];
    },
  });
}

/** @param {string} name */
function ref(name) {
  return { $ref: `#/definitions/${name}` };
}

/**
 * A JSON Schema as a TypeScript type.
 *
 * @param {Json} schema
 * @param {string} indent
 * @returns {string}
 */
function typeText(schema, indent) {
  const { type, properties, required = [], items, additionalProperties, anyOf } = schema;
  if (anyOf !== undefined) return union(anyOf.map((/** @type {Json} */ one) => typeText(one, indent)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return union(schema.enum.map((/** @type {unknown} */ one) => JSON.stringify(one)));
  if (Array.isArray(type)) return union(type.map((one) => typeText({ ...schema, type: one }, indent)));
  if (type === "array") {
    const item = typeText(items, indent);
    const isUnion = items.anyOf !== undefined || items.enum?.length > 1 || Array.isArray(items.type);
    return isUnion ? `(${item})[]` : `${item}[]`;
  }
  if (type === "object" && properties === undefined)
    return `{ [name: string]: ${typeText(additionalProperties ?? {}, indent)} }`;
  if (type === "object") {
    const inner = `${indent}  `;
    const members = Object.entries(properties).map(([name, member]) => {
      const mark = required.includes(name) ? "" : "?";
      return `${comment(member.description, inner)}${inner}${name}${mark}: ${typeText(member, inner)};\n`;
    });
    return `{\n${members.join("")}${indent}}`;
  }
  if (type === "integer" || type === "number") return "number";
  return ["string", "boolean", "null"].includes(type) ? type : "unknown";
}

/** @param {string[]} types */
function union(types) {
  return types.join(" | ");
}

/**
 * @param {string | undefined} text
 * @param {string} indent
 */
function comment(text, indent) {
  return text === undefined ? "" : `${indent}/** ${text} */\n`;
}
