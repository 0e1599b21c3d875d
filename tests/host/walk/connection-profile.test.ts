import fc from "../../../testkit/properties";
import { type BehaviourInput } from "../../../simulator";
import { type Program, profile } from "../../../testkit/engine";
import { type Values } from "../../../testkit/hosts/host";
import { useTenant } from "../../../testkit/tenant";
import { type Model, steps, testWalks, walk } from "./walk";

const tenant = useTenant();

describe("connection profile", () => {
  const features = fc.subarray(["scim", "universal_logout"]);
  const participation = fc.constantFrom("none", "optional", "required");
  const organization = (button: string, assign: string) =>
    fc.record({ [button]: participation, [assign]: participation }, { requiredKeys: [] });
  const freeForm = fc.record(
    { order: fc.shuffledSubarray(["a", "b"]), "": fc.constantFrom(1, "", []) },
    { requiredKeys: [] },
  );
  const override = fc.record({ enabledFeatures: features, provisioning: freeForm }, { requiredKeys: [] });
  const inputs = fc.record(
    {
      name: fc.constantFrom("one", "two"),
      organization: organization("showAsButton", "assignMembershipOnLogin"),
      connectionNamePrefixTemplate: fc.constantFrom("", "con-{org_id}", "x"),
      enabledFeatures: features,
      strategyOverrides: fc.record({ okta: override, oidc: override }, { requiredKeys: [] }),
    },
    { requiredKeys: ["name"] },
  );
  const outside = fc.oneof(
    fc.constant(undefined),
    fc.record(
      {
        name: fc.constant("meddled"),
        organization: organization("show_as_button", "assign_membership_on_login"),
        connection_name_prefix_template: fc.constant("theirs"),
        enabled_features: features,
        strategy_overrides: fc.record(
          { samlp: fc.constant({ enabled_features: ["scim"] }), okta: fc.constant({}) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  );
  /** A merging service that ignores null keeps removed values: removal.test.ts. */
  const patching = fc.constantFrom<BehaviourInput>(
    { nested_patch: "replace", null_in_patch: "clear" },
    { nested_patch: "replace", null_in_patch: "reject" },
    { nested_patch: "merge", null_in_patch: "clear" },
  );
  const behaviour: fc.Arbitrary<BehaviourInput> = fc
    .record({
      profile_name_conflict: fc.constantFrom("allow" as const, "conflict" as const),
      delete_unknown_profile: fc.constantFrom(404 as const, 204 as const),
    })
    .chain((rest) => patching.map((patch) => ({ ...rest, ...patch })));

  testWalks(
    25,
    fc.asyncProperty(
      behaviour,
      steps(
        fc.option(inputs as fc.Arbitrary<Values>, { nil: undefined, freq: 5 }),
        outside as fc.Arbitrary<Values | undefined>,
      ),
      async (behaviour, walked) => {
        tenant.behave(behaviour);
        await walk(tenant, walked, profileModel());
      },
    ),
  );

  const SETTINGS = [
    "name",
    "organization",
    "connection_name_prefix_template",
    "enabled_features",
    "connection_config",
    "strategy_overrides",
  ];

  function profileModel(): Model<Values | undefined, Values | undefined> {
    /** Settings that the program has given since its last successful `up`. */
    let owned: string[] = [];
    let live: Values = {};
    /** True if the program's profile may have existed before: its create was lost, and then it was found. */
    let isAdopted = false;
    const only = () =>
      tenant.profiles().length === 1 ? (tenant.profiles()[0] as { id: string }) : undefined;

    return {
      program: (wanted): Program => (wanted === undefined ? {} : { p: profile(wanted) }),

      async outside(patch, engine) {
        const id = only()?.id;
        if (id === undefined) return;
        if (patch === undefined) {
          await tenant.outside("DELETE", `/connection-profiles/${id}`);
          return;
        }
        // A refresh wouldn't read an object that the program doesn't give, and adding it would be refused.
        const held = engine.state.get("p")?.outputs ?? {};
        const objects = Object.entries({
          organization: "organization",
          strategy_overrides: "strategyOverrides",
        });
        const hidden = objects.flatMap(([wire, name]) => (name in held ? [] : [wire]));
        const seen = Object.entries(patch).filter(([name]) => !hidden.includes(name));
        await tenant.outside("PATCH", `/connection-profiles/${id}`, Object.fromEntries(seen));
      },

      before(_wanted, engine) {
        isAdopted = engine.state.get("p")?.outputs["adopted"] === true;
        live = only() ?? {};
      },

      async expectAsWanted(wanted) {
        if (wanted === undefined) {
          if (isAdopted) {
            expect(wireLeaves(only())).toEqual(wireLeaves(live));
            tenant.sent();
            await tenant.outside("DELETE", `/connection-profiles/${only()?.id}`);
          }
          expect(tenant.profiles()).toEqual([]);
          owned = [];
          return;
        }
        expect(tenant.profiles()).toHaveLength(1);
        const [now, target] = [only() as Values, toWire(wanted)];
        const given = Object.keys(target).filter((name) => target[name] !== undefined);
        for (const name of SETTINGS) {
          const expected = given.includes(name) ? target : owned.includes(name) ? {} : live;
          const [is, shouldBe] = [now, expected].map((side) => wireLeaves({ [name]: side[name] }));
          expect(is).toEqual(shouldBe);
        }
        owned = given;
      },
    };
  }

  function toWire({
    name,
    organization,
    connectionNamePrefixTemplate,
    enabledFeatures,
    strategyOverrides,
  }: Values): Values {
    const overrides = Object.entries(
      (strategyOverrides ?? {}) as Record<string, { enabledFeatures?: unknown; provisioning?: unknown }>,
    );
    const { showAsButton, assignMembershipOnLogin } = (organization ?? {}) as Values;
    return {
      name,
      organization: organization && {
        show_as_button: showAsButton,
        assign_membership_on_login: assignMembershipOnLogin,
      },
      connection_name_prefix_template: connectionNamePrefixTemplate,
      enabled_features: enabledFeatures,
      strategy_overrides: Object.fromEntries(
        overrides.map(([strategy, { enabledFeatures, provisioning }]) => [
          strategy,
          { enabled_features: enabledFeatures, provisioning },
        ]),
      ),
    };
  }

  /** True if an empty value is a value there; elsewhere it means not set. */
  function isInOverride(path: string): boolean {
    return path.startsWith("/strategy_overrides/");
  }

  /** Paths and values of everything that is set. */
  function wireLeaves(value: unknown, path = ""): Map<string, string> {
    const none = new Map<string, string>();
    if (value === undefined || value === null || path === "/id") return none;
    if ((value === "" || (Array.isArray(value) && value.length === 0)) && !isInOverride(path)) return none;
    if (Array.isArray(value)) {
      const isSet = path.endsWith("/enabled_features");
      return new Map([[path, JSON.stringify(isSet ? [...new Set(value as string[])].sort() : value)]]);
    }
    if (typeof value !== "object") return new Map([[path, JSON.stringify(value)]]);
    return new Map(Object.entries(value).flatMap(([key, child]) => [...wireLeaves(child, `${path}/${key}`)]));
  }
});
