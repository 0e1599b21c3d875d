import { runtime } from "@pulumi/pulumi";
import { RESOURCE_NAME, SECRET_INPUTS } from "../../../provider/pulumi/hidden-inputs";
import { providerText } from "../../../provider/pulumi/program/registration";
import { formatListing, hashOf, LISTING } from "../../../provider/resources/role-group-assignment/listing";
import { type Values } from "../host";

/** Stands for a value that is not known during a preview, at any depth of the inputs. */
export const UNKNOWN = runtime.unknownValue;

export type Kind = "ConnectionProfile" | "RoleGroupAssignment" | "DeviceCredentialRemoval";

/** A resource as a program declares it. */
export interface Resource {
  kind: Kind;
  /** Values at any depth may be marked with `secret`. */
  inputs: Values;
  /** Names of further inputs that the program marked as secrets. */
  secrets?: string[];
  /** Names of resources that must be done first. */
  dependsOn?: string[];
  /** An existing resource is read by this id, as `Kind.get` does; it has no inputs then. */
  get?: string;
  /** The explicit provider; one of `EngineOptions.providers`. */
  provider?: string;
  /** Names of inputs whose change replaces the resource, or `*` for all. */
  replaceOnChanges?: string[];
  /** Wins over what `diff` says. */
  deleteBeforeReplace?: boolean;
  /** Changes what the constructor made of the inputs, as a transformation among the resource's options does. */
  transform?: (inputs: Values) => Values;
}

/** Resources by name, in the order in which they are registered. */
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

export const removal = (deviceCredentialId: string, options: Partial<Resource> = {}): Resource => ({
  kind: "DeviceCredentialRemoval",
  inputs: { deviceCredentialId },
  ...options,
});

class Secret {
  constructor(readonly value: unknown) {}
}

/** Marks a value as `pulumi.secret` does. Handlers are given the value without the mark. */
export const secret = (value: unknown): unknown => new Secret(value);

interface Surroundings {
  transform?: Transform | undefined;
  /** Domain of an explicit provider, or of the stack. */
  domainOf?: ((provider: string | undefined) => string | undefined) | undefined;
}

/** What is registered for a resource: what transformations make of its inputs, and what its class adds to these. */
export function goalInputs(name: string, program: Program, surroundings: Surroundings = {}): Values {
  const resource = program[name] as Resource;
  const { kind, secrets = [] } = resource;
  const registered = transformed(name, program, surroundings.transform);
  const marked = Object.keys(registered).filter(
    (key) => secrets.includes(key) || holdsSecret(registered[key]),
  );
  return revealed({
    __provider: providerText(kind),
    ...registered,
    ...(marked.length > 0 && { [SECRET_INPUTS]: marked }),
    ...(resource.get === undefined && { [RESOURCE_NAME]: name }),
    ...(kind === "RoleGroupAssignment" &&
      resource.get === undefined && { [LISTING]: listing(name, program, surroundings) }),
  }) as Values;
}

function transformed(name: string, program: Program, transform: Transform | undefined): Values {
  const resource = program[name] as Resource;
  const own = resource.transform?.({ ...resource.inputs }) ?? resource.inputs;
  return { ...(transform?.(name, own) ?? own) };
}

/** What the assignments of one role list; tests/resources/role-group-assignment/listing.test.ts holds the real one. */
function listing(
  name: string,
  program: Program,
  { transform, domainOf = () => undefined }: Surroundings,
): string {
  const self = program[name] as Resource;
  const { roleId } = revealed(transformed(name, program, transform)) as Values;
  const here = new Set<string>();
  const beside = new Set<string>();
  let isComplete = roleId !== UNKNOWN;
  for (const [other, resource] of Object.entries(program)) {
    if (resource.kind !== "RoleGroupAssignment" || resource.get !== undefined) continue;
    if (domainOf(resource.provider) !== domainOf(self.provider)) continue;
    const inputs = revealed(transformed(other, program, transform)) as Values;
    if (inputs["roleId"] !== roleId && inputs["roleId"] !== UNKNOWN) continue;
    const groups: unknown[] = Array.isArray(inputs["groupIds"]) ? inputs["groupIds"] : [UNKNOWN];
    if (inputs["roleId"] === UNKNOWN || groups.includes(UNKNOWN)) isComplete = false;
    if (inputs["roleId"] === UNKNOWN) continue;
    for (const group of groups.filter((group) => typeof group === "string" && group !== UNKNOWN)) {
      (resource.provider === self.provider ? here : beside).add(hashOf(group as string));
    }
  }
  return formatListing({ here, beside, isComplete });
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
