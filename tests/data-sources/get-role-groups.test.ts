import * as pulumi from "@pulumi/pulumi";
import {
  getRoleGroups,
  type GetRoleGroupsArgs,
  getRoleGroupsOutput,
  InsufficientScopeError,
  InvalidInputError,
  NotFoundError,
  UnexpectedAnswerError,
} from "../../provider";
import { HOSTILE_IDS } from "../hostile-ids";
import { failure, isKnown, settled, startTenant, stopTenants } from "./tenant";

afterEach(stopTenants);

const ROLE_ID = "rol_4hNkVx8QmTz2bRcW";
const args = { roleId: ROLE_ID };
const path = `/api/v2/roles/${ROLE_ID}/groups`;

/** Ids in the order in which they are sorted. */
const groups = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    `grp_${String(i + 1111).padStart(22, "7")}`.replaceAll("0", "A"),
  ).sort();

const start = (ids: string[], name?: string, scope = "read:group_roles") =>
  startTenant(
    {
      groups: [...ids]
        .reverse()
        .map((id) => ({ id, ...(name !== undefined && { name }), source: "directory" })),
      roles: [{ id: ROLE_ID, groups: [...ids].reverse() }],
      tokens: [{ access_token: "given", scope }],
    },
    { accessToken: "given" },
  );

test.each([
  [0, 1],
  [100, 1],
  [101, 2],
  [250, 3],
])("%i groups take %i requests, and are sorted by id", async (count, requests) => {
  const tenant = await start(groups(count));
  expect(await getRoleGroups(args)).toEqual({ groups: groups(count).map((id) => ({ id })) });
  const log = tenant.log();
  expect(log).toHaveLength(requests);
  expect(log[0]).toBe(`GET ${path}?take=100 200`);
  for (const line of log.slice(1)) expect(line).toMatch(/^GET \S+\?take=100&from=\w+ 200$/);
});

test("a group has its id and, where the service says it, its name", async () => {
  await start(groups(1), "support-desk");
  expect(await getRoleGroups(args)).toEqual({ groups: [{ id: groups(1)[0], name: "support-desk" }] });
});

test("a name that is no text does not fail the call; an id that is none of a group does", async () => {
  const tenant = await start([]);
  tenant.fail({ action: { status: 200, body: { groups: [{ id: groups(1)[0], name: 7 }] } } });
  expect(await getRoleGroups(args)).toEqual({ groups: [{ id: groups(1)[0] }] });
  const other = await start([]);
  other.fail({ action: { status: 200, body: { groups: [{ id: "grp_" }] } } });
  expect(await failure(getRoleGroups(args))).toBeInstanceOf(UnexpectedAnswerError);
});

test("calls for the same role share one request", async () => {
  const tenant = await start(groups(2));
  const [one, other] = await Promise.all([getRoleGroups(args), getRoleGroups(args)]);
  expect(one).toEqual(other);
  expect(tenant.log()).toHaveLength(1);
});

test("a list that names its own next page for ever ends with an error", async () => {
  const tenant = await start([]);
  tenant.fail({ times: 5, action: { status: 200, body: { groups: [], next: "again" } } });
  expect((await failure(getRoleGroups(args))).message).toContain("names the same next page twice");
  expect(tenant.log()).toHaveLength(2);
});

test("404 and 403 are errors, never an empty list", async () => {
  await start(groups(1));
  const missing = await failure(getRoleGroups({ roleId: "rol_doesNotExist1234" }));
  expect(missing).toBeInstanceOf(NotFoundError);
  expect(missing.message).toMatch(
    /^getRoleGroups\(\{ roleId: "rol_doesNotExist1234" \}\) on \S+: .*Check roleId\.$/,
  );
  await start(groups(1), undefined, "read:users");
  const error = await failure(getRoleGroups(args));
  expect(error).toBeInstanceOf(InsufficientScopeError);
  expect(error.message).toContain("Grant read:group_roles to the client");
});

test("the Output form takes Outputs, keeps secrets, and stays unknown", async () => {
  const tenant = await start(groups(2));
  const unknown = pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;
  expect(await isKnown(getRoleGroupsOutput({ roleId: unknown }))).toBe(false);
  expect(tenant.requests()).toEqual([]);
  const open = getRoleGroupsOutput({ roleId: pulumi.output(ROLE_ID) });
  expect(await settled(open.groups.length)).toEqual({ value: 2, secret: false });
  const secret = getRoleGroupsOutput({ roleId: pulumi.secret(ROLE_ID) });
  expect(await settled(secret.groups.length)).toEqual({ value: 2, secret: true });
});

test.each<[what: string, given: object, message: string]>([
  ["no id", {}, "roleId: "],
  ["null", { roleId: null }, "roleId: "],
  ["another argument", { ...args, id: "x" }, "id: is not an input"],
  ...HOSTILE_IDS.map(([what, of]): [string, object, string] => [
    what,
    { roleId: of(ROLE_ID) },
    "roleId: must be the id of a role",
  ]),
])("%s is refused before any call", async (_, given, message) => {
  const tenant = await start([]);
  const error = await failure(getRoleGroups(given as GetRoleGroupsArgs));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error.message).toContain(`getRoleGroups was called with invalid arguments. ${message}`);
  expect(tenant.requests()).toEqual([]);
});
