import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine, failed } from "../engine";
import { useTenant } from "../tenant";
import { exactly, made, viewers } from "./made";

const tenant = useTenant();

describe("what another resource of the same run owns", () => {
  test("a group moved from one assignment to another keeps the role", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(ADMINS, BILLING), b: viewers(SUPPORT) });

    await engine.up({ a: viewers(ADMINS), b: viewers(BILLING, SUPPORT) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING, SUPPORT].sort());

    await engine.up({ a: viewers(ADMINS, SUPPORT), b: viewers(BILLING) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING, SUPPORT].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("a rename without an alias ends with the access in place", async () => {
    const engine = await made(tenant, ADMINS);

    const { steps } = await engine.up({ b: viewers(ADMINS) });

    expect(steps).toEqual(["create b", "delete a"]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("a rename of an exclusive assignment too", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: exactly(ADMINS, BILLING) });

    await engine.up({ b: exactly(ADMINS) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  });

  test("a role swapped between two assignments ends with both in place", async () => {
    const engine = new Engine(tenant);
    const of = (roleId: string) => assignment({ roleId, groupIds: [ADMINS] });
    await engine.up({ a: of(VIEWER), b: of(AGENT) });

    await engine.up({ a: of(AGENT), b: of(VIEWER) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    expect(tenant.groupsOf(AGENT)).toEqual([SUPPORT, ADMINS].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });
});

describe("a group moves from an assignment that is replaced, since its role changes", () => {
  const before = { a: viewers(ADMINS), b: viewers(SUPPORT) };
  const after = { a: assignment({ roleId: AGENT, groupIds: [ADMINS] }), b: viewers(ADMINS, SUPPORT) };

  test("what is replaced answers for the group until the other has it", async () => {
    const engine = new Engine(tenant);
    await engine.up(before);

    const { errors } = await failed(engine.up(after, { exclude: ["b"] }));

    expect(errors).toEqual([expect.stringContaining(`another assignment lists ${ADMINS}`)]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT].sort());
    await engine.up({ ...after, b: viewers(SUPPORT) });
    expect(tenant.groupsOf(VIEWER)).toEqual([SUPPORT]);
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("where it is deleted first, as in a swap, the run does not wait for itself", async () => {
    const first = { deleteBeforeReplace: true };
    const of = (roleId: string) => ({ ...assignment({ roleId, groupIds: [ADMINS] }), ...first });
    const engine = new Engine(tenant, { parallel: 1 });
    await engine.up({ a: of(VIEWER), b: of(AGENT) });

    await engine.up({ a: of(AGENT), b: of(VIEWER) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    expect(tenant.groupsOf(AGENT)).toEqual([SUPPORT, ADMINS].sort());
  });
});

test("all groups of what is deleted first keep the role where an assignment lists them that has not begun", async () => {
  const engine = new Engine(tenant, { parallel: 1 });
  await engine.up({ a: viewers(ADMINS) });
  tenant.sent();

  const changed = { ...assignment({ roleId: AGENT, groupIds: [BILLING] }), deleteBeforeReplace: true };
  await engine.up({ a: changed, b: viewers(ADMINS) });

  expect(tenant.sent().filter((line) => line.startsWith("DELETE"))).toEqual([]);
  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  expect((await engine.refresh()).steps).toEqual([]);
});

test("a destroy leaves to a protected assignment what it got after the hand-over was noted", async () => {
  const engine = new Engine(tenant);
  await engine.up({ a: viewers(ADMINS, BILLING), b: viewers(SUPPORT) });
  const moved = { a: viewers(BILLING), b: { ...viewers(ADMINS, SUPPORT), protect: true } };
  await engine.up(moved, { exclude: ["b"] });
  await engine.up(moved, { target: ["b"] });
  expect(engine.state.get("a")?.outputs["handedOver"]).toEqual([ADMINS]);

  const { errors } = await failed(engine.destroy());

  expect(errors).toEqual([expect.stringContaining("protected")]);
  expect([...engine.state.keys()]).toEqual(["b"]);
  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT].sort());
  expect((await engine.refresh()).steps).toEqual([]);
});

describe("a refresh", () => {
  const before = { a: viewers(ADMINS, BILLING), b: viewers(SUPPORT) };
  const moved = { a: viewers(BILLING), b: viewers(ADMINS, SUPPORT) };

  async function noted(parallel: number): Promise<Engine> {
    const engine = new Engine(tenant, { parallel });
    await engine.up(before);
    await engine.up(moved, { exclude: ["b"] });
    expect(engine.state.get("a")?.outputs["handedOver"]).toEqual([ADMINS]);
    return engine;
  }

  test("that reads the first assignment before the other can be read gives nothing back to it", async () => {
    const engine = await noted(1);
    await engine.up(moved, { target: ["b"] });

    expect((await engine.refresh()).steps).toEqual([]);

    await engine.destroy({ target: ["a"] });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT].sort());
  });

  test("that reads both forgets what was handed over", async () => {
    const engine = await noted(8);
    await engine.up(moved, { target: ["b"] });

    const { steps, messages } = await engine.refresh();

    expect([steps, messages]).toEqual([[], []]);
    expect(engine.state.get("a")?.outputs).not.toHaveProperty("handedOver");
  });

  test("that finds the group nowhere else keeps it handed over, and says so", async () => {
    const engine = await noted(8);

    const { steps, messages } = await engine.refresh();

    expect(steps).toEqual([]);
    expect(messages).toEqual([expect.stringContaining(`keeps ${ADMINS}, handed over to another assignment`)]);
    expect(engine.state.get("a")?.outputs["handedOver"]).toEqual([ADMINS]);
    await engine.up({ ...moved, b: viewers(SUPPORT) });
    expect(tenant.groupsOf(VIEWER)).toEqual([BILLING, SUPPORT].sort());
  });

  test("keeps what is handed over when its own groups are gone", async () => {
    const engine = await noted(8);
    tenant.sent();
    await tenant.outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [BILLING] });

    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds"]);

    expect(engine.state.get("a")?.outputs["handedOver"]).toEqual([ADMINS]);
    await engine.up({ ...moved, b: viewers(SUPPORT) });
    expect(tenant.groupsOf(VIEWER)).toEqual([BILLING, SUPPORT].sort());
  });
});

describe("a run that failed half-way", () => {
  test("what another assignment got then, and still has, is not taken from it by the next run", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(ADMINS, BILLING) });
    tenant.fail({ method: "POST", path: "*/roles/*", action: { status: 403 } });
    const program = { renamed: viewers(BILLING), b: viewers(ADMINS) };
    await failed(engine.up(program));

    await engine.up(program);

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("an assignment whose answer was lost is known to the state, so that it can be taken away", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: "*/roles/*", action: { drop: "after" } });

    await engine.up({ a: viewers(ADMINS) }).catch(() => undefined);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    await engine.up({});

    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });
});
