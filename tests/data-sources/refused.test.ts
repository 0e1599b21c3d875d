import * as provider from "../../provider";
import { InvalidInputError, UnexpectedAnswerError } from "../../provider";
import { ADMINS, AGENT } from "../../simulator/default-seed";
import { failure, startTenant, stopTenants, USER_ID } from "./tenant";

/* Arguments that are refused before any call, and answers whose ids lead elsewhere. */

afterEach(stopTenants);

type Lookup = (args: unknown) => Promise<unknown>;
const call = (name: string, args: unknown) => (provider as unknown as Record<string, Lookup>)[name]!(args);

test.each<[name: string, given: unknown, message: string]>([
  ["getRole", {}, "name: is required"],
  ["getRole", { name: "" }, "name: must be the name of a role; it is empty"],
  ["getRole", { name: "x", id: AGENT }, "id: is not an input"],
  ["getGroup", { connectionId: "con_1" }, "name: is required"],
  ["getGroup", { name: "" }, "name: must be the name of a group; it is empty"],
  ["getGroup", { name: "x", connectionId: "" }, "connectionId: must be the id of a connection"],
  ["getGroup", { name: "x", id: ADMINS }, "id: is not an input"],
  ["getOrganization", {}, "name: is required"],
  ["getOrganization", { name: "" }, "name: must be the name of an organization; it is empty"],
  ["getOrganization", { name: ".." }, "name: must be a name of 1 to 512 characters"],
  ["getOrganization", { name: "acme", id: "org_1" }, "id: is not an input"],
  ["getConnectionProfiles", { name: "" }, "name: must have 1 to 50 characters"],
  ["getConnectionProfiles", { name: "x".repeat(51) }, "name: must have 1 to 50 characters"],
  ["getConnectionProfiles", { name: 7 }, "name: must be a text"],
  ["getConnectionProfiles", { name: null }, "name: must be a text"],
  ["getConnectionProfiles", { id: "cop_1" }, "id: is not an input"],
  ["getDeviceCredentials", { userId: "" }, "userId: must be an id"],
  ["getDeviceCredentials", { userId: ".." }, "userId: must be an id"],
  ["getDeviceCredentials", {}, "userId: must be an id"],
  [
    "getDeviceCredentials",
    { userId: USER_ID, type: "password" },
    'type: must be public_key, refresh_token or rotating_refresh_token; received "password".',
  ],
  ["getDeviceCredentials", { userId: USER_ID, clientId: "c" }, "clientId: is not an input"],
  ["getRoleGroups", {}, "roleId: "],
  ["getRoleGroups", { roleId: null }, "roleId: "],
  ["getRoleGroups", { roleId: AGENT, id: "x" }, "id: is not an input"],
  ["getRoleGroups", { roleId: ADMINS }, "roleId: must be the id of a role"],
  [
    "getRoleGroups",
    { roleId: "support agent" },
    "roleId: must be the id of a role: 1 to 128 letters, digits or _ . : ~ @ | -. getRole finds it by its name",
  ],
  ["getUserPermissions", { userId: "" }, "userId: must be an id"],
  ["getUserPermissions", { userId: null }, "userId: must be an id"],
  [
    "getUserPermissions",
    { userId: USER_ID, maxItems: 0 },
    "maxItems: must be a whole number from 1; received 0.",
  ],
  ["getUserPermissions", { userId: USER_ID, maxItems: 1.5 }, "maxItems: must be a whole number from 1"],
  ["getUserPermissions", { userId: USER_ID, maxItems: "1" }, "maxItems: must be a whole number from 1"],
  ["getUserPermissions", { userId: USER_ID, page: -1 }, "page: must be a whole number from 0; received -1."],
  ["getUserPermissions", { userId: USER_ID, page: 1.5 }, "page: must be a whole number from 0"],
  ["getUserPermissions", { userId: USER_ID, page: "0" }, "page: must be a whole number from 0"],
  ...[0, 101, 1.5, "10"].map((perPage): [string, object, string] => [
    "getUserPermissions",
    { userId: USER_ID, perPage },
    "perPage: must be a whole number from 1 to 100; received ",
  ]),
  [
    "getUserPermissions",
    { userId: USER_ID, page: 0, includeTotals: "yes" },
    "includeTotals: must be true or false",
  ],
  ...[{ page: 0 }, { perPage: 5 }].map((asked): [string, object, string] => [
    "getUserPermissions",
    { userId: USER_ID, maxItems: 5, ...asked },
    "maxItems: must be left out with page or perPage, which ask for one page; received 5.",
  ]),
  [
    "getUserPermissions",
    { userId: USER_ID, resourceServerIdentifier: "" },
    "resourceServerIdentifier: must not be empty",
  ],
])("%s(%j)", async (name, given, message) => {
  const tenant = await startTenant({});
  const error = await failure(call(name, given));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error.message).toContain(`${name} was called with invalid arguments. ${message}`);
  expect(tenant.requests()).toEqual([]);
});

test.each([
  ["getRole", { roles: [{ id: "../users", name: "x" }] }],
  ["getGroup", { groups: [{ id: "grp_", name: "x" }] }],
  ["getOrganization", { id: "../users", name: "x" }],
])("%s: an id of another kind fails the call", async (name, body) => {
  const tenant = await startTenant({});
  tenant.fail({ action: { status: 200, body } });
  expect(await failure(call(name, { name: "x" }))).toBeInstanceOf(UnexpectedAnswerError);
});
