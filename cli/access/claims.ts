import { type AccessJson } from "./model";
import { type Place } from "../../provider/review/sentence";
import { compare } from "../../provider/review/step";
import { type Held, heldBy, isTakenOnDestroy } from "../../provider/resources/role-group-assignment/plan";
import { isPast, nearEnd } from "../../provider/access/until";
import { hidesGroups, type StackState, type StateResource } from "../stack-export";

export type AccessRole = AccessJson["roles"][number];
export type AccessGroup = AccessRole["groups"][number];
export type ClaimJson = AccessGroup["by"][number];

export interface StateAssignment {
  role: string;
  name: string;
  line: Place | undefined;
  stack: string;
  held: Held;
  until: string | undefined;
  expired: boolean;
  soon: boolean;
  /** True if some of its groups are encrypted. */
  isHidden: boolean;
  resource: StateResource;
}

export interface Claims {
  assignments: readonly StateAssignment[];
  stacks: AccessJson["stacks"];
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
  const all = states.map(({ stack, label, resources }) => ({
    stack: quote(stack ?? label),
    held: resources.filter(({ kind }) => kind === "RoleGroupAssignment"),
  }));
  const assignments = all.flatMap(({ stack, held }) =>
    held.filter(isHere).map((resource) => ({
      role: quote(resource.id),
      name: quote(resource.name),
      line: resource.line && { ...resource.line, file: quote(resource.line.file) },
      stack,
      held: quotedHeld(heldBy(resource.outputs), quote),
      ...claimedEnd(resource, moment),
      isHidden: hidesGroups(resource),
      resource,
    })),
  );
  return {
    assignments: assignments.sort(
      (one, other) =>
        compare(one.stack, other.stack) ||
        compare(one.name, other.name) ||
        compare(one.resource.urn, other.resource.urn),
    ),
    stacks: all
      .map(({ stack, held }) => {
        const here = held.filter(isHere).length;
        return { stack, assignments: here, elsewhere: held.length - here };
      })
      .sort((one, other) => compare(one.stack, other.stack)),
  };
}

function claimedEnd({ outputs: { until } }: StateResource, moment: number) {
  if (typeof until !== "string") return { until: undefined, expired: false, soon: false };
  return { until, expired: isPast(until, moment), soon: nearEnd(until, moment) !== undefined };
}

function quotedHeld({ groups, unconfirmed }: Held, quote: (text: string) => string): Held {
  return { groups: groups.map(quote), unconfirmed: unconfirmed.map(quote) };
}

export function claimJsonOf(
  { stack, name, line, resource, held, until, expired, soon }: StateAssignment,
  group?: string,
): ClaimJson {
  return {
    stack,
    resource: name,
    line: line ?? null,
    unconfirmed: group !== undefined && held.unconfirmed.includes(group),
    until: until ?? null,
    expired,
    soon,
    ending: resource.isEnding,
    secret: resource.isSecret,
  };
}

class RoleClaims {
  readonly #byGroup = new Map<string, StateAssignment[]>();
  readonly #hidden: readonly StateAssignment[];

  constructor(private readonly assignments: readonly StateAssignment[]) {
    for (const assignment of assignments)
      for (const group of assignment.held.groups) this.#add(group, assignment);
    this.#hidden = assignments.filter(({ isHidden }) => isHidden);
  }

  has(id: string, name: string | null): AccessGroup {
    const by = this.listing(id).map((assignment) => claimJsonOf(assignment, id));
    if (by.length > 0) return { id, name, status: "managed", by };
    if (this.#hidden.length === 0) return { id, name, status: "unmanaged", by };
    return { id, name, status: "unknown", by: this.#hidden.map((assignment) => claimJsonOf(assignment)) };
  }

  /** Returns claimed groups that don't have the role. A group known only from a secret stays unnamed. */
  lacking(have: ReadonlySet<string>, nameOf: (group: string) => string | null): AccessGroup[] {
    return [...this.#byGroup].flatMap(([id, found]): AccessGroup[] => {
      const shown = found.filter(({ resource }) => !resource.isSecret);
      if (have.has(id) || shown.length === 0) return [];
      const by = shown.map((assignment) => claimJsonOf(assignment, id));
      return [{ id, name: nameOf(id), status: "drift", by }];
    });
  }

  /** Returns assignments whose groups may not all be on the tenant, because some are secret. */
  secret(have: ReadonlySet<string>): ClaimJson[] {
    return this.assignments
      .filter(
        ({ isHidden, resource, held }) =>
          isHidden || (resource.isSecret && held.groups.some((group) => !have.has(group))),
      )
      .map((assignment) => claimJsonOf(assignment));
  }

  listing(group: string): readonly StateAssignment[] {
    return this.#byGroup.get(group) ?? [];
  }

  #add(group: string, assignment: StateAssignment): void {
    const found = this.#byGroup.get(group) ?? [];
    // A state given twice adds nothing.
    const isKnown = found.some(
      ({ resource }) =>
        resource.urn === assignment.resource.urn && resource.isEnding === assignment.resource.isEnding,
    );
    if (!isKnown) found.push(assignment);
    this.#byGroup.set(group, found);
  }
}

export function byRole({ assignments }: Claims): (role: string) => RoleClaims {
  const known = new Map<string, RoleClaims>();
  return (role) => {
    const claims = known.get(role) ?? new RoleClaims(assignments.filter((one) => one.role === role));
    known.set(role, claims);
    return claims;
  };
}

export function takenOnDestroy({ resource }: StateAssignment): ReturnType<typeof isTakenOnDestroy> {
  return resource.retainOnDelete ? false : isTakenOnDestroy(resource.outputs);
}
