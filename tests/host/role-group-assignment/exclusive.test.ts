import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
} from "../../../simulator/default-seed";
import { Engine, failed } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import {
  assigned,
  exactly,
  groupsUrl,
  listed,
  made,
  unassigned,
  viewers,
} from "../../../testkit/assignments";

const tenant = useTenant();

describe("exclusive", () => {
  test("create: the preview names how many it takes away, the up takes them away", async () => {
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT, CONTRACTORS] });
    const engine = new Engine(tenant);

    const { messages } = await engine.preview({ a: exactly(ADMINS, SUPPORT) });
    expect(messages.join("\n")).toMatch(/takes the role from 1 group /);
    expect(messages.join("\n")).toContain(CONTRACTORS);
    expect(tenant.sent()).toEqual([TOKEN, listed]);

    await engine.up({ a: exactly(ADMINS, SUPPORT) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT].sort());
    const writes = tenant.sent().filter((line) => !line.startsWith("GET"));
    expect(writes).toEqual([TOKEN, assigned(SUPPORT, ADMINS), unassigned(CONTRACTORS)]);
  });

  test("a group added outside is drift, and taken away again", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: exactly(ADMINS) });
    tenant.sent();
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });

    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds"]);
    tenant.sent();
    await engine.up({ a: exactly(ADMINS) });

    // Reads the groups with the role for the line, and again right before revoking it.
    expect(tenant.sent()).toEqual([TOKEN, listed, listed, unassigned(SUPPORT)]);
  });

  test("without drift a refresh shows none, and the next up sends nothing", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: exactly(ADMINS) });
    tenant.sent();

    expect((await engine.refresh()).steps).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, listed]);
    expect((await engine.up({ a: exactly(ADMINS) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("turning it on takes the others away; turning it off leaves them", async () => {
    const engine = await made(tenant, ADMINS);
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });

    await engine.up({ a: exactly(ADMINS) });
    // Read for the preview's line, and again right before the change.
    expect(tenant.sent()).toEqual([TOKEN, listed, listed, unassigned(SUPPORT)]);

    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [BILLING] });
    await engine.up({ a: viewers(ADMINS) });
    expect(tenant.sent()).toEqual([]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
  });
});

test("an exclusive assignment that could not take the role from all others says so in the next preview", async () => {
  const engine = await made(tenant, ADMINS);
  await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });
  tenant.fail({ method: "DELETE", path: `/api/v2${groupsUrl(VIEWER)}`, action: { status: 403 } });
  await failed(engine.up({ a: exactly(ADMINS, BILLING) }));
  tenant.clear();
  expect(engine.resource("a").outputs).toMatchObject({
    groupIds: [ADMINS, BILLING].sort(),
    unfinished: true,
  });

  const { messages } = await engine.preview({ a: exactly(ADMINS, BILLING) });

  expect(messages).toEqual([
    `a: role ${VIEWER}: exclusive, takes the role from 1 group that others gave it to: ${SUPPORT}`,
  ]);
  await engine.up({ a: exactly(ADMINS, BILLING) });
  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
  expect(engine.resource("a").outputs).not.toHaveProperty("unfinished");
});
