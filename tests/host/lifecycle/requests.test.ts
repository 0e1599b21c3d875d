import { Engine, profile } from "../engine";
import { TOKEN, useTenant } from "../tenant";
import { profiles } from "./programs";

const tenant = useTenant();

describe("requests that resources share", () => {
  test("20 creates at once ask for one token", async () => {
    const engine = new Engine(tenant, { parallel: 20 });

    await engine.up(profiles(20));

    const sent = tenant.sent();
    expect(sent.filter((line) => line === TOKEN)).toHaveLength(1);
    expect(sent).toHaveLength(21);
    expect(tenant.profiles()).toHaveLength(20);
  });

  test("a given access token is used as it is", async () => {
    tenant.seed({ tokens: [{ access_token: "given", scope: "create:connection_profiles" }] });
    const config = { "identity:domain": tenant.url, "identity:accessToken": "given" };

    await new Engine(tenant, { config }).up({ p: profile({ name: "a" }) });

    expect(tenant.sent()).toEqual(['POST /connection-profiles {"name":"a"} 201']);
  });

  test.each([8, 32])(
    "a refresh of 25 profiles, %i at once, reads three pages of the list",
    async (parallel) => {
      const engine = new Engine(tenant, { parallel });
      await engine.up(profiles(25));
      tenant.sent();

      expect((await engine.refresh()).steps).toEqual([]);

      const sent = tenant.sent();
      expect(sent.filter((line) => !/^GET \/connection-profiles\?take=10\S* 200$/.test(line))).toEqual([
        TOKEN,
      ]);
      expect(sent).toHaveLength(4);
    },
  );

  test("a refresh of 200 profiles, 16 at once, reads the 20 pages of the list", async () => {
    tenant.seed({ connection_profiles: [] });
    const engine = new Engine(tenant, { parallel: 16 });
    await engine.up(profiles(200));
    tenant.sent();

    expect((await engine.refresh()).steps).toEqual([]);

    const sent = tenant.sent();
    expect(sent.filter((line) => !/^GET \/connection-profiles\?take=10\S* 200$/.test(line))).toEqual([TOKEN]);
    expect(sent).toHaveLength(21);
  });

  test("a refresh of 20 profiles among 600 lists five pages in vain, and no more", async () => {
    const others = Array.from({ length: 580 }, (_, i) => ({ name: `other ${i}` }));
    tenant.seed({ connection_profiles: others });
    const engine = new Engine(tenant, { parallel: 16 });
    await engine.up(profiles(20));
    tenant.sent();

    expect((await engine.refresh()).steps).toEqual([]);

    const sent = tenant.sent();
    expect(sent.filter((line) => line.includes("?take=10"))).toHaveLength(5);
    expect(sent).toHaveLength(26);
  });

  test("a refresh of one profile reads that one, however many others there are", async () => {
    tenant.seed({ connection_profiles: Array.from({ length: 40 }, (_, i) => ({ name: `other ${i}` })) });
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "a" }) });
    tenant.sent();

    await engine.refresh();

    expect(tenant.sent()).toEqual([TOKEN, `GET /connection-profiles/${engine.resource("p").id} 200`]);
  });

  test("a bulk refresh finds what is gone and what has drifted", async () => {
    const engine = new Engine(tenant);
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
