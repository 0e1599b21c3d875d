import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { allPages, type CheckpointPage, eachOnce } from "../http/pages";
import { GROUP_ID } from "./ids";
import { recordOf } from "./record";

const GROUPS = "/groups";
const GROUPS_PER_PAGE = 100;

export const groupRecord = recordOf({
  name: z.string(),
  connection_id: z.string(),
  external_id: z.string(),
}).extend({ id: GROUP_ID });
export type GroupRecord = z.infer<typeof groupRecord>;

const groupPage = z.looseObject({ groups: z.array(groupRecord), next: z.string().nullish() });

export interface GroupFilter {
  name?: string | undefined;
  connectionId?: string | undefined;
}

/** All groups that the filter leaves. A name is unique within its connection only. */
export async function listGroups(client: IdentityClient, filter: GroupFilter): Promise<GroupRecord[]> {
  return eachOnce(await allPages((from) => readGroupPage(client, filter, from), `GET ${GROUPS}`));
}

/** One page of them: a directory may have thousands. */
export async function readGroupPage(
  client: IdentityClient,
  { name, connectionId }: GroupFilter,
  from?: string,
): Promise<CheckpointPage<GroupRecord>> {
  const page = await client.send({
    method: "GET",
    path: GROUPS,
    query: { name, connection_id: connectionId, take: GROUPS_PER_PAGE, from },
    answer: groupPage,
    scopes: ["read:groups"],
  });
  return { items: page.groups, next: page.next ?? undefined };
}

export async function readGroupName(
  client: IdentityClient,
  groupId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { name } = await client.send(
    {
      method: "GET",
      path: "/groups/{id}",
      ids: { id: groupId },
      answer: groupRecord,
      scopes: ["read:groups"],
    },
    { signal },
  );
  return name ?? undefined;
}
