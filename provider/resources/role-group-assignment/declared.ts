import * as pulumi from "@pulumi/pulumi";
import { knownValue } from "../../pulumi/program/dependencies";
import { ProgramMemory, turnOfTheLoop } from "../../pulumi/program/program-run";
import { type Declaration } from "../../pulumi/program/registration";
import { tenantKey } from "../../pulumi/program/connection";
import {
  declaredAssignment,
  groupIdsIn,
  type ProgramAssignment,
  programListing,
  type RoleOfProgram,
  roleOfProgram,
} from "./program-listing";

/** Shared by all copies of the package in a program. */
interface ProgramAssignments {
  readonly all: ProgramAssignment[];
  version: number;
}

export class DeclaredAssignments {
  #turn: Promise<void> | undefined;
  readonly #listings = new Map<string, { version: number; text: string }>();

  constructor(private readonly program: ProgramAssignments = { all: [], version: 0 }) {}

  /** Adds an assignment; resolves to its role once its inputs are settled. */
  async add({ resource, type, props, opts }: Declaration): Promise<RoleOfProgram> {
    const declared = declaredAssignment(props, opts.ignoreChanges);
    const { program } = this;
    program.all.push(declared);
    program.version++;
    // The resource's constructor is still running, and sets its provider at the end.
    await Promise.resolve();
    const provider = resource.getProvider(type);
    const [tenant, roleId, organizationId] = await Promise.all([
      tenantKey(provider),
      known<string>(props["roleId"]),
      known<string>(props["organizationId"]),
    ]);
    const role = (declared.role = roleOfProgram(declared, tenant, { roleId, organizationId }));
    program.version++;
    declared.groupIds = groupIdsIn(await known<unknown[]>(props["groupIds"]));
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

  /** Equal listings share one text. */
  listing(of: RoleOfProgram, ofAllRoles: boolean): string {
    const { all, version } = this.program;
    const place = all.findIndex(({ role }) => role?.tenant === of.tenant);
    const key = JSON.stringify([place, of.isInOrganization, of.role, ofAllRoles]);
    const made = this.#listings.get(key);
    if (made?.version === version) return made.text;
    const text = programListing(all, of, { ofAllRoles, moment: Date.now() });
    this.#listings.set(key, { version, text });
    return text;
  }
}

function known<T>(input: unknown): Promise<T | undefined> {
  return knownValue(pulumi.output(input as pulumi.Input<T>)) as Promise<T | undefined>;
}

const SHARED = new ProgramMemory("assignments/1", (): ProgramAssignments => ({ all: [], version: 0 }));

export const DECLARED_ASSIGNMENTS = new ProgramMemory(
  Symbol("assignments"),
  () => new DeclaredAssignments(SHARED.recall()),
);
