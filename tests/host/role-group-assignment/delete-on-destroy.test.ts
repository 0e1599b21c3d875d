import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine, type Resource } from "../../../testkit/engine";
import { json, TOKEN, useTenant } from "../../../testkit/tenant";
import { exactly, groupsUrl, unassigned, viewers } from "../../../testkit/assignments";

const tenant = useTenant();
const left = (...groupIds: string[]) => assignment({ roleId: VIEWER, groupIds, deleteOnDestroy: false });
const stays = (...groups: string[]) =>
  `role ${VIEWER}: stays with ${groups.join(", ")}, because deleteOnDestroy is false`;

/** A stack with one assignment. */
async function made(resource: Resource): Promise<Engine> {
  const engine = new Engine(tenant);
  await engine.up({ a: resource });
  tenant.sent();
  return engine;
}

describe("with deleteOnDestroy: false", () => {
  test("destroy leaves the role to the groups, and says so", async () => {
    const engine = await made(left(ADMINS, BILLING));
    expect(engine.resource("a").outputs["deleteOnDestroy"]).toBe(false);

    const { messages } = await engine.destroy();

    expect(messages).toEqual([stays(BILLING, ADMINS)]);
    expect(tenant.sent()).toEqual([]);
    expect(tenant.groupsOf(VIEWER)).toEqual([BILLING, ADMINS]);
    expect(engine.state.size).toBe(0);
  });

  test.each([false, true])(
    "a new role leaves the former one to the groups, and the preview says so (delete first: %s)",
    async (deleteBeforeReplace) => {
      const engine = await made(left(ADMINS));
      // The program's setting for the new one doesn't apply to the old one.
      const program = { a: { ...assignment({ roleId: AGENT, groupIds: [SUPPORT] }), deleteBeforeReplace } };

      const { messages } = await engine.preview(program);
      expect(messages).toEqual([`a: role ${AGENT}: + ${SUPPORT}`, `a: ${stays(ADMINS)}`]);

      expect((await engine.up(program)).messages).toContain(stays(ADMINS));
      expect(tenant.sent()).toEqual([TOKEN, `POST ${groupsUrl(AGENT)} ${json({ groups: [SUPPORT] })} 204`]);
      expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    },
  );

  test("a replacement of the same role leaves it to the groups that are not listed any more", async () => {
    const engine = await made(left(ADMINS, BILLING));
    const program = { a: { ...left(ADMINS), replaceOnChanges: ["groupIds"] } };

    expect((await engine.up(program)).messages).toContain(stays(BILLING, ADMINS));

    expect(tenant.groupsOf(VIEWER)).toEqual([BILLING, ADMINS]);
    expect(tenant.sent().filter((line) => line.startsWith("DELETE"))).toEqual([]);
  });

  test("an exclusive replacement of the same role takes it from them, and says so", async () => {
    const engine = await made(left(ADMINS, BILLING));
    const program = { a: { ...exactly(ADMINS), replaceOnChanges: ["groupIds"] } };

    expect((await engine.preview(program)).messages).toContain(`a: role ${VIEWER}: − ${BILLING}`);
    await engine.up(program);

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  });

  test("a group that is taken out of the list loses the role", async () => {
    const engine = await made(left(ADMINS, BILLING));

    const { messages } = await engine.up({ a: left(ADMINS) });

    expect(messages).toEqual([`a: role ${VIEWER}: − ${BILLING}`]);
    expect(tenant.sent()).toEqual([TOKEN, unassigned(BILLING)]);
  });

  test("identity:maxRevocations does not count what is not taken away", async () => {
    const engine = await made(left(ADMINS, BILLING));
    engine.config = { ...engine.config, "identity:maxRevocations": "0" };

    await engine.destroy();

    expect(engine.state.size).toBe(0);
  });

  test("a refresh keeps it", async () => {
    const engine = await made(left(ADMINS, BILLING));
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [BILLING] });

    await engine.refresh();

    expect(engine.resource("a").inputs).toMatchObject({ groupIds: [ADMINS], deleteOnDestroy: false });
  });
});

test("turning deleteOnDestroy on or off sends nothing", async () => {
  const engine = await made(left(ADMINS));

  expect((await engine.up({ a: viewers(ADMINS) })).steps).toEqual(["update a: deleteOnDestroy"]);
  expect((await engine.up({ a: left(ADMINS) })).steps).toEqual(["update a: deleteOnDestroy"]);

  expect(tenant.sent()).toEqual([]);
});

test("an exclusive assignment asks whom it takes the role from also when nothing but deleteOnDestroy changes", async () => {
  const engine = await made(exactly(ADMINS));
  await tenant.outside("POST", groupsUrl(VIEWER), { groups: [BILLING] });
  const program = {
    a: assignment({ roleId: VIEWER, groupIds: [ADMINS], exclusive: true, deleteOnDestroy: false }),
  };
  const taken = `a: role ${VIEWER}: exclusive, takes the role from 1 group that others gave it to: ${BILLING}`;

  expect((await engine.preview(program)).messages).toEqual([taken]);
  await engine.up(program);

  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
});

test.each([undefined, true])(
  "deleteOnDestroy %s: destroy takes the role away, and names the groups",
  async (value) => {
    const engine = await made(
      assignment({
        roleId: VIEWER,
        groupIds: [ADMINS, BILLING],
        ...(value !== undefined && { deleteOnDestroy: value }),
      }),
    );

    const { messages } = await engine.destroy();

    expect(messages).toEqual([
      expect.stringMatching(/^In this run, /),
      `role ${VIEWER}: − ${BILLING}, ${ADMINS}`,
    ]);
    expect(tenant.sent()).toEqual([TOKEN, unassigned(BILLING, ADMINS)]);
  },
);
