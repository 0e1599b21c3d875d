import { type SeedInput } from "../../simulator";
import { UNKNOWN } from "../engine/program";
import { type JsonStep } from "../engine/preview-json";

/*
 * Resources of `@pulumi/auth0` in a stack: the steps that a preview shows of them, and what they do to the
 * tenant. That provider knows no other resource: a create only adds, an update takes what state has and the
 * program no longer lists, and a delete, at the end of the run, takes all that state has.
 */

/** What a resource has in state, or gets from the program. Without roles it's an object. */
export interface Auth0Values {
  /** The object's id, or the user who has the roles. */
  of: string;
  organization?: string | undefined;
  roles?: string[];
  /** True if the preview doesn't show the roles. */
  later?: boolean;
}

export interface Auth0Resource {
  name: string;
  type: Auth0Type;
  /** Absent: it's new. */
  before?: Auth0Values;
  /** Absent: it's deleted. */
  after?: Auth0Values;
}

export type Auth0Type = `${"User" | "OrganizationMember"}Role${"" | "s"}` | "User" | "Role" | "Organization";

/** A user's role, in the tenant or in an organization. */
interface DirectGrant {
  organization: string | undefined;
  role: string;
  user: string;
}

const grantKey = ({ organization, role, user }: DirectGrant) =>
  [...(organization === undefined ? [] : [organization]), role, user].join(" ");

export function directGrants({ of: user, organization, roles = [] }: Auth0Values): DirectGrant[] {
  return roles.map((role) => ({ organization, role, user }));
}

export function isObject({ type }: Auth0Resource): boolean {
  return ["User", "Role", "Organization"].includes(type);
}

/** Another user, organization or single role makes a resource anew: these have no update. */
function isReplaced({ type, before, after }: Auth0Resource): boolean {
  if (before === undefined || after === undefined) return false;
  const isOther = before.of !== after.of || before.organization !== after.organization;
  return isOther || (!type.endsWith("s") && before.roles?.join() !== after.roles?.join());
}

type Records = Pick<SeedInput, "users" | "roles" | "organizations">;

/** What a run does first: it creates and updates, in the order of the program. */
export function given<Of extends Records>(records: Of, resources: readonly Auth0Resource[]): Of {
  let now = records;
  for (const resource of resources.filter((one) => !isObject(one))) {
    const { before, after } = resource;
    if (after === undefined) continue;
    const [had, wanted] = [
      before === undefined || isReplaced(resource) ? [] : directGrants(before),
      directGrants(after),
    ];
    const isIn = (list: readonly DirectGrant[]) => {
      const keys = new Set(list.map(grantKey));
      return (grant: DirectGrant) => keys.has(grantKey(grant));
    };
    const [wasThere, stays] = [isIn(had), isIn(wanted)];
    now = without(
      now,
      had.filter((grant) => !stays(grant)),
    );
    now = withGrants(
      now,
      wanted.filter((grant) => !wasThere(grant)),
    );
  }
  return now;
}

/** What it does last: it deletes. */
export function taken<Of extends Records>(records: Of, resources: readonly Auth0Resource[]): Of {
  let now = records;
  for (const resource of resources) {
    const { before, after } = resource;
    if (before === undefined || (after !== undefined && !isReplaced(resource))) continue;
    now = isObject(resource) ? withoutObject(now, before.of) : without(now, directGrants(before));
  }
  return now;
}

/** What state says that the tenant has. */
export function inState<Of extends Records>(records: Of, resources: readonly Auth0Resource[]): Of {
  return withGrants(
    records,
    resources.flatMap(({ before }) => (before === undefined ? [] : directGrants(before))),
  );
}

function withGrants<Of extends Records>(records: Of, grants: readonly DirectGrant[]): Of {
  const added = grants.filter(({ role, user }) => {
    const isThere = records.roles?.some(({ id }) => id === role);
    return isThere === true && records.users?.some((one) => one.user_id === user) === true;
  });
  return changed(records, (has, organization, role) => [
    ...has,
    ...added
      .filter((one) => one.organization === organization && one.role === role && !has.includes(one.user))
      .map(({ user }) => user),
  ]);
}

function without<Of extends Records>(records: Of, grants: readonly DirectGrant[]): Of {
  const gone = new Set(grants.map(grantKey));
  return changed(records, (has, organization, role) =>
    has.filter((user) => !gone.has(grantKey({ organization, role, user }))),
  );
}

/** `change`: from the people who have a role somewhere to those who have it then. */
function changed<Of extends Records>(
  records: Of,
  change: (people: string[], organization: string | undefined, role: string) => string[],
): Of {
  const { users = [], roles = [], organizations = [] } = records;
  const people = new Map(
    roles.map(({ id: role = "" }) => {
      const has = users.filter((user) => user.roles?.includes(role)).map((user) => user.user_id);
      return [role, [...new Set(change(has, undefined, role))]] as const;
    }),
  );
  return {
    ...records,
    users: users.map((user) => ({
      ...user,
      roles: [...people].filter(([, has]) => has.includes(user.user_id)).map(([role]) => role),
    })),
    organizations: organizations.map((organization) => ({
      ...organization,
      roles: organization.roles?.map((role) => ({
        ...role,
        members: [...new Set(change(role.members ?? [], organization.id, role.id))],
      })),
    })),
  };
}

function withoutObject<Of extends Records>(records: Of, id: string): Of {
  const { users = [], roles = [], organizations = [] } = records;
  return {
    ...records,
    users: users
      .filter((user) => user.user_id !== id)
      .map((user) => ({ ...user, roles: user.roles?.filter((role) => role !== id) })),
    roles: roles.filter((role) => role.id !== id),
    organizations: organizations
      .filter((organization) => organization.id !== id)
      .map((organization) => ({
        ...organization,
        roles: organization.roles
          ?.filter((role) => role.id !== id)
          .map((role) => ({ ...role, members: role.members?.filter((user) => user !== id) })),
      })),
  };
}

const PROVIDER = "urn:pulumi:test::test::pulumi:providers:auth0::default_3_55_1::p2";

/** The steps of a preview, which has deletes at its end. */
export function auth0Steps(resources: readonly Auth0Resource[]): JsonStep[] {
  const steps = resources.flatMap((resource) => {
    const { name, type, before, after } = resource;
    const full = `auth0:index/${type.charAt(0).toLowerCase()}${type.slice(1)}:${type}`;
    const common = { type: full, custom: true, provider: PROVIDER };
    const urn = `urn:pulumi:test::test::${full}::${name}`;
    const had = before && valuesOf(type, before);
    const oldState = before && {
      ...common,
      id: isObject(resource) ? before.of : name,
      inputs: had,
      outputs: had,
    };
    const newState = after && { ...common, inputs: valuesOf(type, after) };
    const made = (op: string, states: object): JsonStep => ({ op, urn, detailedDiff: null, ...states });
    if (oldState === undefined) return [made("create", { newState })];
    if (newState === undefined) return [made("delete", { oldState })];
    if (isReplaced(resource))
      return [
        made("create-replacement", { oldState, newState }),
        made("replace", { oldState, newState }),
        made("delete-replaced", { oldState }),
      ];
    const isSame = JSON.stringify(oldState.inputs) === JSON.stringify(newState.inputs);
    return [made(isSame ? "same" : "update", { oldState, newState })];
  });
  const isLast = ({ op }: JsonStep) => op === "delete" || op === "delete-replaced";
  return [...steps.filter((step) => !isLast(step)), ...steps.filter(isLast)];
}

function valuesOf(type: Auth0Type, { of, organization, roles, later = false }: Auth0Values) {
  if (roles === undefined) return { name: of };
  return {
    ...(organization !== undefined && { organizationId: organization }),
    userId: of,
    ...(type.endsWith("s")
      ? { roles: later ? UNKNOWN : roles }
      : { roleId: later ? UNKNOWN : (roles[0] ?? "") }),
  };
}
