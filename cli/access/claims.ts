import { type AccessJson } from "./model";
import { type Place } from "../../provider/pulumi/sentence";
import { compare } from "../../provider/pulumi/step";
import { type Held, heldBy, isTakenOnDestroy } from "../../provider/resources/role-group-assignment/effects";
import { isPast, nearEnd } from "../../provider/resources/role-group-assignment/until";
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
  /** Whether some of its groups are encrypted. */
  isHidden: boolean;
  resource: StateResource;
}

export interface Claims {
  assignments: readonly StateAssignment[];
  stacks: AccessJson["stacks"];
}

/**
 * `tenants`: the names under which state may know the tenant. `label`: what an empty stack is called.
 * `quote`: makes a text of strangers one that may leave the process.
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

function quotedHeld({ groups, handedOver, unconfirmed }: Held, quote: (text: string) => string): Held {
  return {
    groups: groups.map(quote),
    handedOver: handedOver.map(quote),
    unconfirmed: unconfirmed.map(quote),
  };
}

export function claimJsonOf(
  { stack, name, line, resource, held, until, expired, soon }: StateAssignment,
  how: ClaimJson["how"] = "lists",
  group?: string,
): ClaimJson {
  return {
    stack,
    resource: name,
    line: line ?? null,
    how,
    unconfirmed: group !== undefined && held.unconfirmed.includes(group),
    until: until ?? null,
    expired,
    soon,
    ending: resource.isEnding,
    secret: resource.isSecret,
  };
}

class RoleClaims {
  readonly #byGroup = new Map<string, { assignment: StateAssignment; how: ClaimJson["how"] }[]>();
  readonly #hidden: readonly StateAssignment[];

  constructor(private readonly assignments: readonly StateAssignment[]) {
    for (const assignment of assignments) {
      for (const group of new Set(assignment.held.groups)) this.#add(group, assignment, "lists");
      for (const group of new Set(assignment.held.handedOver)) this.#add(group, assignment, "handed over");
    }
    this.#hidden = assignments.filter(({ isHidden }) => isHidden);
  }

  has(id: string, name: string | null): AccessGroup {
    const found = this.#byGroup.get(id) ?? [];
    const by = found.map(({ assignment, how }) => claimJsonOf(assignment, how, id));
    if (by.some(({ how }) => how === "lists")) return { id, name, status: "managed", by };
    if (by.length > 0) return { id, name, status: "handed over", by };
    if (this.#hidden.length === 0) return { id, name, status: "unmanaged", by };
    return { id, name, status: "unknown", by: this.#hidden.map((assignment) => claimJsonOf(assignment)) };
  }

  /** Groups that are claimed, and don't have the role. What only a secret tells is not named. */
  lacking(have: ReadonlySet<string>, nameOf: (group: string) => string | null): AccessGroup[] {
    return [...this.#byGroup].flatMap(([id, found]): AccessGroup[] => {
      const shown = found.filter(({ assignment }) => !assignment.resource.isSecret);
      if (have.has(id) || shown.length === 0) return [];
      const by = shown.map(({ assignment, how }) => claimJsonOf(assignment, how, id));
      return [{ id, name: nameOf(id), status: "drift", by }];
    });
  }

  /** Assignments of which it can't be said that the tenant has all of their groups. */
  secret(have: ReadonlySet<string>): ClaimJson[] {
    return this.assignments
      .filter(
        ({ isHidden, resource, held }) =>
          isHidden ||
          (resource.isSecret && [...held.groups, ...held.handedOver].some((group) => !have.has(group))),
      )
      .map((assignment) => claimJsonOf(assignment));
  }

  listing(group: string): StateAssignment[] {
    const found = this.#byGroup.get(group) ?? [];
    return found.flatMap(({ assignment, how }) => (how === "lists" ? [assignment] : []));
  }

  #add(group: string, assignment: StateAssignment, how: ClaimJson["how"]): void {
    const found = this.#byGroup.get(group) ?? [];
    // A state that is given twice says nothing new.
    const isKnown = found.some(
      (other) =>
        other.how === how &&
        other.assignment.resource.urn === assignment.resource.urn &&
        other.assignment.resource.isEnding === assignment.resource.isEnding,
    );
    if (!isKnown) found.push({ assignment, how });
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
