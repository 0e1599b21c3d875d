import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { type GroupRecord, groupRecord, groupsNamed, listGroups, readGroupPage } from "../service/groups";
import { onlyDifference } from "../near-names";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { foundElsewhere, fromWire, noneOfName, ofName, severalOfName } from "./records";

/** Arguments of {@link getGroup}. */
export interface GetGroupArgs {
  /**
   * Exact name of the group, e.g. `support-desk`.
   *
   * Names are unique only within a connection.
   */
  name: string;
  /**
   * Id of the group's connection, e.g. `con_3fGt6NvXeJw4uQhC`.
   *
   * Sent as `connection_id`.
   *
   * @default `undefined`: any connection.
   */
  connectionId?: string;
}

/** Arguments of {@link getGroupOutput}. */
export type GetGroupOutputArgs = {
  [Name in keyof GetGroupArgs]: pulumi.Input<GetGroupArgs[Name]>;
};

/** Result of {@link getGroup}: a group of the tenant. */
export interface GetGroupResult {
  /** Id of the group, e.g. `grp_7TqWc2nYx5RkHbVd9sPmZa`: one of the `groupIds` of a `RoleGroupAssignment`. */
  id: string;
  /** The name from the arguments. */
  name: string;
  /** Id of the group's connection, if it has one. */
  connectionId?: string;
  /** Id of the group in the directory from which the tenant synchronizes it. */
  externalId?: string;
}

const schema = z.strictObject({
  name: z.string().min(1, "must be the name of a group; it is empty"),
  connectionId: z.string().min(1, "must be the id of a connection; it is empty").optional(),
});

/** @internal */
export const getGroupSource: DataSource<GetGroupArgs, GetGroupResult> = {
  name: "getGroup",
  findsByName: true,
  schema,

  async read(client, { name, connectionId }, ask) {
    const found = await ask(["groups", name, connectionId], () => listGroups(client, { name, connectionId }));
    // The service's comparison isn't documented, so this compares again.
    const [group, ...others] = ofName(found, name).filter(
      (one) => connectionId === undefined || one.connection_id === connectionId,
    );
    if (group === undefined) {
      // The service may compare less strictly than this.
      if (found.some((one) => onlyDifference(name, one.name ?? "") !== undefined))
        throw noneOfName("group", name, found, "names");
      throw await noGroup(client, name, connectionId);
    }
    if (others.length > 0) throw severalOfName("groups", [group, ...others].map(described), WHICH);
    return { ...fromWire(groupRecord.shape, group).known, id: group.id, name };
  },
};

const WHICH = "Give the connectionId of the one that you mean, or write its id in place of this call.";

async function noGroup(
  client: IdentityClient,
  name: string,
  connectionId: string | undefined,
): Promise<Error> {
  if (connectionId !== undefined) {
    const elsewhere = await groupsNamed(client, name);
    if (elsewhere.length > 0) return foundElsewhere("group of this connection", elsewhere.map(described));
  }
  const { items, next, total = items.length } = await readGroupPage(client, { connectionId });
  const among =
    next === undefined && total <= items.length ? "names" : `names among the first ${items.length} groups`;
  return noneOfName("group", name, items, among);
}

function described({ id, connection_id: connectionId }: GroupRecord): string {
  return `${id} (${connectionId == null ? "no connection" : `connection ${connectionId}`})`;
}

/**
 * Finds a group by its name, in previews too. Exactly one group must have it.
 *
 * Scope: `read:groups`.
 *
 * @remarks
 * Calls for the same name in one program share their request.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws an {@link IdentityError} when no group has the name, or several do. It lists similar names, or
 * their ids.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
 *
 * @example The id of a group of one connection
 * ```ts
 * import { getGroup } from "pulumi-identity";
 *
 * export const id = getGroup({ name: "support-desk", connectionId: "con_3fGt6NvXeJw4uQhC" }).then(
 *   (group) => group.id,
 * );
 * ```
 */
export function getGroup(args: GetGroupArgs, options?: DataSourceOptions): Promise<GetGroupResult> {
  return invoke(getGroupSource, args, options);
}

/**
 * {@link getGroup} for Outputs as arguments, and for inputs of resources. An error fails the Output, and so
 * the program.
 *
 * @example The id of a group
 * ```ts
 * import { getGroupOutput } from "pulumi-identity";
 *
 * export const groupId = getGroupOutput({ name: "support-desk" }).id;
 * ```
 */
export function getGroupOutput(
  args: GetGroupOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<GetGroupResult> {
  return invokeOutput(getGroupSource, args, options);
}
