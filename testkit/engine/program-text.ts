import { KIND_NAMES } from "../../provider/kinds";
import { type Program, type Resource } from "../engine";
import { nameOfComponent } from "./preview-json";
import { Later, Secret } from "./program";

/**
 * Returns a program of the tests' engine as the text of a real one. `providers`: names of explicit ones,
 * which get the tenant's settings.
 */
export function programText(program: Program, providers: readonly string[] = []): string {
  const keys = Object.keys(program);
  const variable = (key: string) => `r${keys.indexOf(key)}`;
  const components = new Set(Object.values(program).flatMap(({ parent }) => parent ?? []));
  return [
    'const pulumi = require("@pulumi/pulumi");',
    'const { unknown } = require("@pulumi/pulumi/output");',
    `const { ${[...KIND_NAMES, "Provider"].sort().join(", ")} } = require("pulumi-identity");`,
    "const later = (value) => (pulumi.runtime.isDryRun() ? pulumi.output(unknown) : value);",
    ...providers.map((name) => {
      const [domain, id, secret] = ["DOMAIN", "CLIENT_ID", "CLIENT_SECRET"].map(
        (setting) => `process.env.${name.toUpperCase()}_${setting}`,
      );
      return `const ${name} = new Provider("${name}", { domain: ${domain}, clientId: ${id}, clientSecret: ${secret} });`;
    }),
    ...[...components].map(
      (type, index) =>
        `const c${index} = new pulumi.ComponentResource(${text(type)}, ${text(nameOfComponent(type))});`,
    ),
    ...keys.map((key) => {
      const resource = program[key] as Resource;
      const { kind, get, name = key } = resource;
      const options = optionsText(resource, [...components], variable);
      if (get !== undefined)
        return `const ${variable(key)} = ${kind}.get(${text(name)}, ${text(get)}${options});`;
      return `const ${variable(key)} = new ${kind}(${text(name)}, ${text(resource.inputs)}${options});`;
    }),
    "",
  ].join("\n");
}

function optionsText(resource: Resource, components: string[], variable: (key: string) => string): string {
  const { parent, provider, dependsOn = [], deletedWith, replaceWith = [], aliases = [] } = resource;
  const plain = [
    "protect",
    "retainOnDelete",
    "ignoreChanges",
    "replaceOnChanges",
    "deleteBeforeReplace",
    "replacementTrigger",
  ] as const;
  const options = [
    ...plain.flatMap((option) =>
      resource[option] === undefined ? [] : [`${option}: ${text(resource[option])}`],
    ),
    ...(parent === undefined ? [] : [`parent: c${components.indexOf(parent)}`]),
    ...(provider === undefined ? [] : [`provider: ${provider}`]),
    ...(dependsOn.length === 0 ? [] : [`dependsOn: [${dependsOn.map(variable).join(", ")}]`]),
    ...(deletedWith === undefined ? [] : [`deletedWith: ${variable(deletedWith)}`]),
    ...(replaceWith.length === 0 ? [] : [`replaceWith: [${replaceWith.map(variable).join(", ")}]`]),
    ...(aliases.length === 0 ? [] : [`aliases: [${aliases.map(aliasText).join(", ")}]`]),
  ];
  return options.length === 0 ? "" : `, { ${options.join(", ")} }`;
}

/** A key is the name, or that of the component's type, a slash and the name. */
function aliasText(key: string): string {
  const [parent, name] = key.includes("/") ? key.split("/") : [undefined, key];
  if (parent === undefined) return `{ name: ${text(name)}, parent: pulumi.rootStackResource }`;
  const urn = `urn:pulumi:test::test::${parent}::${nameOfComponent(parent)}`;
  return `{ name: ${text(name)}, parent: ${text(urn)} }`;
}

/** JavaScript for a value of the inputs. */
export function text(value: unknown): string {
  if (value instanceof Secret) return `pulumi.secret(${text(value.value)})`;
  if (value instanceof Later) return `later(${text(value.value)})`;
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, child]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${text(child)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
