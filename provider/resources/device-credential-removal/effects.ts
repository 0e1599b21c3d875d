import { type Effects, noEffects } from "../../pulumi/effects";
import { id, say, type Sentence } from "../../pulumi/sentence";
import { hiddenIn, type Step, whyHidden } from "../../pulumi/step";

/*
 * What a removal does: creating the resource removes the credential for good, deleting it sends nothing. Nothing else knows
 * it.
 */

/** The line of a preview. `credential`: undefined while it is not known. */
export function formatLine(credential: string | undefined): string {
  return credential === undefined
    ? "permanently removes a device credential whose id is not known yet"
    : `permanently removes device credential ${credential}`;
}

export function removalEffects(steps: readonly Step[], isDrift: boolean): Effects {
  const effects = noEffects();
  if (isDrift) return effects;
  for (const { kind, op, name, line, before, after } of steps) {
    if (kind !== "DeviceCredentialRemoval" || op === "same" || op === "update") continue;
    const tenant = (after ?? before)?.tenant;
    const note = (reason: Sentence) => effects.notes.push({ name, tenant, reason });
    const wanted = after?.inputs["deviceCredentialId"];
    const hidden = hiddenIn(wanted);
    if (hidden !== undefined) {
      const reason = say`which device credential it removes is ${whyHidden(hidden)}`;
      effects.unknown.push({ name, tenant, line, reason, categories: ["removal"] });
    } else if (typeof wanted === "string" && wanted === before?.id && before.tenant === tenant) {
      note(say`asks again for the removal of ${id(wanted)}, which is removed already`);
      effects.repeats.push({ kind: "removal", tenant, id: wanted });
    } else if (typeof wanted === "string") {
      effects.removals.push({ tenant, id: wanted, name, line });
    }
    if (before !== undefined && before.id !== wanted)
      note(say`nothing is sent: ${id(before.id ?? "")} stays removed`);
  }
  return effects;
}
