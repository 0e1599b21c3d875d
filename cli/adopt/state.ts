import { parseJson } from "../../provider/http/shape";
import { SECRET_SIGNATURE, SIGNATURE_KEY } from "../../provider/pulumi/reserved";
import { CommandError } from "../errors";

/** What stacks manage on one tenant, by their state. */
export interface Managed {
  /** Ids of connection profiles. */
  profiles: ReadonlySet<string>;
  assignments: readonly ManagedAssignment[];
  /** Names of the resources of both types. */
  names: ReadonlySet<string>;
}

export interface ManagedAssignment {
  name: string;
  roleId: string;
  /** Those that it lists, and those that it has handed over or can't tell of; undefined: they are encrypted. */
  groups: readonly string[] | undefined;
  exclusive: boolean;
}

export const NOTHING_MANAGED: Managed = { profiles: new Set(), assignments: [], names: new Set() };

const TYPE = "pulumi-nodejs:dynamic/identity:";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads outputs of `pulumi stack export`. Resources of other packages and of other tenants don't count, nor do those that the
 * program only reads. `tenants`: the names under which state may know the tenant.
 */
export function managedIn(
  exports: readonly { file: string; text: string }[],
  tenants: readonly string[],
): Managed {
  const all = exports.flatMap(({ file, text }) => resourcesOf(file, text));
  const ours = all.filter(({ type, external }) => String(type).startsWith(TYPE) && external !== true);
  const here = ours.filter((resource) => {
    const tenant = outputsOf(resource)["tenant"];
    return typeof tenant !== "string" || tenants.includes(tenant);
  });
  const ofKind = (kind: string) => here.filter(({ type }) => type === TYPE + kind);
  return {
    profiles: new Set(ofKind("ConnectionProfile").map(({ id }) => String(id))),
    assignments: ofKind("RoleGroupAssignment").map(assignmentOf),
    names: new Set(ours.map(nameOf)),
  };
}

function resourcesOf(file: string, text: string): Fields[] {
  const json = parseJson(text);
  const refuse = (what: string): never => {
    throw new CommandError(
      `${file} ${what}. Write it by: pulumi stack export > state.json. Then: --unmanaged --state state.json.`,
    );
  };
  if (json === undefined) return refuse("is not JSON");
  const { deployment } = isFields(json) ? json : {};
  if (!isFields(deployment)) return refuse("is JSON, but not the output of `pulumi stack export`");
  const { resources = [] } = deployment;
  // A stack without resources has null there.
  if (resources === null) return [];
  if (!Array.isArray(resources) || !resources.every(isFields))
    return refuse("is no complete output of `pulumi stack export`");
  return resources;
}

function assignmentOf(resource: Fields): ManagedAssignment {
  const { groupIds, exclusive, handedOver = [], unconfirmed = [] } = outputsOf(resource);
  const lists = [groupIds, handedOver, unconfirmed].map(revealed);
  const groups = lists.flatMap((list) => (Array.isArray(list) ? list.map(revealed) : [undefined]));
  return {
    name: nameOf(resource),
    roleId: String(resource["id"]),
    groups: groups.every((group) => typeof group === "string") ? groups : undefined,
    exclusive: revealed(exclusive) === true,
  };
}

function outputsOf({ outputs }: Fields): Fields {
  return isFields(outputs) ? outputs : {};
}

/** The last part of the URN, in which names may hold colons themselves. */
function nameOf({ urn }: Fields): string {
  return String(urn).split("::").slice(3).join("::");
}

/** A secret of `pulumi stack export --show-secrets` in clear; undefined if it is encrypted. */
function revealed(value: unknown): unknown {
  if (!isFields(value) || value[SIGNATURE_KEY] !== SECRET_SIGNATURE) return value;
  const { plaintext } = value;
  return typeof plaintext === "string" ? parseJson(plaintext) : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
