import { Engine, failed, profile } from "../../../testkit/engine";
import { json, TOKEN, useTenant } from "../../../testkit/tenant";
import { made } from "./made";

const tenant = useTenant();

describe("missing scopes", () => {
  test("create: names the scope and shows how to adopt", async () => {
    tenant.withoutScopes("create:connection_profiles");
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ p: profile({ name: "a" }) }));

    expect(errors).toEqual([expect.stringContaining("create:connection_profiles")]);
    expect(errors[0]).toContain("adopt:");
    expect(engine.state.size).toBe(0);
  });
});

describe("a profile that was deleted outside Pulumi", () => {
  test("a change says that a refresh makes it again, and it does", async () => {
    const { engine, id, url } = await made(tenant, { name: "a" });
    await tenant.outside("DELETE", url);

    const { errors } = await failed(engine.up({ p: profile({ name: "b" }) }));

    const advice = `Connection profile ${id} was deleted outside Pulumi: \`pulumi up --refresh\` makes it again.`;
    expect(errors).toEqual([expect.stringMatching(/^p: PATCH .* answered 404/)]);
    expect(errors[0]?.slice(-advice.length)).toBe(advice);
    await engine.up({ p: profile({ name: "b" }) }, { refresh: true });
    expect(tenant.profiles()).toMatchObject([{ id: engine.resource("p").id, name: "b" }]);
    expect(engine.resource("p").id).not.toBe(id);
  });

  test("one that was adopted can be made again once the program no longer adopts it", async () => {
    await tenant.outside("POST", "/connection-profiles", { name: "a" });
    const id = String(tenant.profiles()[0]?.["id"]);
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "a", adopt: id }) });
    tenant.sent();
    await tenant.outside("DELETE", `/connection-profiles/${id}`);

    const { errors } = await failed(engine.up({ p: profile({ name: "b", adopt: id }) }));

    expect(errors[0]).toContain("take adopt out of the program; then `pulumi up --refresh` makes it again.");
    await engine.up({ p: profile({ name: "b" }) }, { refresh: true });
    expect(tenant.profiles()).toMatchObject([{ id: engine.resource("p").id, name: "b" }]);
  });
});

describe("failures half-way", () => {
  test("a create that may have found what was there before counts as adopted, and says so", async () => {
    await tenant.outside("POST", "/connection-profiles", { name: "mine" });
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { drop: "before" } });

    const { messages } = await engine.up({ p: profile({ name: "mine" }) });

    expect(messages.join("\n")).toContain("counts as adopted");
    await engine.destroy();
    expect(tenant.profiles()).toHaveLength(1);
  });

  test("an update whose answer was lost, and that can't be looked up, is looked at by the next up", async () => {
    const { engine, id, url } = await made(tenant, { name: "a" });
    tenant.fail({ method: "PATCH", path: "*", action: { drop: "after" } });
    tenant.fail({ method: "GET", path: "*/connection-profiles/*", times: 4, action: { status: 503 } });
    await failed(engine.up({ p: profile({ name: "b" }) }));
    tenant.sent();

    // Back to the state's values, which are no longer on the tenant.
    await engine.up({ p: profile({ name: "a" }) });
    expect(tenant.profile(id)).toMatchObject({ name: "a" });
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${json({ name: "a" })} 200`]);
    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual([]);
  });

  test("an update that is lost twice is looked at by the next up", async () => {
    const { engine, id, url } = await made(tenant, { name: "a" });
    tenant.fail({ method: "PATCH", path: "*", action: { drop: "before" } });
    tenant.fail({ method: "PATCH", path: "*", after: 1, action: { drop: "after" } });

    const { errors } = await failed(engine.up({ p: profile({ name: "b" }) }));

    expect(errors).toEqual([expect.stringContaining("the connection broke before an answer came")]);
    expect(tenant.profile(id)).toMatchObject({ name: "b" });
    tenant.sent();
    // Back to the state's values, which are no longer on the tenant.
    await engine.up({ p: profile({ name: "a" }) });
    expect(tenant.profile(id)).toMatchObject({ name: "a" });
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${json({ name: "a" })} 200`]);
  });

  test("an update whose answer was lost, which a look comes too early for, and which is then refused is looked at by the next up", async () => {
    const { engine, id, url } = await made(tenant, { name: "a" });
    tenant.reseed({ behaviour: { read_lag: 1 } });
    tenant.fail({ method: "PATCH", path: "*", action: { drop: "after" } });
    tenant.fail({ method: "PATCH", path: "*", after: 1, action: { status: 403 } });

    await failed(engine.up({ p: profile({ name: "b" }) }));

    expect(tenant.profile(id)).toMatchObject({ name: "b" });
    tenant.sent();
    await engine.up({ p: profile({ name: "a" }) });
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${json({ name: "a" })} 200`]);
  });

  test("an update whose answer was lost is not repeated when the look shows that it was done", async () => {
    const { engine, url } = await made(tenant, { name: "a" });
    tenant.fail({ method: "PATCH", path: "*", action: { drop: "after" } });

    // A value that the program did not own before.
    await engine.up({ p: profile({ name: "a", connectionNamePrefixTemplate: "x-{org_id}" }) });

    const sent = tenant.sent();
    expect(sent.filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
    expect(sent.at(-1)).toBe(`GET ${url} 200`);
  });

  test("a create that is refused leaves nothing in the state, and the next up creates", async () => {
    const engine = new Engine(tenant);
    const program = { p: profile({ name: "a" }) };
    tenant.fail({ method: "POST", path: "*/connection-profiles", action: { status: 400 } });

    const { errors } = await failed(engine.up(program));

    expect(errors).toEqual([expect.stringMatching(/^p: POST \/connection-profiles answered 400/)]);
    expect(engine.state.size).toBe(0);
    expect(tenant.sent()).toEqual([TOKEN, "POST /connection-profiles 400"]);
    expect((await engine.up(program)).steps).toEqual(["create p"]);
  });
});
