import {
  getUserPermissions,
  type GetUserPermissionsArgs,
  InvalidInputError,
  NotFoundError,
} from "../../provider";
import { type Simulator } from "../../simulator";
import { failure, startTenant, stopTenants, USER_ID, USER_PATH } from "./tenant";

afterEach(stopTenants);

const API = "https://api.example.com/";
const args = { userId: USER_ID };

/** Names in the order in which they are sorted. */
const names = (count: number) =>
  Array.from({ length: count }, (_, i) => `read:${String(i).padStart(4, "0")}`);
const records = (list: string[], api = API) =>
  list.map((permission_name) => ({ resource_server_identifier: api, permission_name }));
const seed = (list: string[]) => ({ users: [{ user_id: USER_ID, permissions: records(list) }] });
const namesOf = ({ permissions }: { permissions: { permissionName?: string }[] }) =>
  permissions.map(({ permissionName }) => permissionName);

/** Paths and status codes, in the order of the pages. */
const log = (tenant: Simulator) =>
  tenant
    .log()
    .map((line) => line.replace(`${USER_PATH}/permissions`, ""))
    .sort();
const page = (index: number) => `GET ?page=${index}&per_page=100&include_totals=true 200`;

describe("all pages", () => {
  test.each([
    [0, 1],
    [250, 3],
  ])("%i are read and counted, in %i requests", async (count, requests) => {
    const tenant = await startTenant(seed(names(count)));
    const result = await getUserPermissions(args);
    expect(result.total).toBe(count);
    expect(namesOf(result)).toEqual(names(count));
    expect(log(tenant)).toEqual(Array.from({ length: requests }, (_, i) => page(i)));
  });
});

describe("one page", () => {
  test.each<[Omit<GetUserPermissionsArgs, "userId">, string, string[], number | undefined]>([
    [{ perPage: 2 }, "?per_page=2", names(2), undefined],
    [{ page: 1 }, "?page=1", names(120).slice(50, 100), undefined],
    [{ perPage: 100, page: 1 }, "?page=1&per_page=100", names(120).slice(100), undefined],
    [{ perPage: 1, page: 0, includeTotals: true }, "?page=0&per_page=1&include_totals=true", names(1), 120],
    [{ perPage: 1, includeTotals: false }, "?per_page=1&include_totals=false", names(1), undefined],
    [{ perPage: 100, page: 7, includeTotals: true }, "?page=7&per_page=100&include_totals=true", [], 120],
  ])("%j asks for %s", async (request, query, expected, total) => {
    const tenant = await startTenant(seed(names(120)));
    const result = await getUserPermissions({ ...args, ...request });
    expect(namesOf(result)).toEqual(expected);
    expect(result.total).toBe(total);
    expect(log(tenant)).toEqual([`GET ${query} 200`]);
  });

  test("keeps the order of the service", async () => {
    await startTenant(seed(["b", "a", "c"]));
    expect(namesOf(await getUserPermissions({ ...args, perPage: 100 }))).toEqual(["b", "a", "c"]);
  });

  test("answers without a total when the service sends none, although it was asked for", async () => {
    const tenant = await startTenant(seed([]));
    tenant.fail({ action: { status: 200, body: records(["a"]) } });
    const result = await getUserPermissions({ ...args, perPage: 1, includeTotals: true });
    expect(result).toEqual({
      userId: USER_ID,
      permissions: [{ resourceServerIdentifier: API, permissionName: "a" }],
    });
  });
});

test("includeTotals alone changes nothing: all pages are read, and tell the total", async () => {
  const tenant = await startTenant(seed(names(101)));
  expect((await getUserPermissions({ ...args, includeTotals: false })).total).toBe(101);
  expect(log(tenant)).toEqual([page(0), page(1)]);
});

test("a permission has every documented field, and its sources as the service sends them", async () => {
  const sources = [
    { source_id: "rol_1", source_name: "support-agent", source_type: "ROLE", since: 2025 },
    { source_id: "", source_name: "", source_type: "DIRECT" },
  ];
  const permission = {
    resource_server_identifier: API,
    permission_name: "read:tickets",
    resource_server_name: "Tickets",
    description: "Read tickets",
    sources,
  };
  await startTenant({ users: [{ user_id: USER_ID, permissions: [permission] }] });
  expect(await getUserPermissions(args)).toEqual({
    userId: USER_ID,
    permissions: [
      {
        resourceServerIdentifier: API,
        permissionName: "read:tickets",
        resourceServerName: "Tickets",
        description: "Read tickets",
        sources,
      },
    ],
    total: 1,
  });
});

test("the order is that of resource server and name, whatever the order of the service", async () => {
  const one = records(["b", "a"], "https://z.example.com/");
  const two = records(["B", "c"], "https://a.example.com/");
  const results = [];
  for (const permissions of [
    [...one, ...two],
    [...two, ...one],
  ]) {
    await startTenant({ users: [{ user_id: USER_ID, permissions }] });
    results.push(await getUserPermissions(args));
  }
  expect(results[0]).toEqual(results[1]);
  expect(namesOf(results[0]!)).toEqual(["B", "c", "a", "b"]);
});

test("the filter keeps the permissions of one resource server, and shares the request of calls without it", async () => {
  const permissions = [...records(["a", "b"]), ...records(["c"], "https://other.example.com/")];
  const tenant = await startTenant({ users: [{ user_id: USER_ID, permissions }] });
  const [all, filtered, none] = await Promise.all([
    getUserPermissions(args),
    getUserPermissions({ ...args, resourceServerIdentifier: API }),
    getUserPermissions({ ...args, resourceServerIdentifier: "https://none.example.com/" }),
  ]);
  expect(namesOf(all)).toEqual(["a", "b", "c"]);
  expect(filtered).toMatchObject({ total: 3 });
  expect(namesOf(filtered)).toEqual(["a", "b"]);
  expect(namesOf(none)).toEqual([]);
  expect(log(tenant)).toEqual([page(0)]);
});

test.each([
  [{ userId: "" }, "userId: must be an id"],
  [{ userId: null }, "userId: must be an id"],
  [{ ...args, perPage: 0 }, "perPage: must be a whole number from 1 to 100; received 0."],
  [{ ...args, perPage: 101 }, "perPage: must be a whole number from 1 to 100"],
  [{ ...args, perPage: 1.5 }, "perPage: must be a whole number from 1 to 100"],
  [{ ...args, page: -1 }, "page: must be a whole number from 0; received -1."],
  [{ ...args, page: "1" }, "page: must be a whole number from 0"],
  [{ ...args, includeTotals: 1 }, "includeTotals: must be true or false"],
  [{ ...args, resourceServerIdentifier: "" }, "resourceServerIdentifier: must not be empty"],
])("%j is refused before any call", async (given, message) => {
  const tenant = await startTenant(seed([]));
  const error = await failure(getUserPermissions(given as GetUserPermissionsArgs));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error.message).toContain(`getUserPermissions was called with invalid arguments. ${message}`);
  expect(tenant.requests()).toEqual([]);
});

test("404 is an error, never an empty list", async () => {
  await startTenant({});
  await expect(getUserPermissions(args)).rejects.toThrow(NotFoundError);
});
