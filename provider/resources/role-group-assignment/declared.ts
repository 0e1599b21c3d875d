import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { knownValue } from "../../pulumi/program/dependencies";
import { type Declaration } from "../../pulumi/program/registration";
import {
  folderOfProgram,
  momentOfProgram,
  ProgramMemory,
  refuseRun,
  turnOfTheLoop,
} from "../../pulumi/program/program-run";
import { tenantKey, tenantKeyAtOnce } from "../../pulumi/program/tenant";
import { hashOf } from "../../pulumi/run-folder";
import { type Conflict, refusal } from "./lines";
import { roleFactOf, formatListing, type SentListing } from "./listing";
import { endOfUntil } from "./until";

export interface Settled {
  /** Equal for assignments on one tenant, as far as the program can know. */
  tenant: unknown;
  /** Undefined while it is unknown, as in previews; so are the groups. */
  roleId: string | undefined;
  groupIds: readonly string[] | undefined;
  exclusive: boolean;
  /** Whether messages must not show the values. */
  isSecret: boolean;
}

interface ProgramAssignment {
  name: string;
  /** The engine puts the groups of state, or their end, in place of those of the program. */
  ignoresGroups: boolean;
  /** From then on it lists nothing; undefined without an end. */
  end?: number | undefined;
  /** The role, as soon as that is known; "unknown" in a preview that can't tell. */
  role: { tenant: unknown; roleId: string | undefined } | undefined;
  settled: Settled | undefined;
}

type SettledAssignment = ProgramAssignment & { settled: Settled };

/** What all copies of the package in a program share. */
interface Declarations {
  readonly all: ProgramAssignment[];
  version: number;
}

export class DeclaredAssignments {
  #turn: Promise<void> | undefined;
  readonly #listings = new Map<string, { version: number; text: string }>();

  constructor(private readonly program: Declarations = { all: [], version: 0 }) {}

  /** An assignment that is yet to be added, settled if its inputs are plain values. */
  declare(declaration: Declaration): ProgramAssignment {
    const { name, props, opts } = declaration;
    const [tenant, plain] = [tenantKeyAtOnce(opts), settledAtOnce(props)];
    return {
      name,
      ignoresGroups: (opts.ignoreChanges ?? []).some((path) => /^(\*$|groupIds|until)/.test(path)),
      end: typeof props["until"] === "string" ? endOfUntil(props["until"]) : undefined,
      role: undefined,
      settled: tenant === undefined || plain === undefined ? undefined : { tenant, ...plain },
    };
  }

  /** Adds an assignment; the promise gives it once its inputs are settled. */
  async add(declaration: Declaration, declared = this.declare(declaration)): Promise<SettledAssignment> {
    const { resource, props } = declaration;
    this.program.all.push(declared);
    this.program.version++;
    // The constructor of the resource, which sets its provider, is still running.
    await Promise.resolve();
    const provider = resource.getProvider("pulumi-nodejs:dynamic/identity:RoleGroupAssignment");
    const [tenant, roleId] = await Promise.all([tenantKey(provider), known<string>(props["roleId"])]);
    declared.role = { tenant, roleId };
    this.program.version++;
    declared.settled = { ...declared.role, ...(await settle(props)) };
    this.program.version++;
    this.#leave(declared.settled, declared);
    return declared as SettledAssignment;
  }

  /** For hosts that are told of no assignment of the role. */
  #leave({ tenant, roleId, groupIds = [] }: Settled, { ignoresGroups, end }: ProgramAssignment): void {
    if (typeof tenant !== "string" || roleId === undefined || ignoresGroups) return;
    const hashes = groupIds.map(hashOf);
    folderOfProgram()?.leave(roleFactOf({ what: "declares", tenant, roleId, hashes, end }));
  }

  others(self: ProgramAssignment): SettledAssignment[] {
    return this.program.all.filter(isSettled).filter((other) => other !== self);
  }

  isBefore(first: ProgramAssignment, second: ProgramAssignment): boolean {
    const { all } = this.program;
    // One that is yet to be added comes last.
    return all.includes(first) && all.indexOf(first) < all.indexOf(second);
  }

  /**
   * The listing, once all assignments that the program declares without waiting for anything are known.
   * Others are not waited for: they could wait for this one.
   */
  async listingInATurn(self: SettledAssignment): Promise<string> {
    this.#turn ??= turnOfTheLoop().finally(() => (this.#turn = undefined));
    await this.#turn;
    return this.listing(self);
  }

  /** What the assignments of one role list, for the handlers (see listing.ts). Equal ones share one text. */
  listing({ settled }: SettledAssignment): string {
    const { all, version } = this.program;
    const place = all.findIndex(({ role }) => role?.tenant === settled.tenant);
    const key = JSON.stringify([place, settled.roleId]);
    const made = this.#listings.get(key);
    if (made?.version === version) return made.text;
    const text = formatListing(listingOf(all, settled));
    this.#listings.set(key, { version, text });
    return text;
  }
}

function listingOf(all: readonly ProgramAssignment[], { tenant, roleId }: Settled): SentListing {
  const byEnd = new Map<number | undefined, Set<string>>();
  const ofRole = all.filter(({ role }) => role === undefined || mayBeRole(role, tenant, roleId));
  for (const one of ofRole) {
    const listed = byEnd.get(one.end) ?? new Set();
    byEnd.set(one.end, listed);
    for (const group of groupsOf(one) ?? []) listed.add(hashOf(group));
  }
  return {
    listed: byEnd.get(undefined) ?? [],
    isComplete: roleId !== undefined && ofRole.every((one) => groupsOf(one) !== undefined),
    ...(all.some(({ end }) => end !== undefined) && { moment: momentOfProgram() }),
    ending: [...byEnd].flatMap(([end, listed]) =>
      end === undefined || listed.size === 0 ? [] : [{ end, listed }],
    ),
  };
}

/** Whether a role is this one, or may turn out to be. */
function mayBeRole(
  role: NonNullable<ProgramAssignment["role"]>,
  tenant: unknown,
  roleId: string | undefined,
): boolean {
  return role.tenant === tenant && (role.roleId === undefined || role.roleId === roleId);
}

/** The groups that an assignment lists; undefined while they, or their role, are not known. */
function groupsOf({ role, settled, ignoresGroups }: ProgramAssignment): readonly string[] | undefined {
  // What the engine puts in place of these groups, only the handlers are told.
  return role?.roleId === undefined || ignoresGroups ? undefined : settled?.groupIds;
}

async function settle(props: pulumi.Inputs): Promise<Omit<Settled, "tenant" | "roleId">> {
  const [groupIds, exclusive, isSecret] = await Promise.all([
    known<string[]>(props["groupIds"]),
    known<boolean>(props["exclusive"]),
    pulumi.isSecret(pulumi.output([props["roleId"], props["groupIds"], props["exclusive"]])),
  ]);
  return {
    groupIds: Array.isArray(groupIds) ? groupIds : undefined,
    exclusive: exclusive === true,
    isSecret,
  };
}

function known<T>(input: unknown): Promise<T | undefined> {
  return knownValue(pulumi.output(input as pulumi.Input<T>)) as Promise<T | undefined>;
}

function settledAtOnce({ roleId, groupIds, exclusive }: pulumi.Inputs): Omit<Settled, "tenant"> | undefined {
  const isPlain = Array.isArray(groupIds) && groupIds.every((group) => typeof group === "string");
  if (typeof roleId !== "string" || !isPlain) return undefined;
  if (exclusive !== undefined && typeof exclusive !== "boolean") return undefined;
  return { roleId, groupIds, exclusive: exclusive === true, isSecret: false };
}

const SHARED = new ProgramMemory("assignments/1", (): Declarations => ({ all: [], version: 0 }));

export const DECLARED_ASSIGNMENTS = new ProgramMemory(
  Symbol("assignments"),
  () => new DeclaredAssignments(SHARED.recall()),
);

/**
 * Two assignments that list the same group of a role, or an exclusive one beside another, would undo each
 * other's work for ever. This is refused where the program declares them, before anything is registered. What
 * an assignment has whose groups the engine puts in place of the program's, only its handlers are told: they
 * refuse it (see kind.ts).
 */
export function refuseTwoOwners(declared: DeclaredAssignments, self: ProgramAssignment): void {
  if (!isSettled(self)) return;
  const { tenant, roleId, groupIds } = self.settled;
  if (roleId === undefined || groupIds === undefined) return;
  for (const other of declared.others(self)) {
    if (other.settled.tenant !== tenant || other.settled.roleId !== roleId) continue;
    const conflict = ownersConflict(self, other);
    if (conflict === undefined) continue;
    const [first, second] = declared.isBefore(self, other) ? [self, other] : [other, self];
    throw refuseRun(new InvalidInputError(refusal([first.name, second.name], conflict)));
  }
}

function isSettled(assignment: ProgramAssignment): assignment is SettledAssignment {
  return assignment.settled !== undefined;
}

function ownersConflict(self: SettledAssignment, other: SettledAssignment): Conflict | undefined {
  const isHidden = self.settled.isSecret || other.settled.isSecret;
  const roleId = isHidden ? undefined : self.settled.roleId;
  const ignored = self.ignoresGroups || other.ignoresGroups;
  const { groupIds = [] } = self.settled;
  const groups = ignored ? [] : groupIds.filter((group) => other.settled.groupIds?.includes(group));
  const exclusive = [self, other].find(({ settled }) => settled.exclusive)?.name;
  return groups.length > 0 || exclusive !== undefined ? { roleId, groups, exclusive } : undefined;
}
