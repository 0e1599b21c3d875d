import fc from "../../properties";
import { type BehaviourInput } from "../../../simulator";
import { type Program, profile } from "../engine";
import { type Values } from "../host";
import { useTenant } from "../tenant";
import { type Model, steps, testWalks, walk } from "./walk";

const tenant = useTenant();

describe("connection profile", () => {
  const features = fc.subarray(["scim", "universal_logout"]);
  const participation = fc.constantFrom("none", "optional", "required");
  const organization = fc.record(
    { show_as_button: participation, assign_membership_on_login: participation },
    { requiredKeys: [] },
  );
  const freeForm = fc.record(
    { order: fc.shuffledSubarray(["a", "b"]), "": fc.constantFrom(1, "", []) },
    { requiredKeys: [] },
  );
  const override = fc.record({ enabledFeatures: features, provisioning: freeForm }, { requiredKeys: [] });
  const inputs = fc.record(
    {
      name: fc.constantFrom("one", "two"),
      organization,
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
        organization,
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
  const behaviour: fc.Arbitrary<BehaviourInput> = fc.record({
    nested_patch: fc.constantFrom("replace", "merge"),
    null_in_patch: fc.constantFrom("clear", "keep", "reject"),
    profile_name_conflict: fc.constantFrom("allow", "conflict"),
    delete_unknown_profile: fc.constantFrom(404, 204),
  });

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
        await walk(tenant, walked, profileModel(behaviour));
      },
    ),
  );

  function profileModel(behaviour: BehaviourInput): Model<Values | undefined, Values | undefined> {
    /** Leaves that the program has owned since its last successful `up`. */
    let owned = new Set<string>();
    let live = new Map<string, string>();
    /** Whether the program's profile could have been there before: its create was lost, and it was found. */
    let isAdopted = false;
    /** What a merging service without a use for null can't be made to remove. */
    const keeps = behaviour.nested_patch === "merge" && behaviour.null_in_patch !== "clear";
    const only = () =>
      tenant.profiles().length === 1 ? (tenant.profiles()[0] as { id: string }) : undefined;

    return {
      program: (wanted): Program => (wanted === undefined ? {} : { p: profile(wanted) }),

      async outside(patch) {
        const id = only()?.id;
        if (id === undefined) return;
        if (patch === undefined) await tenant.outside("DELETE", `/connection-profiles/${id}`);
        else await tenant.outside("PATCH", `/connection-profiles/${id}`, patch);
      },

      before(_wanted, engine) {
        isAdopted = engine.state.get("p")?.outputs["adopted"] === true;
        live = wireLeaves(only() ?? {});
      },

      async expectAsWanted(wanted) {
        if (wanted === undefined) {
          if (isAdopted) {
            expect(wireLeaves(only() ?? {})).toEqual(live);
            tenant.sent();
            await tenant.outside("DELETE", `/connection-profiles/${only()?.id}`);
          }
          expect(tenant.profiles()).toEqual([]);
          owned = new Set();
          return;
        }
        expect(tenant.profiles()).toHaveLength(1);
        const now = wireLeaves(only() ?? {});
        const target = wireLeaves(toWire(wanted));
        for (const [path, value] of target) expect({ path, value: now.get(path) }).toEqual({ path, value });
        for (const path of owned) {
          if (target.has(path) || !now.has(path)) continue;
          // What the service can't be made to remove stays, and is told.
          expect({ path, keeps }).toEqual({ path, keeps: true });
        }
        const emptied = emptyLeaves(toWire(wanted));
        for (const path of emptied)
          expect({ path, value: now.get(path) }).toEqual({ path, value: undefined });
        for (const [path, value] of live) {
          if (target.has(path) || owned.has(path) || emptied.includes(path)) continue;
          expect({ path, value: now.get(path) }).toEqual({ path, value });
        }
        owned = new Set([...target.keys(), ...(keeps ? owned : [])]);
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
    return {
      name,
      organization,
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

  /** Whether an empty value there is a value; elsewhere it says that nothing is set. */
  function isInOverride(path: string): boolean {
    return path.startsWith("/strategy_overrides/");
  }

  /** Paths of what is wanted to be empty: a list without anything in it is as much wanted as any other. */
  function emptyLeaves(value: unknown, path = ""): string[] {
    if (isInOverride(path)) return [];
    if (value === "" || (Array.isArray(value) && value.length === 0)) return [path];
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([key, child]) => emptyLeaves(child, `${path}/${key}`));
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
