import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
} from "../../../simulator/default-seed";
import { type Fault } from "../../../simulator";
import { Engine, failed } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import {
  assigned,
  groupsUrl,
  listed,
  made,
  manyGroups,
  unassigned,
  viewers,
} from "../../../testkit/assignments";

const tenant = useTenant();

const [FIRST, SECOND, THIRD] = [ADMINS, BILLING, SUPPORT].sort() as [string, string, string];
const all = [FIRST, SECOND, THIRD];
const path = `*${groupsUrl(VIEWER)}`;
const none: string[] = [];

/** Done for one group, then refused; the calls for the rest are refused too. */
const refusedInPart = (method: string, status: number): Fault[] => [
  { method, path, action: { status, part: 1 } },
  { method, path, times: 10, action: { status } },
];
const answered = (line: string, status: number) => line.replace(/204$/, `${status}`);
/** The simulator doesn't read the body of an unprocessed request. */
const refused = (status: number) => `POST ${groupsUrl(VIEWER)} ${status}`;
const groupsIn = (engine: Engine) => engine.resource("a").outputs["groupIds"];
const unconfirmedIn = (engine: Engine) => engine.resource("a").outputs["unconfirmed"] ?? none;

beforeEach(() => tenant.seed({ groups: all.map((id) => ({ id })), roles: [{ id: VIEWER }] }));

/** tests/faults has other statuses. */
describe("a service that gives the role to a part, and then refuses", () => {
  test.each([400, 404])(
    "with %i, create: the part is recorded, and destroyed with the resource",
    async (status) => {
      const engine = new Engine(tenant);
      tenant.fail(...refusedInPart("POST", status));

      const { errors } = await failed(engine.up({ a: viewers(...all) }));

      expect(errors).toEqual([expect.stringContaining(`answered ${status}`)]);
      expect(tenant.groupsOf(VIEWER)).toEqual([FIRST]);
      expect(tenant.sent()).toEqual([
        TOKEN,
        answered(assigned(...all), status),
        listed,
        // A refused call may work without the group that already has the role: both others, then each alone.
        refused(status),
        refused(status),
        refused(status),
        listed,
      ]);
      expect([groupsIn(engine), unconfirmedIn(engine)]).toEqual([[FIRST], none]);
      expect(engine.resource("a").initErrors).toHaveLength(1);

      tenant.clear();
      await engine.destroy();
      expect(tenant.groupsOf(VIEWER)).toEqual([]);
    },
  );

  test("update: the part is recorded, and the next up gives the rest", async () => {
    const engine = await made(tenant, FIRST);
    tenant.fail(...refusedInPart("POST", 404));
    await failed(engine.up({ a: viewers(...all) }));
    expect(groupsIn(engine)).toEqual(tenant.groupsOf(VIEWER));

    tenant.clear();
    await engine.up({ a: viewers(...all) });

    expect(tenant.groupsOf(VIEWER)).toEqual(all);
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("a removal: state has what is left, and a group that is listed again gets the role again", async () => {
    const engine = await made(tenant, ...all);
    tenant.fail(...refusedInPart("DELETE", 404));
    await failed(engine.up({ a: viewers(THIRD) }));
    expect(tenant.groupsOf(VIEWER)).toEqual([SECOND, THIRD]);
    expect(groupsIn(engine)).toEqual([SECOND, THIRD]);

    tenant.clear();
    await engine.up({ a: viewers(...all) });

    expect(tenant.groupsOf(VIEWER)).toEqual(all);
  });
});

describe("where the role can't be listed after that", () => {
  const unlisted = (status: number): Fault => ({
    method: "GET",
    path: `${path}*`,
    times: 20,
    action: { status },
  });

  test("the groups are recorded as unconfirmed, and settled by the next up", async () => {
    const engine = new Engine(tenant);
    tenant.fail(...refusedInPart("POST", 400), unlisted(500));
    await failed(engine.up({ a: viewers(...all) }));
    expect([groupsIn(engine), unconfirmedIn(engine)]).toEqual([all, all]);

    tenant.clear();
    await engine.up({ a: viewers(SECOND) });

    expect(tenant.groupsOf(VIEWER)).toEqual([SECOND]);
    expect([groupsIn(engine), unconfirmedIn(engine)]).toEqual([[SECOND], none]);
  });

  test("for lack of a scope, that is said: nothing could be settled later", async () => {
    const engine = new Engine(tenant);
    const body = {
      statusCode: 403,
      error: "Forbidden",
      message: "Insufficient scope, expected any of: read:group_roles",
    };
    tenant.fail(...refusedInPart("POST", 400), { ...unlisted(403), action: { status: 403, body } });

    const { errors } = await failed(engine.up({ a: viewers(...all) }));

    expect(errors[0]).toMatch(/answered 400.* It may have the role all the same.*Grant read:group_roles/);
    expect(engine.state.size).toBe(0);
  });

  test("a removal is unconfirmed: a group that is listed again gets the role again", async () => {
    const engine = await made(tenant, ...all);
    tenant.fail({ method: "DELETE", path, times: 10, action: { drop: "after" } }, unlisted(500));
    await failed(engine.up({ a: viewers(THIRD) }));
    expect(tenant.groupsOf(VIEWER)).toEqual([THIRD]);

    tenant.clear();
    await engine.up({ a: viewers(...all) });

    expect(tenant.groupsOf(VIEWER)).toEqual(all);
    expect(unconfirmedIn(engine)).toEqual(none);
  });
});

test("a refusal of each is looked at twice, and nothing is recorded", async () => {
  const engine = new Engine(tenant);
  tenant.fail({ method: "POST", path, times: 5, action: { status: 400 } });

  await failed(engine.up({ a: viewers(...all) }));

  const parts = [refused(400), refused(400), refused(400), refused(400)];
  expect(tenant.sent()).toEqual([TOKEN, refused(400), listed, ...parts, listed]);
  expect(engine.state.size).toBe(0);
});

test("a service that does one group of each call gets there", async () => {
  const engine = await made(tenant, FIRST);
  tenant.fail({ method: "POST", path, times: 1, action: { status: 400, part: 1 } });
  await engine.up({ a: viewers(...all) });
  expect(tenant.groupsOf(VIEWER)).toEqual(all);

  tenant.fail({ method: "DELETE", path, times: 2, action: { status: 400, part: 1 } });
  tenant.sent();
  await engine.destroy();
  expect(tenant.groupsOf(VIEWER)).toEqual([]);
  expect(tenant.sent().at(-1)).toEqual(unassigned(THIRD));
});

/** Refuses as many calls as a change makes before it gives up. */
const AFTER_THE_FIRST_CALL = {
  method: "POST",
  path: `*${groupsUrl(VIEWER)}`,
  after: 1,
  times: 15,
  action: { status: 403 },
};

describe("of many groups", () => {
  const groups = manyGroups(120);
  beforeEach(() => tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }] }));

  test("of a create: what was done is recorded with the reason, and the next up finishes", async () => {
    const engine = new Engine(tenant);
    tenant.fail(AFTER_THE_FIRST_CALL);

    const { errors } = await failed(engine.up({ a: viewers(...groups) }));

    expect(errors).toEqual([expect.stringMatching(/^a: POST .* answered 403/)]);
    const { outputs, initErrors, id } = engine.resource("a");
    expect(id).toBe(VIEWER);
    expect(initErrors).toEqual([expect.stringContaining("answered 403")]);
    expect(outputs["groupIds"]).toEqual(tenant.groupsOf(VIEWER));
    expect(tenant.groupsOf(VIEWER).length).toBeGreaterThan(0);
    expect(tenant.groupsOf(VIEWER).length).toBeLessThan(groups.length);
    const left = groups.filter((group) => !tenant.groupsOf(VIEWER).includes(group));
    tenant.sent();

    await engine.up({ a: viewers(...groups) });

    const written = tenant.sent().filter((line) => line !== TOKEN);
    expect(written.flatMap((line) => line.match(/grp_\w+/g) ?? []).sort()).toEqual(left);
    expect(tenant.groupsOf(VIEWER)).toEqual(groups);
    expect((await engine.up({ a: viewers(...groups) })).steps).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("of an update that added but could not remove", async () => {
    const [first, second] = groups as [string, string];
    const engine = await made(tenant, first);
    tenant.fail({ method: "DELETE", path: "*", action: { status: 403 } });

    await failed(engine.up({ a: viewers(second) }));

    expect(engine.resource("a").outputs["groupIds"]).toEqual([first, second]);
    expect(engine.resource("a").initErrors).toHaveLength(1);
    tenant.sent();
    await engine.up({ a: viewers(second) });

    expect(tenant.sent()).toEqual([TOKEN, unassigned(first)]);
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("a service that takes fewer groups in one call than we send", async () => {
    tenant.seed({
      groups: groups.map((id) => ({ id })),
      roles: [{ id: VIEWER }],
      behaviour: { max_groups_per_call: 10 },
    });

    const engine = new Engine(tenant);
    await engine.up({ a: viewers(...groups) });
    expect(tenant.groupsOf(VIEWER)).toEqual(groups);
    await engine.destroy();
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });
});
