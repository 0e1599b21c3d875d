import { ADMINS, BILLING, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { exactly, viewers } from "../../testkit/assignments";
import { assignment, Engine, failed, organizationAssignment, profile, removal } from "../../testkit/engine";
import { wordsOf } from "../../testkit/facts";
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
    expect(messages.map(wordsOf).sort()).toEqual([
      `ConnectionProfile ${id}: ${tenant.host} doesn't show it, but this stack wrote it less than a minute ago, so state ` +
        "keeps it. Refresh again in a minute.",
      `role ${VIEWER}: the tenant doesn't list ${BILLING}, ${ADMINS}, but this stack wrote the assignment less ` +
        "than a minute ago, so state keeps it. Refresh again in a minute.",
    ]);
    // One more than for existing objects, for all that are gone.
    expect(tenant.sent().sort()).toEqual([
      "GET /connection-profiles 200",
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

  test("an exclusive update takes the role from a leaver that the list doesn't show", async () => {
    const engine = engineNow();
    await engine.up({ a: exactly(ADMINS) });
    tenant.reseed({ behaviour: LAGGING });
    await engine.up({ a: exactly(ADMINS, BILLING) });

    await engine.up({ a: exactly(SUPPORT, ADMINS) });

    expect(tenant.groupsOf(VIEWER)).toEqual([SUPPORT, ADMINS].sort());
  });

  describe("a group that has lost the role meanwhile, where the service answers 404", () => {
    const ACME = "org_5vJmTq8XbRz3kWcY";
    const organization = (...groups: string[]) => [{ id: ACME, name: "acme", groups }];
    const behaviour = { remove_absent_group: "error" } as const;

    beforeEach(() => tenant.reseed({ behaviour, organizations: organization(ADMINS, BILLING) }));

    test.each(["an update", "a destroy"])("is taken out without an error: %s", async (change) => {
      const engine = engineNow();
      await engine.up({ a: viewers(ADMINS, BILLING) });
      tenant.sent();
      await tenant.outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [ADMINS] });

      await (change === "a destroy" ? engine.destroy() : engine.up({ a: viewers(BILLING) }));

      expect(tenant.groupsOf(VIEWER)).toEqual(change === "a destroy" ? [] : [BILLING]);
    });

    test.each(["an update", "a destroy"])("or has left its organization: %s", async (change) => {
      const ordering = (...groupIds: string[]) =>
        organizationAssignment({ organizationId: ACME, roleId: VIEWER, groupIds });
      const engine = engineNow();
      await engine.up({ a: ordering(ADMINS, BILLING) });
      tenant.reseed({ behaviour, organizations: organization(BILLING) });

      await (change === "a destroy" ? engine.destroy() : engine.up({ a: ordering(BILLING) }));

      expect(engine.state.get("a")?.outputs["groupIds"]).toEqual(
        change === "a destroy" ? undefined : [BILLING],
      );
    });
  });

  test("a profile that is deleted outside: the error says to wait for a refresh to notice", async () => {
    const engine = engineNow();
    await engine.up(program);
    tenant.sent();
    await tenant.outside("DELETE", `/connection-profiles/${engine.resource("p").id}`);
    const renamed = { ...program, p: profile({ name: "b" }) };

    const { errors } = await failed(engine.up(renamed));

    expect(errors.join()).toMatch(
      /was deleted outside Pulumi: wait a minute, because this stack has just written it, and `pulumi up --refresh` makes it again\.$/,
    );
    engine.moment = Date.now() + MINUTE;
    expect((await engine.up(renamed, { refresh: true })).steps).toContain("create p");
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
  });
});
