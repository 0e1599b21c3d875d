import fc from "../../properties";
import { type BehaviourInput } from "../../../simulator";
import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_CONTRACTORS,
  GROUP_SUPPORT,
  OTHER_ROLE_ID,
  ROLE_ID,
} from "../../../simulator/default-seed";
import { assignment, type ResourceState, type UpOptions } from "../engine";
import { useTenant } from "../tenant";
import { type Model, steps, testWalks, walk } from "./walk";

const tenant = useTenant();

describe("role-group assignments", () => {
  const GROUPS = [GROUP_ADMINS, GROUP_BILLING, GROUP_CONTRACTORS, GROUP_SUPPORT];
  const ROLES = [ROLE_ID, OTHER_ROLE_ID];

  interface Edit {
    /** The role and, for each group, the assignment that claims it, if any. */
    roleId: string;
    claims: ("a" | "b" | "none")[];
    exclusive: boolean;
    /** The name of the first assignment: another one is a rename. */
    name: "a" | "renamed";
    first: "a" | "b";
    options: UpOptions | "target a" | "target b";
    parallel: number;
  }
  const edit: fc.Arbitrary<Edit> = fc.record({
    roleId: fc.constantFrom(ROLE_ID, ROLE_ID, ROLE_ID, OTHER_ROLE_ID),
    claims: fc.tuple(...GROUPS.map(() => fc.constantFrom<"a" | "b" | "none">("a", "b", "none"))),
    exclusive: fc.boolean(),
    name: fc.constantFrom("a", "a", "renamed"),
    first: fc.constantFrom("a", "b"),
    options: fc.constantFrom<Edit["options"]>(
      {},
      { refresh: true },
      { refresh: true, runProgram: true },
      { continueOnError: true },
      { refresh: true, runProgram: true, continueOnError: true },
      "target a",
      "target b",
    ),
    parallel: fc.constantFrom(1, 2, 32),
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

  const claimed = ({ claims }: Pick<Edit, "claims">, by: "a" | "b") =>
    GROUPS.filter((_, i) => claims[i] === by);
  const listed = (edit: Edit) => [...claimed(edit, "a"), ...claimed(edit, "b")];
  /** An exclusive assignment has the role to itself. */
  const isExclusive = (edit: Edit) => edit.exclusive && claimed(edit, "b").length === 0;
  const hasToItself = (edit: Edit) => isExclusive(edit) && claimed(edit, "a").length > 0;

  testWalks(
    25,
    fc.asyncProperty(behaviour, steps(edit, outside), async (behaviour, walked) => {
      tenant.behave(behaviour);
      await walk(tenant, walked, assignmentModel());
    }),
  );

  function assignmentModel(): Model<Edit, { method: string; roleId: string; groups: string[] }> {
    /** Groups that got a role elsewhere, and that no program has claimed since. */
    const theirs = new Map(ROLES.map((role) => [role, new Set(tenant.groupsOf(role))]));
    const of = (role: string) => theirs.get(role) as Set<string>;
    let hadBefore = new Map<string, string[]>();
    return {
      program(edit) {
        const [a, b] = [claimed(edit, "a"), claimed(edit, "b")];
        const { roleId, name } = edit;
        const ofA = a.length > 0 && {
          [name]: assignment({ roleId, groupIds: a, exclusive: isExclusive(edit) }),
        };
        const ofB = b.length > 0 && { b: assignment({ roleId, groupIds: b }) };
        return edit.first === "a" ? { ...ofA, ...ofB } : { ...ofB, ...ofA };
      },

      options({ options, parallel, ...edit }) {
        if (typeof options !== "string") return { ...options, parallel };
        // A target that isn't in the program is deleted without looking at the others: see
        // docs/resources/role-group-assignment.md.
        const by = options === "target a" ? "a" : "b";
        const target = claimed(edit, by).length > 0 && { target: [by === "a" ? edit.name : "b"] };
        return { ...target, parallel };
      },

      async outside({ method, roleId, groups }) {
        const has = tenant.groupsOf(roleId);
        // The service may refuse a change that is already done; for other people it means nothing new.
        const effective = groups.filter((group) => has.includes(group) === (method === "DELETE"));
        if (effective.length === 0) return;
        await tenant.outside(method, `/roles/${roleId}/groups`, { groups: effective });
        for (const group of effective) {
          if (method === "DELETE") of(roleId).delete(group);
          else of(roleId).add(group);
        }
      },

      before(edit, engine) {
        hadBefore = new Map(ROLES.map((role) => [role, tenant.groupsOf(role)]));
        const { roleId } = edit;
        for (const group of listed(edit)) of(roleId).delete(group);
        if (hasToItself(edit)) of(roleId).clear();
        // Groups that a refresh finds next to an exclusive assignment's stay theirs.
        for (const { outputs } of engine.state.values())
          for (const group of outputs["groupIds"] as string[]) of(String(outputs["roleId"])).delete(group);
      },

      expectAccountedFor(edit, engine, sent) {
        const states = [...engine.state.values(), ...engine.pendingDeletes.map(({ state }) => state)];
        for (const role of ROLES) {
          const wanted = role === edit.roleId ? listed(edit) : [];
          const known = states.filter(({ outputs }) => outputs["roleId"] === role).flatMap(answersFor);
          // The next up revokes what an exclusive assignment could not.
          const toTakeAway = role === edit.roleId && hasToItself(edit) ? (hadBefore.get(role) ?? []) : [];
          const nobodys = tenant
            .groupsOf(role)
            .filter((group) => ![...wanted, ...toTakeAway, ...known, ...of(role)].includes(group));
          expect({ role, nobodys }).toEqual({ role, nobodys: [] });

          const removals = sent.filter((line) => line.startsWith(`DELETE /roles/${role}/`));
          for (const group of wanted.filter((group) => hadBefore.get(role)?.includes(group))) {
            expect(removals.filter((line) => line.includes(group))).toEqual([]);
            expect(tenant.groupsOf(role)).toContain(group);
          }
        }
      },

      expectAsWanted(edit) {
        for (const role of ROLES) {
          const expected = new Set([...of(role), ...(role === edit.roleId ? listed(edit) : [])]);
          expect({ role, groups: tenant.groupsOf(role) }).toEqual({ role, groups: [...expected].sort() });
        }
      },
    };
  }

  function answersFor({ outputs }: ResourceState): string[] {
    return outputs["groupIds"] as string[];
  }
});
