import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { HOLD_BACK, PROVIDER_TEXT, RESOURCE_NAME, SECRET_INPUTS } from "../hidden-inputs";
import { pathText } from "../paths";
import { untilNotRefused } from "./inline";
import { isMocked } from "./mocks";
import { warnOfPlainCredentials } from "./plain-credentials";
import { refuseUnresolvable } from "./resolvable";

/** What a program needs to know of a kind of resource: without the kind itself, which brings what validates inputs. */
export interface ResourceType<Resource extends IdentityResource> {
  /** That of the kind. */
  name: string;
  /** The properties that the class declares. Pulumi makes an Output of each, also of those that the arguments lack. */
  properties: Record<Exclude<keyof Resource, keyof IdentityResource>, undefined>;
  /** What to do instead of `opts.import`; `{id}` stands for the id that was given. */
  importAdvice: string;
}

/** A resource as the program finally declares it: transformations have been applied to its inputs. */
export interface Declaration {
  resource: pulumi.CustomResource;
  name: string;
  props: pulumi.Inputs;
  opts: pulumi.CustomResourceOptions;
}

/**
 * Base of all resources. It is `pulumi.dynamic.Resource` without the serialisation of code: the text that the engine
 * keeps as `__provider`, and evaluates in the provider host, only names an export of the installed package. Texts in
 * existing state are evaluated for ever, so neither they nor `pulumi-identity/runtime` may change.
 */
export abstract class IdentityResource extends pulumi.CustomResource {
  /** Host name of the tenant that the resource is on. */
  declare readonly tenant: pulumi.Output<string>;

  /** @internal */
  protected constructor(
    type: ResourceType<IdentityResource>,
    name: string,
    /** Inputs; undefined for `get`. */
    args: object | undefined,
    options: pulumi.CustomResourceOptions = {},
    /** Further hidden inputs. */
    hidden: (declaration: Declaration) => pulumi.Inputs = () => ({}),
  ) {
    const resource = `${type.name} "${name}"`;
    refuseImport(resource, type.importAdvice, options);
    if (args === undefined && options.id === undefined) {
      throw new InvalidInputError(`${resource}: arguments are required.`);
    }
    refuseUnresolvable(resource);
    refuseProtoKeys(resource, args, []);
    warnOfPlainCredentials();
    super(
      `pulumi-nodejs:dynamic/identity:${type.name}`,
      name,
      {
        tenant: undefined,
        ...type.properties,
        ...args,
        [PROVIDER_TEXT]: providerText(type.name),
      },
      options.id === undefined
        ? afterTransformations(options, (declaration) => ({
            ...hiddenInputs(declaration),
            ...hidden(declaration),
          }))
        : { ...options, id: existingId(type.name, name, options.id) },
    );
  }

  /** An existing resource, by its id; it is read, and never changed or deleted. */
  static get<Resource extends IdentityResource>(
    this: new (name: string, args: never, options?: pulumi.CustomResourceOptions) => Resource,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): Resource {
    // Pulumi would take a missing id for a request to create.
    return new this(name, undefined as never, { ...options, id: id ?? "" });
  }
}

/** `ConnectionProfile` → `exports.handler=()=>require('pulumi-identity/runtime').connectionProfile` */
export function providerText(kind: string): string {
  return `exports.handler=()=>require('pulumi-identity/runtime').${kind[0]?.toLowerCase()}${kind.slice(1)}`;
}

/** Pulumi keeps the transformations that it is about to apply here; not part of its types. */
interface Transformed {
  __transformations?: pulumi.ResourceTransformation[];
}

/**
 * Options by which inputs are added when all transformations have been applied. A transformation may replace inputs or make
 * them secret: what is computed from them earlier would be about other values.
 */
function afterTransformations(
  options: pulumi.CustomResourceOptions,
  inputsFor: (declaration: Declaration) => pulumi.Inputs,
): pulumi.CustomResourceOptions {
  const add: pulumi.ResourceTransformation = ({ resource, name, props, opts }) => {
    const declaration = {
      resource: resource as pulumi.CustomResource,
      name,
      props,
      opts,
    };
    return { props: { ...declaration.props, ...inputsFor(declaration) }, opts };
  };
  let own: pulumi.Resource | undefined;
  const first: pulumi.ResourceTransformation = (args) => {
    own ??= args.resource;
    // Children inherit both, and are left alone.
    if (args.resource !== own) return undefined;
    const { __transformations: all } = args.resource as Transformed;
    if (all === undefined) return add(args);
    // The list is being walked: what is put behind its end comes last.
    all.push((last) => (last.resource === own ? add(last) : undefined));
    return undefined;
  };
  return { ...options, transformations: [first, ...(options.transformations ?? [])] };
}

function hiddenInputs({ name, props }: Declaration): pulumi.Inputs {
  return {
    [SECRET_INPUTS]: namesOfSecrets(props),
    [HOLD_BACK]: untilNotRefused(),
    ...(!isMocked() && { [RESOURCE_NAME]: name }),
  };
}

/** Undefined without any, which leaves the key out. */
async function namesOfSecrets(props: pulumi.Inputs): Promise<string[] | undefined> {
  const names = await Promise.all(
    Object.entries(props).map(async ([name, value]) =>
      (await pulumi.isSecret(pulumi.output(value as unknown))) ? [name] : [],
    ),
  );
  return names.flat().length === 0 ? undefined : names.flat();
}

function refuseImport(resource: string, advice: string, options: pulumi.CustomResourceOptions): void {
  if (options.import === undefined) return;
  const instead = advice.replace("{id}", JSON.stringify(options.import));
  throw new InvalidInputError(`${resource}: Pulumi can't import dynamic resources. ${instead}`);
}

function existingId(kind: string, name: string, id: pulumi.Input<pulumi.ID>): pulumi.Input<pulumi.ID> {
  const refuse = () => {
    throw new InvalidInputError(
      `${kind}.get("${name}", id): the id is empty. Give the id of an existing resource.`,
    );
  };
  return id === "" ? refuse() : pulumi.output(id).apply((value) => (value === "" ? refuse() : value));
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
