import { isDeepStrictEqual } from "node:util";
import {
  type Effects,
  type FieldChange,
  noEffects,
  type Note,
  type NotReviewable,
  type ProfileEffect,
} from "./effects";
import { type FactOf, factsOf } from "../../../provider/review/facts";
import { pathText, type RawInputs } from "../../../provider/review/raw-inputs";
import { hiddenIn, ifKnown, isKnown, type Seen, seenText, UNKNOWN } from "../../../provider/seen";
import { id, say, type Sentence } from "../../../provider/sentence";
import { mayBeUpdated, mayStay, type Side, type Step, TURNS_OUT_THE_SAME, whyHidden } from "./step";
import { isSet, PROFILE_SETTINGS } from "../../../provider/service/profile-fields";
import { isEmpty, isObject, type JsonObject, own } from "../../../provider/service/record";
import {
  isAdopted,
  isDeletedOnDestroy,
  plan,
  settingsIn,
  updateOf,
  wasUnconfirmed,
} from "../../../provider/resources/connection-profile/plan";

export function profileEffects(steps: readonly Step[], isDrift: boolean): Effects {
  const effects = noEffects();
  // The run doesn't know what it leaves out.
  const profiles = steps.filter(({ isOutside, isSpared }) => !isOutside && !isSpared);
  for (const step of profiles) {
    if (step.op === "same") continue;
    if (isDrift) drifted(step, effects);
    else if (step.op === "update") updated(step, effects);
    else {
      if (step.after !== undefined) profileMade(step, step.after, effects);
      if (step.before !== undefined) ended(step, step.before, profiles, effects);
    }
  }
  return effects;
}

function drifted(step: Step, effects: Effects): void {
  const { before, after } = step;
  if (before === undefined) return;
  const shown = (side: Side) => settingsIn({ ...side.inputs });
  if (after === undefined) effects.profiles.push(profile(step, "gone", before, []));
  else effects.profiles.push(profile(step, "update", before, changesFrom(shown(before), shown(after), step)));
}

function updated(step: Step, effects: Effects): void {
  const { before, after } = step;
  if (before === undefined || after === undefined) return;
  const state = { ...before.inputs, ...before.outputs };
  const changes = changesOf(step, state, after);
  const { had, wanted } = updateOf(state, after.inputs);
  const row = { ...profile(step, "update", before, changes), wanted };
  effects.unknown.push(...hiddenChanges(step, before, changes));
  if (wasUnconfirmed(state)) {
    const unless = changes.length === 0 ? say`its last change was done` : undefined;
    effects.profiles.push({ ...row, unless });
    const reason = say`whether the last change of ${id(before.id ?? "")} was done is not known: what is missing is sent again`;
    effects.unknown.push(unknown(step, before, reason, []));
  } else if (changes.length > 0) effects.profiles.push({ ...row, had, ...whyNotUpdated(step, changes) });
  effects.notes.push(...laterDelete(step, before, after));
}

/** Notes a change in what a later destroy does. */
function laterDelete({ name }: Step, before: Side, after: Side): Note[] {
  const state = { ...before.inputs, ...before.outputs };
  const [was, is] = [
    isDeletedOnDestroy(state),
    isDeletedOnDestroy({ adopted: state["adopted"], ...after.inputs }),
  ];
  if (was === is) return [];
  const what =
    is === true
      ? say`deletes ${id(before.id ?? "")} for good`
      : is === false
        ? say`leaves ${id(before.id ?? "")} in place`
        : say`may delete ${id(before.id ?? "")} for good: whether it does is ${whyHidden(is)}`;
  const reason = say`from now on, destroying it ${what} (deleteOnDestroy)`;
  return [{ name, tenant: before.tenant, reason }];
}

/**
 * If the update may not come, its other changes are uncertain too. If it comes, a hidden old value may equal
 * the new one, and then it isn't sent.
 */
function whyNotUpdated(step: Step, changes: readonly FieldChange[]): Pick<ProfileEffect, "unless"> {
  const shown = changes.filter(({ after }) => hiddenIn(after) === undefined);
  const isNoneSure = shown.every(({ before }) => hiddenIn(before) !== undefined);
  return shown.length > 0 && (mayStay(step) || isNoneSure) ? { unless: TURNS_OUT_THE_SAME } : {};
}

/** Returns the changes of an update to a profile that state records like this. */
function changesOf(
  step: Step,
  outputs: RawInputs,
  { inputs }: Side,
  names: readonly string[] = PROFILE_SETTINGS,
): FieldChange[] {
  const situation = updateOf(outputs, inputs);
  const { had, wanted } = situation;
  const { settings } = plan(situation);
  return names
    .filter((name) => name in settings || (hiddenIn(wanted[name]) !== undefined && mayDiffer(name, step)))
    .flatMap((name) => {
      const differing = changesFrom({ [name]: had[name] }, { [name]: wanted[name] }, step);
      // A setting new to the program is sent even if the tenant already has it, as far as state knows.
      return differing.length > 0 ? differing : [fieldChange([name], had[name], wanted[name])];
    });
}

const NOT_ANOTHER = say`what is not known yet turns out to be as it is`;

function mayNotBeAnother({ op, after, mayNotBeReplaced }: Step): boolean {
  return op === "replace" && (mayNotBeReplaced || hiddenIn(after?.inputs) === UNKNOWN);
}

function profileMade(step: Step, after: Side, effects: Effects): void {
  const wanted = settingsIn(after.inputs);
  // An unknown value may turn out to be the present one, and then nothing is replaced.
  const unless = mayNotBeAnother(step) ? NOT_ANOTHER : undefined;
  effects.profiles.push(...updatedInstead(step, after));
  if (typeof after.inputs["adopt"] === "string") {
    adopted(step, after, unless, effects);
    return;
  }
  const changes = changesFrom({}, wanted, step);
  effects.profiles.push({
    ...profile(step, "create", after, changes),
    wanted,
    unless,
  });
  effects.unknown.push(...hiddenChanges(step, after, changes));
}

/** Returns the changes if only unknown values ask for the replacement, and these turn out unchanged. */
function updatedInstead(step: Step, after: Side): ProfileEffect[] {
  const { before, replacedFor = [] } = step;
  if (before === undefined || !mayBeUpdated(step)) return [];
  const state = { ...before.inputs, ...before.outputs };
  const others = PROFILE_SETTINGS.filter((name) => !replacedFor.includes(name));
  const changes = changesOf(step, state, after, others);
  const unless = say`what is not known yet turns out to be another: then it is replaced`;
  if (changes.length === 0) return [];
  const row = profile(step, "update", before, changes);
  const { had, wanted } = updateOf(state, after.inputs);
  return [{ ...row, wanted, had, unless }];
}

function adopted(step: Step, after: Side, unless: Sentence | undefined, effects: Effects): void {
  const { inputs } = after;
  const adopt = seenText(inputs["adopt"]) ?? "";
  const profileId = ifKnown(adopt);
  const adoptions = factsOf(step.printed, "adopts").filter(({ adopts: of }) => of === adopt);
  const answers = [...new Map(adoptions.map((answer) => [JSON.stringify(answer), answer])).values()];
  const [answer] = answers;
  const wanted = settingsIn(inputs);
  const changes = answers.flatMap(adoptionChanges);
  const adoption = {
    ...profile(step, "adopt", after, changes),
    id: profileId,
    reason: answer === undefined ? say`` : say`named ${nameText(answer.name)} today`,
    unless,
  };
  effects.unknown.push(...hiddenChanges(step, after, changes));
  const [refused] = factsOf(step.printed, "notAsked").filter(({ notAsked }) => notAsked === adopt);
  const problem = whyNotKnown(adopt, refused?.why, answers.length);
  const changed = Object.fromEntries(changesIn(answer).map(({ field, before }) => [field, before]));
  if (problem === undefined) effects.profiles.push({ ...adoption, wanted, had: { ...wanted, ...changed } });
  else {
    effects.profiles.push({ ...adoption, wanted });
    effects.unknown.push(unknown(step, after, problem, ["adopt"]));
  }
}

/** Every value in the fact differs, even if both are secret. */
function adoptionChanges(adoption: FactOf<"adopts">): FieldChange[] {
  const changes = changesIn(adoption);
  const differing = changes.flatMap(({ field, before, after }) =>
    changesFrom({ [field]: before }, { [field]: after }, { differs: [field], isHalfDone: false }),
  );
  // For a long value, the fact has the length and the names of what's removed.
  const isLong = (path: string) =>
    changes.some(({ field, before }) => typeof before === "string" && path.startsWith(field));
  const gone = (adoption.removes ?? [])
    .filter(isLong)
    .map((path) => ({ path, before: "(not shown)", after: undefined }));
  return [...differing, ...gone];
}

function changesIn({ changes = {} }: Partial<FactOf<"adopts">> = {}) {
  return Object.entries(changes).map(([field, [before, after]]) => ({
    field,
    before: before ?? undefined,
    after,
  }));
}

function nameText(name: unknown): string {
  return typeof name === "string" ? name : JSON.stringify(name);
}

/** Returns why the changes of an adoption aren't known; undefined if a fact has them. */
function whyNotKnown(
  adopt: Seen<string>,
  refused: string | undefined,
  answers: number,
): Sentence | undefined {
  if (!isKnown(adopt)) return say`which profile it adopts is ${whyHidden(adopt)}`;
  // Anybody can print lines, so no line removes a doubt.
  if (refused !== undefined)
    return say`what changes on ${id(adopt)}: the tenant could not be asked (${refused})`;
  if (answers > 1) return say`what changes on ${id(adopt)}: lines of the preview contradict each other`;
  return answers === 1 ? undefined : say`what changes on ${id(adopt)}: the tenant was not asked`;
}

/** Adds the effects of a delete, or of a replacement's delete. */
function ended(step: Step, before: Side, profiles: readonly Step[], effects: Effects): void {
  const { name } = step;
  const profileId = before.id ?? "";
  const stays = whyItStays(step, before, profiles);
  if (stays !== undefined) {
    const reason = mayBeUpdated(step) ? say`if it is replaced, ${stays}` : say`nothing is sent: ${stays}`;
    effects.notes.push({ name, tenant: before.tenant, reason });
    return;
  }
  const isDeleted = isDeletedOnDestroy({ ...before.inputs, ...before.outputs });
  const unless = whyNotDeleted(step, before, isDeleted, profiles);
  const reason = step.op === "replace" ? say`is replaced` : renamedTo(step, before, profiles);
  effects.profiles.push({ ...profile(step, "delete", before, []), reason, unless });
  if (isDeleted === true) return;
  const whether = say`whether ${id(profileId)} is deleted for good is ${whyHidden(isDeleted)}`;
  effects.unknown.push(unknown(step, before, whether, ["delete"]));
}

/** Returns why nothing is sent at the end of a profile; undefined if it is or may be deleted. */
function whyItStays(step: Step, before: Side, profiles: readonly Step[]): Sentence | undefined {
  const { leaves } = step;
  const profileId = id(before.id ?? "");
  const state = { ...before.inputs, ...before.outputs };
  if (leaves === "later") return say`${profileId} stays until a later run deletes it`;
  if (leaves === "get")
    return say`${profileId} stays, from now on it is only read; no resource manages it any more`;
  if (leaves !== undefined)
    return say`${profileId} stays, because of ${leaves}; no resource manages it any more`;
  if (isDeletedOnDestroy(state) === false)
    return isAdopted(state)
      ? say`${profileId} stays as it is, because it was adopted`
      : say`${profileId} stays as it is, because deleteOnDestroy is false`;
  const known = step.deletesFirst ? profiles.filter(step.isAfter) : profiles;
  if (known.some((other) => adopts(other, before))) return say`another resource adopts ${profileId}`;
  // After a run that failed between an adoption and a delete, two resources have it.
  const keeps = ({ op, before: other }: Step) =>
    (op === "same" || op === "update") && other?.id === before.id && other?.tenant === before.tenant;
  return known.some(keeps) ? say`another resource manages ${profileId}` : undefined;
}

function adopts({ after }: Step, before: Side): boolean {
  return after?.inputs["adopt"] === before.id && (after?.tenant ?? before.tenant) === before.tenant;
}

function whyNotDeleted(
  step: Step,
  before: Side,
  isDeleted: Seen<boolean>,
  profiles: readonly Step[],
): Sentence | undefined {
  if (!isKnown(isDeleted)) return say`deleteOnDestroy is false, which is ${whyHidden(isDeleted)}`;
  if (mayNotBeAnother(step)) return NOT_ANOTHER;
  if (step.mayLeave) return say`what it is deletedWith is deleted`;
  const isLater = ({ isAfter }: Step) => step.deletesFirst && isAfter(step);
  const mayAdopt = (other: Step) =>
    hiddenIn(other.after?.inputs["adopt"]) === undefined ? adopts(other, before) : other.op !== "same";
  const adopter = profiles.find((other) => mayAdopt(other) && !isLater(other));
  return adopter && say`${adopter.name} adopts it`;
}

function profile(
  { name, line }: Step,
  op: ProfileEffect["op"],
  side: Side,
  changes: readonly FieldChange[],
): ProfileEffect {
  return { tenant: side.tenant, op, id: side.id, name, line, reason: say``, changes };
}

function unknown(
  { name, line }: Step,
  side: Side,
  reason: Sentence,
  categories: NotReviewable["categories"],
): NotReviewable {
  return {
    name,
    tenant: side.tenant,
    ...(side.id !== undefined && { id: side.id }),
    line,
    reason,
    categories,
  };
}

function hiddenChanges(step: Step, side: Side, changes: readonly FieldChange[]): NotReviewable[] {
  return changes.flatMap(({ path, before, after }) => {
    const hidden = hiddenIn([before, after]);
    if (hidden === undefined) return [];
    return [unknown(step, side, say`the value of ${path} is ${whyHidden(hidden)}`, [])];
  });
}

/** A new profile with the name of a deleted one looks like a renamed resource. */
function renamedTo({ name }: Step, { tenant, inputs }: Side, profiles: readonly Step[]): Sentence {
  const successor = profiles.find(
    ({ op, after }) =>
      op === "create" &&
      after?.inputs["adopt"] === undefined &&
      after?.tenant === tenant &&
      hiddenIn(inputs["name"]) === undefined &&
      after?.inputs["name"] === inputs["name"],
  );
  if (successor === undefined) return say``;
  return say`has the same name as ${successor.name}: renamed? ${`aliases: [{ name: ${JSON.stringify(name)} }]`}`;
}

type Compared = Pick<Step, "differs" | "isHalfDone">;

/** Compares field by field, as deep as both sides are objects. */
function changesFrom(
  before: JsonObject,
  after: JsonObject,
  step: Compared,
  path: readonly string[] = [],
): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [old, now] = [own(before, name), own(after, name)];
    const at = [...path, name];
    // An empty object has no fields to show.
    if ([old, now].every(isTree) && ![old, now].every(isEmpty))
      return changesFrom((old ?? {}) as JsonObject, (now ?? {}) as JsonObject, step, at);
    const isEqual = isDeepStrictEqual(old, now) && (hiddenIn(now) === undefined || !mayDiffer(at[0], step));
    return isEqual ? [] : [fieldChange(at, old, now)];
  });
}

function fieldChange(path: readonly string[], before: unknown, after: unknown): FieldChange {
  return { path: pathText(path), before, after, ...(isSet(path) && { isSet: true }) };
}

/** True if a secret may have changed: the engine compares inputs, which may be older than the outputs. */
function mayDiffer(name: string | undefined, { differs, isHalfDone }: Compared): boolean {
  return isHalfDone || differs.includes(name ?? "");
}

function isTree(value: unknown): boolean {
  return isObject(value) || value === undefined;
}
