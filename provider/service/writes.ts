import { type Call } from "../http/call";

/** The effect of a call. A profile's body shows only a part of its step, so it isn't included. */
export type Write =
  | {
      act: "grant" | "revoke";
      /** Undefined: the role counts in the tenant itself. */
      organization?: string;
      role: string;
      groups: readonly string[];
    }
  | { act: "delete profile" | "remove credential"; id: string }
  | { act: "create profile" }
  | { act: "change profile"; id: string };

/** Undefined for a call that this package doesn't make. */
export function writeOf({ method, path, ids, body }: Call<unknown>): Write | undefined {
  const { id = "" } = ids ?? {};
  switch (`${method} ${path}`) {
    case "POST /roles/{id}/groups":
      return { act: "grant", role: id, groups: groupsIn(body) };
    case "DELETE /roles/{id}/groups":
      return { act: "revoke", role: id, groups: groupsIn(body) };
    case "POST /organizations/{organization}/groups/{group}/roles":
      return inOrganization("grant", ids, body);
    case "DELETE /organizations/{organization}/groups/{group}/roles":
      return inOrganization("revoke", ids, body);
    case "POST /connection-profiles":
      return { act: "create profile" };
    case "PATCH /connection-profiles/{id}":
      return { act: "change profile", id };
    case "DELETE /connection-profiles/{id}":
      return { act: "delete profile", id };
    case "DELETE /device-credentials/{id}":
      return { act: "remove credential", id };
    default:
      return undefined;
  }
}

function groupsIn(body: unknown): string[] {
  return (body as { groups: string[] }).groups;
}

/** This package sends one role a call, so it doesn't make a call with several. */
function inOrganization(
  act: "grant" | "revoke",
  { organization = "", group = "" }: Record<string, string> = {},
  body: unknown,
): Write | undefined {
  const [role, ...others] = (body as { roles: string[] }).roles;
  if (role === undefined || others.length > 0) return undefined;
  return { act, organization, role, groups: [group] };
}
