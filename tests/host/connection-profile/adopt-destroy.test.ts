import { Engine, failed, profile } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { full, made } from "./made";

const tenant = useTenant();

describe("adopt", () => {
  const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  const url = `/connection-profiles/${id}`;
  beforeEach(() =>
    tenant.seed({ connection_profiles: [{ id, name: "theirs", enabled_features: ["scim"] }] }),
  );

  test("previews what changes, changes only that, and leaves the profile on destroy", async () => {
    const engine = new Engine(tenant);
    const program = { p: profile({ name: "ours", adopt: id }) };

    const { messages } = await engine.preview(program);
    expect(messages).toEqual([
      expect.stringMatching(new RegExp(`${id}.*"theirs".*changes name: "theirs" → "ours"`)),
    ]);
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`]);

    await engine.up(program);
    expect(engine.resource("p").id).toBe(id);
    expect(tenant.sent().filter((line) => !line.startsWith("GET"))).toEqual([
      TOKEN,
      `PATCH ${url} {"name":"ours"} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ name: "ours", enabled_features: ["scim"] });
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);

    const destroyed = await engine.destroy();
    expect(destroyed.messages).toEqual([expect.stringContaining("adopted")]);
    expect(tenant.sent()).toEqual([]);
    expect(tenant.profile(id)).toMatchObject({ name: "ours" });
  });

  test("of a profile that is already as wanted writes nothing", async () => {
    const engine = new Engine(tenant);

    await engine.up({ p: profile({ name: "theirs", adopt: id }) });

    expect(tenant.sent().filter((line) => /PATCH|POST/.test(line))).toEqual([]);
  });

  test("with deleteOnDestroy: true deletes the profile on destroy", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "theirs", adopt: id, deleteOnDestroy: true }) });
    tenant.sent();

    await engine.destroy();

    expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url} 204`]);
  });

  test("removing the argument afterwards is no change, not even in the preview, and keeps the profile on destroy", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "theirs", adopt: id }) });
    tenant.sent();

    const without = { p: profile({ name: "theirs" }) };
    expect((await engine.preview(without)).steps).toEqual([]);
    expect((await engine.up(without)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
    expect((await engine.preview({ p: profile({ name: "theirs", adopt: id }) })).steps).toEqual([]);
    expect((await engine.preview(without)).steps).toEqual([]);
    tenant.sent();
    await engine.destroy();

    expect(tenant.sent()).toEqual([]);
    expect(tenant.profile(id)).toBeDefined();
  });

  test("of another profile than before replaces: the first one is left as it is", async () => {
    const other = "cop_7RkWd3nXp8MbQs5T2vLcHy";
    tenant.seed({
      connection_profiles: [
        { id, name: "theirs" },
        { id: other, name: "other" },
      ],
    });
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "ours", adopt: id }) });
    tenant.sent();

    const { steps } = await engine.up({ p: profile({ name: "another", adopt: other }) });

    expect(steps).toEqual(["replace p: adopt, name", "delete replaced p"]);
    expect(engine.resource("p").id).toBe(other);
    expect(tenant.sent().filter((line) => !line.startsWith("GET"))).toEqual([
      TOKEN,
      `PATCH /connection-profiles/${other} {"name":"another"} 200`,
    ]);
    expect(tenant.profiles().map(({ name }) => name)).toEqual(["ours", "another"]);
  });

  test("of an id that does not exist is refused at preview", async () => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.preview({ p: profile({ name: "a", adopt: "cop_doesNotExist" }) }));

    expect(errors).toEqual([expect.stringContaining("cop_doesNotExist")]);
  });

  test("moving a profile from one resource to another does not delete it", async () => {
    const engine = new Engine(tenant);
    await engine.up({ before: profile({ name: "theirs", adopt: id, deleteOnDestroy: true }) });

    await engine.up({ after: profile({ name: "theirs", adopt: id, deleteOnDestroy: true }) });

    expect(tenant.profile(id)).toBeDefined();
    expect([...engine.state.keys()]).toEqual(["after"]);
  });

  test("that fails, of a profile whose former resource goes in the same run: the profile stays for the next one", async () => {
    const engine = new Engine(tenant);
    await engine.up({ before: profile({ name: "theirs", adopt: id, deleteOnDestroy: true }) });
    tenant.sent();
    tenant.fail({ method: "PATCH", path: "*", action: { status: 403 } });
    const program = { after: profile({ name: "ours", adopt: id }) };

    const { errors, messages } = await failed(engine.up(program, { continueOnError: true }));

    expect(errors).toEqual([expect.stringMatching(new RegExp(`^after: PATCH ${url} answered 403`))]);
    expect(messages).toContain(`Connection profile ${id} stays: "after" adopts it.`);
    expect(tenant.sent().filter((line) => !line.startsWith("GET"))).toEqual([TOKEN, `PATCH ${url} 403`]);
    expect([...engine.state.keys()]).toEqual([]);
    expect(tenant.profile(id)).toMatchObject({ name: "theirs" });

    await engine.up(program);
    expect([...engine.state.keys()]).toEqual(["after"]);
    expect(tenant.profile(id)).toMatchObject({ name: "ours" });
  });

  test("is what a name conflict leads to", async () => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ p: profile({ name: "theirs" }) }));

    expect(errors).toEqual([expect.stringMatching(/answered 409/)]);
    expect(errors[0]).toContain(`adopt: "${id}"`);
  });
});

describe("destroy", () => {
  test("deletes the profile", async () => {
    const { engine, url } = await made(tenant, full);

    expect((await engine.destroy()).steps).toEqual(["delete p"]);

    expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url} 204`]);
    expect(tenant.profiles()).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  test.each([404, 204] as const)(
    "of a profile that is gone is done, where the service answers %i",
    async (status) => {
      tenant.behave({ delete_unknown_profile: status });
      const { engine, url } = await made(tenant, { name: "a" });
      await tenant.outside("DELETE", url);

      await engine.destroy();

      expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url} ${status}`]);
      expect(engine.state.size).toBe(0);
    },
  );

  test("that is refused keeps the resource in the state", async () => {
    const { engine, url } = await made(tenant, { name: "a" });
    tenant.fail({ method: "DELETE", path: "*", action: { status: 403 } });

    const { errors } = await failed(engine.destroy());

    expect(errors).toEqual([expect.stringContaining(`DELETE ${url} answered 403`)]);
    expect(errors[0]).toContain("delete:connection_profiles");
    expect(engine.resource("p").outputs).toMatchObject({ name: "a" });
  });

  test("leaves the profile in place with deleteOnDestroy: false, and says so", async () => {
    const { engine, id } = await made(tenant, { name: "a", deleteOnDestroy: false });

    const { messages } = await engine.destroy();

    expect(tenant.sent()).toEqual([]);
    expect(messages).toEqual([expect.stringContaining(`${id} stays`)]);
    expect(tenant.profile(id)).toBeDefined();
  });

  test("turning deleteOnDestroy on or off sends nothing", async () => {
    const { engine } = await made(tenant, { name: "a", deleteOnDestroy: false });

    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual(["update p: deleteOnDestroy"]);

    expect(tenant.sent()).toEqual([]);
    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual([]);
  });
});
