import { partName } from "../../../provider/review/signed-in";
import { hiddenIn, isKnown, seenText, shownTexts } from "../../../provider/seen";
import { id, list, say, tail, word } from "../../../provider/sentence";
import { type Effects, noEffects, type SignOut } from "./effects";
import { type Side, type Step, whyHidden } from "./step";

/* Creating a sign-out ends what the user is signed in with; deleting it sends nothing. */

export function signOutEffects(steps: readonly Step[], isDrift: boolean): Effects {
  const effects = noEffects();
  if (isDrift) return effects;
  for (const step of steps) {
    const { op, before, after } = step;
    const rest = op === "update" ? unfinishedIn(before) : undefined;
    const isDue = op === "create" || op === "replace" || rest !== undefined;
    if (isDue && after !== undefined) signOutMade(step, after, rest, effects);
    if (before !== undefined && (op === "delete" || op === "replace")) signOutEnded(step, before, effects);
  }
  return effects;
}

function signOutMade(
  { name, line }: Step,
  after: Side,
  rest: readonly string[] | undefined,
  effects: Effects,
): void {
  const { tenant, inputs } = after;
  const who = signedOut(after);
  const hidden = hiddenIn([inputs["userId"], inputs["clientId"]]);
  if (who !== undefined) effects.signOuts.push({ tenant, ...who, rest, name, line });
  else if (hidden !== undefined) {
    const reason = say`which user it signs out, and of which client, is ${whyHidden(hidden)}`;
    effects.unknown.push({ name, tenant, line, reason, categories: ["removal"] });
  }
}

function signOutEnded({ name, after }: Step, before: Side, effects: Effects): void {
  const user = signedOut(before)?.user;
  if (user === undefined || user === (after && signedOut(after)?.user)) return;
  const unfinished = unfinishedIn(before);
  const never = unfinished && list(unfinished.map((part) => word(partName(part))));
  const reason = say`nothing is sent for ${id(user)}: what has ended stays ended${tail`, and ${never} were never ended`}`;
  effects.notes.push({ name, tenant: (after ?? before).tenant, reason });
}

/** The parts that an earlier run failed to end; undefined if there are none. */
function unfinishedIn(before: Side | undefined): string[] | undefined {
  const unfinished = shownTexts(before?.outputs["unfinished"]);
  return unfinished.length === 0 ? undefined : unfinished;
}

/** Undefined if the user or the client doesn't show. */
function signedOut({ inputs }: Side): Pick<SignOut, "user" | "client"> | undefined {
  const user = seenText(inputs["userId"]);
  const client = inputs["clientId"] === undefined ? undefined : seenText(inputs["clientId"]);
  if (user === undefined || !isKnown(user)) return undefined;
  return client === undefined || isKnown(client) ? { user, client } : undefined;
}
