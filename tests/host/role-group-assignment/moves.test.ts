import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine, failed, profile, type Program } from "../../../testkit/engine";
import { readPreview } from "../../../cli/review/input/preview";
import { reviewOf } from "../../../cli/review/review";
import { useTenant } from "../../../testkit/tenant";
import { ways } from "../../../testkit/ways";
import { exactly, made, viewers, NO_SCOPE } from "../../../testkit/assignments";

const tenant = useTenant();

describe("what another resource of the same run owns", () => {
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

  test("what no check of the run has seen is taken with it, and given again by the next run", async () => {
    const engine = new Engine(tenant);
    await engine.up(before);

    await engine.up(after, { exclude: ["b"] });
    expect(tenant.groupsOf(VIEWER)).toEqual([SUPPORT]);

    await engine.up(after);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("where it is deleted first, as in a swap, both have their groups in the end", async () => {
    const first = { deleteBeforeReplace: true };
    const of = (roleId: string) => ({ ...assignment({ roleId, groupIds: [ADMINS] }), ...first });
    const engine = new Engine(tenant, { parallel: 1 });
    await engine.up({ a: of(VIEWER), b: of(AGENT) });

    await engine.up({ a: of(AGENT), b: of(VIEWER) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    expect(tenant.groupsOf(AGENT)).toEqual([SUPPORT, ADMINS].sort());
  });
});

test("what is deleted first, before another role is checked, is given again to who lists it unchanged", async () => {
  const engine = new Engine(tenant, { parallel: 1 });
  await engine.up({ a: viewers(ADMINS), b: viewers(SUPPORT) });
  // A failed run has left the group with both.
  engine.state.get("b")!.outputs["groupIds"] = [ADMINS, SUPPORT].sort();
  engine.state.get("b")!.inputs["groupIds"] = [ADMINS, SUPPORT].sort();
  tenant.sent();

  const changed = { ...assignment({ roleId: AGENT, groupIds: [BILLING] }), deleteBeforeReplace: true };
  await engine.up({ a: changed, b: viewers(ADMINS, SUPPORT) });

  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT].sort());
  expect((await engine.refresh()).steps).toEqual([]);
});

test("`handedOver` of state that an earlier release has written is read, and forgotten by the next change", async () => {
  const engine = await made(tenant, ADMINS);
  engine.state.get("a")!.outputs["handedOver"] = [BILLING];

  expect((await engine.preview({ a: viewers(ADMINS) })).steps).toEqual([]);
  expect((await engine.refresh()).steps).toEqual([]);
  await engine.up({ a: viewers(ADMINS, SUPPORT) });

  expect(engine.state.get("a")?.outputs).not.toHaveProperty("handedOver");
  await engine.destroy();
  expect(tenant.groupsOf(VIEWER)).toEqual([]);
});

describe("a run that failed half-way", () => {
  test("what another assignment got then, and still has, is not taken from it by the next run", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(ADMINS, BILLING) });
    tenant.fail({ method: "POST", path: "*/roles/*", action: NO_SCOPE });
    const program = { renamed: viewers(BILLING), b: viewers(ADMINS) };
    await failed(engine.up(program));

    await engine.up(program);

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });
});

describe.each(ways(tenant))("the review of a move, through %s", (way, start) => {
  const TAKEN_FIRST = "may take it first: the group may be without the role for a moment";
  const reasons = async (program: Program) => {
    const engine = start();
    await engine.up({ a: viewers(ADMINS, BILLING) });
    const { access } = reviewOf(readPreview(await engine.previewJson(program)), false);
    return access.map(({ effect, by }) => [effect, ...by.map(({ reason }) => reason.toString())]);
  };
  const [a, b] = [viewers(ADMINS), viewers(BILLING)];

  test("says the same in both orders of registration", async () => {
    const row = ["keeps", way === "YAML" ? TAKEN_FIRST : "", ""];

    expect(await reasons({ a, b })).toEqual([row]);
    expect(await reasons({ b, a })).toEqual([row]);
  });

  test("is certain where the old assignment depends on the new one", async () => {
    const through = { b, p: profile({ name: "p" }, { dependsOn: ["b"] }) };

    expect(await reasons({ ...through, a: { ...a, dependsOn: ["p"] } })).toEqual([["keeps", "", ""]]);
  });
});
