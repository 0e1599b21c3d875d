import { type Place } from "../sentence";
import { type Edge, edgeKey } from "./edge";
import { latestOf } from "./until";

/** A resource that says of an edge: its holder has the role, had it, or gets it. */
export interface Claim {
  /** Project and stack; undefined if the reader knows of one only, or the preview names none. */
  stack?: string | undefined;
  /** Name of the resource in the program. */
  name: string;
  line: Place | undefined;
  /** When the grant ends; undefined without an end. */
  until?: string | undefined;
}

/** A role that a holder has, and who says so. Without claims, somebody gave it by hand. */
export interface Grant<Of extends Claim = Claim> extends Edge {
  by: readonly Of[];
}

/** Until when all claims together keep a grant; undefined without an end. */
export function endOf({ by }: Pick<Grant, "by">): string | undefined {
  return latestOf(by.map(({ until }) => until));
}

/** Who has which role at one moment: before a change, after it, or today. */
export class Grants<Of extends Claim = Claim> implements Iterable<Grant<Of>> {
  readonly #grants = new Map<string, Grant<Of>>();
  #byRole: ReadonlyMap<string, readonly Grant<Of>[]> | undefined;

  /** Edges without `by` have no claims. */
  constructor(grants: Iterable<Edge & { by?: readonly Of[] }> = []) {
    for (const grant of grants) this.#add(grant, grant.by);
  }

  add(edge: Edge, ...claims: readonly Of[]): void {
    this.#add(edge, claims);
  }

  #add({ tenant, organization, role, holder }: Edge, claims: readonly Of[] = []): void {
    const edge = { tenant, organization, role, holder };
    const key = edgeKey(edge);
    const known = this.#grants.get(key);
    this.#grants.set(key, { ...edge, by: known === undefined ? claims : [...known.by, ...claims] });
    this.#byRole = undefined;
  }

  has(edge: Edge): boolean {
    return this.#grants.has(edgeKey(edge));
  }

  /** Returns the claims on an edge, in the order in which they were added. */
  by(edge: Edge): readonly Of[] {
    return this.#grants.get(edgeKey(edge))?.by ?? [];
  }

  /** Returns those in an organization; `undefined`: those in the tenant itself. */
  in(organization: string | undefined): Grants<Of> {
    return this.filter((grant) => grant.organization === organization);
  }

  /** Returns the grants of a role, wherever it counts. */
  ofRole(role: string): readonly Grant<Of>[] {
    this.#byRole ??= groupedBy(this, (grant) => grant.role);
    return this.#byRole.get(role) ?? [];
  }

  filter(test: (grant: Grant<Of>) => boolean): Grants<Of> {
    const kept = new Grants<Of>();
    const entries = [...this.#grants].filter(([, grant]) => test(grant));
    entries.forEach(([key, grant]) => kept.#grants.set(key, grant));
    return kept;
  }

  /** Returns these grants and others; a grant of both has all of their claims. */
  and(others: Iterable<Grant<Of>>): Grants<Of> {
    const all = this.filter(() => true);
    [...others].forEach((grant) => all.#add(grant, grant.by));
    return all;
  }

  [Symbol.iterator](): Iterator<Grant<Of>> {
    return this.#grants.values();
  }
}

export function groupedBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
