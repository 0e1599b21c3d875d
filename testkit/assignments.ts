import { VIEWER } from "../simulator/default-seed";
import { assignment } from "./engine";
import { json } from "./tenant";

export const groupsUrl = (roleId: string) => `/roles/${roleId}/groups`;
export const listed = `GET ${groupsUrl(VIEWER)}?take=100 200`;
export const assigned = (...groups: string[]) => `POST ${groupsUrl(VIEWER)} ${json({ groups })} 204`;
export const unassigned = (...groups: string[]) => `DELETE ${groupsUrl(VIEWER)} ${json({ groups })} 204`;

export const viewers = (...groupIds: string[]) => assignment({ roleId: VIEWER, groupIds });
export const exactly = (...groupIds: string[]) => assignment({ roleId: VIEWER, groupIds, exclusive: true });

/** `count` ids of groups, in order, all different. */
export function manyGroups(count: number): string[] {
  const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZ";
  return Array.from({ length: count }, (_, i) => {
    const last = `${digits[Math.floor(i / digits.length)]}${digits[i % digits.length]}`;
    return `grp_9999999999999999${last}`;
  });
}
