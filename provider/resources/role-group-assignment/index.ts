import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type IdentityClient } from "../../http/client";
import { ApiError, IdentityError, InvalidInputError, mayHaveReached } from "../../http/errors";
import { isPathId, PATH_ID_RULE } from "../../http/ids";
import { assignRoleGroups, unassignRoleGroups } from "../../service/role-groups";
import { readsOf } from "../shared-reads";
import { type Context, lifecycle, PartialFailure, type ResourceKind } from "../../pulumi/host/lifecycle";
import { existing, IdentityResource } from "../../pulumi/program/resource";
import { claim, inTurn, isClaimed, isTaken, restored, take } from "../../pulumi/host/run";
import { isUnknown } from "../../pulumi/unknown";

export interface RoleGroupAssignmentArgs {
  /** Id of the role, e.g. `rol_4hNkVx8QmTz2bRcW`. Changing it replaces the assignment. API: `id` in the path of section 4.3. */
  roleId: pulumi.Input<string>;
  /**
   * Ids of the groups that get the role, at least one; a set: order and repetition mean nothing. Each matches
   * `^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$`, e.g. `grp_7TqWc2nYx5RkHbVd9sPmZa`. API: `groups`, section 4.3.
   */
  groupIds: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * False: the assignment owns the groups that it lists, and leaves all others of the role alone. True: the role has
   * exactly the groups listed, and others are taken away. Default: false.
   */
  exclusive?: pulumi.Input<boolean>;
}

/** Section 2.5 of the source document. */
const GROUP_ID = /^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/;

const schema = z.strictObject({
  roleId: z.string().refine(isPathId, PATH_ID_RULE),
  groupIds: z
    .array(z.string().regex(GROUP_ID, `must be a group id that matches ${GROUP_ID.source}`))
    .min(1, "must name at least one group; to take the role from all groups, remove the resource"),
  exclusive: z.boolean(),
});
type Inputs = z.infer<typeof schema>;

/** The service names no limit of its own for one call. */
const GROUPS_PER_CALL = 50;

const kind: ResourceKind<Inputs> = {
  name: "RoleGroupAssignment",
  schema,
  inputNames: ["roleId", "groupIds", "exclusive"],
  replaces: ({ name }) => name === "roleId",

  canonical: ({ exclusive = false, ...inputs }) => ({
    ...inputs,
    ...(Array.isArray(inputs["groupIds"]) && { groupIds: sortedSet(inputs["groupIds"]) }),
    exclusive,
  }),

  claims: (tenant, { roleId, groupIds }) =>
    Array.isArray(groupIds) ? groupIds.map((group) => groupKey(tenant, String(roleId), String(group))) : [],

  describe(before, after) {
    const { roleId, groupIds } = after;
    if (isUnknown(roleId)) return undefined;
    if (!Array.isArray(groupIds)) return `role ${String(roleId)}: groups not known yet`;
    const held = before?.roleId === roleId ? before?.groupIds : undefined;
    return changeLine(
      String(roleId),
      without(groupIds as string[], held ?? []),
      without(held ?? [], groupIds as string[]),
    );
  },

  lookAhead(context, before, { roleId, groupIds, exclusive }) {
    if (!exclusive || before["exclusive"] === true) return undefined;
    const { client } = context();
    return readsOf(client)
      .roleGroups(roleId)
      .then((assigned) => {
        const others = without(assigned, groupIds);
        return others.length === 0
          ? undefined
          : `role ${roleId}: exclusive, takes the role from ${groupCount(others.length)} that others gave it to: ${others.join(", ")}`;
      });
  },

  create: (context, inputs) =>
    change(context, inputs, async () => {
      const others = inputs.exclusive ? await readsOf(context.client).roleGroups(inputs.roleId) : [];
      return { held: [], add: inputs.groupIds, remove: without(others, inputs.groupIds) };
    }).then((held) => ({ id: inputs.roleId, inputs: held })),

  async read({ client }, roleId, recorded) {
    const assigned = sortedSet(await readsOf(client).roleGroups(roleId));
    if (recorded === undefined) return { inputs: { roleId, groupIds: assigned, exclusive: false } };
    const { groupIds, exclusive } = recorded.inputs;
    const held = exclusive ? assigned : groupIds.filter((group) => assigned.includes(group));
    return held.length === 0 ? undefined : { inputs: { ...recorded.inputs, groupIds: held } };
  },

  update: (context, roleId, { inputs: before, outputs }, inputs) =>
    change(context, inputs, async () => {
      const unsure = (outputs["unsure"] ?? []) as string[];
      const assigned = inputs.exclusive ? await readsOf(context.client).roleGroups(roleId) : before.groupIds;
      return {
        held: before.groupIds,
        add: inputs.groupIds.filter(
          (group) =>
            !before.groupIds.includes(group) ||
            unsure.includes(group) ||
            isTaken(groupKey(context.client.tenant, roleId, group)),
        ),
        remove: without(assigned, inputs.groupIds),
        unsure,
      };
    }).then((held) => ({ inputs: held })),

  async delete(context, _roleId, { inputs }) {
    const { groupIds } = inputs;
    await change(context, { ...inputs, groupIds: [] }, () =>
      Promise.resolve({ held: groupIds, add: [], remove: groupIds }),
    );
  },
};

interface Change {
  /** Groups that this assignment has before the change. */
  held: readonly string[];
  add: readonly string[];
  remove: readonly string[];
  /** Groups of which nobody knows whether an earlier change reached them. */
  unsure?: readonly string[];
}

/**
 * Adds, then removes, so that nobody loses access in between, one assignment of a role after the other. Groups that
 * another assignment of this run wants are not removed. What was done before a failure is recorded.
 */
function change(context: Context, wanted: Inputs, plan: () => Promise<Change>): Promise<Inputs> {
  const { client, tell } = context;
  const { roleId } = wanted;
  const key = (group: string) => groupKey(client.tenant, roleId, group);
  claim(...wanted.groupIds.map(key));

  return inTurn(JSON.stringify([client.tenant, roleId]), async () => {
    const { held, add, remove, unsure: earlier = [] } = await plan();
    const spared = remove.filter((group) => isClaimed(key(group)));
    for (const group of without(remove, spared)) take(key(group));
    if (spared.length > 0)
      tell(`role ${roleId}: keeps ${spared.join(", ")}, which another assignment now owns`);
    const done = new Set(held);
    const unsure = new Set(earlier);
    try {
      for (const groups of chunks(add)) {
        // Until the answer says otherwise they may be assigned: better known in vain than forgotten.
        for (const group of groups) done.add(group);
        try {
          await onlyNecessary(client, roleId, groups, assignRoleGroups, (assigned) =>
            without(groups, assigned),
          );
        } catch (error) {
          if (mayHaveReached(error)) for (const group of groups) unsure.add(group);
          else for (const group of without(groups, held)) done.delete(group);
          throw error;
        }
        for (const group of groups) {
          unsure.delete(group);
          restored(key(group));
        }
      }
      for (const group of spared) done.delete(group);
      for (const groups of chunks(without(remove, spared))) {
        await onlyNecessary(client, roleId, groups, unassignRoleGroups, (assigned) =>
          groups.filter((group) => assigned.includes(group)),
        );
        for (const group of groups) done.delete(group);
      }
      return wanted;
    } catch (error) {
      const changed = done.size !== held.length || held.some((group) => !done.has(group));
      if (!changed && unsure.size === 0) throw explained(error);
      const inputs = { ...wanted, groupIds: sortedSet([...done]) };
      throw new PartialFailure<Inputs>(
        roleId,
        { inputs, outputs: { unsure: [...unsure] } },
        explained(error),
      );
    } finally {
      readsOf(client).forgetRole(roleId);
    }
  });
}

/**
 * Nobody says whether assigning an assigned group, or removing an absent one, is an error of the whole call, and an
 * answer can be lost. Then the list tells which groups are left to do, and the call is repeated with these.
 */
async function onlyNecessary(
  client: IdentityClient,
  roleId: string,
  groups: readonly string[],
  call: typeof assignRoleGroups,
  left: (assigned: readonly string[]) => string[],
): Promise<void> {
  try {
    await call(client, roleId, groups);
  } catch (error) {
    const refused = error instanceof ApiError && [400, 404, 409].includes(error.status);
    if (!refused && !mayHaveReached(error)) throw error;
    readsOf(client).forgetRole(roleId);
    // A failure to look must not hide why the call was refused.
    const assigned = await readsOf(client)
      .roleGroups(roleId)
      .catch(() => undefined);
    const rest = assigned === undefined ? groups : left(assigned);
    if (refused && rest.length === groups.length) throw error;
    // Nobody could tell what happened: the next update does it again.
    if (assigned === undefined) throw error;
    if (rest.length > 0) await call(client, roleId, rest);
  }
}

/** The service's limits are documented, but its error answer does not name them. */
function explained(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== "insufficient_entitlement") return error;
  return new IdentityError(
    `${error.message} The service allows at most 10 roles on a group, and 100 different roles on groups.`,
  );
}

function groupKey(tenant: string, roleId: string, groupId: string): string {
  return JSON.stringify([tenant, "role-group", roleId, groupId]);
}

function changeLine(
  roleId: string,
  added: readonly string[],
  removed: readonly string[],
): string | undefined {
  const parts = [
    ...(added.length > 0 ? [`+${groupCount(added.length)}`] : []),
    ...(removed.length > 0 ? [`−${groupCount(removed.length)}`] : []),
  ];
  return parts.length === 0 ? undefined : `role ${roleId}: ${parts.join(", ")}`;
}

function groupCount(count: number): string {
  return `${count} ${count === 1 ? "group" : "groups"}`;
}

function without(groups: readonly string[], excluded: readonly string[]): string[] {
  return groups.filter((group) => !excluded.includes(group));
}

function sortedSet<T>(items: readonly T[]): T[] {
  // Two unknown ids may turn out to be different ones.
  return items.filter((item, index) => isUnknown(item) || items.indexOf(item) === index).sort();
}

function chunks(groups: readonly string[]): string[][] {
  const count = Math.ceil(groups.length / GROUPS_PER_CALL);
  return Array.from({ length: count }, (_, i) =>
    groups.slice(i * GROUPS_PER_CALL, (i + 1) * GROUPS_PER_CALL),
  );
}

export const roleGroupAssignment = lifecycle(kind);

interface Owner {
  name: string;
  /** Place in the program: values become known in any order. */
  place: number;
  groupIds: readonly string[];
  exclusive: boolean;
  secret: boolean;
}

/** Assignments of one program run by provider and role. A process can run several programs, and tests run many. */
const owners = new WeakMap<pulumi.Resource, Map<string, Owner[]>>();
let declared = 0;
const HANDLED_BY = "pulumi-nodejs:dynamic/identity:RoleGroupAssignment";

/**
 * Two assignments that claim the same group of a role, or an exclusive one beside another, would undo each other's work
 * for ever. Handlers never learn a resource's name, so this is seen where the program declares them.
 */
function refuseTwoOwners(
  name: string,
  args: RoleGroupAssignmentArgs,
  provider: pulumi.ProviderResource | undefined,
): void {
  const program = pulumi.runtime.getStackResource();
  if (program === undefined) return;
  const ofProgram = owners.get(program) ?? new Map<string, Owner[]>();
  owners.set(program, ofProgram);

  const place = declared++;
  const inputs = pulumi.all([
    args.roleId,
    pulumi.output(args.groupIds),
    args.exclusive ?? false,
    provider?.urn ?? "",
  ]);
  inputs.apply(async ([roleId, groupIds, exclusive, providerUrn]) => {
    const key = JSON.stringify([providerUrn, roleId]);
    const secret = await pulumi.isSecret(inputs);
    const others = ofProgram.get(key) ?? [];
    const self: Owner = { name, place, groupIds, exclusive, secret };
    ofProgram.set(key, [...others, self]);
    for (const other of others) {
      const hidden = secret || other.secret;
      const role = hidden ? "one role" : `the role ${roleId}`;
      const shared = groupIds.filter((group) => other.groupIds.includes(group));
      if (shared.length === 0 && !exclusive && !other.exclusive) continue;
      const problem =
        shared.length > 0
          ? `both claim ${hidden ? "a group" : shared.join(", ")} for ${role}`
          : `share ${role}, but "${exclusive ? name : other.name}" is exclusive`;
      const [first, second] = [self, other].sort((a, b) => a.place - b.place) as [Owner, Owner];
      throw new InvalidInputError(
        `RoleGroupAssignment "${first.name}" and "${second.name}" ${problem}. Let one of them own it: list the groups in one assignment.`,
      );
    }
  });
}

/**
 * Gives a role of the tenant to groups. Additive unless `exclusive`: groups that others gave the role to are neither
 * shown as drift nor taken away. Destroying it takes the role from the groups it lists, and from no others.
 *
 * Scopes: `create:group_roles`, `delete:group_roles`, and `read:group_roles` for refresh and `exclusive`.
 *
 * @example
 * new RoleGroupAssignment("support", {
 *   roleId: "rol_4hNkVx8QmTz2bRcW",
 *   groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa", "grp_5BmRd9aSj2WqTgFx7cUkEn"],
 * });
 */
export class RoleGroupAssignment extends IdentityResource {
  declare readonly roleId: pulumi.Output<string>;
  /** Sorted, without repetition. */
  declare readonly groupIds: pulumi.Output<string[]>;
  declare readonly exclusive: pulumi.Output<boolean>;
  /** Host name of the tenant that the role is on. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: RoleGroupAssignmentArgs, options?: pulumi.CustomResourceOptions) {
    super(kind.name, name, args, ["roleId", "groupIds", "exclusive", "tenant"], options);
    if (options?.id === undefined) refuseTwoOwners(name, args, this.getProvider(HANDLED_BY));
  }

  /** All groups of an existing role, by the role's id. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): RoleGroupAssignment {
    const none = undefined as unknown as RoleGroupAssignmentArgs;
    return new RoleGroupAssignment(name, none, existing(kind.name, name, id, options));
  }
}
