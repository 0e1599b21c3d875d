import { setTimeout } from "node:timers/promises";
import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
} from "../../simulator/default-seed";
import { assignment, Engine, failed, type Program } from "../engine";
import { Host } from "../host";
import { type Line, TOKEN, useTenant } from "../tenant";
import { burst, groupIds, groupsIn, holdBack, post, roleIds, seedBurst, together } from "./burst";
import { assigned, groupsUrl, listed, manyGroups, unassigned, viewers } from "./made";

/*
 * Assignments of one role that come in one burst share calls. In these tests nothing is sent before all of them are there:
 * the first of a role does not wait for others, so it has a call of its own, and the next call has the rest.
 */

const tenant = useTenant();
const ROLE_GROUPS = `*${groupsUrl(VIEWER)}`;
/** A group that the tenant does not have. */
const GHOST = "grp_9999999999999999zz";
const lost = (line: Line) => line.replace(/\d+$/, "0");

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
  test("50 assignments of 10 roles take 20 calls", async () => {
    const roles = roleIds(10);
    seedBurst(tenant, roles, 50);
    holdBack(tenant);
    const engine = new Engine(tenant, { parallel: 50 });

    await engine.up(burst(roles, 50));

    const groupsOf = (place: number) => groupIds(50).filter((_, i) => i % 10 === place);
    const expected = roles.flatMap((roleId, place) => {
      const [first = "", ...others] = groupsOf(place);
      return [post(roleId, [first]), post(roleId, others)];
    });
    const [token, ...sent] = tenant.sent();
    expect(token).toBe(TOKEN);
    expect(sent.sort()).toEqual(expected.sort());
    expect(engine.state.size).toBe(50);
    expect((await engine.up(burst(roles, 50))).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("500 assignments of 10 roles take at most 20 calls", async () => {
    const roles = roleIds(10);
    seedBurst(tenant, roles, 500);
    holdBack(tenant, 3_000);
    const engine = new Engine(tenant, { parallel: 500, ...together(500) });

    await engine.up(burst(roles, 500));

    const [token, ...sent] = tenant.sent();
    expect(token).toBe(TOKEN);
    expect(sent.length).toBeLessThanOrEqual(20);
    expect(sent.filter((line) => !/^POST .* 204$/.test(line))).toEqual([]);
    expect(sent.flatMap(groupsIn).sort()).toEqual(groupIds(500).sort());
    roles.forEach((roleId, place) => {
      expect(tenant.groupsOf(roleId)).toEqual(
        groupIds(500)
          .filter((_, i) => i % 10 === place)
          .sort(),
      );
    });
    expect(engine.state.size).toBe(500);
  }, 120_000);

  test("no call has more than 50 groups, and no assignment is split", async () => {
    const groups = manyGroups(120);
    tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }] });
    holdBack(tenant);
    const slices = [0, 20, 40, 60, 80, 100].map((from) => groups.slice(from, from + 20));

    await new Engine(tenant).up(Object.fromEntries(slices.map((slice, i) => [`a${i}`, viewers(...slice)])));

    const together = [slices.slice(0, 1), slices.slice(1, 3), slices.slice(3, 5), slices.slice(5)];
    expect(tenant.sent()).toEqual([TOKEN, ...together.map((shared) => post(VIEWER, shared.flat()))]);
  });

  test("updates that only add join in; one that takes a group away, or is exclusive, does not", async () => {
    const groups = manyGroups(8);
    const [a, b, c, d, e, f, g, h] = groups as [string, ...string[]];
    tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }] });
    const engine = new Engine(tenant);
    await engine.up({ u: viewers(a), v: viewers(b as string, c as string) });
    tenant.sent();
    holdBack(tenant);

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

  test("an exclusive assignment shares nothing", async () => {
    const roles = roleIds(2);
    seedBurst(tenant, roles, 2);
    const groups = groupIds(2);
    const engine = new Engine(tenant);

    await engine.up(
      Object.fromEntries(
        roles.map((roleId, i) => [
          `x${i}`,
          assignment({ roleId, groupIds: [groups[i] as string], exclusive: true }),
        ]),
      ),
    );

    expect(
      tenant
        .sent()
        .filter((line) => line.startsWith("POST"))
        .sort(),
    ).toEqual(roles.map((roleId, i) => post(roleId, [groups[i] as string])).sort());
  });
});

describe("a shared call that is refused", () => {
  test("a group that does not exist fails its own assignment, and no other", async () => {
    holdBack(tenant);
    const engine = new Engine(tenant);
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
    holdBack(tenant);

    const engine = new Engine(tenant);
    const { errors } = await failed(engine.up(four));

    expect(errors).toHaveLength(4);
    for (const error of errors) expect(error).toMatch(/answered 404: The role does not exist/);
    expect(engine.state.size).toBe(0);
  });

  test("a service that takes fewer groups in one call, or none that has the role already", async () => {
    tenant.behave({ max_groups_per_call: 1, assign_assigned_group: "error" });
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });
    holdBack(tenant);

    await new Engine(tenant).up(four);

    expect(tenant.groupsOf(VIEWER)).toEqual(ALL);
  });
});

describe("a shared call whose outcome is unknown", () => {
  test("the answer was lost: one look tells each that it is done", async () => {
    holdBack(tenant);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, action: { drop: "after" } });
    const engine = new Engine(tenant);

    await engine.up(four);

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS), lost(post(VIEWER, OTHERS)), listed]);
    expect(ownGroups(engine)).toEqual(ALL);
    for (const { initErrors } of engine.state.values()) expect(initErrors).toEqual([]);
  });

  test("the request was lost: one look, and each does what is left of its own", async () => {
    holdBack(tenant);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, action: { drop: "before" } });
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 3, action: { status: 403 } });
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up(four));

    expect(errors).toEqual([expect.stringMatching(/^c: POST .* answered 403/)]);
    expect(tenant.sent()).toEqual([
      TOKEN,
      assigned(ADMINS),
      `POST ${groupsUrl(VIEWER)} 0`,
      listed,
      assigned(BILLING),
      `POST ${groupsUrl(VIEWER)} 403`,
      assigned(SUPPORT),
    ]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING, SUPPORT].sort());
    expect(ownGroups(engine)).toEqual(tenant.groupsOf(VIEWER));
  });

  test("nothing resolves it: each state has its own groups, and the next up finishes", async () => {
    holdBack(tenant);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, action: { drop: "after" } });
    tenant.fail({ method: "GET", path: ROLE_GROUPS, action: { status: 403 } });
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up(four));

    expect(errors.map((error) => error.slice(0, 2)).sort()).toEqual(["b:", "c:", "d:"]);
    expect(ownGroups(engine)).toEqual(ALL);
    expect(engine.resource("c").outputs).toMatchObject({
      groupIds: [CONTRACTORS],
      unconfirmed: [CONTRACTORS],
    });
    expect(engine.resource("c").initErrors).toHaveLength(1);
    tenant.sent();
    holdBack(tenant);

    // What is not wanted any more is taken back.
    await engine.up({ a: viewers(ADMINS), b: viewers(BILLING) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect((await engine.up({ a: viewers(ADMINS), b: viewers(BILLING) })).steps).toEqual([]);
  });
});

describe("a shared call that is not sent, or whose credentials are refused", () => {
  test("refused credentials: the first error tells all, and nothing more is sent", async () => {
    holdBack(tenant);
    tenant.fail({ method: "POST", path: ROLE_GROUPS, after: 1, times: 9, action: { status: 401 } });
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up(four));

    const refused = `POST ${groupsUrl(VIEWER)} 401`;
    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS), refused, TOKEN, refused]);
    expect(errors).toEqual([
      expect.stringMatching(/^b: POST .* answered 401.*The token was not accepted/),
      expect.stringMatching(/^c: POST .* was not sent: the tenant refused the credentials before/),
      expect.stringMatching(/^d: POST .* was not sent: the tenant refused the credentials before/),
    ]);
    expect([...engine.state.keys()]).toEqual(["a"]);
  });

  test("the run is cancelled: what is on its way is recorded, and what waits is not sent", async () => {
    tenant.fail({ method: "POST", path: ROLE_GROUPS, action: { delay: 1_500 } });
    let host: Host | undefined;
    const engine = new Engine(tenant, { startHost: async () => (host = await Host.warm()) });

    const run = failed(engine.up(four));
    // The token is asked for by the first assignment; the others are there long before the answer to its call.
    while (tenant.simulator.requests().length === 0) await setTimeout(5);
    await setTimeout(700);
    await host?.cancel();
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
    holdBack(tenant);
    tenant.fail({
      method: "POST",
      path: ROLE_GROUPS,
      after: 1,
      action: { status: 500, body: { statusCode: 500, error: "Internal Server Error", message } },
    });
    tenant.fail({ method: "GET", path: ROLE_GROUPS, action: { status: 403 } });
    const engine = new Engine(tenant, { env: { IDENTITY_LOG: "json" } });

    const { errors, messages, stderr } = await failed(engine.up(program));

    const named = Object.fromEntries(errors.map((error) => [error[0], groupsIn(error)]));
    // Of those that share no call, all may be named.
    expect(named).toEqual({ b: [ADMINS, BILLING], c: [ADMINS], d: [ADMINS, SUPPORT] });
    expect(messages.length).toBeGreaterThan(0);
    expect([...messages, stderr].join("\n")).not.toContain(CONTRACTORS);
  }, 60_000);

  test("when it is the one that is refused", async () => {
    holdBack(tenant);
    const hidden = assignment({ roleId: VIEWER, groupIds: [GHOST] }, { secrets: ["groupIds"] });

    const { errors, messages, stderr } = await failed(new Engine(tenant).up({ ...four, c: hidden }));

    expect(errors).toEqual([
      expect.stringMatching(/^c: POST .* answered 404: The group \[secret\] does not exist/),
    ]);
    expect([...messages, stderr].join("\n")).not.toContain(GHOST);
  });
});

describe("destroyed in one burst", () => {
  const removal = /^DELETE .* 204$/;

  test("50 assignments of one role take at most two calls", async () => {
    const [roleId = ""] = roleIds(1);
    seedBurst(tenant, [roleId], 50);
    const engine = new Engine(tenant, { parallel: 50 });
    await engine.up(burst([roleId], 50));
    tenant.sent();
    holdBack(tenant);

    await engine.destroy();

    const [token, ...sent] = tenant.sent();
    expect(token).toBe(TOKEN);
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(sent.filter((line) => !removal.test(line))).toEqual([]);
    expect(sent.flatMap(groupsIn).sort()).toEqual(groupIds(50).sort());
    expect(tenant.groupsOf(roleId)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  async function madeFour(): Promise<Engine> {
    const engine = new Engine(tenant);
    await engine.up(four);
    tenant.sent();
    holdBack(tenant);
    return engine;
  }

  test("groups that do not have the role any more, where the service refuses them", async () => {
    tenant.behave({ remove_absent_group: "error" });
    const engine = await madeFour();
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [BILLING, SUPPORT] });

    await engine.destroy();

    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  test("a removal that is refused fails its own assignment, and no other", async () => {
    const engine = await madeFour();
    // The shared calls, and then the one of the first that tries alone.
    tenant.fail({ method: "DELETE", path: ROLE_GROUPS, times: 3, action: { status: 409 } });

    const { errors } = await failed(engine.destroy({ continueOnError: true }));

    expect(errors.length).toBeLessThan(4);
    expect(ownGroups(engine)).toEqual(tenant.groupsOf(VIEWER));
    await engine.destroy();
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });

  test("lost answers are resolved by looking", async () => {
    const engine = await madeFour();
    // Removals are sent again by themselves: four times are lost for good.
    tenant.fail({ method: "DELETE", path: ROLE_GROUPS, times: 4, action: { drop: "after" } });

    await engine.destroy();

    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.state.size).toBe(0);
    expect(tenant.sent().filter((line) => line === listed).length).toBeLessThanOrEqual(1);
  });

  test("a role that is gone is no failure of any", async () => {
    const engine = await madeFour();
    tenant.seed({ roles: [] });

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
