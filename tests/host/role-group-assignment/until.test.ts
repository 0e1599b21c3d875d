import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine, failed, later, type Resource, secret } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { assigned, groupsUrl, listed, manyGroups, unassigned, viewers } from "../../../testkit/assignments";

const tenant = useTenant();
const DAY = "2030-12-31";
const at = (instant: string) => Date.parse(instant);
/** On the last day, and the first moment after it. */
const [BEFORE, AFTER] = [at("2030-12-31T12:00:00Z"), at("2031-01-01T00:00:00Z")];
const LONG_BEFORE = at("2030-06-01T00:00:00Z");

const until = (end: string | undefined, groupIds: string[], others: Partial<Resource["inputs"]> = {}) =>
  assignment({ roleId: VIEWER, groupIds, ...(end !== undefined && { until: end }), ...others });
const ENDED = (...groups: string[]) => `a: role ${VIEWER}: − ${groups.join(", ")}, since it ended ${DAY}`;
const HAS_ENDED = `a: role ${VIEWER}: has ended (until ${DAY}): it gives the role to no group until it is prolonged`;

/** A stack with one assignment, created long before its end. */
async function made(resource: Resource = until(DAY, [ADMINS, BILLING])): Promise<Engine> {
  const engine = new Engine(tenant);
  engine.moment = LONG_BEFORE;
  await engine.up({ a: resource });
  tenant.sent();
  return engine;
}

describe("before its end", () => {
  test("groups get the role, the preview says until when, and nothing is left to do", async () => {
    const engine = new Engine(tenant);
    engine.moment = LONG_BEFORE;
    const program = { a: until(DAY, [ADMINS]) };

    expect((await engine.preview(program)).messages).toEqual([
      `a: role ${VIEWER}: + ${ADMINS}, until ${DAY}`,
    ]);
    await engine.up(program);

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS)]);
    expect(engine.resource("a").outputs).toMatchObject({ until: DAY, groupIds: [ADMINS] });
    expect(engine.resource("a").outputs).not.toHaveProperty("ended");
    const { steps, messages } = await engine.preview(program);
    expect([steps, messages]).toEqual([[], []]);
  });

  test("a preview warns from 14 days before", async () => {
    const engine = await made();
    const preview = () => engine.preview({ a: until(DAY, [ADMINS, BILLING]) });
    expect((await preview()).messages).toEqual([]);
    engine.moment = at("2030-12-18T12:00:00Z");
    expect(await preview()).toMatchObject({
      steps: [],
      messages: [`a: role ${VIEWER}: until ${DAY}, in 13 days: then its groups lose the role`],
    });
  });

  test("a program without an end has no part in any of it: state has neither until nor ended", async () => {
    const engine = await made(viewers(ADMINS));
    expect(Object.keys(engine.resource("a").outputs)).not.toEqual(expect.arrayContaining(["until"]));
    expect(Object.keys(engine.resource("a").inputs)).not.toEqual(expect.arrayContaining(["ended"]));
    expect((await engine.preview({ a: viewers(ADMINS) })).steps).toEqual([]);
  });
});

describe("after its end", () => {
  test("the preview says that the groups lose the role, `up` takes it away, and then there is nothing left to do", async () => {
    const engine = await made();
    const program = { a: until(DAY, [ADMINS, BILLING]) };
    engine.moment = BEFORE;
    expect((await engine.preview(program)).steps).toEqual([]);
    engine.moment = AFTER;

    const preview = await engine.preview(program);
    expect(preview.steps).toEqual(["update a: ended"]);
    expect(preview.messages).toEqual([ENDED(BILLING, ADMINS)]);
    await engine.up(program);

    expect(tenant.sent()).toEqual([TOKEN, unassigned(BILLING, ADMINS)]);
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.resource("a").outputs).toMatchObject({ until: DAY, ended: true });
    const { steps, messages } = await engine.preview(program);
    expect([steps, messages]).toEqual([[], [HAS_ENDED]]);
    expect(tenant.sent()).toEqual([]);
  });

  test("a refresh takes nothing away, and keeps what has ended in state", async () => {
    const engine = await made();
    engine.moment = AFTER;
    await engine.refresh();
    expect(tenant.sent()).toEqual([TOKEN, listed]);
    expect(tenant.groupsOf(VIEWER)).toEqual([BILLING, ADMINS]);

    await engine.up({ a: until(DAY, [ADMINS, BILLING]) });
    tenant.sent();
    const { steps } = await engine.refresh();
    expect(steps).toEqual([]);
    expect(engine.resource("a").outputs).toMatchObject({ ended: true, groupIds: [BILLING, ADMINS] });
    expect((await engine.preview({ a: until(DAY, [ADMINS, BILLING]) })).steps).toEqual([]);
  });

  test("what others give the role to afterwards is theirs: neither drift nor taken away", async () => {
    const engine = await made();
    engine.moment = AFTER;
    await engine.up({ a: until(DAY, [ADMINS, BILLING]) });
    tenant.sent();
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [ADMINS] });
    await engine.refresh();
    tenant.sent();

    expect((await engine.up({ a: until(DAY, [ADMINS, BILLING]) })).steps).toEqual([]);
    await engine.destroy();

    expect(tenant.sent()).toEqual([]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  });

  test.each([undefined, "2031-12-31"])("prolonged (until %s), it gives the role again", async (end) => {
    const engine = await made();
    engine.moment = AFTER;
    await engine.up({ a: until(DAY, [ADMINS, BILLING]) });
    tenant.sent();

    const { messages } = await engine.preview({ a: until(end, [ADMINS, BILLING]) });
    const ending = end === undefined ? "" : `, until ${end}`;
    expect(messages).toEqual([`a: role ${VIEWER}: + ${BILLING}, ${ADMINS}${ending}`]);
    await engine.up({ a: until(end, [ADMINS, BILLING]) });

    expect(tenant.sent()).toEqual([TOKEN, assigned(BILLING, ADMINS)]);
    expect(engine.resource("a").outputs).not.toHaveProperty("ended");
    expect((await engine.preview({ a: until(end, [ADMINS, BILLING]) })).steps).toEqual([]);
  });

  test("one that is new gives the role to nobody", async () => {
    const engine = new Engine(tenant);
    engine.moment = AFTER;
    const { messages } = await engine.up({ a: until(DAY, [ADMINS]) });
    expect(messages).toEqual([HAS_ENDED]);
    expect(tenant.sent()).toEqual([]);
    expect(engine.resource("a").outputs).toMatchObject({ ended: true });
    await engine.destroy();
    expect(tenant.sent()).toEqual([]);
  });

  test("maxRevocations counts it", async () => {
    const engine = await made();
    engine.moment = AFTER;
    engine.config = { ...engine.config, "identity:maxRevocations": "1" };
    const { errors } = await failed(engine.up({ a: until(DAY, [ADMINS, BILLING]) }));
    expect(errors.join()).toContain("would revoke at least 2 grants");
    expect(tenant.sent()).toEqual([]);
  });

  test("deleteOnDestroy says nothing of the end, and options can't have it ignored", async () => {
    const resource = { ...until(DAY, [ADMINS], { deleteOnDestroy: false }), ignoreChanges: ["*"] };
    const engine = await made(resource);
    engine.moment = AFTER;
    expect((await engine.up({ a: resource })).steps).toEqual(["update a: "]);
    expect(tenant.sent()).toEqual([TOKEN, unassigned(ADMINS)]);
    expect((await engine.preview({ a: resource })).steps).toEqual([]);
  });

  test("with ignoreChanges, the end of state counts, and not the one of the program", async () => {
    const engine = await made(until(DAY, [ADMINS]));
    engine.moment = AFTER;
    const prolonged = { ...until("2040-01-01", [ADMINS]), ignoreChanges: ["until"] };
    await engine.up({ a: prolonged });
    expect(tenant.sent()).toEqual([TOKEN, unassigned(ADMINS)]);
  });

  test("secret groups lose the role, too, and no line shows them", async () => {
    const resource = () => until(DAY, secret([ADMINS]) as string[]);
    const engine = await made(resource());
    engine.moment = AFTER;
    const { messages } = await engine.up({ a: resource() });
    expect(messages.join()).not.toContain(ADMINS);
    expect(tenant.sent()).toEqual([TOKEN, unassigned(ADMINS)]);
  });

  test("an exclusive one takes the role from its groups, and leaves all others alone", async () => {
    const resource = until(DAY, [ADMINS], { exclusive: true });
    const engine = await made(resource);
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });
    tenant.sent();
    engine.moment = AFTER;

    expect((await engine.preview({ a: resource })).messages).toEqual([ENDED(ADMINS)]);
    await engine.up({ a: resource });

    expect(tenant.sent()).toEqual([TOKEN, unassigned(ADMINS)]);
    expect((await engine.preview({ a: resource })).steps).toEqual([]);
    await engine.refresh();
    expect((await engine.preview({ a: resource })).steps).toEqual([]);
  });
});

test("of an end that is done in part, state has what is left, and the next `up` takes it away", async () => {
  const groups = manyGroups(60);
  tenant.seed({ roles: [{ id: VIEWER, name: "viewer" }], groups: groups.map((id) => ({ id, name: id })) });
  const engine = await made(until(DAY, groups));
  engine.moment = AFTER;
  tenant.simulator.fail({
    method: "DELETE",
    path: "/api/v2/roles/*",
    after: 1,
    times: 20,
    action: { status: 403 },
  });
  const program = { a: until(DAY, groups) };
  await failed(engine.up(program));
  expect(tenant.groupsOf(VIEWER)).toHaveLength(10);
  expect(engine.resource("a").outputs).not.toHaveProperty("ended");
  expect(engine.resource("a").outputs["groupIds"]).toHaveLength(10);
  tenant.simulator.reset();
  tenant.sent();

  await engine.up(program);
  expect(tenant.groupsOf(VIEWER)).toEqual([]);
  expect(engine.resource("a").outputs).toMatchObject({ ended: true });
  expect((await engine.preview(program)).steps).toEqual([]);
});

describe("beside others", () => {
  test("a group that moves to another assignment as the first one ends keeps the role throughout", async () => {
    const engine = await made();
    engine.moment = AFTER;
    const program = { a: until(DAY, [ADMINS]), b: viewers(BILLING) };

    const { messages } = await engine.preview(program);
    expect(messages).toContain(
      `a: role ${VIEWER}: − ${ADMINS}, since it ended ${DAY}; hands over ${BILLING}`,
    );
    await engine.up(program);

    expect(tenant.groupsOf(VIEWER)).toEqual([BILLING]);
    expect(tenant.sent().sort()).toEqual([unassigned(ADMINS), assigned(BILLING), TOKEN].sort());
    expect((await engine.preview(program)).steps).toEqual([]);
  });

  test.each(["default", "another"])(
    "what has ended lists nothing: a group that moves to it loses the role (%s provider)",
    async (provider) => {
      const settings = new Engine(tenant).config;
      const engine = new Engine(tenant, { providers: { eu: settings } });
      engine.moment = LONG_BEFORE;
      await engine.up({ b: viewers(BILLING, SUPPORT) });
      engine.moment = AFTER;
      const a = { ...until(DAY, [BILLING]), ...(provider === "another" && { provider: "eu" }) };

      await engine.up({ a, b: viewers(SUPPORT) });

      expect(tenant.groupsOf(VIEWER)).toEqual([SUPPORT]);
      expect((await engine.preview({ a, b: viewers(SUPPORT) })).steps).toEqual([]);
    },
  );

  test("what was removed is not spared for one that has ended", async () => {
    const engine = new Engine(tenant);
    engine.moment = LONG_BEFORE;
    await engine.up({ b: viewers(BILLING) });
    engine.moment = AFTER;
    await engine.up({ a: until(DAY, [BILLING]) });
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect([...engine.state.keys()]).toEqual(["a"]);
  });

  test("a new role of one that has ended gives nothing, and the former one takes nothing", async () => {
    const engine = await made();
    engine.moment = AFTER;
    await engine.up({ a: until(DAY, [ADMINS, BILLING]) });
    tenant.sent();
    await engine.up({ a: assignment({ roleId: AGENT, groupIds: [ADMINS], until: DAY }) });
    expect(tenant.sent()).toEqual([]);
    expect(engine.resource("a").outputs).toMatchObject({ roleId: AGENT, ended: true });
  });
});

describe("what is refused", () => {
  test.each(["31.12.2030", "", 1924991999])("until %j", async (end) => {
    const engine = new Engine(tenant);
    const { errors } = await failed(engine.preview({ a: until(end as string, [ADMINS]) }));
    const rule =
      'until: must be a day, as in "2026-12-31", which ends in UTC, or an instant with its zone, as in "2026-12-31T18:00:00+01:00"; received';
    expect(errors).toEqual([expect.stringContaining(typeof end === "string" ? rule : "until")]);
    expect(tenant.sent()).toEqual([]);
  });

  test("one that is not known yet, and ended, which is no argument", async () => {
    const engine = new Engine(tenant);
    const late = await failed(engine.preview({ a: until(later(DAY) as string, [ADMINS]) }));
    expect(late.errors).toEqual(["a: until must be known in a preview: give it as text."]);
    for (const ended of [true, false]) {
      const given = await failed(engine.preview({ a: until(DAY, [BILLING], { ended }) }));
      expect(given.errors).toEqual(["a: ended: is not an input: the provider sets it. Remove it."]);
    }
  });
});
