import { type BehaviourInput } from "../../simulator";
import { Engine, profile, type Program } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";

/*
 * What a service may do to values, over several runs. tests/contract/connection-profile.test.ts has what one
 * operation does, tests/contract/connection-profile-values.test.ts values that come back in another form.
 */

const tenant = useTenant();
catchLines();

const ORGANIZATION = { showAsButton: "optional", assignMembershipOnLogin: "required" };
/** The same on the tenant. */
const ORGANIZATION_THERE = { show_as_button: "optional", assign_membership_on_login: "required" };

describe("removal", () => {
  /** It's undocumented how a PATCH treats nested values, and null: each combination is a possible service. */
  const SERVICES: BehaviourInput[] = (["replace", "merge"] as const).flatMap((nested_patch) =>
    (["clear", "keep", "reject"] as const).map((null_in_patch) => ({ nested_patch, null_in_patch })),
  );

  const okta = { enabledFeatures: ["scim"] };
  const oidc = { enabledFeatures: ["universal_logout"] };
  const BEFORE: Program = {
    value: profile({ name: "value", organization: ORGANIZATION }),
    object: profile({ name: "object", organization: { showAsButton: "optional" } }),
    strategy: profile({ name: "strategy", strategyOverrides: { okta, oidc } }),
  };
  const AFTER: Program = {
    value: profile({ name: "value", organization: { showAsButton: "optional" } }),
    object: profile({ name: "object" }),
    strategy: profile({ name: "strategy", strategyOverrides: { oidc } }),
  };

  test.each(SERVICES)(
    "removal of one value inside an object, of the whole object, and of one strategy among two, where the service has %j",
    async (behaviour) => {
      /** A merging service that ignores null can't remove anything inside an object. */
      const keepsNested = behaviour.nested_patch === "merge" && behaviour.null_in_patch !== "clear";
      tenant.behave(behaviour);
      const engine = new Engine(tenant, { parallel: 1, startHost: inProcess });
      await engine.up(BEFORE);

      const { steps, messages } = await engine.up(AFTER);

      expect(steps).toEqual([
        "update value: organization",
        "update object: organization",
        "update strategy: strategyOverrides",
      ]);
      const kept = [
        "organization.assignMembershipOnLogin",
        "organization.showAsButton",
        "strategyOverrides.okta",
      ].map((path) => expect.stringContaining(`the service kept ${path}`) as string);
      expect(messages).toEqual(keepsNested ? kept : []);
      const left = (key: string) => tenant.profile(engine.resource(key).id);
      const [optional, nothing] = [{ show_as_button: "optional" }, {}];
      expect(left("value")?.["organization"]).toEqual(keepsNested ? ORGANIZATION_THERE : optional);
      expect(left("object")?.["organization"] ?? nothing).toEqual(keepsNested ? optional : nothing);
      expect(left("strategy")?.["strategy_overrides"]).toMatchObject({
        oidc: { enabled_features: ["universal_logout"] },
      });
      const drift = [
        "drift value: organization",
        "drift object: organization",
        "drift strategy: strategyOverrides",
      ];

      await engine.up(BEFORE);
      expect(left("value")?.["organization"]).toEqual(ORGANIZATION_THERE);
      expect((await engine.up(BEFORE)).steps).toEqual([]);

      await engine.up(AFTER);
      await expectSettled(engine, AFTER, keepsNested ? drift : []);
    },
  );

  /** Nothing more happens now. After a refresh nothing either, or values that the service kept are drift. */
  async function expectSettled(engine: Engine, program: Program, drift: string[] = []): Promise<void> {
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    expect((await engine.refresh()).steps).toEqual(drift);
    if (drift.length > 0) return;
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  }
});
