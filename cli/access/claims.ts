import { type AccessJson } from "./model";
import { type KindName, KINDS } from "../../provider/kinds";
import { Assignment } from "../../provider/resources/role-group-assignment/assignment";
import { type Granted } from "../../provider/resources/role-group-assignment/plan";
import { type Edge, holderId } from "../../provider/access/edge";
import { type Claim, Grants, groupedBy } from "../../provider/access/grants";
import { isPast, nearEnd } from "../../provider/access/until";
import { compare, optional, unlessEmpty } from "../lists";
import { hidesGroups, type StackState, type StateResource } from "../stack-export";

export type AccessRole = AccessJson["roles"][number];
export type AccessGroup = AccessRole["groups"][number];
export type ClaimJson = AccessGroup["by"][number];

/** An assignment in a state, which is its own claim on each of its groups' grants. */
export interface StateAssignment extends Claim {
  role: string;
  stack: string;
  granted: Granted;
  expired: boolean;
  soon: boolean;
  hidesEnd: boolean;
  /** True if some of its groups are encrypted. */
  isHidden: boolean;
  resource: StateResource;
}

/** Its id is the key of a role: `rol_…`, in an organization `org_…/rol_…`. */
function isAssignment({ kind }: { kind: KindName }): boolean {
  return KINDS[kind].manages === "grants";
}

/**
 * `tenants`: the names under which state may know the tenant. `label`: the name of an empty stack. `quote`:
 * cleans a stranger's text for leaving the process.
 */
export function claimsIn(
  states: readonly (StackState & { label: string })[],
  tenants: readonly string[],
  quote: (text: string) => string,
  moment = Date.now(),
): Claims {
  const isHere = ({ tenant }: StateResource) => tenant === undefined || tenants.includes(tenant);
  const all = states.map(({ stack, label, resources, pending }) => ({
    stack: quote(stack ?? label),
    pending: pending.filter(isAssignment).map(({ name }) => quote(name)),
    inState: resources.filter(isAssignment),
  }));
  const assignments = all.flatMap(({ stack, inState }) =>
    inState.filter(isHere).map((resource) => ({
      role: quote(resource.id),
      name: quote(resource.name),
      line: resource.line && { ...resource.line, file: quote(resource.line.file) },
      stack,
      granted: quotedGroups(new Assignment(resource.outputs), quote),
      ...claimedEnd(resource, moment),
      isHidden: hidesGroups(resource),
      resource,
    })),
  );
  const stacks = all.map(({ stack, inState, pending }) => {
    const here = inState.filter(isHere).length;
    return {
      stack,
      assignments: here,
      elsewhere: inState.length - here,
      pending: unlessEmpty(pending.sort(compare)),
    };
  });
  return new Claims(
    assignments.sort(
      (one, other) =>
        compare(one.stack, other.stack) ||
        compare(one.name, other.name) ||
        compare(one.resource.urn, other.resource.urn),
    ),
    stacks.sort((one, other) => compare(one.stack, other.stack)),
  );
}

function claimedEnd({ outputs: { until }, hidesEnd }: StateResource, moment: number) {
  if (typeof until !== "string") return { until: undefined, expired: false, soon: false, hidesEnd };
  return { until, expired: isPast(until, moment), soon: nearEnd(until, moment) !== undefined, hidesEnd };
}

function quotedGroups({ groups, unconfirmed }: Granted, quote: (text: string) => string): Granted {
  return { groups: groups.map(quote), unconfirmed: unconfirmed.map(quote) };
}

export function claimJsonOf(
  { stack, name, line, resource, granted, until, expired, soon, hidesEnd }: StateAssignment,
  group?: string,
): ClaimJson {
  return {
    stack,
    resource: name,
    line: line ?? null,
    unconfirmed: optional(group).some((id) => granted.unconfirmed.includes(id)),
    until: until ?? null,
    expired,
    soon,
    ...(hidesEnd && { untilSecret: true }),
    ending: resource.isEnding,
    secret: resource.isSecret,
  };
}

/** The claims of all assignments in the states on the tenant. */
export class Claims {
  readonly #grants = new Grants<StateAssignment>();
  readonly #byRole: ReadonlyMap<string, readonly StateAssignment[]>;

  constructor(
    readonly assignments: readonly StateAssignment[],
    readonly stacks: AccessJson["stacks"],
  ) {
    this.#byRole = groupedBy(assignments, ({ role }) => role);
    for (const assignment of assignments)
      for (const group of assignment.granted.groups)
        this.#add({ role: assignment.role, holder: { group } }, assignment);
  }

  /** A group that has a role, with why. */
  has(role: string, { id, name = null }: { id: string; name?: string | null | undefined }): AccessGroup {
    const by = this.listing(role, id).map((assignment) => claimJsonOf(assignment, id));
    if (by.length > 0) return { id, name, status: "managed", by };
    const hidden = this.#ofRole(role).filter(({ isHidden }) => isHidden);
    const mayBeBy = hidden.map((assignment) => claimJsonOf(assignment));
    return { id, name, status: hidden.length === 0 ? "unmanaged" : "unknown", by: mayBeBy };
  }

  /** Returns claimed groups that don't have the role. A group known only from a secret stays unnamed. */
  lacking(role: string, have: ReadonlySet<string>, nameOf: (group: string) => string | null): AccessGroup[] {
    return this.#grants.ofRole(role).flatMap(({ holder, by }): AccessGroup[] => {
      const id = holderId(holder);
      const shown = by.filter(({ resource }) => !resource.isSecret);
      if (have.has(id) || shown.length === 0) return [];
      const claims = shown.map((assignment) => claimJsonOf(assignment, id));
      return [{ id, name: nameOf(id), status: "drift", by: claims }];
    });
  }

  /** Returns assignments whose groups may not all be on the tenant, because some are secret. */
  secret(role: string, have: ReadonlySet<string>): ClaimJson[] {
    return this.#ofRole(role)
      .filter(
        ({ isHidden, resource, granted }) =>
          isHidden || (resource.isSecret && granted.groups.some((group) => !have.has(group))),
      )
      .map((assignment) => claimJsonOf(assignment));
  }

  /** Returns the assignments that list a group of a role. */
  listing(role: string, group: string): readonly StateAssignment[] {
    return this.#grants.by({ role, holder: { group } });
  }

  #ofRole(role: string): readonly StateAssignment[] {
    return this.#byRole.get(role) ?? [];
  }

  #add(edge: Edge, assignment: StateAssignment): void {
    const { urn, isEnding } = assignment.resource;
    const isKnown = this.#grants
      .by(edge)
      .some(({ resource }) => resource.urn === urn && resource.isEnding === isEnding);
    // A state given twice adds nothing.
    if (!isKnown) this.#grants.add(edge, assignment);
  }
}
