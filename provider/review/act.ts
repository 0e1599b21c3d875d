import { type Edge, edgeKey, type RoleAt } from "../access/edge";
import { type Call } from "../http/call";
import { type JsonObject } from "../service/record";

/**
 * One thing that a run sends, or may send. The planned effects, the limit on revocations and the guard of a
 * run that is held to a review all read this record.
 */
export type Act =
  | { act: "grant"; edge: Edge; until?: string | undefined }
  /** `perhaps`: a resource not checked yet may prevent it. */
  | { act: "revoke"; edge: Edge; when?: "perhaps" | undefined }
  | ProfileAct
  | { act: "delete profile"; id: string }
  /** `signOut`: the sign-out that it's part of. */
  | { act: "remove credential"; id: string; signOut?: SignOutAct | undefined }
  | SignOutAct;

/** Without a client: everything that the user is signed in with. */
export interface SignOutAct {
  act: "sign out";
  user: string;
  client?: string | undefined;
}

/** Settings by their names in the program. */
export type ProfileAct =
  | { act: "create profile"; wanted: JsonObject }
  /** `had`: from state, or in an adoption from the tenant. */
  | { act: "change profile"; id: string; wanted: JsonObject; had: JsonObject };

export function grants(at: RoleAt, groups: readonly string[], until: string | undefined): Act[] {
  return groups.map((group) => ({ act: "grant", edge: { ...at, holder: { group } }, until }));
}

export function revocations(at: RoleAt, groups: readonly string[], when?: "perhaps"): Act[] {
  return groups.map((group) => ({ act: "revoke", edge: { ...at, holder: { group } }, when }));
}

/** Equal for acts that one call can't tell apart. */
export function keyOf(act: Act): string {
  switch (act.act) {
    case "grant":
    case "revoke":
      return `${act.act} ${edgeKey(act.edge)}`;
    case "create profile":
      return act.act;
    case "sign out":
      return `${act.act} ${JSON.stringify([act.user, act.client])}`;
    default:
      return `${act.act} ${act.id}`;
  }
}

/** Returns the keys of what a call does; undefined for a call that this package doesn't make. */
export function keysOfCall({ method, path, ids = {}, body }: Call<unknown>): string[] | undefined {
  const { id = "", organization = "", group = "" } = ids;
  const inOrganization = (acts: typeof grants | typeof revocations) => {
    // This package sends one role a call.
    const [role, ...others] = (body as { roles: string[] }).roles;
    return role === undefined || others.length > 0
      ? undefined
      : acts({ organization, role }, [group], undefined);
  };
  const inTenant = (acts: typeof grants | typeof revocations) =>
    acts({ role: id }, (body as { groups: string[] }).groups, undefined);
  switch (`${method} ${path}`) {
    case "POST /roles/{id}/groups":
      return inTenant(grants).map(keyOf);
    case "DELETE /roles/{id}/groups":
      return inTenant(revocations).map(keyOf);
    case "POST /organizations/{organization}/groups/{group}/roles":
      return inOrganization(grants)?.map(keyOf);
    case "DELETE /organizations/{organization}/groups/{group}/roles":
      return inOrganization(revocations)?.map(keyOf);
    case "POST /connection-profiles":
      return ["create profile"];
    case "PATCH /connection-profiles/{id}":
      return [`change profile ${id}`];
    case "DELETE /connection-profiles/{id}":
      return [`delete profile ${id}`];
    case "DELETE /device-credentials/{id}":
      return [keyOf({ act: "remove credential", id })];
    case "DELETE /users/{id}/sessions":
    case "DELETE /users/{id}/refresh-tokens":
      return [keyOf({ act: "sign out", user: id })];
    case "POST /refresh-tokens/revoke": {
      const { user_id: user, client_id: of } = body as { user_id: string; client_id: string };
      return [keyOf({ act: "sign out", user, client: of })];
    }
    default:
      return undefined;
  }
}
