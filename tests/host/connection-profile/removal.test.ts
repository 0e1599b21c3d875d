import { type BehaviourInput } from "../../../simulator";
import { type Engine, profile } from "../engine";
import { TOKEN, useTenant } from "../tenant";
import { full, made } from "./made";

const tenant = useTenant();

/** It's undocumented how a PATCH treats nested values, and null: each combination is a possible service. */
const SERVICES: BehaviourInput[] = (["replace", "merge"] as const).flatMap((nested_patch) =>
  (["clear", "keep", "reject"] as const).map((null_in_patch) => ({ nested_patch, null_in_patch })),
);

describe.each(SERVICES)("removal, where the service has %j", (behaviour) => {
  /** A merging service that ignores null can't remove anything inside an object. */
  const keepsNested = behaviour.nested_patch === "merge" && behaviour.null_in_patch !== "clear";
  beforeEach(() => tenant.behave(behaviour));

  test("of a text and of a list", async () => {
    const { engine, id, url } = await made(tenant, full);
    const { name, organization, connectionConfig, strategyOverrides } = full;
    const program = { p: profile({ name, organization, connectionConfig, strategyOverrides }) };

    const { steps, messages } = await engine.up(program);

    expect(steps).toEqual(["update p: connectionNamePrefixTemplate, enabledFeatures"]);
    expect(messages).toEqual([]);
    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"connection_name_prefix_template":"","enabled_features":[]} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ connection_name_prefix_template: "", enabled_features: [] });
    await expectSettled(engine, program);
  });

  test("of one value inside an object", async () => {
    const { engine, id } = await made(tenant, { name: "a", organization: full["organization"] });
    const program = { p: profile({ name: "a", organization: { show_as_button: "optional" } }) };

    const { steps, messages } = await engine.up(program);

    expect(steps).toEqual(["update p: organization"]);
    expectRemovedOrTold("organization.assignMembershipOnLogin", messages);
    expect(tenant.profile(id)?.["organization"]).toEqual(
      keepsNested ? full["organization"] : { show_as_button: "optional" },
    );
    await expectSettled(engine, program, "organization");
  });

  test("of a whole object", async () => {
    const { engine, id } = await made(tenant, { name: "a", organization: { show_as_button: "optional" } });
    const program = { p: profile({ name: "a" }) };

    const { messages } = await engine.up(program);

    expectRemovedOrTold("organization.showAsButton", messages);
    const left = tenant.profile(id)?.["organization"] ?? {};
    expect(left).toEqual(keepsNested ? { show_as_button: "optional" } : {});
    await expectSettled(engine, program, "organization");
  });

  test("of one strategy among two", async () => {
    const { okta, oidc } = {
      okta: { enabledFeatures: ["scim"] },
      oidc: { enabledFeatures: ["universal_logout"] },
    };
    const { engine, id } = await made(tenant, { name: "a", strategyOverrides: { okta, oidc } });
    const program = { p: profile({ name: "a", strategyOverrides: { oidc } }) };

    const { messages } = await engine.up(program);

    expectRemovedOrTold("strategyOverrides.okta", messages);
    expect(tenant.profile(id)?.["strategy_overrides"]).toMatchObject({
      oidc: { enabled_features: ["universal_logout"] },
    });
    await expectSettled(engine, program, "strategyOverrides");
  });

  test("and then the value is set again", async () => {
    const { engine, id } = await made(tenant, { name: "a", organization: full["organization"] });
    await engine.up({ p: profile({ name: "a", organization: { show_as_button: "optional" } }) });
    const program = { p: profile({ name: "a", organization: full["organization"] }) };

    await engine.up(program);

    expect(tenant.profile(id)?.["organization"]).toEqual(full["organization"]);
    await expectSettled(engine, program);
  });

  function expectRemovedOrTold(path: string, messages: string[]): void {
    const told = messages.filter((message) => message.includes(`kept ${path}`));
    expect({ messages, told: told.length }).toEqual({ messages, told: keepsNested ? 1 : 0 });
    if (!keepsNested) expect(messages).toEqual([]);
  }

  /**
   * Nothing more happens now. After a refresh nothing either, or the values that the service kept are drift.
   */
  async function expectSettled(
    engine: Engine,
    program: Parameters<Engine["up"]>[0],
    kept?: string,
  ): Promise<void> {
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    const drift = kept === undefined || !keepsNested ? [] : [`drift p: ${kept}`];
    expect((await engine.refresh()).steps).toEqual(drift);
    if (drift.length > 0) return;
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  }
});
