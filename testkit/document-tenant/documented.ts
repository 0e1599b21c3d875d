import { ASSIGN_BODIES, DELETE_BODIES, MISSING_WORDS, Refusal, TOTALS_SHAPES } from "./answers";
import { type Choices, OPEN } from "./choices";
import { type Contents, type Fields } from "./contents";
import { type Answer, type Operation } from "./messages";
import {
  checkParameters,
  FORM_TYPE,
  isObject,
  JSON_TYPE,
  readBoolean,
  readGroups,
  readInteger,
  readProfile,
} from "./rules";

/** The operations 4.1 to 4.5. */
export function documentedOperations(choices: Choices, contents: Contents): Operation[] {
  const missing = missingIn(choices);
  const scope = (name: string) => (name === "none" ? [] : [name]);
  const { brokenRule } = choices;
  // "Success status code and response body: not shown."
  const unpromised = (status: number, body: unknown): Answer => ({
    status,
    body: status === 204 ? undefined : body,
    type: choices.unpromisedType,
  });

  return [
    {
      method: "GET",
      path: "/users/{id}",
      scopes: USER_SCOPES,
      bodyTypes: [],
      brokenRule: 400,
      answer({ id, query, scopes }) {
        checkParameters(query, ["fields", "include_fields"], choices);
        const include = readBoolean(query, "include_fields") ?? choices.fieldsAlone === "included";
        const { user } = contents.users.get(id) ?? missing("user", id);
        const fields = (query.get("fields") ?? "").split(",").filter(Boolean);
        return { status: 200, body: chosen(shownTo(scopes, user), fields, include) };
      },
    },
    {
      method: "GET",
      path: "/users/{id}/permissions",
      scopes: scope(choices.listScope),
      bodyTypes: [],
      brokenRule,
      answer({ id, query }) {
        checkParameters(query, ["per_page", "page", "include_totals"], choices);
        const perPage = readInteger(query, "per_page", 1, 100) ?? choices.defaultPerPage;
        const page = readInteger(query, "page", 0) ?? 0;
        const { permissions } = contents.users.get(id) ?? missing("user", id);
        const items = permissions.slice(page * perPage, (page + 1) * perPage);
        const totals = TOTALS_SHAPES[choices.totals];
        const withTotals = readBoolean(query, "include_totals") ?? false;
        const body = withTotals ? totals({ items, total: permissions.length, page, perPage }) : items;
        return { status: choices.listStatus, body };
      },
    },
    {
      method: "POST",
      path: "/roles/{id}/groups",
      scopes: scope(choices.assignScope),
      bodyTypes: [JSON_TYPE, FORM_TYPE],
      brokenRule,
      answer({ id, query, body }) {
        checkParameters(query, [], choices);
        const groups = readGroups(body, choices);
        const role = contents.roles.get(id) ?? missing("role", id);
        for (const group of groups)
          if (!contents.groups.has(group)) missing("group", group, choices.missingGroup);
        if (choices.assignedAgain === 409 && groups.some((group) => role.groups.includes(group)))
          throw new Refusal(409, "conflict", "A group already has the role.");
        role.groups = [...new Set([...role.groups, ...groups])];
        return unpromised(
          choices.assignStatus,
          ASSIGN_BODIES[choices.assignBody]({ id, groups: role.groups }),
        );
      },
    },
    {
      method: "PATCH",
      path: "/connection-profiles/{id}",
      scopes: scope(choices.updateScope),
      bodyTypes: [JSON_TYPE],
      brokenRule,
      answer({ id, query, body }) {
        checkParameters(query, [], choices);
        const changes = readProfile(body, choices);
        const before = contents.profiles.get(id) ?? missing("connection profile", id);
        const after = updated(before, changes, choices);
        contents.profiles.set(id, after);
        return { status: choices.updateStatus, body: profileBody(id, after, choices) };
      },
    },
    {
      method: "DELETE",
      path: "/device-credentials/{id}",
      scopes: scope(choices.deleteScope),
      bodyTypes: [],
      brokenRule,
      answer({ id, query }) {
        checkParameters(query, [], choices);
        const existed = contents.credentials.delete(id);
        if (!existed && choices.missingCredential === 404) missing("device credential", id);
        return unpromised(choices.deleteStatus, DELETE_BODIES[choices.deleteBody]({ id }));
      },
    },
  ];
}

export function missingIn(choices: Choices) {
  return (kind: string, id: string, status: number = 404): never => {
    throw new Refusal(status, "not_found", MISSING_WORDS[choices.missingWords](kind, id));
  };
}

const USER_SCOPES = ["read:users", "read:current_user", "read:user_idp_tokens"];

/** What any tenant's operations ask for. `read:user_idp_tokens` shows more, so it is a choice. */
export function usualScopes({ identityTokenScope }: Choices): string[] {
  const asked = [...OPEN.listScope, ...OPEN.assignScope, ...OPEN.updateScope, ...OPEN.deleteScope];
  const around = ["read:connection_profiles", "create:connection_profiles", "delete:connection_profiles"];
  around.push(
    "read:group_roles",
    "delete:group_roles",
    "read:device_credentials",
    "read:roles",
    "read:groups",
  );
  const all = [...asked, ...around, ...(identityTokenScope ? ["read:user_idp_tokens"] : [])];
  return [...new Set(all.filter((scope) => scope !== "none"))];
}

/** 4.1, rule 4. */
function shownTo(scopes: readonly string[], user: Fields): Fields {
  if (scopes.includes("read:user_idp_tokens") || !Array.isArray(user["identities"])) return user;
  const tokens = ["access_token", "access_token_secret", "refresh_token"];
  const identities = user["identities"].map((identity: Fields) => chosen(identity, tokens, false));
  return { ...user, identities };
}

/** 4.1, rules 1 to 3. */
function chosen(from: Fields, fields: readonly string[], include: boolean): Fields {
  if (fields.length === 0) return from;
  return Object.fromEntries(Object.entries(from).filter(([name]) => fields.includes(name) === include));
}

function updated(before: Fields, changes: Fields, choices: Choices): Fields {
  const after = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete after[name];
    else if (choices.nestedObjects === "merged") after[name] = merged(after[name], value);
    else after[name] = value;
  }
  const features = after["enabled_features"] as string[] | undefined;
  if (features && choices.features === "sorted") after["enabled_features"] = [...features].sort();
  return after;
}

function merged(before: unknown, value: unknown): unknown {
  if (!isObject(before) || !isObject(value)) return value;
  const children = Object.entries(value).map(([name, child]) => [name, merged(before[name], child)]);
  return { ...before, ...Object.fromEntries(children) };
}

/** 2.4, with `id`. What an unset field looks like is not shown. */
export function profileBody(id: string, profile: Fields, { unsetFields }: Choices): Fields {
  const empty = {
    organization: {},
    connection_name_prefix_template: "",
    enabled_features: [],
    connection_config: {},
    strategy_overrides: {},
  };
  const nulls = Object.fromEntries(Object.keys(empty).map((name) => [name, null]));
  return { id, ...{ absent: {}, null: nulls, empty }[unsetFields], ...profile };
}
