import { Engine } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { profiles } from "../../../testkit/programs";

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

  test("a refresh of 25 profiles reads three pages of the list", async () => {
    const engine = new Engine(tenant, { parallel: 8 });
    await engine.up(profiles(25));
    tenant.sent();

    expect((await engine.refresh()).steps).toEqual([]);

    const sent = tenant.sent();
    expect(sent.filter((line) => !/^GET \/connection-profiles\?take=10\S* 200$/.test(line))).toEqual([TOKEN]);
    expect(sent).toHaveLength(4);
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
