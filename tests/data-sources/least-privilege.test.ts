import {
  getConnectionProfiles,
  getDeviceCredentials,
  getGroup,
  getOrganization,
  getRole,
  getRoleGroups,
  getUser,
  getUserPermissions,
} from "../../provider";
import { SCOPED_OPERATIONS } from "../../testkit/scopes";
import { failure, startTenant, stopTenants, USER_ID } from "./tenant";

/* SECURITY.md, "Least privilege": the rows of the data sources. */

afterEach(stopTenants);

const CALLS: Record<string, () => Promise<unknown>> = {
  "getUser: any user": () => getUser({ userId: USER_ID }),
  "getUser: the user whose token it is": () => getUser({ userId: USER_ID }),
  "getUser: with `includeIdentityTokens`": async () => {
    const { identities = [] } = await getUser({ userId: USER_ID, includeIdentityTokens: true });
    if (identities[0]?.accessToken === undefined) throw new Error("The token of the identity is missing.");
  },
  "getUserPermissions: any user": () => getUserPermissions({ userId: USER_ID }),
  "getConnectionProfiles: all": () => getConnectionProfiles(),
  "getConnectionProfiles: by name": () => getConnectionProfiles({ name: "enterprise" }),
  "getRole: by name": () => getRole({ name: "support-agent" }),
  "getOrganization: by name": () => getOrganization({ name: "acme" }),
  "getGroup: by name": () => getGroup({ name: "support-desk" }),
  "getRoleGroups: any role": () => getRoleGroups({ roleId: "rol_4hNkVx8QmTz2bRcW" }),
  "getDeviceCredentials: any user": () => getDeviceCredentials({ userId: USER_ID }),
};

const ROWS = SCOPED_OPERATIONS.filter(({ subject }) => subject.startsWith("get"));

async function start(scope: string): Promise<void> {
  const subject = scope === "read:current_user" ? USER_ID : undefined;
  await startTenant(
    {
      tokens: [{ access_token: "given", scope, ...(subject !== undefined && { subject }) }],
      roles: [{ id: "rol_4hNkVx8QmTz2bRcW", name: "support-agent" }],
      groups: [{ id: "grp_3KzLp8fGt6NvXeJw4uQhCy", name: "support-desk" }],
      organizations: [{ id: "org_5vJmTq8XbRz3kWcY", name: "acme" }],
      users: [
        {
          user_id: USER_ID,
          identities: [{ connection: "c", provider: "oidc", access_token: "of-the-provider" }],
        },
      ],
    },
    { accessToken: "given" },
  );
}

test("the table has the calls that are tested here", () => {
  expect(ROWS.map(({ title }) => title)).toEqual(Object.keys(CALLS));
});

test.each(ROWS)("$title: $scopes suffice", async ({ title, scopes }) => {
  await start(scopes.join(" "));

  await CALLS[title]?.();
});

test.each(ROWS)("$title: fails without $scopes, and names it", async ({ title, scopes }) => {
  await start("update:users");

  const error = await failure(CALLS[title]?.() ?? Promise.resolve());

  for (const scope of scopes) expect(error.message).toMatch(new RegExp(`Grant .*${scope}.* to the client`));
});
