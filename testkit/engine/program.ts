import {
  formatRegistration,
  GIVEN_SETS,
  providerText,
  REGISTRATION,
  SECRET_INPUTS,
} from "../../provider/pulumi/hidden-inputs";
import { type KindName, KINDS, type Managed } from "../../provider/kinds";
import { formatSets, type SetPath } from "../../provider/pulumi/sets";
import { ASSIGNMENT_SETS, LISTING } from "../../provider/resources/role-group-assignment/listing";
import {
  declaredAssignment,
  groupIdsIn,
  type ProgramAssignment,
  programListing,
  type RoleOfProgram,
  roleOfProgram,
} from "../../provider/resources/role-group-assignment/program-listing";
import { PROFILE_SETS } from "../../provider/service/profile-fields";
import { hiddenIn, UNKNOWN as UNKNOWN_YET, UNKNOWN_VALUE as UNKNOWN } from "../../provider/seen";
import { type Values } from "../hosts/host";

/** Stands for a value that is unknown during a preview, at any depth of the inputs. */
export { UNKNOWN };

/** A resource as a program declares it. */
export interface Resource {
  kind: KindName;
  /** Values at any depth may be marked with `secret`. */
  inputs: Values;
  /** Names of further inputs that the program marked as secrets. */
  secrets?: string[];
  /** Names of resources that must be done first. */
  dependsOn?: string[];
  /** An existing resource is read by this id, as `Kind.get` does; it has no inputs then. */
  get?: string;
  /** The option `import`, which only the plugin's resources can have: takes over the object with this id. */
  import?: string;
  /** The explicit provider; one of `EngineOptions.providers`. */
  provider?: string;
  /** Names of inputs whose change replaces the resource, or `*` for all. */
  replaceOnChanges?: string[];
  /** Overrides `diff`. */
  deleteBeforeReplace?: boolean;
  /** Its name in the program. Default: its key. Names may be equal if the types of the parents differ. */
  name?: string;
  /** The type of its parent component. */
  parent?: string;
  protect?: boolean;
  /** Its delete sends nothing. */
  retainOnDelete?: boolean;
  /** The key of another resource: if that is deleted in the same run, this one's delete sends nothing. */
  deletedWith?: string;
  /** Keys of resources: if one of them is replaced, so is this one. */
  replaceWith?: string[];
  /** A new value replaces the resource. */
  replacementTrigger?: string;
  /** Paths of inputs that keep their values in state. */
  ignoreChanges?: string[];
  /** The same, set by a transform of the stack: the class doesn't see it. */
  ignoredByTransform?: string[];
  /** Its former keys. */
  aliases?: string[];
  /** Changes the constructor's inputs, like a transformation among the resource's options. */
  transform?: (inputs: Values) => Values;
  /** Inputs that a policy pack's remediation puts in place of the checked ones. */
  remediate?: Values;
  /** Changes the registered inputs, like one of the SDK's newer transforms: the class doesn't see it. */
  lateTransform?: (inputs: Values) => Values;
}

/** Resources by key, which is the name unless they set another, in order of registration. */
export type Program = Record<string, Resource>;

/** A transformation of the whole stack. */
export type Transform = (name: string, inputs: Values) => Values;

export const profile = (inputs: Values, options: Partial<Resource> = {}): Resource => ({
  kind: "ConnectionProfile",
  inputs,
  ...options,
});

export const assignment = (inputs: Values, options: Partial<Resource> = {}): Resource => ({
  kind: "RoleGroupAssignment",
  inputs,
  ...options,
});

/** An assignment in an organization. */
export const organizationAssignment = (inputs: Values, options: Partial<Resource> = {}): Resource => ({
  kind: "OrganizationRoleGroupAssignment",
  inputs,
  ...options,
});

export const removal = (deviceCredentialId: string, options: Partial<Resource> = {}): Resource => ({
  kind: "DeviceCredentialRemoval",
  inputs: { deviceCredentialId },
  ...options,
});

export const signOut = (userId: string, inputs: Values = {}, options: Partial<Resource> = {}): Resource => ({
  kind: "UserSignOut",
  inputs: { userId, ...inputs },
  ...options,
});

export class Secret {
  constructor(readonly value: unknown) {}
}

/** Marks a value like `pulumi.secret`. Handlers get the value without the mark. */
export const secret = (value: unknown): unknown => new Secret(value);

export class Later {
  constructor(readonly value: unknown) {}
}

/** A value that is unknown in a preview, and known when the change is made. */
export const later = (value: unknown): unknown => new Later(value);

interface Surroundings {
  preview?: boolean;
  transform?: Transform | undefined;
  /** Domain of an explicit provider, or of the stack. */
  domainOf?: ((provider: string | undefined) => string | undefined) | undefined;
  /** The time on the program's clock. Default: now. */
  moment?: number | undefined;
  /** False for a program in another language, which sends none. Default: true. */
  listings?: boolean | undefined;
}

/** Returns the registered inputs of a resource: after transformations, and with those that its class adds. */
export function goalInputs(name: string, program: Program, surroundings: Surroundings = {}): Values {
  const resource = program[name] as Resource;
  const { kind, secrets = [], lateTransform = (inputs: Values) => inputs } = resource;
  const registered = transformed(name, program, surroundings);
  const marked = Object.keys(registered).filter(
    (key) => secrets.includes(key) || holdsSecret(registered[key]),
  );
  return revealed({
    __provider: providerText(kind),
    ...lateTransform(registered),
    ...(marked.length > 0 && { [SECRET_INPUTS]: marked }),
    ...(resource.get === undefined && {
      [REGISTRATION]: formatRegistration("test/test", resource.parent ?? "", resource.name ?? name),
    }),
    ...(isListed(resource) &&
      surroundings.listings !== false && { [LISTING]: listing(name, program, surroundings) }),
    ...(resource.get === undefined &&
      surroundings.listings !== false && {
        [GIVEN_SETS]: formatSets(
          SETS[KINDS[kind].manages] ?? [],
          fullyKnown(revealed(transformed(name, program, surroundings))),
        ),
      }),
  }) as Values;
}

/** Returns what the program says of a resource, with all values known and plain. */
export function plainInputs(name: string, program: Program): Values {
  return revealed(transformed(name, program, {})) as Values;
}

const SETS: Partial<Record<Managed, readonly SetPath[]>> = {
  profiles: PROFILE_SETS,
  grants: ASSIGNMENT_SETS,
};

/** The program knows an input only as a whole. */
function fullyKnown(inputs: unknown): Values {
  return Object.fromEntries(
    Object.entries(inputs as Values).filter(([, value]) => hiddenIn(value) !== UNKNOWN_YET),
  );
}

/** Returns the paths of secrets in the registered inputs; a list with one is secret as a whole. */
export function secretPaths(name: string, program: Program, surroundings: Surroundings = {}): string[][] {
  const { secrets = [] } = program[name] as Resource;
  return [...secrets.map((key) => [key]), ...pathsOfSecrets(transformed(name, program, surroundings), [])];
}

function transformed(name: string, program: Program, { transform, preview = false }: Surroundings): Values {
  const resource = program[name] as Resource;
  const inputs = settled(resource.inputs, preview) as Values;
  const own = resource.transform?.({ ...inputs }) ?? inputs;
  return { ...(transform?.(name, own) ?? own) };
}

/** Returns the listing that a class sends once it knows all assignments of the program. */
function listing(name: string, program: Program, surroundings: Surroundings): string {
  const { deleteBeforeReplace: ofAllRoles = false } = program[name] as Resource;
  const { moment = Date.now() } = surroundings;
  const all = Object.keys(program)
    .filter((one) => isListed(program[one] as Resource))
    .map((one) => declaredIn(one, program, surroundings));
  return programListing(all, declaredIn(name, program, surroundings).role, { ofAllRoles, moment });
}

function isListed({ kind, get }: Resource): boolean {
  return KINDS[kind].manages === "grants" && get === undefined;
}

function declaredIn(
  name: string,
  program: Program,
  surroundings: Surroundings,
): ProgramAssignment & { role: RoleOfProgram } {
  const { provider, ignoreChanges } = program[name] as Resource;
  const props = revealed(transformed(name, program, surroundings)) as Values;
  const { groupIds, ...ids } = fullyKnown(props);
  const declared = declaredAssignment(props, ignoreChanges);
  return {
    ...declared,
    role: roleOfProgram(declared, surroundings.domainOf?.(provider), ids),
    groupIds: groupIdsIn(groupIds),
  };
}

/** Returns the option as the engine has it. */
export function ignoredIn({ ignoreChanges = [], ignoredByTransform = [] }: Resource): string[] {
  return [...ignoreChanges, ...ignoredByTransform];
}

function pathsOfSecrets(value: unknown, path: string[]): string[][] {
  // Unknown values aren't marked.
  if (value instanceof Secret) return value.value === UNKNOWN ? [] : [path];
  if (Array.isArray(value)) return value.some((item) => pathsOfSecrets(item, []).length > 0) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => pathsOfSecrets(child, [...path, key]));
}

function settled(value: unknown, preview: boolean): unknown {
  if (value instanceof Later) return preview ? UNKNOWN : settled(value.value, preview);
  if (value instanceof Secret) return new Secret(settled(value.value, preview));
  if (Array.isArray(value)) return value.map((child: unknown) => settled(child, preview));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, settled(child, preview)]));
}

function holdsSecret(value: unknown): boolean {
  if (value instanceof Secret) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsSecret);
}

function revealed(value: unknown): unknown {
  if (value instanceof Secret) return revealed(value.value);
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, revealed(child)]));
}
