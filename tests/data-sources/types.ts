import type * as pulumi from "@pulumi/pulumi";
import {
  type ConnectionProfileValues,
  type DeviceCredential,
  getConnectionProfiles,
  getConnectionProfilesOutput,
  getDeviceCredentials,
  getDeviceCredentialsOutput,
  getGroup,
  getGroupOutput,
  getOrganization,
  getOrganizationOutput,
  getRole,
  getRoleGroups,
  getRoleGroupsOutput,
  getRoleOutput,
  getUser,
  type GetUserArgs,
  getUserOutput,
  getUserPermissions,
  getUserPermissionsOutput,
  type GetGroupResult,
  type GetRoleResult,
  type GetUserResult,
  RoleGroupAssignment,
  type UserField,
  type UserIdentity,
  type UserPermission,
  type UserProfileData,
} from "../../provider";
import { type CamelCase } from "../../provider/data-sources/records";
import { type deviceCredentialRecord } from "../../provider/service/device-credentials";
import { type groupRecord } from "../../provider/service/groups";
import {
  type identityRecord,
  type permissionRecord,
  type profileDataRecord,
  type userRecord,
} from "../../provider/service/users";
import { type ProfileSettings } from "../../provider/service/profile-fields";
import { type roleRecord } from "../../provider/service/roles";

/* The compiler is the test: `npm run check` fails when a line below an expected error compiles. */

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Rows<Table extends { shape: object }> = CamelCase<keyof Table["shape"] & string>;
type Documented<Interface> = Exclude<keyof Interface, "additionalProperties">;

/** Every documented member has a row in the table of its record, and every row a member. */
export const tables: [
  Same<Rows<typeof userRecord>, Documented<GetUserResult>>,
  Same<Rows<typeof identityRecord>, Documented<UserIdentity>>,
  Same<Rows<typeof profileDataRecord>, Documented<UserProfileData>>,
  Same<Rows<typeof permissionRecord>, keyof UserPermission>,
  Same<Rows<typeof deviceCredentialRecord>, keyof DeviceCredential>,
  Same<Rows<typeof roleRecord>, keyof GetRoleResult>,
  Same<Rows<typeof groupRecord>, keyof GetGroupResult>,
  Same<keyof ProfileSettings | "id", keyof ConnectionProfileValues>,
] = [true, true, true, true, true, true, true, true];

type Suggested<Text> = Text extends string ? (string extends Text ? never : Text) : never;
/** Known providers are suggested, and others taken. */
export const providers: Same<Suggested<UserIdentity["provider"]>, never> = false;
export const provider: UserIdentity["provider"][] = ["okta", "a-provider-of-tomorrow"];
/** Suggested fields are named as in the result or as the service names them. */
export const fields: Same<
  Suggested<UserField>,
  keyof (typeof userRecord)["shape"] | Documented<GetUserResult>
> = true;

export const typed = {
  async plain(args: GetUserArgs) {
    const user = await getUser({ userId: "x" });
    user.email?.toLowerCase();
    const tokens: (pulumi.Output<string> | undefined)[] = (user.identities ?? []).map((i) => i.accessToken);
    const metadata: unknown = user.appMetadata?.["plan"];
    const other: unknown = user.additionalProperties["plan"];
    const ids: (string | number | undefined)[] = (user.identities ?? []).map((identity) => identity.userId);
    (await getUser({ userId: "x", required: true })).name?.toLowerCase();
    const perhaps = await getUser({ userId: "x", required: false });
    // @ts-expect-error the user may be missing
    perhaps.email?.toLowerCase();
    // @ts-expect-error what the arguments say about missing users is not known here
    (await getUser(args)).email?.toLowerCase();
    // @ts-expect-error metadata is free-form
    const _plan: string = user.appMetadata?.["plan"];
    // @ts-expect-error the API's names are not those of the program
    const _wire: unknown = user.email_verified;
    return { tokens, metadata, other, ids };
  },
  output(userId: pulumi.Output<string>) {
    const user: pulumi.Output<GetUserResult<string>> = getUserOutput({ userId });
    const token: pulumi.Output<string | undefined> = user.apply(
      (known) => known.identities?.[0]?.accessToken,
    );
    const perhaps = getUserOutput({ userId, required: false });
    // @ts-expect-error the user may be missing
    perhaps.apply((known) => known.email);
    const names: pulumi.Output<(string | undefined)[]> = getUserPermissionsOutput({
      userId,
    }).permissions.apply((list) => list.map(({ permissionName }) => permissionName));
    const roles: pulumi.Output<(string | undefined)[]> = getUserPermissionsOutput({
      userId,
    }).permissions.apply((list) => list.map(({ sources }) => sources?.[0]?.sourceId));
    return [token, names, roles];
  },
  async lookups(text: pulumi.Output<string>) {
    const ids: string[] = (await getConnectionProfiles()).connectionProfiles.map(({ id }) => id);
    const names: (string | undefined)[] = (await getRoleGroups({ roleId: "x" })).groups.map(
      ({ name }) => name,
    );
    const { deviceCredentials } = await getDeviceCredentials({ userId: "x", type: "public_key" });
    const kinds: ("public_key" | "refresh_token" | "rotating_refresh_token")[] = deviceCredentials.map(
      ({ type }) => type,
    );
    const outputs: pulumi.Output<string>[] = [
      getConnectionProfilesOutput({ name: text }).connectionProfiles[0]!.name,
      getRoleGroupsOutput({ roleId: text }).groups[0]!.id,
      getDeviceCredentialsOutput({ userId: text }).deviceCredentials[0]!.id,
    ];
    new RoleGroupAssignment("by name", {
      roleId: getRoleOutput({ name: text }).id,
      groupIds: [
        getGroupOutput({ name: text, connectionId: text }).id,
        getGroup({ name: "x" }).then(({ id }) => id),
      ],
    });
    ids.push((await getRole({ name: "x" })).id);
    outputs.push(getRoleOutput({ name: text, organization: getOrganizationOutput({ name: text }).id }).id);
    ids.push((await getOrganization({ name: "x" })).id);
    return { ids, names, kinds, outputs };
  },
  refused(userId: pulumi.Output<string>, resource: pulumi.Resource) {
    // @ts-expect-error an Output belongs into the Output form
    void getUser({ userId });
    // @ts-expect-error an Output belongs into the Output form
    void getUserPermissions({ userId });
    // @ts-expect-error userId is required
    void getUser({});
    // @ts-expect-error an argument of another name
    void getUser({ userId: "x", id: "x" });
    // @ts-expect-error fields are a list
    void getUser({ userId: "x", fields: "email,name" });
    void getUser({ userId: "x", fields: ["emailVerified", "email_verified", "a-field-of-the-tenant"] });
    // @ts-expect-error not a name
    void getUser({ userId: "x", fields: [7] });
    // @ts-expect-error another value
    void getUser({ userId: "x", required: "no" });
    // @ts-expect-error only Output forms can wait
    void getUser({ userId: "x" }, { dependsOn: resource });
    // @ts-expect-error a number
    void getUserPermissions({ userId: "x", maxItems: "1" });
    // @ts-expect-error a number
    void getUserPermissions({ userId: "x", page: "1" });
    // @ts-expect-error an Output belongs into the Output form
    void getDeviceCredentials({ userId });
    // @ts-expect-error not a type of credential
    void getDeviceCredentials({ userId: "x", type: "password" });
    // @ts-expect-error roleId is required
    void getRoleGroups({});
    // @ts-expect-error name is required
    void getRole({});
    // @ts-expect-error groups are looked up by name
    void getGroup({ id: "grp_1" });
    // @ts-expect-error profiles are looked up by name
    void getConnectionProfiles({ id: "cop_1" });
  },
};
