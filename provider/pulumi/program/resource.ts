import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { pathText, SECRET_INPUTS_KEY } from "../input-problems";

/**
 * Base of all resources. It is `pulumi.dynamic.Resource` without the serialisation of code: the text that the engine
 * keeps as `__provider`, and evaluates in the provider host, only names an export of the installed package. Texts in
 * existing state are evaluated for ever, so neither they nor `pulumi-identity/runtime` may change.
 */
export abstract class IdentityResource extends pulumi.CustomResource {
  protected constructor(
    kind: string,
    name: string,
    /** Inputs; undefined for `get`. */
    args: object | undefined,
    /** All properties that the resource has as outputs. */
    properties: readonly string[],
    options: pulumi.CustomResourceOptions = {},
  ) {
    if (options.import !== undefined) {
      throw new InvalidInputError(
        `${kind} "${name}": Pulumi can't import dynamic resources. ` +
          (kind === "ConnectionProfile"
            ? `Remove the import option and give the argument adopt: ${JSON.stringify(options.import)} instead.`
            : "Remove the import option: creating the resource takes over what is already there."),
      );
    }
    if (args === undefined && options.id === undefined) {
      throw new InvalidInputError(`${kind} "${name}": arguments are required.`);
    }
    refuseProtoKeys(`${kind} "${name}"`, args, []);
    const outputs = Object.fromEntries(properties.map((property) => [property, undefined]));
    super(
      `pulumi-nodejs:dynamic/identity:${kind}`,
      name,
      {
        ...outputs,
        ...args,
        ...(args !== undefined && { [SECRET_INPUTS_KEY]: secretInputs(args) }),
        __provider: handlerText(kind),
      },
      options,
    );
  }
}

/** Options of `X.get`, with an id that Pulumi would otherwise take for a request to create when it is empty. */
export function existing(
  kind: string,
  name: string,
  id: pulumi.Input<pulumi.ID>,
  options: pulumi.CustomResourceOptions | undefined,
): pulumi.CustomResourceOptions {
  const refuse = () => {
    throw new InvalidInputError(
      `${kind}.get("${name}", id): the id is empty. Give the id of an existing resource.`,
    );
  };
  if (id === undefined || id === null || id === "") refuse();
  return { ...options, id: pulumi.output(id).apply((value) => (value === "" ? refuse() : value)) };
}

/** `ConnectionProfile` → `exports.handler=()=>require('pulumi-identity/runtime').connectionProfile` */
export function handlerText(kind: string): string {
  return `exports.handler=()=>require('pulumi-identity/runtime').${kind[0]?.toLowerCase()}${kind.slice(1)}`;
}

/** The SDK loses a key named `__proto__` on its way to the engine; a value must not vanish without a word. */
function refuseProtoKeys(resource: string, value: unknown, path: readonly string[]): void {
  if (typeof value !== "object" || value === null || pulumi.Output.isInstance(value)) return;
  if (Object.hasOwn(value, "__proto__")) {
    const where = path.length === 0 ? "the arguments hold" : `${pathText(path)} holds`;
    throw new InvalidInputError(`${resource}: ${where} the key __proto__, which can't be sent. Remove it.`);
  }
  for (const [key, child] of Object.entries(value)) refuseProtoKeys(resource, child, [...path, key]);
}

/** Names of the inputs that are secret, or undefined, which leaves the key out. */
function secretInputs(args: object): pulumi.Output<string[] | undefined> {
  const marks = Object.entries(args).map(async ([name, value]) =>
    (await pulumi.isSecret(pulumi.output(value as unknown))) ? [name] : [],
  );
  return pulumi.output(
    Promise.all(marks).then((names) => (names.flat().length === 0 ? undefined : names.flat())),
  );
}
