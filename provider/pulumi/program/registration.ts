import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { MOST_LEVELS } from "../../http/shape";
import { dynamicToken, type KindName, pluginToken } from "../../kinds";
import {
  formatRegistration,
  GIVEN_SETS,
  PROVIDER_TEXT,
  providerText,
  READ_ONLY,
  REGISTRATION,
  SECRET_INPUTS,
} from "../hidden-inputs";
import { PLUGIN_SOURCE } from "../plugin-source";
import { ignoredProblem, type SetPath } from "../sets";
import { parseUrn } from "../urn";
import { knownValue, secretNamesIn } from "./dependencies";
import { givenSets, isPlain } from "./given-sets";
import { isProvider, OF_PROVIDER } from "./provider";
import { refuseResources } from "./no-resources";
import { refuseUnresolvable } from "./program-folder";
import { guardInlineRun, isMocked } from "./program-run";
import { withoutStacks } from "./without-stacks";
import { warnOfPlainCredentials } from "./connection";
import { pathText } from "../../review/raw-inputs";

/** The part of a resource kind that a program needs, without the kind itself and its validation. */
export interface ResourceType<Resource extends pulumi.CustomResource> {
  name: KindName;
  /** The class's properties: Pulumi makes an Output of each, given or not, and each costs time. */
  properties: Record<Exclude<keyof Resource, keyof pulumi.CustomResource>, undefined>;
  /** The kind's sets, loaded on demand. Default: none. */
  sets?: () => readonly SetPath[];
  /** Advice to use instead of `opts.import`; `{id}` stands for the given id. */
  importAdvice: string;
  /** Extra inputs for the handlers. */
  sends?: (declaration: Declaration) => pulumi.Inputs;
}

/** A resource as the program finally declares it, with transformations applied to its inputs. */
export interface Declaration {
  resource: pulumi.CustomResource;
  type: string;
  name: string;
  props: pulumi.Inputs;
  opts: pulumi.CustomResourceOptions;
}

/** The root of a program, which URNs of its children leave out. */
const STACK_TYPE = "pulumi:pulumi:Stack";

type Registration = [type: string, name: string, props: pulumi.Inputs, options: pulumi.CustomResourceOptions];

interface Constructed {
  name: string;
  /** Inputs; undefined for `get`. */
  args: object | undefined;
  options: pulumi.CustomResourceOptions | undefined;
}

/**
 * Returns the arguments with which a resource class calls the constructor of `pulumi.CustomResource`. It does
 * the job of `pulumi.dynamic.Resource` without serialising code. The engine keeps a text as `__provider` and
 * evaluates it in the provider host; here that text only names an export of the installed package. Texts in
 * existing state are evaluated forever, so neither they nor `pulumi-identity/runtime` may change.
 *
 * The classes have no base class of this package. For a class that extends `CustomResource`, the SDK records
 * its caller as the line of the program that declares the resource, and that must be the program's own.
 */
export function registration(
  type: ResourceType<pulumi.CustomResource>,
  { name, args, options = {} }: Constructed,
): Registration {
  const resource = `${type.name} "${name}"`;
  refuseImport(resource, type.importAdvice, options);
  refuseIncomplete(resource, args, options);
  refuseOtherProvider(resource, options, false);
  refuseUnresolvable(resource);
  refuseResources(resource, args);
  refuseUnsendable(resource, args, []);
  warnOfPlainCredentials();
  guardInlineRun();
  return [
    dynamicToken(type.name),
    name,
    { ...type.properties, ...args, [PROVIDER_TEXT]: providerText(type.name) },
    options.id === undefined
      ? afterTransformations(options, (declaration) => {
          // First, because these may throw, and nobody would then handle the other promises.
          refuseIgnored(resource, type, declaration);
          const further = type.sends?.(declaration);
          return { ...hiddenInputs(declaration), ...setsOf(type, declaration), ...further };
        })
      : { ...options, id: existingId(type.name, name, options.id) },
  ];
}

/** The same for the classes that reach the plugin, which gets names and secrets from the engine. */
export function pluginRegistration(
  type: ResourceType<pulumi.CustomResource>,
  { name, args, options: given = {} }: Constructed,
): Registration {
  const resource = `${type.name} "${name}"`;
  refuseIncomplete(resource, args, given);
  refuseOtherProvider(resource, given, true);
  refuseResources(resource, args);
  refuseUnsendable(resource, args, []);
  warnOfPlainCredentials();
  guardInlineRun();
  // Keeps the state made by the class of the same name.
  const aliases = [...(given.aliases ?? []), { type: dynamicToken(type.name) }];
  const options = { ...PLUGIN_SOURCE, ...given, aliases };
  return [
    pluginToken(type.name),
    name,
    { ...type.properties, ...args, ...(options.id !== undefined && { [READ_ONLY]: true }) },
    options.id === undefined
      ? afterTransformations(options, (declaration) => {
          refuseIgnored(resource, type, declaration);
          const further = type.sends?.(declaration);
          return { ...setsOf(type, declaration), ...further };
        })
      : { ...options, id: existingId(type.name, name, options.id) },
  ];
}

/**
 * Returns every provider that a resource or component passes on to its children, by the token of either door.
 */
export function inheritedProvider(from: pulumi.Resource): pulumi.ProviderResource | undefined {
  return from.getProvider(dynamicToken("Any")) ?? from.getProvider(pluginToken("Any"));
}

// The static method `get` of the resource classes. Each class documents it; editors would show a text from
// here instead.
export function getExisting<Resource extends pulumi.CustomResource>(
  this: new (name: string, args: never, options?: pulumi.CustomResourceOptions) => Resource,
  name: string,
  id: pulumi.Input<pulumi.ID>,
  options?: pulumi.CustomResourceOptions,
): Resource {
  // Pulumi would take a missing id for a request to create.
  return new this(name, undefined as never, { ...options, id: id ?? "" });
}

/** Pulumi keeps the transformations here before it applies them; not in its types. Tried with SDK 3.248.0. */
interface Transformed {
  __transformations?: pulumi.ResourceTransformation[];
}

/**
 * Returns options that add inputs after all transformations. A transformation may replace inputs or make them
 * secret, so anything computed earlier would be about the wrong values.
 */
function afterTransformations(
  options: pulumi.CustomResourceOptions,
  inputsFor: (declaration: Declaration) => pulumi.Inputs,
): pulumi.CustomResourceOptions {
  const add: pulumi.ResourceTransformation = (args) => {
    // The SDK gives the transformation of a resource's options that resource.
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment
    const resource = args.resource as pulumi.CustomResource;
    const props = { ...args.props, ...inputsFor({ ...args, resource }) };
    return { props: withoutStacks(props), opts: args.opts };
  };
  let own: pulumi.Resource | undefined;
  const first: pulumi.ResourceTransformation = (args) => {
    own ??= args.resource;
    // Children inherit both; leave them alone.
    if (args.resource !== own) return undefined;
    const { __transformations: all } = args.resource as Transformed;
    if (all === undefined) return add(args);
    // Pulumi is iterating over the list, so an entry appended now runs last.
    all.push((last) => (last.resource === own ? add(last) : undefined));
    return undefined;
  };
  return { ...options, transformations: [first, ...(options.transformations ?? [])] };
}

/** Only those with a value, because each declared property costs time. */
function hiddenInputs({ name, props, opts: { parent } }: Declaration): pulumi.Inputs {
  const deferred = Object.entries(props).filter(([, value]) => !isPlain(value));
  // Undefined leaves the key out.
  const secrets = async () => {
    const names = await secretNamesIn(Object.fromEntries(deferred));
    return names.length === 0 ? undefined : names;
  };
  return {
    ...(deferred.length > 0 && { [SECRET_INPUTS]: secrets() }),
    ...(!isMocked() && {
      [REGISTRATION]: parent === undefined ? registrationOf("", name) : registrationBelow(parent, name),
    }),
  };
}

function registrationOf(parentTypes: string, name: string): string {
  return formatRegistration(`${pulumi.getProject()}/${pulumi.getStack()}`, parentTypes, name);
}

/** A promise: an Output would make the resource depend on its parent, for which the SDK waits anyway. */
async function registrationBelow(parent: pulumi.Resource, name: string): Promise<string> {
  const { parentTypes, type } = parseUrn((await knownValue(parent.urn)) ?? "");
  const types = [parentTypes, type].filter((part) => part !== "" && part !== STACK_TYPE);
  return registrationOf(types.join("$"), name);
}

/** `check` compares them: options and transforms change inputs where the class doesn't see it. */
function setsOf({ sets }: ResourceType<pulumi.CustomResource>, { props }: Declaration): pulumi.Inputs {
  if (sets === undefined || isMocked()) return {};
  const given = givenSets(sets, props);
  return given === undefined ? {} : { [GIVEN_SETS]: given };
}

function refuseIgnored(
  resource: string,
  { sets }: ResourceType<pulumi.CustomResource>,
  { props, opts: { ignoreChanges = [] } }: Declaration,
): void {
  if (ignoreChanges.length === 0) return;
  const problem = ignoredProblem(sets?.() ?? [], ignoreChanges, [props]);
  if (problem !== undefined) throw new InvalidInputError(`${resource}: ${problem}`);
}

function refuseIncomplete(
  resource: string,
  args: object | undefined,
  { id }: pulumi.CustomResourceOptions,
): void {
  if (args === undefined && id === undefined)
    throw new InvalidInputError(`${resource}: arguments are required.`);
}

/** Pulumi would silently ignore it, and use the stack's tenant. */
function refuseOtherProvider(
  resource: string,
  { provider, parent }: pulumi.CustomResourceOptions,
  isPlugin: boolean,
): void {
  const [own, other] = isPlugin ? [pluginToken, dynamicToken] : [dynamicToken, pluginToken];
  const given = provider ?? parent?.getProvider(own("Any")) ?? parent?.getProvider(other("Any"));
  if (given === undefined || !isProvider(given)) return;
  if ((given[OF_PROVIDER]().isPlugin ?? false) === isPlugin) return;
  throw new InvalidInputError(
    `${resource}: its class and its Provider are from different modules, pulumi-identity and pulumi-identity/plugin. Import both from one of them.`,
  );
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

/**
 * The SDK loses a key named `__proto__` on its way to the engine, and a value must not vanish silently. A
 * value that contains itself overflows its stack.
 */
function refuseUnsendable(resource: string, value: unknown, path: readonly string[]): void {
  if (typeof value !== "object" || value === null || pulumi.Output.isInstance(value)) return;
  if (Object.hasOwn(value, "__proto__")) {
    const where = path.length === 0 ? "the arguments hold" : `${pathText(path)} holds`;
    throw new InvalidInputError(`${resource}: ${where} the key __proto__, which can't be sent. Remove it.`);
  }
  if (path.length > MOST_LEVELS) {
    throw new InvalidInputError(
      `${resource}: ${path[0]} is nested deeper than ${MOST_LEVELS} levels, or holds itself. Give it plain values.`,
    );
  }
  for (const [key, child] of Object.entries(value)) refuseUnsendable(resource, child, [...path, key]);
}
