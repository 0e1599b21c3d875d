import { type Fault } from "../../simulator";
import { ADMINS, BILLING, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { exactly, viewers } from "../../testkit/assignments";
import { assignment, Engine, failed, profile, type Program, removal } from "../../testkit/engine";
import { profiles } from "../../testkit/programs";
import { TOKEN, useTenant } from "../../testkit/tenant";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { type EngineOptions } from "../../testkit/engine";

/* What a run finds on the tenant, and what it keeps in state all the same. */

const tenant = useTenant();
catchLines();

const engineOf = (options: EngineOptions = {}) => new Engine(tenant, { startHost: inProcess, ...options });

describe("objects that are all gone: with another tenant's token, the service answers 404 for each in its own words", () => {
  const profiles = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, profile({ name: `profile ${i}` })]));

  async function withProfiles(count: number, more = {}): Promise<Engine> {
    const engine = engineOf();
    await engine.up({ ...profiles(count), ...more });
    return engine;
  }

  test.each([3, 20])(
    "a refresh that finds none of %i objects keeps them, and says what to check",
    async (count) => {
      const engine = await withProfiles(count, { removal: removal("dcr_1") });
      const before = [...engine.state];
      tenant.seed({ connection_profiles: [] });

      const { errors } = await failed(engine.refresh());

      expect([...engine.state]).toEqual(before);
      expect(errors).toHaveLength(count);
      expect(errors[0]).toMatch(
        new RegExp(
          `^p\\d+: It is not on ${tenant.host}, and neither is anything else that this run has looked for so far, so ` +
            "state keeps it\\. Check that the credentials are this tenant's",
        ),
      );
    },
  );

  test("one or two objects that are gone are an ordinary loss", async () => {
    const engine = await withProfiles(2);
    tenant.seed({ connection_profiles: [] });
    await engine.refresh();
    expect(engine.state.size).toBe(0);
  });

  test("many that are gone are believed beside one that is there, of whatever kind", async () => {
    const engine = await withProfiles(5, { a: assignment({ roleId: VIEWER, groupIds: [ADMINS] }) });
    tenant.seed({ connection_profiles: [], roles: [{ id: VIEWER, groups: [ADMINS] }] });
    await engine.refresh();
    expect([...engine.state.keys()]).toEqual(["a"]);
  });

  test("one after the other can be refreshed, as the message says", async () => {
    const engine = await withProfiles(3);
    tenant.seed({ connection_profiles: [] });
    for (const name of ["p0", "p1", "p2"]) await engine.refresh({ target: [name] });
    expect(engine.state.size).toBe(0);
  });

  test("a destroy accepts that everything is gone, as after one that was killed", async () => {
    const engine = await withProfiles(3, {
      a: assignment({ roleId: VIEWER, groupIds: [ADMINS] }),
      removal: removal("dcr_1"),
    });
    tenant.seed({ connection_profiles: [], roles: [{ id: VIEWER, groups: [] }] });
    await engine.destroy();
    expect(engine.state.size).toBe(0);
  });
});

describe("reads that lag behind writes: after each one, `read_lag` reads still show the old values", () => {
  const LAGGING = { read_lag: 100 };
  const MINUTE = 60_000;

  const program = { p: profile({ name: "a" }), a: viewers(ADMINS, BILLING) };

  /** Runs without pauses in between. */
  const engineNow = () => engineOf({ isNextAtOnce: true });

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
      `role ${VIEWER}: the tenant doesn't list ${BILLING}, ${ADMINS}, but this stack wrote the assignment less ` +
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
    await tenant.outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [ADMINS] });

    // With or without a refresh in between.
    expect((await engine.refresh()).steps).toEqual([]);
    engine.moment = Date.now() + MINUTE;
    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds", "gone p"]);
  });

  test("a part of the groups that is not shown yet is kept with the others", async () => {
    const engine = engineNow();
    await engine.up({ a: viewers(ADMINS) });
    tenant.reseed({ behaviour: LAGGING });
    await engine.up({ a: viewers(ADMINS, BILLING) });

    const { steps, messages } = await engine.refresh();

    expect(steps).toEqual([]);
    expect(messages).toEqual([expect.stringContaining(`doesn't list ${BILLING}, but`)]);
  });

  test("an exclusive update takes the role from a leaver that the list doesn't show", async () => {
    const engine = engineNow();
    await engine.up({ a: exactly(ADMINS) });
    tenant.reseed({ behaviour: LAGGING });
    await engine.up({ a: exactly(ADMINS, BILLING) });

    await engine.up({ a: exactly(SUPPORT, ADMINS) });

    expect(tenant.groupsOf(VIEWER)).toEqual([SUPPORT, ADMINS].sort());
  });

  test("a removal whose answer is lost is sent again, whatever the list shows", async () => {
    const engine = engineNow();
    await engine.up({ a: viewers(ADMINS, BILLING) });
    tenant.sent();
    const path = `*/roles/${VIEWER}/groups`;
    const stale = { method: "GET", path, action: { status: 200, body: { groups: [] } } };
    tenant.fail({ method: "DELETE", path, action: { status: 500 } }, stale);

    await engine.up({ a: viewers(BILLING) });

    expect(tenant.groupsOf(VIEWER)).toEqual([BILLING]);
    expect(tenant.sent().filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
  });

  describe("a removal that the service refuses, while its list lacks the group", () => {
    const path = `*/roles/${VIEWER}/groups`;
    const refused = { method: "DELETE", path, action: { status: 400 } };
    const stale = { method: "GET", path, times: 2, action: { status: 200, body: { groups: [] } } };

    test.each(["an update", "a destroy"])("isn't done where the list may lag: %s", async (change) => {
      const engine = engineNow();
      await engine.up({ a: viewers(ADMINS, BILLING) });
      tenant.fail({ ...refused, times: 4 }, stale);

      const { errors } = await failed(
        change === "a destroy" ? engine.destroy() : engine.up({ a: viewers(BILLING) }),
      );

      expect(errors).toEqual([
        expect.stringMatching(/^a: Groups? .*grp_.* still ha(s|ve) the role: .*Run this again/),
      ]);
      expect(engine.resource("a").outputs["groupIds"]).toEqual([ADMINS, BILLING].sort());
      tenant.reseed({});
      tenant.sent();
      await engine.destroy();
      expect(tenant.groupsOf(VIEWER)).toEqual([]);
    });

    test("is done a minute later, when the list has caught up", async () => {
      const engine = engineOf();
      await engine.up({ a: viewers(ADMINS, BILLING) });
      tenant.sent();
      await tenant.outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [ADMINS] });
      tenant.fail(refused);

      expect((await engine.up({ a: viewers(BILLING) })).errors).toEqual([]);
      expect(engine.resource("a").outputs["groupIds"]).toEqual([BILLING]);
    });
  });
});

describe("two faults in a row: nothing leaves state unless the service itself says that this object doesn't exist", () => {
  /* tests/faults draws others. */

  const HTML = { "content-type": "text/html" };
  const GATEWAY: Fault["action"] = { status: 504, headers: HTML, body: "<h1>Gateway</h1>" };
  const NOT_FOUND: Fault["action"] = { status: 404 };
  const PAIRS: [string, Fault["action"], Fault["action"]][] = [
    ["504 as HTML, then 404", GATEWAY, NOT_FOUND],
    ["503, then 404 as HTML", { status: 503 }, { status: 404, headers: HTML, body: "<h1>Not found</h1>" }],
  ];

  const several = (): Program =>
    Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, profile({ name })]));

  async function refreshed(program: Program, path: string, first: Fault["action"], last: Fault["action"]) {
    const engine = engineOf();
    await engine.up(program);
    tenant.clear();
    tenant.fail({ method: "GET", path, action: first }, { method: "GET", path, action: last });
    const run = await engine
      .refresh()
      .catch((error: unknown) => (error as { run: { errors: string[] } }).run);
    return { state: [...engine.state.keys()].sort(), errors: run.errors };
  }

  describe("the list of all profiles", () => {
    test.each(PAIRS)("%s: every profile stays in state", async (_, first, last) => {
      const { state } = await refreshed(several(), "/api/v2/connection-profiles", first, last);
      expect(state).toEqual(["a", "b", "c", "d"]);
    });

    test("the 404 of the list after an answer that was lost is the error of each", async () => {
      const engine = engineOf();
      await engine.up(several());
      tenant.clear();
      tenant.fail(
        { method: "GET", action: { drop: "before" } },
        { method: "GET", times: 100, action: { status: 404 } },
      );
      const { errors } = await failed(engine.refresh());
      expect(errors.length).toBeGreaterThan(0);
      for (const error of errors)
        expect(error).toMatch(/answered 404.* names no object that could be missing/);
      expect([...engine.state.keys()].sort()).toEqual(["a", "b", "c", "d"]);
    });
  });

  describe.each([
    ["a profile", { a: profile({ name: "a" }) }, "/api/v2/connection-profiles/*"],
    ["the groups of a role", { a: assignment({ roleId: VIEWER, groupIds: [ADMINS] }) }, "/api/v2/roles/*"],
  ])("%s itself", (_, program: Program, path) => {
    test.each(PAIRS)("%s", async (_, first, last) => {
      const { state, errors } = await refreshed(program, path, first, last);
      // The service says, in its own words, that the object is gone.
      const isGone = last === NOT_FOUND;
      expect(state).toEqual(isGone ? [] : ["a"]);
      expect(errors).toHaveLength(isGone ? 0 : 1);
    });
  });
});

describe("requests that resources share", () => {
  test("20 creates at once ask for one token", async () => {
    const engine = engineOf({ parallel: 20 });

    await engine.up(profiles(20));

    const sent = tenant.sent();
    expect(sent.filter((line) => line === TOKEN)).toHaveLength(1);
    expect(sent).toHaveLength(21);
    expect(tenant.profiles()).toHaveLength(20);
  });

  test("a refresh of 25 profiles reads three pages of the list", async () => {
    const engine = engineOf({ parallel: 8 });
    await engine.up(profiles(25));
    tenant.sent();

    expect((await engine.refresh()).steps).toEqual([]);

    const sent = tenant.sent();
    expect(sent.filter((line) => !/^GET \/connection-profiles\?take=10\S* 200$/.test(line))).toEqual([TOKEN]);
    expect(sent).toHaveLength(4);
  });

  test("a bulk refresh finds what is gone and what has drifted", async () => {
    const engine = engineOf();
    await engine.up(profiles(12));
    tenant.sent();
    await tenant.outside("DELETE", `/connection-profiles/${engine.resource("p3").id}`);
    await tenant.outside("PATCH", `/connection-profiles/${engine.resource("p7").id}`, { name: "meddled" });

    expect((await engine.refresh()).steps.sort()).toEqual(["drift p7: name", "gone p3"]);

    await engine.up(profiles(12));
    expect(
      tenant
        .profiles()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Array.from({ length: 12 }, (_, i) => `profile ${i}`).sort());
  });
});
