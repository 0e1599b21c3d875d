import { providerText } from "../../../provider/pulumi/hidden-inputs";
import { GROUP_ADMINS, OTHER_ROLE_ID } from "../../../simulator/default-seed";
import { Engine } from "../../../testkit/engine";
import { Host } from "../../../testkit/hosts/host";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { oneOfEach } from "../../../testkit/programs";

const tenant = useTenant();

describe("one resource of each kind", () => {
  test("its whole life", async () => {
    const engine = new Engine(tenant);

    await engine.preview(oneOfEach);
    expect(tenant.sent()).toEqual([]);
    await engine.up(oneOfEach);
    expect(tenant.sent().sort()).toEqual([
      "DELETE /device-credentials/dcr_6XnTb4kWq9ZpHs2V 204",
      'POST /connection-profiles {"enabled_features":["scim"],"name":"enterprise"} 201',
      `POST /roles/${OTHER_ROLE_ID}/groups {"groups":["${GROUP_ADMINS}"]} 204`,
      TOKEN,
    ]);
    expect((await engine.up(oneOfEach)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
    const { steps, stderr } = await engine.destroy();

    // They are independent, so their deletes run at once.
    expect([...steps].sort()).toEqual(["delete lost", "delete profile", "delete role"]);
    expect(stderr).toBe("");
    expect(tenant.profiles()).toEqual([]);
    expect(tenant.groupsOf(OTHER_ROLE_ID)).toEqual([]);
  });

  test("the state has the constant text, and neither token nor secret", async () => {
    const engine = new Engine(tenant);
    await engine.up(oneOfEach);

    for (const { kind, inputs, outputs } of engine.state.values()) {
      expect(inputs["__provider"]).toBe(providerText(kind));
      expect(outputs["__provider"]).toBe(providerText(kind));
      expect(providerText(kind).length).toBeLessThanOrEqual(150);
    }
    const state = JSON.stringify([...engine.state]);
    expect(state).not.toContain(tenant.clientSecret);
    for (const token of tenant.simulator.state().access_tokens) expect(state).not.toContain(token);
  });
});

describe("the contract with the engine", () => {
  const text = providerText("ConnectionProfile");
  let host: Host;
  beforeEach(async () => (host = await Host.warm()));
  afterEach(() => host.stop());

  test("handlers that run at once before anything was asked are all configured", async () => {
    await host.configure(new Engine(tenant).config);

    const created = await Promise.all(
      Array.from({ length: 12 }, (_, i) => host.create({ name: `profile ${i}`, __provider: text })),
    );
    const deleted = await Promise.allSettled(
      created.map(({ id, properties }) => host.delete(id, properties)),
    );

    expect(deleted.map(({ status }) => status)).toEqual(Array(12).fill("fulfilled"));
    expect(tenant.profiles()).toEqual([]);
  });

  test("a handler of an unconfigured host fails", async () => {
    await host.configure({});

    await expect(host.delete("cop_1", { __provider: text, name: "a", tenant: "a.example" })).rejects.toThrow(
      /not configured|lives on the tenant/,
    );
  });

  test("check answers with its inputs, the text and no property names", async () => {
    await host.configure({});

    const { inputs, failures } = await host.check(
      {},
      { name: "", enabledFeatures: ["scim"], __provider: text },
    );

    expect(inputs).toEqual({ name: "", enabledFeatures: ["scim"], __provider: text });
    expect(failures.map(({ property }) => property)).toEqual([""]);
  });
});
