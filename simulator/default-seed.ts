import { type SeedInput } from "./types";

/** Client id of the default tenant's client, which has every scope the simulator knows. */
export const CLIENT_ID = "simulatorClient";
/** Secret of {@link CLIENT_ID}. It opens only a simulator. */
export const CLIENT_SECRET = "simulator-secret-not-a-real-one";

/** Role "support-agent"; the group {@link SUPPORT} already has it. */
export const AGENT = "rol_4hNkVx8QmTz2bRcW";
/** Role "billing-viewer"; no group has it. */
export const VIEWER = "rol_9sJdYp3LfGe7uXaK";

/** Group "directory-admins". */
export const ADMINS = "grp_7TqWc2nYx5RkHbVd9sPmZa";
/** Group "support-desk": has the role {@link AGENT} from the start. */
export const SUPPORT = "grp_3KzLp8fGt6NvXeJw4uQhCy";
/** Group "billing-team". */
export const BILLING = "grp_5BmRd9aSj2WqTgFx7cUkEn";
/** Group "contractors". */
export const CONTRACTORS = "grp_8HvYs4eMk3ZpLfDr6tXbNj";

/**
 * A user with three permissions (one direct, one from a role, one from both) and two identities, in the group
 * {@link SUPPORT}.
 */
export const USER_ID = "auth0|64c1f0a2b7d83e5f9a1b2c3d";

/** Refresh token of {@link USER_ID} on a device named "lost phone". */
export const PHONE = "dcr_6XnTb4kWq9ZpHs2V";
/** Refresh token of {@link USER_ID} on a device named "work laptop". */
export const LAPTOP = "dcr_2GjRf8mYd5LcVt7K";
/** Public key of {@link USER_ID} on a device named "tablet". */
export const TABLET = "dcr_9PaUe3sNh6BxQw4J";

/** Further members of the groups. */
const MEMBERS: readonly { user_id: string; groups: string[] }[] = [
  ...Array.from({ length: 3 }, () => ADMINS),
  ...Array.from({ length: 7 }, () => SUPPORT),
  ...Array.from({ length: 4 }, () => BILLING),
  ...Array.from({ length: 2 }, () => CONTRACTORS),
].map((group, index) => ({ user_id: `oidc|partner-directory|${2001 + index}`, groups: [group] }));

/** The scopes of every operation the simulator offers. */
export const ALL_SCOPES = [
  "read:users",
  "read:user_idp_tokens",
  "read:user_effective_roles",
  "read:user_role_source_groups",
  "read:roles",
  "read:role_members",
  "read:groups",
  "read:group_members",
  "create:group_roles",
  "read:group_roles",
  "delete:group_roles",
  "read:organizations",
  "read:organization_groups",
  "create:organization_group_roles",
  "read:organization_group_roles",
  "delete:organization_group_roles",
  "read:organization_member_roles",
  "read:organization_member_effective_roles",
  "read:organization_member_role_source_groups",
  "create:connection_profiles",
  "read:connection_profiles",
  "update:connection_profiles",
  "delete:connection_profiles",
  "read:device_credentials",
  "delete:device_credentials",
  "read:sessions",
  "delete:sessions",
  "read:refresh_tokens",
  "delete:refresh_tokens",
  "read:tenant_settings",
].join(" ");

/** The tenant a simulator starts with when no seed is given: small, and without connection profiles. */
export const DEFAULT_SEED: SeedInput = {
  clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: ALL_SCOPES }],
  users: [
    {
      user_id: USER_ID,
      email: "support.one@example.com",
      email_verified: true,
      username: "support-one",
      name: "Support One",
      nickname: "support-one",
      given_name: "Support",
      family_name: "One",
      picture: "https://example.com/pictures/support-one.png",
      created_at: "2025-01-15T09:30:00.000Z",
      updated_at: "2025-06-02T14:05:11.000Z",
      last_login: "2025-06-02T14:05:11.000Z",
      last_ip: "192.0.2.10",
      logins_count: 42,
      multifactor: ["guardian"],
      app_metadata: { department: "support" },
      user_metadata: { locale: "en" },
      identities: [
        {
          connection: "Username-Password-Authentication",
          user_id: "64c1f0a2b7d83e5f9a1b2c3d",
          provider: "auth0",
          isSocial: false,
        },
        {
          connection: "partner-directory",
          user_id: "partner-directory|1001",
          provider: "oidc",
          isSocial: false,
          access_token: "simulated-provider-access-token",
          refresh_token: "simulated-provider-refresh-token",
          profileData: { email: "one@partner.example.com", email_verified: true, name: "Support One" },
        },
      ],
      permissions: [
        {
          resource_server_identifier: "https://tickets.example.com/",
          permission_name: "read:tickets",
          resource_server_name: "Tickets",
          description: "Read tickets",
          sources: [{ source_id: AGENT, source_name: "support-agent", source_type: "ROLE" }],
        },
        {
          resource_server_identifier: "https://tickets.example.com/",
          permission_name: "close:tickets",
          resource_server_name: "Tickets",
          description: "Close tickets",
          sources: [{ source_id: "", source_name: "", source_type: "DIRECT" }],
        },
        {
          resource_server_identifier: "https://reports.example.com/",
          permission_name: "read:reports",
          resource_server_name: "Reports",
          description: "Read reports",
          sources: [
            { source_id: "", source_name: "", source_type: "DIRECT" },
            { source_id: AGENT, source_name: "support-agent", source_type: "ROLE" },
          ],
        },
      ],
      groups: [SUPPORT],
    },
    ...MEMBERS,
  ],
  groups: [
    { id: ADMINS, name: "directory-admins" },
    { id: SUPPORT, name: "support-desk" },
    { id: BILLING, name: "billing-team" },
    { id: CONTRACTORS, name: "contractors" },
  ],
  roles: [
    { id: AGENT, name: "support-agent", description: "Answers tickets", groups: [SUPPORT] },
    { id: VIEWER, name: "billing-viewer", description: "Reads invoices" },
  ],
  device_credentials: [
    {
      id: PHONE,
      device_name: "lost phone",
      type: "refresh_token",
      user_id: USER_ID,
      client_id: "mobileApp",
    },
    {
      id: LAPTOP,
      device_name: "work laptop",
      type: "rotating_refresh_token",
      user_id: USER_ID,
      client_id: "desktopApp",
    },
    {
      id: TABLET,
      device_name: "tablet",
      device_id: "7d0e1c52-3a54-4a8e-9f57-0c6a1b2d3e4f",
      type: "public_key",
      user_id: USER_ID,
      client_id: "mobileApp",
    },
  ],
  sessions: [
    {
      id: "lqvTJEDjhk2mSFfDOBoIcVqFJrXnVd",
      user_id: USER_ID,
      authenticated_at: "2025-06-02T14:05:11.000Z",
      last_interacted_at: "2025-06-02T15:20:00.000Z",
      device: { initial_ip: "192.0.2.10", initial_user_agent: "Firefox on Linux" },
      clients: [{ client_id: "desktopApp" }],
    },
  ],
  refresh_tokens: [
    {
      id: "aGtk8Zmqz5bKx2nWfYpQ",
      user_id: USER_ID,
      client_id: "mobileApp",
      created_at: "2025-03-01T08:00:00.000Z",
      last_exchanged_at: "2025-06-01T07:30:00.000Z",
      rotating: true,
    },
    {
      id: "dYw4Rc7uTe1sHj9vLbNo",
      user_id: USER_ID,
      client_id: "desktopApp",
      created_at: "2025-01-15T09:30:00.000Z",
      rotating: false,
    },
  ],
};
