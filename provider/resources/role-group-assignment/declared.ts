import * as pulumi from "@pulumi/pulumi";
import { roleKey } from "../../access/edge";
import { hashOf } from "../../pulumi/hosts-file";
import { knownValue } from "../../pulumi/program/dependencies";
import { ProgramMemory, turnOfTheLoop } from "../../pulumi/program/program-run";
import { type Declaration } from "../../pulumi/program/registration";
import { tenantKey } from "../../pulumi/program/connection";
import { formatListing, type Listing } from "./listing";
import { isPast } from "../../access/until";

/** An assignment as the program declares it; values that a preview can't know yet are undefined. */
interface ProgramAssignment {
  /** True if its role counts in an organization: one of the tenant is never the same, known or not. */
  isInOrganization: boolean;
  /** True if the engine replaces the program's groups, or their end, by those in state. */
  ignoresGroups: boolean;
  until: unknown;
  role: RoleOfProgram | undefined;
  groupIds: readonly string[] | undefined;
}

interface RoleOfProgram {
  /** Equal for assignments on one tenant, as far as the program can know. */
  tenant: unknown;
  isInOrganization: boolean;
  /** The key of the role; undefined if it isn't known. */
  role: string | undefined;
}

/** Shared by all copies of the package in a program. */
interface Declarations {
  readonly all: ProgramAssignment[];
  version: number;
}

export class DeclaredAssignments {
  #turn: Promise<void> | undefined;
  readonly #listings = new Map<string, { version: number; text: string }>();

  constructor(private readonly program: Declarations = { all: [], version: 0 }) {}

  /** Adds an assignment; resolves to its role once its inputs are settled. */
  async add({ resource, type, props, opts }: Declaration): Promise<RoleOfProgram> {
    const isInOrganization = "organizationId" in props;
    const declared: ProgramAssignment = {
      isInOrganization,
      ignoresGroups: (opts.ignoreChanges ?? []).some((path) => /^(\*$|groupIds|until)/.test(path)),
      until: props["until"],
      role: undefined,
      groupIds: undefined,
    };
    const { program } = this;
    program.all.push(declared);
    program.version++;
    // The resource's constructor is still running, and sets its provider at the end.
    await Promise.resolve();
    const provider = resource.getProvider(type);
    const [tenant, roleId, organization] = await Promise.all([
      tenantKey(provider),
      known<string>(props["roleId"]),
      known<string>(props["organizationId"]),
    ]);
    const isKnown = roleId !== undefined && (organization !== undefined || !isInOrganization);
    const key = isKnown ? roleKey({ organization, role: roleId }) : undefined;
    const role = (declared.role = { tenant, isInOrganization, role: key });
    program.version++;
    const groupIds = await known<unknown[]>(props["groupIds"]);
    // The provider names what is no id.
    if (Array.isArray(groupIds)) declared.groupIds = groupIds.filter((id) => typeof id === "string");
    program.version++;
    return role;
  }

  /**
   * Returns the listing once all assignments that the program declares without waiting are known. Don't wait
   * for others: they could be waiting for this one. `ofAllRoles`: with the listings of all other roles.
   */
  async listingInATurn(role: RoleOfProgram, ofAllRoles = false): Promise<string> {
    this.#turn ??= turnOfTheLoop().finally(() => (this.#turn = undefined));
    await this.#turn;
    return this.listing(role, ofAllRoles);
  }

  /**
   * Returns the groups listed by all assignments of one role, for the handlers (see listing.ts). Equal
   * listings share one text.
   */
  listing(of: RoleOfProgram, ofAllRoles: boolean): string {
    const { all, version } = this.program;
    const place = all.findIndex(({ role }) => role?.tenant === of.tenant);
    const key = JSON.stringify([place, of.isInOrganization, of.role, ofAllRoles]);
    const made = this.#listings.get(key);
    if (made?.version === version) return made.text;
    const others = ofAllRoles ? listingsOfOthers(all, of) : undefined;
    const role = of.role === undefined ? {} : { role: hashOf(of.role) };
    const text = formatListing({ ...role, ...listingOf(all, of), ...(others && { others }) });
    this.#listings.set(key, { version, text });
    return text;
  }
}

function listingsOfOthers(
  all: readonly ProgramAssignment[],
  { tenant, isInOrganization, role: own }: RoleOfProgram,
): Map<string, Listing> {
  const keys = all.flatMap(({ role }) =>
    role?.tenant === tenant && role?.isInOrganization === isInOrganization ? (role.role ?? []) : [],
  );
  const others = new Set(keys.filter((key) => key !== own));
  return new Map(
    [...others].map((key) => [hashOf(key), listingOf(all, { tenant, isInOrganization, role: key })]),
  );
}

function listingOf(
  all: readonly ProgramAssignment[],
  { tenant, isInOrganization, role: key }: RoleOfProgram,
): Listing {
  const ofRole = all.filter(
    ({ role, isInOrganization: isInOne }) =>
      isInOne === isInOrganization &&
      (role === undefined || (role.tenant === tenant && (role.role === undefined || role.role === key))),
  );
  return {
    listed: new Set(ofRole.flatMap((one) => groupsOf(one) ?? []).map(hashOf)),
    isComplete: key !== undefined && ofRole.every((one) => groupsOf(one) !== undefined),
  };
}

/** Returns the groups that an assignment lists, none after its end; undefined if they aren't known. */
function groupsOf({
  role,
  groupIds,
  until,
  ignoresGroups,
}: ProgramAssignment): readonly string[] | undefined {
  // Only the handlers see the groups that the engine puts in their place.
  if (role?.role === undefined || ignoresGroups) return undefined;
  return typeof until === "string" && isPast(until, Date.now()) ? [] : groupIds;
}

function known<T>(input: unknown): Promise<T | undefined> {
  return knownValue(pulumi.output(input as pulumi.Input<T>)) as Promise<T | undefined>;
}

const SHARED = new ProgramMemory("assignments/1", (): Declarations => ({ all: [], version: 0 }));

export const DECLARED_ASSIGNMENTS = new ProgramMemory(
  Symbol("assignments"),
  () => new DeclaredAssignments(SHARED.recall()),
);
