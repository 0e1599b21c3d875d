import { type Choices } from "./choices";
import { Draw } from "./draw";
import { distinct, groupId, ID_SCHEMES, USER_ID_SCHEMES } from "./ids";

export type Fields = Record<string, unknown>;

export interface Contents {
  groups: Map<string, { name: string }>;
  roles: Map<string, { name: string; description: string; groups: string[] }>;
  profiles: Map<string, Fields>;
  credentials: Map<string, { user_id: string; type: string; device_name: string }>;
  users: Map<string, { user: Fields; permissions: Fields[] }>;
  /** IDs by the same schemes, of nothing. */
  missing: Record<"role" | "group" | "profile" | "credential" | "user", string>;
  newProfileId: () => string;
}

/** What a tenant holds at its start: a few of each. The first user has more permissions than a page holds. */
export function contentsOf(choices: Choices): Contents {
  const draw = new Draw(choices.seed, choices.index, "contents");
  const newId = {
    group: distinct(groupId, draw, "group"),
    role: distinct(ID_SCHEMES[choices.roleIds], draw, "role"),
    profile: distinct(ID_SCHEMES[choices.profileIds], draw, "profile"),
    credential: distinct(ID_SCHEMES[choices.credentialIds], draw, "credential"),
    user: distinct(USER_ID_SCHEMES[choices.userIds], draw, "user"),
  };
  const some = <T>(count: number, id: () => string, value: (number: number, id: string) => T) =>
    new Map(Array.from({ length: count }, id).map((id, number) => [id, value(number, id)]));

  const groups = some(8, newId.group, (number) => ({ name: `Group ${number}` }));
  const [firstGroup] = groups.keys();
  const users = some(4, newId.user, (number, id) => ({
    user: userOf(id, choices, draw),
    permissions: permissionsOf([104, 3, 0, 26][number] ?? 0, choices),
  }));
  return {
    groups,
    roles: some(3, newId.role, (number) => ({
      name: `Role ${number}`,
      description: "",
      groups: number === 1 && firstGroup !== undefined ? [firstGroup] : [],
    })),
    profiles: some(3, newId.profile, (number) => (number === 0 ? { name: "Bare" } : fullProfile(number))),
    credentials: some(4, newId.credential, (number) => ({
      user_id: draw.one([...users.keys()]),
      type: draw.one(["refresh_token", "public_key"]),
      device_name: `Device ${number}`,
    })),
    users,
    missing: {
      role: newId.role(),
      group: newId.group(),
      profile: newId.profile(),
      credential: newId.credential(),
      user: newId.user(),
    },
    newProfileId: newId.profile,
  };
}

/** 2.4, with an `organization` whose children are not shown. */
function fullProfile(number: number): Fields {
  return {
    name: `Profile ${number}`,
    organization: { show: "optional", domains: ["example.com"], limits: { members: 10 } },
    connection_name_prefix_template: "{org_id}-x",
    enabled_features: ["scim"],
    connection_config: { timeout: 30 },
    strategy_overrides: { samlp: { enabled_features: ["universal_logout"], connection_config: {} } },
  };
}

/** 2.1: all fields are optional, and there may be others. */
function userOf(id: string, choices: Choices, draw: Draw): Fields {
  const plain = Object.entries({
    email: "jo@example.com",
    email_verified: true,
    username: "jo",
    phone_number: "+15550100",
    phone_verified: false,
    created_at: choices.dates,
    updated_at: choices.dates,
    app_metadata: { plan: "basic", roles: { admin: false } },
    user_metadata: { colour: "grün", sizes: [1, 2] },
    picture: "https://example.com/jo.png",
    name: "Jo Doe",
    nickname: "jo",
    multifactor: ["acme-guard"],
    multifactor_last_modified: choices.dates,
    last_ip: "2001:db8::1",
    last_login: choices.dates,
    last_password_reset: choices.dates,
    logins_count: 7,
    blocked: draw.one([true, false]),
    given_name: "Jo",
    family_name: "Doe",
  });
  const shown = { all: plain, some: plain.filter(() => draw.below(2) === 0), user_id: [], none: [] };
  const additional = {
    none: {},
    "numbers and texts": { score: 0.5, last_device: "Zwölf", locale: null },
    objects: { tenant: { name: "acme", zones: [{ id: 1 }] }, score: 3, "x.y": {} },
  };
  return {
    ...(choices.userFields === "none" ? {} : { user_id: id }),
    ...Object.fromEntries(shown[choices.userFields]),
    ...(choices.identities === "none" ? {} : { identities: identitiesOf(choices) }),
    ...additional[choices.additionalFields],
  };
}

/** 2.2: no fields but these. `provider` has values whose spellings the document omits. */
function identitiesOf({ identities, profileData }: Choices): Fields[] {
  const listed = { email: "jo@example.com", email_verified: true, name: "Jo Doe" };
  const data = {
    absent: {},
    "listed fields": { profileData: listed },
    "additional fields": { profileData: { ...listed, team: { id: 9 }, tags: ["a"], age: 40 } },
  };
  const identity = (user_id: string | number, provider: string, isSocial: boolean): Fields => ({
    connection: `${provider}-1`,
    user_id,
    provider,
    isSocial,
    access_token: `at-${user_id}`,
    access_token_secret: `ats-${user_id}`,
    refresh_token: `rt-${user_id}`,
    ...data[profileData],
  });
  const text = [identity("5f7c8ec7", "service", false), identity("a@example.com", "acme-sandbox", true)];
  const integer = [identity(1_234_567, "ad", false)];
  return { none: [], "text ids": text, "integer ids": integer, both: [...integer, ...text] }[identities];
}

/** 2.3, with `sources` of a type that is not shown. */
function permissionsOf(count: number, choices: Choices): Fields[] {
  const sources = {
    absent: {},
    null: { sources: null },
    text: { sources: "direct" },
    texts: { sources: ["direct", "role"] },
    objects: { sources: [{ source_id: "1", source_name: "Role 1", source_type: "ROLE" }] },
  };
  return Array.from({ length: count }, (_, number) => ({
    resource_server_identifier: `https://api-${number % 3}.example.com/`,
    permission_name: `read:things-${number}`,
    resource_server_name: `API ${number % 3}`,
    description: number % 2 ? "" : `Reads things ${number}`,
    ...sources[choices.sources],
  }));
}
