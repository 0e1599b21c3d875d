import { setTimeout } from "node:timers/promises";
import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
} from "../../simulator/default-seed";
import { assignment, Engine, failed, type Program } from "../engine";
import { type Line, TOKEN, useTenant } from "../tenant";
import { burst, Gate, groupIds, groupsIn, post, roleIds, seedBurst } from "./burst";
import { assigned, exactly, groupsUrl, listed, manyGroups, unassigned, viewers } from "./made";

/*
 * Assignments of one role that come in one burst share calls. In these tests nothing is sent before all of them are there:
 * the first of a role does not wait for others, so it has a call of its own, and the next call has the rest.
 */

const tenant = useTenant();
const gate = new Gate(tenant);
const newEngine = (parallel = 8) => new Engine(tenant, { parallel, startHost: gate.startHost });
const ROLE_GROUPS = `*${groupsUrl(VIEWER)}`;
/** A group that the tenant does not have. */
const GHOST = "grp_9999999999999999zz";
/** The line with another status; 0 where there was no answer. */
const withStatus = (status: number, line: Line) => line.replace(/\d+$/, String(status));

/** Four assignments of one role, of which the last three share a call. */
const four: Program = {
  a: viewers(ADMINS),
  b: viewers(BILLING),
  c: viewers(CONTRACTORS),
  d: viewers(SUPPORT),
};
const OTHERS = [BILLING, CONTRACTORS, SUPPORT].sort();
const ALL = [ADMINS, ...OTHERS].sort();

const ownGroups = (engine: Engine) =>
  [...engine.state.values()].flatMap(({ outputs }) => outputs["groupIds"] as string[]).sort();

describe("created in one burst", () => {
  /** Of each role the first assignment has a call, and the others have one. */
  const twoCallsEach = (roles: string[], count: number) =>
    roles
      .flatMap((roleId, place) => {
        const [first = "", ...others] = groupIds(count).filter((_, i) => i % roles.length === place);
        return [post(roleId, [first]), post(roleId, others)];
      })
      .sort();

  test("50 assignments of 10 roles take 20 calls", async () => {
    const roles = roleIds(10);
    seedBurst(tenant, roles, 50);
    gate.hold(50, { first: 10, tokenMs: 2_000 });
    const engine = newEngine(50);

    await engine.up(burst(roles, 50));

    const [token, ...sent] = tenant.sent();
    expect(token).toBe(TOKEN);
    expect(sent.sort()).toEqual(twoCallsEach(roles, 50));
    expect(engine.state.size).toBe(50);
    expect((await engine.up(burst(roles, 50))).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  }, 60_000);

  test("500 assignments of 10 roles take 20 calls", async () => {
    const roles = roleIds(10);
    seedBurst(tenant, roles, 500);
    gate.hold(500, { first: 10, tokenMs: 6_000 });
    const engine = newEngine(500);

    await engine.up(burst(roles, 500));

    const [token, ...sent] = tenant.sent();
    expect(token).toBe(TOKEN);
    expect(sent.sort()).toEqual(twoCallsEach(roles, 500));
    expect(engine.state.size).toBe(500);
  }, 120_000);

  test("no call has more than 50 groups, and no assignment is split", async () => {
    const groups = manyGroups(120);
    tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }] });
    gate.hold(6);
    const slices = [0, 20, 40, 60, 80, 100].map((from) => groups.slice(from, from + 20));

    await newEngine().up(Object.fromEntries(slices.map((slice, i) => [`a${i}`, viewers(...slice)])));

    const together = [slices.slice(0, 1), slices.slice(1, 3), slices.slice(3, 5), slices.slice(5)];
    expect(tenant.sent()).toEqual([TOKEN, ...together.map((shared) => post(VIEWER, shared.flat()))]);
  });

  test("updates that only add join in; one that takes a group away, or is exclusive, does not", async () => {
    const groups = manyGroups(8);
    const [a, b, c, d, e, f, g, h] = groups as [string, ...string[]];
    tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }] });
    const engine = newEngine();
    await engine.up({ u: viewers(a), v: viewers(b as string, c as string) });
    tenant.sent();
    gate.hold(5);

    await engine.up({
      n1: viewers(d as string),
      n2: viewers(e as string),
      u: viewers(a, f as string),
      v: viewers(b as string, g as string),
      n3: viewers(h as string),
    });

    expect(tenant.sent()).toEqual([
      TOKEN,
      post(VIEWER, [d as string]),
      post(VIEWER, [e as string, f as string]),
      post(VIEWER, [g as string]),
      unassigned(c as string),
      post(VIEWER, [h as string]),
    ]);
  });

  test("an exclusive assignment has its own call, and none overtakes it", async () => {
    const groups = manyGroups(5);
    const [a, b, c, d, e] = groups as [string, string, string, string, string];
    tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }] });
    gate.hold(5);

    await newEngine().up({
      n1: viewers(a),
      n2: viewers(b),
      x: exactly(c),
      n3: viewers(d),
      n4: viewers(e),
    });

    expect(tenant.sent()).toEqual([
      TOKEN,
      // For the preview's line, which "up" shows as well.
      listed,
      post(VIEWER, [a]),
      post(VIEWER, [b]),
      listed,
      post(VIEWER, [c]),
      post(VIEWER, [d, e]),
    ]);
  });
});

describe("a shared call that is refused", () => {
  test("a group that does not exist fails its own assignment, and no other", async () => {
    gate.hold(4);
    const engine = newEngine();
    const program = { ...four, c: viewers(GHOST) };

    const { errors } = await failed(engine.up(program));

    expect(errors).toEqual([
      expect.stringMatching(`^c: POST ${groupsUrl(VIEWER)} answered 404: The group ${GHOST} does not exist`),
    ]);
    expect(errors.flatMap(groupsIn)).toEqual([GHOST]);
    expect(tenant.sent()).toEqual([
      TOKEN,
      assigned(ADMINS),
      post(VIEWER, [BILLING, GHOST, SUPPORT], 404),
      assigned(BILLING),
      post(VIEWER, [GHOST], 404),
      listed,
      assigned(SUPPORT),
    ]);
    expect([...engine.state.keys()].sort()).toEqual(["a", "b", "d"]);
    expect(ownGroups(engine)).toEqual([ADMINS, BILLING, SUPPORT].sort());

    await engine.up(four);
    expect(tenant.groupsOf(VIEWER)).toEqual(ALL);
  });

  test("a role that does not exist is named by the error of each", async () => {
    tenant.seed({ roles: [] });
    gate.hold(4);

    const engine = newEngine();
    const { errors } = await failed(engine.up(four));

    expect(errors).toHaveLength(4);
    for (const error of errors) expect(error).toMatch(/answered 404: The role does not exist/);
    expect(engine.state.size).toBe(0);
  });

  test("a service that takes fewer groups in one call, or none that has the role already", async () => {
    tenant.behave({ max_groups_per_call: 1, assign_assigned_group: "error" });
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });
    gate.hold(4);

    await newEngine().up(four);

    expect(tenant.groupsOf(VIEWER)).toEqual(ALL);
  });
});

describe("a shared call whose outcome is unknown", () => {
  test("the answer was lost: one look tells each that it is done", async () => {
    gate.hold(4);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, action: { drop: "after" } });
    const engine = newEngine();

    await engine.up(four);

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS), withStatus(0, post(VIEWER, OTHERS)), listed]);
    expect(ownGroups(engine)).toEqual(ALL);
    for (const { initErrors } of engine.state.values()) expect(initErrors).toEqual([]);
  });

  test("the request was lost: one look, and each does what is left of its own", async () => {
    gate.hold(4);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, action: { drop: "before" } });
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 3, action: { status: 403 } });
    const engine = newEngine();

    const { errors } = await failed(engine.up(four));

    expect(errors).toEqual([expect.stringMatching(/^c: POST .* answered 403/)]);
    expect(tenant.sent()).toEqual([
      TOKEN,
      assigned(ADMINS),
      `POST ${groupsUrl(VIEWER)} 0`,
      listed,
      assigned(BILLING),
      `POST ${groupsUrl(VIEWER)} 403`,
      listed,
      assigned(SUPPORT),
    ]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING, SUPPORT].sort());
    expect(ownGroups(engine)).toEqual(tenant.groupsOf(VIEWER));
  });

  test("nothing resolves it: each state has its own groups, and the next up finishes", async () => {
    gate.hold(4);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, action: { drop: "after" } });
    tenant.fail({ method: "GET", path: ROLE_GROUPS, action: { status: 403 } });
    const engine = newEngine();

    const { errors } = await failed(engine.up(four));

    expect(errors.map((error) => error.slice(0, 2)).sort()).toEqual(["b:", "c:", "d:"]);
    expect(ownGroups(engine)).toEqual(ALL);
    expect(engine.resource("c").outputs).toMatchObject({
      groupIds: [CONTRACTORS],
      unconfirmed: [CONTRACTORS],
    });
    expect(engine.resource("c").initErrors).toHaveLength(1);
    tenant.sent();

    // What is not wanted any more is taken back.
    await engine.up({ a: viewers(ADMINS), b: viewers(BILLING) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect((await engine.up({ a: viewers(ADMINS), b: viewers(BILLING) })).steps).toEqual([]);
  });
});

describe("a shared call that is not sent, or whose credentials are refused", () => {
  test("refused credentials: the first error tells all, and nothing more is sent", async () => {
    gate.hold(4);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, times: 9, action: { status: 401 } });
    const engine = newEngine();

    const { errors } = await failed(engine.up(four));

    const unauthorized = `POST ${groupsUrl(VIEWER)} 401`;
    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS), unauthorized, TOKEN, unauthorized]);
    expect(errors.sort()).toEqual([
      expect.stringMatching(/^b: POST .* answered 401.*The token was not accepted/),
      expect.stringMatching(/^c: POST .* was not sent: the tenant refused the credentials before/),
      expect.stringMatching(/^d: POST .* was not sent: the tenant refused the credentials before/),
    ]);
    expect([...engine.state.keys()]).toEqual(["a"]);
  });

  test("the run is cancelled: what is on its way is recorded, and what waits is not sent", async () => {
    tenant.fail({ method: "POST", path: ROLE_GROUPS, action: { delay: 1_500 } });
    gate.hold(4);
    const engine = newEngine();

    const run = failed(engine.up(four));
    // By the time of the token all are there. The first call is on its way then.
    while (tenant.simulator.requests().length === 0) await setTimeout(5);
    await setTimeout(500);
    await gate.host?.cancel();
    const { errors } = await run;

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS)]);
    expect(errors.sort()).toEqual(
      ["b", "c", "d"].map(
        (name) => `${name}: POST ${groupsUrl(VIEWER)} was not sent: the run was cancelled.`,
      ),
    );
    expect(ownGroups(engine)).toEqual(tenant.groupsOf(VIEWER));
  });
});

describe("secrets of one assignment are in no message of another", () => {
  const program = {
    ...four,
    c: assignment({ roleId: VIEWER, groupIds: [CONTRACTORS] }, { secrets: ["groupIds"] }),
  };

  test("when the service names all groups of a shared call", async () => {
    const message = `Could not give the role to ${ALL.join(", ")}`;
    gate.hold(4, { env: { IDENTITY_LOG: "json" } });
    tenant.fail({
      method: "POST",
      path: ROLE_GROUPS,
      after: 1,
      action: { status: 500, body: { statusCode: 500, error: "Internal Server Error", message } },
    });
    tenant.fail({ method: "GET", path: ROLE_GROUPS, action: { status: 403 } });
    const engine = newEngine();

    const { errors, messages, stderr } = await failed(engine.up(program));

    const named = Object.fromEntries(
      errors.map((error) => [error[0] ?? "", groupsIn(error).sort()] as const),
    );
    // Of those that share no call, all may be named.
    expect(named).toEqual({ b: [ADMINS, BILLING].sort(), c: [ADMINS], d: [ADMINS, SUPPORT].sort() });
    expect(messages.length).toBeGreaterThan(0);
    expect([...messages, stderr].join("\n")).not.toContain(CONTRACTORS);
  }, 60_000);

  test("when it is the one that is refused", async () => {
    gate.hold(4);
    const hidden = assignment({ roleId: VIEWER, groupIds: [GHOST] }, { secrets: ["groupIds"] });

    const { errors, messages, stderr } = await failed(newEngine().up({ ...four, c: hidden }));

    expect(errors).toEqual([
      expect.stringMatching(/^c: POST .* answered 404: The group \[secret\] does not exist/),
    ]);
    expect([...messages, stderr].join("\n")).not.toContain(GHOST);
  });
});

describe("destroyed in one burst", () => {
  /** The last that was made is the first to go, and the others share a call. */
  const FIRST_THREE = [ADMINS, BILLING, CONTRACTORS].sort();

  async function madeFour(): Promise<Engine> {
    const engine = newEngine();
    await engine.up(four);
    tenant.sent();
    gate.hold(4);
    return engine;
  }

  test("50 assignments of one role take two calls", async () => {
    const [roleId = ""] = roleIds(1);
    seedBurst(tenant, [roleId], 50);
    const engine = newEngine(50);
    await engine.up(burst([roleId], 50));
    tenant.sent();
    gate.hold(50, { tokenMs: 2_000 });

    await engine.destroy();

    const removed = (groups: string[]) => post(roleId, groups).replace("POST", "DELETE");
    expect(tenant.sent()).toEqual([
      TOKEN,
      removed(groupIds(50).slice(49)),
      removed(groupIds(50).slice(0, 49)),
    ]);
    expect(tenant.groupsOf(roleId)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  test("groups that do not have the role any more, where the service refuses them", async () => {
    tenant.behave({ remove_absent_group: "error" });
    const engine = await madeFour();
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [BILLING] });

    await engine.destroy();

    expect(tenant.sent()).toEqual([
      TOKEN,
      unassigned(SUPPORT),
      withStatus(404, unassigned(...FIRST_THREE)),
      unassigned(CONTRACTORS),
      withStatus(404, unassigned(BILLING)),
      listed,
      unassigned(ADMINS),
    ]);
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  test("a removal that is refused fails its own assignment, and no other", async () => {
    const engine = await madeFour();
    // The shared call, and then the one that the first of them has for itself.
    tenant.fail({ method: "DELETE", path: ROLE_GROUPS, after: 1, times: 2, action: { status: 409 } });

    const { errors } = await failed(engine.destroy({ continueOnError: true }));

    expect(errors).toEqual([expect.stringMatching(/^c: DELETE .* answered 409/)]);
    expect([...engine.state.keys()]).toEqual(["c"]);
    expect(tenant.groupsOf(VIEWER)).toEqual([CONTRACTORS]);
    await engine.destroy();
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });

  test("lost answers: one look tells each that it is done", async () => {
    const engine = await madeFour();
    // A removal is sent again by itself: all four attempts are lost.
    tenant.fail({ method: "DELETE", path: ROLE_GROUPS, after: 1, times: 4, action: { drop: "after" } });

    await engine.destroy();

    const lostRemoval = withStatus(0, unassigned(...FIRST_THREE));
    expect(tenant.sent()).toEqual([
      TOKEN,
      unassigned(SUPPORT),
      ...Array.from({ length: 4 }, () => lostRemoval),
      listed,
    ]);
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  test("a role that is gone is no failure of any", async () => {
    const engine = await madeFour();
    tenant.seed({ roles: [] });
    tenant.fail({ path: "/oauth/token*", action: { delay: 800 } });

    await engine.destroy();

    expect(engine.state.size).toBe(0);
  });

  test("more than the run may take away: nothing is sent", async () => {
    const engine = await madeFour();
    engine.config = { ...engine.config, "identity:maxRevocations": "3" };

    const { errors } = await failed(engine.destroy({ continueOnError: true }));

    expect(errors).toHaveLength(4);
    expect(tenant.sent()).toEqual([]);
    expect(tenant.groupsOf(VIEWER)).toEqual(ALL);
  });
});
