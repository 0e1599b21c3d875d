import { getRoleGroups, NotFoundError, UnexpectedAnswerError } from "../../provider";
import { failure, startTenant, stopTenants } from "./tenant";

afterEach(stopTenants);

const ROLE_ID = "rol_4hNkVx8QmTz2bRcW";
const args = { roleId: ROLE_ID };

/** Ids in the order in which they are sorted. */
const groups = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    `grp_${String(i + 1111).padStart(22, "7")}`.replaceAll("0", "A"),
  ).sort();

const start = (ids: string[], name?: string) =>
  startTenant({
    groups: [...ids]
      .reverse()
      .map((id) => ({ id, ...(name !== undefined && { name }), source: "directory" })),
    roles: [{ id: ROLE_ID, groups: [...ids].reverse() }],
  });

test("all groups are read, 100 a request, and sorted by id", async () => {
  const tenant = await start(groups(250));
  expect(await getRoleGroups(args)).toEqual({ groups: groups(250).map((id) => ({ id })) });
  expect(tenant.log()).toHaveLength(3);
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

test("404 is an error, never an empty list", async () => {
  await start(groups(1));
  const missing = await failure(getRoleGroups({ roleId: "rol_doesNotExist1234" }));
  expect(missing).toBeInstanceOf(NotFoundError);
  expect(missing.message).toMatch(
    /^getRoleGroups\(\{ roleId: "rol_doesNotExist1234" \}\) on \S+: .*Check roleId: getRole finds the id of a role by its name\.$/,
  );
});
