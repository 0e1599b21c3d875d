import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine, UNKNOWN } from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";
import { exactly, groupsUrl, made, manyGroups, viewers } from "../../../testkit/assignments";

const tenant = useTenant();

const many = manyGroups(500);
const firstTen = (groups: readonly string[]) => groups.slice(0, 10).join(", ");
const seedMany = (assigned: string[]) =>
  tenant.seed({ groups: many.map((id) => ({ id })), roles: [{ id: VIEWER, groups: assigned }] });

const nobodyElse = `a: role ${VIEWER}: exclusive, takes the role from no other group`;

describe("the line of an exclusive assignment", () => {
  test("leaves out its own groups, names ten of the others and counts the rest", async () => {
    seedMany(many);
    const [first, second, third, ...others] = many as [string, string, string, ...string[]];
    const engine = new Engine(tenant);

    const { messages } = await engine.preview({ a: exactly(first, second, third) });

    expect(messages).toEqual([
      `a: role ${VIEWER}: + ${first}, ${second}, ${third}`,
      `a: role ${VIEWER}: exclusive, takes the role from 497 groups that others gave it to: ` +
        `${firstTen(others)} and 487 more`,
    ]);
  });

  test("says so when nobody else loses the role", async () => {
    const engine = await made(tenant, ADMINS, BILLING);

    const { messages } = await engine.preview({ a: exactly(ADMINS) });

    expect(messages).toEqual([`a: role ${VIEWER}: − ${BILLING}`, nobodyElse]);
  });

  test("leaves out a group that it takes over from another assignment", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(ADMINS), b: viewers(BILLING) });

    const { messages } = await engine.preview({ a: exactly(ADMINS, BILLING) });

    expect(messages).toEqual([`a: role ${VIEWER}: + ${BILLING}`, nobodyElse]);
  });

  test("is there for another role too", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: assignment({ roleId: AGENT, groupIds: [ADMINS], exclusive: true }) });
    tenant.sent();
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [BILLING] });

    const { messages } = await engine.preview({ a: exactly(ADMINS) });

    expect(messages).toContain(
      `a: role ${VIEWER}: exclusive, takes the role from 1 group that others gave it to: ${BILLING}`,
    );
  });
});

describe("lines of a change", () => {
  test("the up says the same as the preview", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    const program = { a: viewers(ADMINS, SUPPORT) };

    const { messages } = await engine.preview(program);

    expect(messages).toEqual([`a: role ${VIEWER}: + ${SUPPORT}; − ${BILLING}`]);
    expect((await engine.up(program)).messages).toEqual(messages);
  });

  test.each([true, false])(
    "on a replacement come once each (delete first: %s)",
    async (deleteBeforeReplace) => {
      const engine = await made(tenant, ADMINS, BILLING);
      const program = {
        a: assignment({ roleId: AGENT, groupIds: [ADMINS] }, { deleteBeforeReplace }),
      };

      const { messages } = await engine.preview(program);

      expect(messages).toEqual([
        `a: role ${AGENT}: + ${ADMINS}`,
        `a: role ${VIEWER}: − ${BILLING}, ${ADMINS}, once what it replaces is deleted`,
      ]);
      // The delete itself reports it.
      const done = `role ${VIEWER}: − ${BILLING}, ${ADMINS}`;
      expect((await engine.up(program)).messages.sort()).toEqual([...messages, done].sort());
    },
  );

  test("on a replacement of the same role come once", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    const program = { a: { ...viewers(ADMINS, SUPPORT), replaceOnChanges: ["groupIds"] } };

    const { messages } = await engine.preview(program);

    expect(messages).toEqual([`a: role ${VIEWER}: + ${SUPPORT}; − ${BILLING}`]);
  });

  test("tell of a group that a refresh found missing when it is given back, not in the refresh", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [BILLING] });
    const program = { a: viewers(ADMINS, BILLING) };

    const refresh = await engine.refresh();
    expect([refresh.steps, refresh.messages]).toEqual([["drift a: groupIds"], []]);

    const line = `a: role ${VIEWER}: + ${BILLING}`;
    expect((await engine.preview(program)).messages).toEqual([line]);
    expect((await engine.up(program)).messages).toEqual([line]);
    expect((await engine.up(program)).messages).toEqual([]);
  });

  test.each([false, true])("come once in an up --refresh (--run-program: %s)", async (runProgram) => {
    const engine = await made(tenant, ADMINS, BILLING);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [BILLING] });

    const { messages } = await engine.up({ a: viewers(ADMINS, BILLING) }, { refresh: true, runProgram });

    expect(messages).toEqual([`a: role ${VIEWER}: + ${BILLING}`]);
  });
});

describe("what a preview can't know yet", () => {
  test("is said, and is no group", async () => {
    const engine = await made(tenant, ADMINS, BILLING);

    const { messages } = await engine.preview({ a: viewers(ADMINS, UNKNOWN) });

    expect(messages).toEqual([
      `a: role ${VIEWER}: groups not known yet; − ${BILLING}, unless the program still lists them`,
    ]);
  });

  test("of another assignment may be what this one leaves", async () => {
    const engine = await made(tenant, ADMINS, BILLING);

    const { messages } = await engine.preview({ a: viewers(ADMINS), b: viewers(UNKNOWN) });

    expect(messages).toEqual([
      `a: role ${VIEWER}: − ${BILLING}, unless the program still lists them`,
      `b: role ${VIEWER}: groups not known yet`,
    ]);
  });

  test("of an exclusive assignment is whom it takes the role from", async () => {
    const engine = new Engine(tenant);
    const unknownGroups = await engine.preview({ a: exactly(ADMINS, UNKNOWN) });
    expect(unknownGroups.messages).toContain(
      `a: role ${VIEWER}: exclusive: which other groups lose the role could not be read (its own groups are not known yet)`,
    );

    const program = { a: assignment({ roleId: VIEWER, groupIds: [ADMINS], exclusive: UNKNOWN }) };
    expect((await engine.preview(program)).messages).toEqual([
      `a: role ${VIEWER}: + ${ADMINS}; whether it is exclusive is not known yet`,
    ]);
  });
});
