import { KINDS } from "../../../provider/kinds";
import { type Effects, noEffects } from "./effects";
import { id, say } from "../../../provider/sentence";
import { type Side, type Step, whyHidden } from "./step";
import { ifKnown, isKnown, seenText } from "../../../provider/seen";

/* Creating a removal deletes the credential for good; deleting the removal sends nothing. */

export function removalEffects(steps: readonly Step[], isDrift: boolean): Effects {
  const effects = noEffects();
  if (isDrift) return effects;
  for (const step of steps) {
    if (step.op === "same" || step.op === "update") continue;
    if (step.after !== undefined) removalMade(step, step.after, effects);
    if (step.before !== undefined && step.before.id !== step.after?.inputs["deviceCredentialId"]) {
      const reason = say`nothing is sent: ${id(step.before.id ?? "")} stays removed`;
      effects.notes.push({ name: step.name, tenant: (step.after ?? step.before).tenant, reason });
    }
  }
  return effects;
}

function removalMade({ name, line, before }: Step, { tenant, inputs }: Side, effects: Effects): void {
  const credential = seenText(inputs["deviceCredentialId"]);
  if (credential === undefined) return;
  if (!isKnown(credential)) {
    const reason = say`which device credential it removes is ${whyHidden(credential)}`;
    effects.unknown.push({ name, tenant, line, reason, categories: ["removal"] });
  } else if (credential === before?.id && before.tenant === tenant) {
    const reason = say`asks again for the removal of ${id(credential)}, which is removed already`;
    effects.notes.push({ name, tenant, reason });
  } else {
    effects.removals.push({ tenant, id: credential, name, line });
  }
}

/**
 * Returns all credentials removed by the time the change is done, also by earlier runs: they never come back.
 */
export function removedAfter(steps: readonly Step[]): { tenant: string | undefined; id: string }[] {
  return steps.flatMap(({ kind, op, before, after }) => {
    const side = op === "same" ? before : after;
    if (KINDS[kind].manages !== "credentials") return [];
    const removed = ifKnown(seenText(side?.inputs["deviceCredentialId"]));
    return removed === undefined ? [] : [{ tenant: side?.tenant, id: removed }];
  });
}
