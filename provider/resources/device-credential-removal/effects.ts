import { type Effects, noEffects } from "../../pulumi/effects";
import { id, say } from "../../pulumi/sentence";
import { hiddenIn, type Side, type Step, whyHidden } from "../../pulumi/step";

/*
 * What a removal does: creating the resource removes the credential for good, deleting it sends nothing.
 * Nothing else knows it.
 */

/** The line of a preview. `credential`: undefined while it is not known. */
export function formatRemovalLine(credential: string | undefined): string {
  return credential === undefined
    ? "permanently removes a device credential whose id is not known yet"
    : `permanently removes device credential ${credential}`;
}

export function removalEffects(steps: readonly Step[], isDrift: boolean): Effects {
  const effects = noEffects();
  if (isDrift) return effects;
  for (const step of steps) {
    if (step.kind !== "DeviceCredentialRemoval" || step.op === "same" || step.op === "update") continue;
    if (step.after !== undefined) removalMade(step, step.after, effects);
    if (step.before !== undefined && step.before.id !== wantedBy(step)) {
      const reason = say`nothing is sent: ${id(step.before.id ?? "")} stays removed`;
      effects.notes.push({ name: step.name, tenant: (step.after ?? step.before).tenant, reason });
    }
  }
  return effects;
}

function wantedBy({ after }: Step): unknown {
  return after?.inputs["deviceCredentialId"];
}

function removalMade(step: Step, { tenant }: Side, effects: Effects): void {
  const { name, line, before } = step;
  const wanted = wantedBy(step);
  const hidden = hiddenIn(wanted);
  if (hidden !== undefined) {
    const reason = say`which device credential it removes is ${whyHidden(hidden)}`;
    effects.unknown.push({ name, tenant, line, reason, categories: ["removal"] });
  } else if (typeof wanted === "string" && wanted === before?.id && before.tenant === tenant) {
    const reason = say`asks again for the removal of ${id(wanted)}, which is removed already`;
    effects.notes.push({ name, tenant, reason });
    effects.repeats.push({ kind: "removal", tenant, id: wanted });
  } else if (typeof wanted === "string") {
    effects.removals.push({ tenant, id: wanted, name, line });
  }
}
