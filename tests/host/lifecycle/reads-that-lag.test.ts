import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_SUPPORT,
  OTHER_ROLE_ID as VIEWER,
} from "../../../simulator/default-seed";
import { Engine, failed, profile } from "../../../testkit/engine";
import { exactly, viewers } from "../../../testkit/assignments";
import { TOKEN, useTenant } from "../../../testkit/tenant";

/*
 * A service whose reads lag behind its writes: after each write, `read_lag` reads still show the old values.
 */

const tenant = useTenant();
const LAGGING = { read_lag: 100 };
const MINUTE = 60_000;

const program = { p: profile({ name: "a" }), a: viewers(GROUP_ADMINS, GROUP_BILLING) };

/** Runs without pauses in between. */
const engineNow = () => new Engine(tenant, { isNextAtOnce: true });

test("a refresh right after `up` keeps what was written, and says so", async () => {
  tenant.behave(LAGGING);
  const engine = engineNow();
  await engine.up(program);
  tenant.sent();
  const { id } = engine.resource("p");

  const { steps, messages } = await engine.refresh();

  expect(steps).toEqual([]);
  expect(messages.sort()).toEqual([
    `ConnectionProfile ${id}: ${tenant.host} doesn't show it, but this stack wrote it less than a minute ago, so state ` +
      "keeps it. Refresh again in a minute.",
    `role ${VIEWER}: the tenant doesn't list ${GROUP_BILLING}, ${GROUP_ADMINS}, but this stack wrote the assignment less ` +
      "than a minute ago, so state keeps it. Refresh again in a minute.",
  ]);
  // No more requests than for existing objects.
  expect(tenant.sent().sort()).toEqual([
    `GET /connection-profiles/${id} 404`,
    `GET /roles/${VIEWER}/groups?take=100 200`,
    TOKEN,
  ]);
  expect((await engine.up(program)).steps).toEqual([]);
  expect(tenant.profiles()).toHaveLength(1);
});

test("a minute later it is gone", async () => {
  const engine = engineNow();
  await engine.up(program);
  tenant.sent();
  await tenant.outside("DELETE", `/connection-profiles/${engine.resource("p").id}`);
  await tenant.outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [GROUP_ADMINS] });

  // With or without a refresh in between.
  expect((await engine.refresh()).steps).toEqual([]);
  engine.moment = Date.now() + MINUTE;
  expect((await engine.refresh()).steps).toEqual(["drift a: groupIds", "gone p"]);
});

test("a part of the groups that is not shown yet is kept with the others", async () => {
  const engine = engineNow();
  await engine.up({ a: viewers(GROUP_ADMINS) });
  tenant.reseed({ behaviour: LAGGING });
  await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING) });

  const { steps, messages } = await engine.refresh();

  expect(steps).toEqual([]);
  expect(messages).toEqual([expect.stringContaining(`doesn't list ${GROUP_BILLING}, but`)]);
});

test("an exclusive update takes the role from a leaver that the list doesn't show", async () => {
  const engine = engineNow();
  await engine.up({ a: exactly(GROUP_ADMINS) });
  tenant.reseed({ behaviour: LAGGING });
  await engine.up({ a: exactly(GROUP_ADMINS, GROUP_BILLING) });

  await engine.up({ a: exactly(GROUP_SUPPORT, GROUP_ADMINS) });

  expect(tenant.groupsOf(VIEWER)).toEqual([GROUP_SUPPORT, GROUP_ADMINS].sort());
});

test("a removal whose answer is lost is sent again, whatever the list shows", async () => {
  const engine = engineNow();
  await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING) });
  tenant.sent();
  const path = `*/roles/${VIEWER}/groups`;
  const stale = { method: "GET", path, action: { status: 200, body: { groups: [] } } };
  tenant.fail({ method: "DELETE", path, action: { status: 500 } }, stale);

  await engine.up({ a: viewers(GROUP_BILLING) });

  expect(tenant.groupsOf(VIEWER)).toEqual([GROUP_BILLING]);
  expect(tenant.sent().filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
});

describe("a removal that the service refuses, while its list lacks the group", () => {
  const path = `*/roles/${VIEWER}/groups`;
  const refused = { method: "DELETE", path, action: { status: 400 } };
  const stale = { method: "GET", path, times: 2, action: { status: 200, body: { groups: [] } } };

  test.each(["an update", "a destroy"])("isn't done where the list may lag: %s", async (change) => {
    const engine = engineNow();
    await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING) });
    tenant.fail({ ...refused, times: 4 }, stale);

    const { errors } = await failed(
      change === "a destroy" ? engine.destroy() : engine.up({ a: viewers(GROUP_BILLING) }),
    );

    expect(errors).toEqual([
      expect.stringMatching(/^a: Groups? .*grp_.* still ha(s|ve) the role: .*Run this again/),
    ]);
    expect(engine.resource("a").outputs["groupIds"]).toEqual([GROUP_ADMINS, GROUP_BILLING].sort());
    tenant.reseed({});
    tenant.sent();
    await engine.destroy();
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });

  test("is done a minute later, when the list has caught up", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING) });
    tenant.sent();
    await tenant.outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [GROUP_ADMINS] });
    tenant.fail(refused);

    expect((await engine.up({ a: viewers(GROUP_BILLING) })).errors).toEqual([]);
    expect(engine.resource("a").outputs["groupIds"]).toEqual([GROUP_BILLING]);
  });
});
