import { SECRET, type Step, UNKNOWN } from "./preview";
import { type Note, type NotReviewable, type Removal } from "./effects";
import { id, say } from "./sentence";

export interface RemovalEffects {
  removals: Removal[];
  unknown: NotReviewable[];
  notes: Note[];
}

/** Creating the resource removes the credential for good; deleting it sends nothing. */
export function removalEffects(steps: readonly Step[]): RemovalEffects {
  const effects: RemovalEffects = { removals: [], unknown: [], notes: [] };
  for (const { kind, name, line, before, after } of steps) {
    if (kind !== "DeviceCredentialRemoval") continue;
    const wanted = after?.inputs["deviceCredentialId"];
    const categories = ["removal"] as const;
    if (wanted === UNKNOWN) {
      const reason = say`which device credential it removes is known only when the change is made`;
      effects.unknown.push({ name, line, reason, categories });
    } else if (wanted === SECRET) {
      effects.unknown.push({
        name,
        line,
        reason: say`which device credential it removes is secret`,
        categories,
      });
    } else if (typeof wanted === "string" && wanted !== before?.id) {
      effects.removals.push({ tenant: after?.tenant, id: wanted, name, line });
    }
    if (before !== undefined && wanted === undefined)
      effects.notes.push({ name, reason: say`nothing is sent: ${id(before.id ?? "")} stays removed` });
  }
  return effects;
}
