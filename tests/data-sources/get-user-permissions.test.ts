import {
  getUserPermissions,
  type GetUserPermissionsArgs,
  getUserPermissionsOutput,
  type GetUserPermissionsResult,
  NotFoundError,
  UnexpectedAnswerError,
} from "../../provider";
import { type Simulator } from "../../simulator";
import { settled, startTenant, stopTenants, USER_ID, USER_PATH } from "./tenant";

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

test("all pages are read and counted", async () => {
  const tenant = await startTenant(seed(names(250)));
  const result = await getUserPermissions(args);
  expect(result.total).toBe(250);
  expect(namesOf(result)).toEqual(names(250));
  expect(log(tenant)).toEqual([page(0), page(1), page(2)]);
});

describe("at most some", () => {
  test.each<[number, number, number, number | undefined]>([
    // All of them fit, so that all were read.
    [250, 250, 3, 250],
    [1, 1, 1, undefined],
    // More would be on the second page.
    [120, 120, 2, undefined],
  ])("maxItems %i returns %i, in at most %i requests, of %p", async (maxItems, count, requests, total) => {
    const tenant = await startTenant(seed(names(250)));
    const result = await getUserPermissions({ ...args, maxItems });
    expect(namesOf(result)).toEqual(names(count));
    expect(result).toMatchObject({ truncated: total === undefined });
    expect(result.total).toBe(total);
    expect(log(tenant).length).toBeLessThanOrEqual(total === undefined ? 3 : requests);
    if (maxItems <= 100) expect(log(tenant)).toEqual([page(0)]);
  });

  test("the first ones of the list, in whatever order its pages come, and no page of the others", async () => {
    const tenant = await startTenant(seed(names(1000)));
    tenant.fail({ path: `${USER_PATH}/permissions?page=1&*`, action: { delay: 300 } });
    expect(namesOf(await getUserPermissions({ ...args, maxItems: 220 }))).toEqual(names(220));
    expect(log(tenant)).toEqual([page(0), page(1), page(2)]);
  });

  test("of one resource server: the tenant has no filter, so all pages are read", async () => {
    const permissions = [...records(names(150)), ...records(["a", "b"], "https://other.example.com/")];
    const tenant = await startTenant({ users: [{ user_id: USER_ID, permissions }] });
    const other = { ...args, resourceServerIdentifier: "https://other.example.com/" };
    const one = await getUserPermissions({ ...other, maxItems: 1 });
    expect(namesOf(one)).toEqual(["a"]);
    expect(one).toMatchObject({ truncated: true, total: 152 });
    expect(await getUserPermissions({ ...other, maxItems: 2 })).toMatchObject({ truncated: false });
    expect(log(tenant).slice(0, 2)).toEqual([page(0), page(0)]);
  });
});

describe("one page", () => {
  type Case = [
    asked: Omit<GetUserPermissionsArgs, "userId">,
    query: string,
    found: [from: number, to: number],
    result: Partial<GetUserPermissionsResult>,
  ];
  const more = { truncated: true, total: undefined };

  test("the Output form asks for it, too", async () => {
    const tenant = await startTenant(seed(names(3)));
    const { value } = await settled(getUserPermissionsOutput({ ...args, page: 1, perPage: 2 }));
    expect(namesOf(value)).toEqual(names(3).slice(2));
    expect(log(tenant)).toEqual(["GET ?page=1&per_page=2 200"]);
  });

  test.each<Case>([
    [{ page: 0 }, "page=0", [0, 50], more],
    [{ page: 2, perPage: 100 }, "page=2&per_page=100", [200, 250], more],
    [{ page: 1, includeTotals: false }, "page=1&include_totals=false", [50, 100], more],
    [{ perPage: 9, includeTotals: true }, "per_page=9&include_totals=true", [0, 9], { total: 250 }],
    [
      { page: 9, perPage: 100, includeTotals: true },
      "page=9&per_page=100&include_totals=true",
      [0, 0],
      { truncated: true, total: 250 },
    ],
  ])("%j is asked for as %s, and nothing else", async (asked, query, [from, to], result) => {
    const tenant = await startTenant(seed(names(250)));
    const page = await getUserPermissions({ ...args, ...asked });
    expect({ ...page, permissions: namesOf(page) }).toEqual({
      userId: USER_ID,
      permissions: names(250).slice(from, to),
      truncated: true,
      ...result,
    });
    expect(log(tenant)).toEqual([`GET ?${query} 200`]);
  });

  test.each<[number, Omit<GetUserPermissionsArgs, "userId">, Partial<GetUserPermissionsResult>]>([
    [3, { page: 0, includeTotals: true }, { truncated: false, total: 3 }],
    // Nothing says that there is no second page.
    [3, { page: 0, perPage: 100 }, more],
    [3, { page: 1, perPage: 100, includeTotals: true }, { truncated: true, total: 3 }],
    [0, { page: 0 }, { truncated: false, total: 0 }],
  ])("is everything only if that is known: of %i, %j", async (count, asked, result) => {
    await startTenant(seed(names(count)));
    const { truncated, total } = await getUserPermissions({ ...args, ...asked });
    expect({ truncated, total }).toEqual(result);
  });

  test("is sorted, filtered by resource server, and shared by calls for the same page", async () => {
    const permissions = [...records(["c", "a"]), ...records(["b"], "https://other.example.com/")];
    const tenant = await startTenant({ users: [{ user_id: USER_ID, permissions }] });
    const [page, filtered] = await Promise.all([
      getUserPermissions({ ...args, perPage: 3, includeTotals: true }),
      getUserPermissions({ ...args, perPage: 3, includeTotals: true, resourceServerIdentifier: API }),
    ]);
    expect(namesOf(page)).toEqual(["a", "c", "b"]);
    expect(namesOf(filtered)).toEqual(["a", "c"]);
    expect(filtered).toMatchObject({ truncated: false, total: 3 });
    expect(log(tenant)).toHaveLength(1);
    await getUserPermissions({ ...args, page: 0, perPage: 3 });
    expect(log(tenant)).toHaveLength(2);
  });

  test.each<[includeTotals: boolean | undefined, body: unknown, total: number | undefined]>([
    [true, records(["a"]), undefined],
    [true, { permissions: records(["a"]), total: 8 }, 8],
    [true, { results: records(["a"]), total_count: 8 }, 8],
    [true, { items: records(["a"]), start: 0, limit: 1, found: 8 }, 8],
    [false, { results: records(["a"]), total_count: 8 }, undefined],
    [undefined, { permissions: records(["a"]), total: 8 }, undefined],
  ])("with includeTotals %p takes the answer %j", async (includeTotals, body, total) => {
    const tenant = await startTenant({});
    tenant.fail({ action: { status: 200, body } });
    const page = await getUserPermissions({ ...args, page: 0, perPage: 1, includeTotals });
    expect(namesOf(page)).toEqual(["a"]);
    expect(page).toMatchObject({ truncated: true });
    expect(page.total).toBe(total);
  });
});

describe("includeTotals without a page", () => {
  test.each([true, false])("changes nothing where all are read: %s", async (includeTotals) => {
    const tenant = await startTenant(seed(names(120)));
    expect(await getUserPermissions({ ...args, includeTotals })).toMatchObject({
      truncated: false,
      total: 120,
    });
    expect(log(tenant)).toEqual([page(0), page(1)]);
  });
});

test("all pages are read by whatever names the service has in the wrapped list", async () => {
  const tenant = await startTenant({});
  for (const some of [names(120).slice(0, 100), names(120).slice(100)])
    tenant.fail({ action: { status: 200, body: { results: records(some), totalCount: 120 } } });
  expect(namesOf(await getUserPermissions(args))).toEqual(names(120));
  expect(log(tenant)).toEqual([page(0), page(1)]);
});

test("a wrapped list that can't be told from another is an error", async () => {
  const tenant = await startTenant({});
  tenant.fail({ action: { status: 200, body: { some: [], others: [], total: 0 } } });
  await expect(getUserPermissions(args)).rejects.toThrow(UnexpectedAnswerError);
});

test("a permission has every documented field, and its sources in our names", async () => {
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
        sources: [
          { sourceId: "rol_1", sourceName: "support-agent", sourceType: "ROLE" },
          { sourceId: "", sourceName: "", sourceType: "DIRECT" },
        ],
      },
    ],
    truncated: false,
    total: 1,
  });
});

test.each([["a text"], [[{ id: "rol_1" }]], [null]])("sources %j are left out", async (sources) => {
  const permission = { resource_server_identifier: API, permission_name: "a", sources };
  const tenant = await startTenant(seed([]));
  tenant.fail({ action: { status: 200, body: [permission] } });
  expect((await getUserPermissions(args)).permissions).toEqual([
    { resourceServerIdentifier: API, permissionName: "a" },
  ]);
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

test("404 is an error, never an empty list", async () => {
  await startTenant({});
  await expect(getUserPermissions(args)).rejects.toThrow(NotFoundError);
});
