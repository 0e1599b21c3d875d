import { heldBy } from "../../provider/resources/role-group-assignment/effects";
import { hidesGroups, readStackExport, type StackExport, type StateResource } from "../stack-export";

/** What stacks manage on one tenant, by their state. */
export interface ManagedByStacks {
  /** Ids of connection profiles. */
  profiles: ReadonlySet<string>;
  assignments: readonly ManagedAssignment[];
  /** Names of the resources of both types. */
  names: ReadonlySet<string>;
}

export interface ManagedAssignment {
  name: string;
  roleId: string;
  /**
   * Those that it lists, and those that it has handed over or can't tell of; undefined: they are encrypted.
   */
  groups: readonly string[] | undefined;
  exclusive: boolean;
}

export const NOTHING_MANAGED: ManagedByStacks = { profiles: new Set(), assignments: [], names: new Set() };

/**
 * Reads outputs of `pulumi stack export`. Resources of other packages and of other tenants don't count, nor
 * do those that the program only reads. `tenants`: the names under which state may know the tenant.
 */
export function managedIn(exports: readonly StackExport[], tenants: readonly string[]): ManagedByStacks {
  const all = exports.flatMap((one) => readStackExport(one, "--unmanaged --state").resources);
  const here = all.filter(({ tenant }) => tenant === undefined || tenants.includes(tenant));
  const ofKind = (kind: string) => here.filter((resource) => resource.kind === kind);
  return {
    profiles: new Set(ofKind("ConnectionProfile").map(({ id }) => id)),
    assignments: ofKind("RoleGroupAssignment").map(assignmentOf),
    names: new Set(all.map(({ name }) => name)),
  };
}

function assignmentOf(resource: StateResource): ManagedAssignment {
  const { name, id, outputs } = resource;
  const { groups, handedOver, unconfirmed } = heldBy(outputs);
  return {
    name,
    roleId: id,
    groups: hidesGroups(resource) ? undefined : [...groups, ...handedOver, ...unconfirmed],
    exclusive: outputs["exclusive"] === true,
  };
}
