import { type RoleAfter } from "../../review/effects";
import { type RawInputs } from "../../review/raw-inputs";
import { hiddenIn, type Side, type Step } from "../../review/step";
import { knownTexts, wantedIn } from "./plan";
import { latestOf } from "./until";

/** What a program gives each of its roles after a change, by assignments that stay as they are, too. */
export function rolesAfter(steps: readonly Step[]): RoleAfter[] {
  const roles = new Map<string, RoleAfter>();
  const roleOf = (tenant: string | undefined, { roleId }: RawInputs): RoleAfter | undefined => {
    if (typeof roleId !== "string" || hiddenIn(roleId) !== undefined) return undefined;
    const key = JSON.stringify([tenant ?? null, roleId]);
    const role = roles.get(key) ?? { tenant, role: roleId, groups: [] };
    roles.set(key, role);
    return role;
  };
  for (const step of steps.filter(({ kind }) => kind === "RoleGroupAssignment")) {
    const { before, after } = step;
    if (before !== undefined) roleOf(before.tenant, recordedIn(before));
    const values = valuesAfter(step);
    if (values === undefined) continue;
    const { until } = values;
    const end = typeof until === "string" ? until : undefined;
    const groups = roleOf((after ?? before)?.tenant, values)?.groups ?? [];
    for (const id of knownTexts(wantedIn(values))) {
      const known = groups.find((group) => group.id === id);
      if (known === undefined) groups.push({ id, until: end });
      else known.until = latestOf([known.until, end]);
    }
  }
  return [...roles.values()];
}

/** An assignment once the change is made; undefined where there is none then. */
function valuesAfter({ op, before, after, isOutside }: Step): RawInputs | undefined {
  if (op === "same" && before !== undefined) return recordedIn(before);
  if (after === undefined || isOutside) return undefined;
  if (op !== "update" || before === undefined || hiddenIn(after.inputs["roleId"]) === undefined)
    return after.inputs;
  // An update keeps the role, also where it does not show any more.
  return { ...after.inputs, roleId: recordedIn(before)["roleId"] };
}

/** Outputs hold all inputs. After a change that was done in part, the inputs in state are older. */
function recordedIn({ inputs, outputs }: Side): RawInputs {
  return "roleId" in outputs ? outputs : inputs;
}
