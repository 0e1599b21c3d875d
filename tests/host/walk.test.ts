import fc from "../properties";
import { type BehaviourInput, type Fault } from "../simulator";
import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_CONTRACTORS,
  GROUP_SUPPORT,
  OTHER_ROLE_ID,
  ROLE_ID,
} from "../simulator/default-seed";
import { assignment, Engine, type Program, profile, removal, type Run, RunFailed } from "./engine";
import { type Values } from "./host";
import { useTenant } from "./tenant";

/*
 * Random walks of program edits, outside edits, refreshes and failures, compared with a small model: after every `up`
 * that succeeds the tenant is as the program wants for what the program owns, untouched otherwise, what happened is
 * what the preview showed, and another `up` has nothing to do.
 */

const tenant = useTenant();
const walks = (numRuns: number) => ({ numRuns, interruptAfterTimeLimit: 100_000 });
jest.setTimeout(120_000);

/** A failure of one of the next writes. */
const fault: fc.Arbitrary<Fault> = fc.record({
  method: fc.constantFrom("POST", "PATCH", "DELETE"),
  path: fc.constant("/api/v2/*"),
  after: fc.nat({ max: 1 }),
  action: fc.constantFrom<Fault["action"]>(
    { status: 500 },
    { status: 403 },
    { status: 429, headers: { "retry-after": "0", "x-ratelimit-reset": "1" } },
    { drop: "before" },
    { drop: "after" },
  ),
});

type Step<Edit, Outside> =
  | { do: "up"; program: Edit; fault: Fault | undefined }
  | { do: "outside"; edit: Outside }
  | { do: "refresh" };

function steps<Edit, Outside>(edits: fc.Arbitrary<Edit>, outside: fc.Arbitrary<Outside>) {
  const step: fc.Arbitrary<Step<Edit, Outside>> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("up" as const),
        program: edits,
        fault: fc.option(fault, { nil: undefined, freq: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("outside" as const), edit: outside }) },
    { weight: 1, arbitrary: fc.constant({ do: "refresh" as const }) },
  );
  return fc.array(step, { minLength: 2, maxLength: 6 });
}

/** What a kind of resource brings along for its walk. */
interface Model<Edit, Outside> {
  program(edit: Edit): Program;
  outside(edit: Outside, engine: Engine): Promise<void>;
  /** Before an `up` to this program, by the tenant as it is then. */
  before(edit: Edit, engine: Engine): void;
  /** The tenant must be as the program wants. */
  expectAsWanted(edit: Edit): void;
}

async function walk<Edit, Outside>(
  walked: Step<Edit, Outside>[],
  model: Model<Edit, Outside>,
): Promise<void> {
  const engine = new Engine(tenant, { parallel: 1 });
  // An up sees what a refresh has seen.
  let stale = false;
  const refresh = async () => {
    await engine.refresh();
    stale = false;
  };

  for (const step of walked) {
    if (step.do === "refresh") {
      await refresh();
    } else if (step.do === "outside") {
      tenant.sent();
      await model.outside(step.edit, engine);
      stale = true;
    } else {
      if (stale) await refresh();
      const program = model.program(step.program);
      model.before(step.program, engine);
      tenant.sent();
      const planned = await engine.preview(program);
      expect(tenant.sent().filter((line) => !/^(token|GET )/.test(line))).toEqual([]);

      if (step.fault !== undefined) tenant.fail(step.fault);
      const run = await attempt(engine, program);
      tenant.clear();
      // What a failure left behind is finished by the next up.
      if (run === undefined) await engine.up(program);
      else expect(run.steps).toEqual(planned.steps);
      model.expectAsWanted(step.program);
      tenant.clear();
      expect((await engine.up(program)).steps).toEqual([]);
      expect(tenant.sent()).toEqual([]);
    }
  }
  // A last refresh of what is in place finds nothing.
  if (!stale) expect((await engine.refresh()).steps).toEqual([]);
}

async function attempt(engine: Engine, program: Program): Promise<Run | undefined> {
  try {
    return await engine.up(program);
  } catch (error) {
    if (error instanceof RunFailed) return undefined;
    throw error;
  }
}

describe("connection profile", () => {
  const features = fc.subarray(["scim", "universal_logout"]);
  const participation = fc.constantFrom("none", "optional", "required");
  const organization = fc.record(
    { show_as_button: participation, assign_membership_on_login: participation },
    { requiredKeys: [] },
  );
  const override = fc.record({ enabledFeatures: features }, { requiredKeys: [] });
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

  test("walks", async () => {
    await fc.assert(
      fc.asyncProperty(
        behaviour,
        steps(
          fc.option(inputs as fc.Arbitrary<Values>, { nil: undefined, freq: 5 }),
          outside as fc.Arbitrary<Values | undefined>,
        ),
        async (behaviour, walked) => {
          tenant.behave(behaviour);
          await walk(walked, profileModel(behaviour));
        },
      ),
      walks(25),
    );
  });

  function profileModel(behaviour: BehaviourInput): Model<Values | undefined, Values | undefined> {
    /** Leaves that the program has owned since its last successful `up`. */
    let owned = new Set<string>();
    let live = new Map<string, string>();
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

      before() {
        live = wireLeaves(only() ?? {});
      },

      expectAsWanted(wanted) {
        if (wanted === undefined) {
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
      (strategyOverrides ?? {}) as Record<string, { enabledFeatures?: unknown }>,
    );
    return {
      name,
      organization,
      connection_name_prefix_template: connectionNamePrefixTemplate,
      enabled_features: enabledFeatures,
      strategy_overrides: Object.fromEntries(
        overrides.map(([strategy, { enabledFeatures }]) => [strategy, { enabled_features: enabledFeatures }]),
      ),
    };
  }

  /** Paths of what is wanted to be empty: a list without anything in it is as much wanted as any other. */
  function emptyLeaves(value: unknown, path = ""): string[] {
    if (value === "" || (Array.isArray(value) && value.length === 0)) return [path];
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([key, child]) => emptyLeaves(child, `${path}/${key}`));
  }

  /** Paths and values of everything that is set; what is empty counts as not set. */
  function wireLeaves(value: unknown, path = ""): Map<string, string> {
    const none = new Map<string, string>();
    if (value === undefined || value === null || value === "" || path === "/id") return none;
    if (Array.isArray(value)) {
      return value.length === 0
        ? none
        : new Map([[path, JSON.stringify([...new Set(value as string[])].sort())]]);
    }
    if (typeof value !== "object") return new Map([[path, JSON.stringify(value)]]);
    return new Map(Object.entries(value).flatMap(([key, child]) => [...wireLeaves(child, `${path}/${key}`)]));
  }
});

describe("role-group assignments", () => {
  const GROUPS = [GROUP_ADMINS, GROUP_BILLING, GROUP_CONTRACTORS, GROUP_SUPPORT];
  const ROLES = [ROLE_ID, OTHER_ROLE_ID];

  interface Edit {
    /** Role and, for each group, which of the two assignments claims it, if any. */
    roleId: string;
    claims: ("a" | "b" | "none")[];
    exclusive: boolean;
    /** The name of the first assignment: another one is a rename. */
    name: "a" | "renamed";
  }
  const edit: fc.Arbitrary<Edit> = fc.record({
    roleId: fc.constantFrom(...ROLES),
    claims: fc.tuple(...GROUPS.map(() => fc.constantFrom<"a" | "b" | "none">("a", "b", "none"))),
    exclusive: fc.boolean(),
    name: fc.constantFrom("a", "renamed"),
  });
  const outside = fc.record({
    method: fc.constantFrom("POST", "DELETE"),
    roleId: fc.constantFrom(...ROLES),
    groups: fc.subarray(GROUPS, { minLength: 1, maxLength: 2 }),
  });
  const behaviour: fc.Arbitrary<BehaviourInput> = fc.record({
    assign_assigned_group: fc.constantFrom("ok", "error"),
    remove_absent_group: fc.constantFrom("ok", "error"),
  });

  const claimed = ({ claims }: Edit, by: "a" | "b") => GROUPS.filter((_, i) => claims[i] === by);
  /** An exclusive assignment has the role to itself. */
  const isExclusive = (edit: Edit) => edit.exclusive && claimed(edit, "b").length === 0;

  test("walk", async () => {
    await fc.assert(
      fc.asyncProperty(behaviour, steps(edit, outside), async (behaviour, walked) => {
        tenant.behave(behaviour);
        await walk(walked, assignmentModel());
      }),
      walks(25),
    );
  });

  function assignmentModel(): Model<Edit, { method: string; roleId: string; groups: string[] }> {
    /** Groups that others gave a role to, and no program has claimed since. */
    const theirs = new Map(ROLES.map((role) => [role, new Set(tenant.groupsOf(role))]));
    const of = (role: string) => theirs.get(role) as Set<string>;
    return {
      program(edit) {
        const [a, b] = [claimed(edit, "a"), claimed(edit, "b")];
        const { roleId, name } = edit;
        return {
          ...(a.length > 0 && { [name]: assignment({ roleId, groupIds: a, exclusive: isExclusive(edit) }) }),
          ...(b.length > 0 && { b: assignment({ roleId, groupIds: b }) }),
        };
      },

      async outside({ method, roleId, groups }) {
        const has = tenant.groupsOf(roleId);
        // The service may refuse what is done already; for others that is no news.
        const effective = groups.filter((group) => has.includes(group) === (method === "DELETE"));
        if (effective.length === 0) return;
        await tenant.outside(method, `/roles/${roleId}/groups`, { groups: effective });
        for (const group of effective) {
          if (method === "DELETE") of(roleId).delete(group);
          else of(roleId).add(group);
        }
      },

      before(edit, engine) {
        const { roleId } = edit;
        for (const group of [...claimed(edit, "a"), ...claimed(edit, "b")]) of(roleId).delete(group);
        if (isExclusive(edit) && claimed(edit, "a").length > 0) of(roleId).clear();
        // Until it no longer is, an exclusive assignment owns all that it was seen to hold.
        for (const { inputs, outputs } of engine.state.values()) {
          for (const group of outputs["groupIds"] as string[]) of(String(inputs["roleId"])).delete(group);
        }
      },

      expectAsWanted(edit) {
        const wanted = [...claimed(edit, "a"), ...claimed(edit, "b")];
        for (const role of ROLES) {
          const expected = new Set([...of(role), ...(role === edit.roleId ? wanted : [])]);
          expect({ role, groups: tenant.groupsOf(role) }).toEqual({ role, groups: [...expected].sort() });
        }
      },
    };
  }
});

describe("device-credential removals", () => {
  const IDS = ["dcr_1", "dcr_2", "dcr_3", "dcr_4"];
  const behaviour: fc.Arbitrary<BehaviourInput> = fc.record({
    delete_unknown_device_credential: fc.constantFrom(404, 204),
  });

  test("walk", async () => {
    await fc.assert(
      fc.asyncProperty(
        behaviour,
        steps(
          fc.dictionary(fc.constantFrom("x", "y", "z"), fc.constantFrom(...IDS)),
          fc.constantFrom(...IDS),
        ),
        async (behaviour, walked) => {
          tenant.seed({ behaviour, device_credentials: IDS.map((id) => ({ id, type: "refresh_token" })) });
          const gone = new Set<string>();
          await walk<Record<string, string>, string>(walked, {
            program: (edit) =>
              Object.fromEntries(Object.entries(edit).map(([name, id]) => [name, removal(id)])),
            async outside(id) {
              if (tenant.credentials().includes(id))
                await tenant.outside("DELETE", `/device-credentials/${id}`);
              gone.add(id);
            },
            before: (edit) => Object.values(edit).forEach((id) => gone.add(id)),
            expectAsWanted: () => expect(tenant.credentials()).toEqual(IDS.filter((id) => !gone.has(id))),
          });
        },
      ),
      walks(10),
    );
  });
});
