import fc from "../../properties";
import { type BehaviourInput } from "../../simulator";
import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_CONTRACTORS,
  GROUP_SUPPORT,
  OTHER_ROLE_ID,
  ROLE_ID,
} from "../../simulator/default-seed";
import { assignment } from "../engine";
import { useTenant } from "../tenant";
import { type Model, steps, testWalks, walk } from "./walk";

const tenant = useTenant();

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

  testWalks(
    25,
    fc.asyncProperty(behaviour, steps(edit, outside), async (behaviour, walked) => {
      tenant.behave(behaviour);
      await walk(tenant, walked, assignmentModel());
    }),
  );

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
