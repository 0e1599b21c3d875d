import { type RoleAfter } from "../../review/effects";
import { type Place } from "../../review/sentence";
import { type RawInputs } from "../../review/raw-inputs";
import { hiddenIn, type Side, type Step } from "../../review/step";
import { heldBy, knownTexts, wantedIn } from "./plan";
import { latestOf } from "./until";

/** Returns every role that a program grants after a change, including unchanged assignments. */
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

/** A role granted to a group by an assignment. */
export interface Granted {
  tenant: string | undefined;
  role: string;
  group: string;
  until: string | undefined;
  name: string;
  line: Place | undefined;
}

/** Returns the visible grants of all assignments before or after a change. */
export function grantedIn(steps: readonly Step[], when: "before" | "after"): Granted[] {
  const assignments = steps.filter(({ kind }) => kind === "RoleGroupAssignment");
  return assignments.flatMap((step) => {
    const { before, after, name, line } = step;
    const side = when === "before" ? before : (after ?? before);
    const values = when === "before" ? before && recordedIn(before) : valuesAfter(step);
    const role = values?.["roleId"];
    if (side === undefined || values === undefined || typeof role !== "string") return [];
    if (hiddenIn(role) !== undefined) return [];
    const { until } = values;
    const end = typeof until === "string" ? until : undefined;
    const groups = when === "before" ? heldBy(values).groups : knownTexts(wantedIn(values));
    return groups.map((group) => ({ tenant: side.tenant, role, group, until: end, name, line }));
  });
}

/** Returns an assignment's values after the change; undefined if it no longer exists. */
function valuesAfter({ op, before, after, isOutside }: Step): RawInputs | undefined {
  if (op === "same" && before !== undefined) return recordedIn(before);
  if (after === undefined || isOutside) return undefined;
  if (op !== "update" || before === undefined || hiddenIn(after.inputs["roleId"]) === undefined)
    return after.inputs;
  // An update keeps the role, even if the new one is hidden.
  return { ...after.inputs, roleId: recordedIn(before)["roleId"] };
}

/** Outputs hold all inputs. After a change that was done in part, the inputs in state are older. */
function recordedIn({ inputs, outputs }: Side): RawInputs {
  return "roleId" in outputs ? outputs : inputs;
}
