import {
  type FieldChange,
  type Effects,
  noEffects,
  type NotReviewable,
  type ProfileEffect,
  type WantedSettings,
} from "../../pulumi/effects";
import { type RawInputs, UNKNOWN } from "../../pulumi/raw-inputs";
import { id, say, type Sentence } from "../../pulumi/sentence";
import { type Hidden, hiddenIn, SECRET, type Side, type Step, switchIn, whyHidden } from "../../pulumi/step";
import { emptyValue, PROFILE_SETTINGS } from "../../service/profile-fields";
import { type JsonObject } from "../../service/record";
import { fieldChange, changesFrom, mayDiffer } from "./field-changes";
import { isSame } from "./equality";
import { isStillThere, keysOf, leafPointers, merge, omit, pointsToEmpty, valueAt } from "./json-tree";
import { parseProfileLine, type ProfileLine } from "./lines";
import { renamedTo } from "./namesakes";

/*
 * What a change of a profile does: said in previews, done by the handlers, and told by the review. Nothing else knows it.
 */

/** A profile that is to become what the program wants. */
export interface PatchInput {
  /** Its settings, as far as they are known. */
  live: JsonObject;
  /** Whether they were read just now. */
  isFresh: boolean;
  /** Pointers of what the program owned before. */
  owned: readonly string[];
  wanted: JsonObject;
}

/** What an adoption or update sends, by setting; each is complete in itself, with what others have put into it. */
export function patchOf({ live, wanted, owned, isFresh }: PatchInput): JsonObject {
  const target = settingsToBe({ live, wanted, owned });
  // State may be out of date about values that the program did not own before: they are always sent.
  const added = isFresh ? [] : leafPointers(wanted).filter((pointer) => !owned.includes(pointer));
  const changed = PROFILE_SETTINGS.filter(
    (name) => !isSame(name, live[name], target[name]) || added.some((pointer) => keysOf(pointer)[0] === name),
  );
  return Object.fromEntries(changed.map((name) => [name, target[name] ?? emptyValue(name)]));
}

/** The settings that a profile is to have. */
function settingsToBe({ live, wanted, owned }: Omit<PatchInput, "isFresh">): JsonObject {
  return merge(omit(live, removedBy(wanted, owned, live)), wanted) as JsonObject;
}

/** What the program owned and no longer sets. A value that it owned as empty belongs to whoever has set it since. */
export function removedBy(wanted: JsonObject, owned: readonly string[], live: JsonObject): string[] {
  return owned.filter(
    (pointer) =>
      valueAt(wanted, pointer) === undefined && (!pointsToEmpty(pointer) || isStillThere(live, pointer)),
  );
}

/** What state records of a profile. */
export function settingsIn(values: RawInputs): JsonObject {
  return Object.fromEntries(
    PROFILE_SETTINGS.filter((name) => name in values).map((name) => [name, values[name]]),
  );
}

/** Pointers of what the program owns: where nothing is recorded, all settings. */
export function managedFields(outputs: RawInputs): string[] {
  const recorded = outputs["managedFields"];
  return Array.isArray(recorded) ? (recorded as string[]) : leafPointers(settingsIn(outputs));
}

export function isAdopted(outputs: RawInputs): boolean {
  return outputs["adopted"] === true;
}

/** Whether the outcome of the last change is unknown. Release 0.1.0 has another name for it. */
export function isUnconfirmed(outputs: RawInputs): boolean {
  return outputs["unconfirmed"] === true || outputs["unsure"] === true;
}

/** Whether destroying the resource deletes the profile; a switch that does not show may be either. */
export function isDeletedOnDestroy(values: RawInputs): boolean | Hidden {
  return switchIn(values["deleteOnDestroy"], !isAdopted(values));
}

/** What the steps of all profiles do. */
export function profileEffects(steps: readonly Step[], isDrift: boolean): Effects {
  const effects = noEffects();
  const changed = steps.filter(({ kind, op }) => kind === "ConnectionProfile" && op !== "same");
  for (const step of changed) {
    if (isDrift) drifted(step, effects);
    else if (step.op === "update") updated(step, effects);
    else {
      if (step.after !== undefined) profileMade(step, step.after, effects);
      if (step.before !== undefined) ended(step, step.before, changed, effects);
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
  const { name, before, after } = step;
  if (before === undefined || after === undefined) return;
  const { tenant } = before;
  const held = { ...before.inputs, ...before.outputs };
  const changes = changesOf(step, held, after);
  const sets = setsOf(held, settingsIn(after.inputs));
  if (changes.length > 0)
    effects.profiles.push({
      ...profile(step, "update", before, changes),
      sets,
      ...whyNotUpdated(step, after, changes),
    });
  effects.unknown.push(...hiddenChanges(step, before, changes));
  if (isUnconfirmed(held)) {
    effects.repeats.push({ kind: "profile", tenant, id: before.id, name, ...sets });
    effects.unknown.push(
      unknown(
        step,
        before,
        say`whether the last change of ${id(before.id ?? "")} was done is not known: what is missing is sent again`,
        [],
      ),
    );
  }
  const [was, is] = [
    isDeletedOnDestroy(held),
    isDeletedOnDestroy({ adopted: held["adopted"], ...after.inputs }),
  ];
  if (was === is) return;
  const what =
    is === true
      ? say`deletes ${id(before.id ?? "")} for good`
      : is === false
        ? say`leaves ${id(before.id ?? "")} in place`
        : say`may delete ${id(before.id ?? "")} for good: whether it does is ${whyHidden(is)}`;
  effects.notes.push({ name, tenant, reason: say`from now on, destroying it ${what} (deleteOnDestroy)` });
}

/** Nothing but unknown values may ask for an update: if they turn out to be as they are, other changes wait, too. */
function whyNotUpdated(
  { differs, isHalfDone }: Step,
  { inputs }: Side,
  changes: readonly FieldChange[],
): Pick<ProfileEffect, "unless"> {
  const isOpen =
    !isHalfDone && differs.length > 0 && differs.every((name) => hiddenIn(inputs[name]) === "unknown");
  const isOther = changes.some(({ after }) => hiddenIn(after) === undefined);
  return isOpen && isOther ? { unless: say`what is not known yet turns out to be as it is` } : {};
}

/** What an update changes on a profile, of which state records this. */
function changesOf(
  step: Step,
  held: RawInputs,
  { inputs }: Side,
  settings: readonly string[] = PROFILE_SETTINGS,
): FieldChange[] {
  const [live, wanted, owned] = [settingsIn(held), settingsIn(inputs), managedFields(held)];
  const patch = patchOf({ live, wanted, owned, isFresh: false });
  const target = settingsToBe({ live, wanted, owned });
  return settings
    .filter((name) => name in patch || (hiddenIn(target[name]) !== undefined && mayDiffer(name, step)))
    .flatMap((name) => {
      const differing = changesFrom({ [name]: live[name] }, { [name]: target[name] }, step);
      // What the program begins to set is sent even if it is so already, as far as state knows.
      return differing.length > 0 ? differing : [fieldChange([name], live[name], target[name])];
    });
}

/** What a change of a profile may set, of which state records this. */
function setsOf(held: RawInputs, wanted: JsonObject): WantedSettings {
  const gone = managedFields(held).filter((pointer) => valueAt(wanted, pointer) === undefined);
  return { wanted, removes: gone.map(keysOf) };
}

function profileMade(step: Step, after: Side, effects: Effects): void {
  const { adopt } = after.inputs;
  // An unknown value may turn out to be the one that there is, and then nothing is replaced.
  const unless =
    step.op === "replace" && hiddenIn(after.inputs) === "unknown"
      ? { unless: say`what is not known yet turns out to be as it is` }
      : {};
  // Then it is changed. What is secret may be unknown as well.
  if (step.op === "replace" && step.before !== undefined && hiddenIn(after.inputs) !== undefined)
    effects.repeats.push({
      kind: "profile",
      tenant: step.before.tenant,
      id: step.before.id,
      name: step.name,
      ...setsOf({ ...step.before.inputs, ...step.before.outputs }, settingsIn(after.inputs)),
    });
  effects.profiles.push(...updatedInstead(step, after));
  if (typeof adopt !== "string") {
    const changes = changesFrom({}, settingsIn(after.inputs), step);
    const sets = { wanted: settingsIn(after.inputs), removes: [] };
    effects.profiles.push({ ...profile(step, "create", after, changes), sets, ...unless });
    effects.unknown.push(...hiddenChanges(step, after, changes));
    return;
  }
  adopted(step, after, unless, effects);
}

/** What changes where a replacement is asked for by nothing but values that turn out to be as they are. */
function updatedInstead(step: Step, after: Side): ProfileEffect[] {
  const { before, replacedFor } = step;
  const isOpen =
    replacedFor.length > 0 && replacedFor.every((name) => hiddenIn(after.inputs[name]) === "unknown");
  if (before === undefined || !isOpen) return [];
  const held = { ...before.inputs, ...before.outputs };
  const others = PROFILE_SETTINGS.filter((name) => !replacedFor.includes(name));
  const changes = changesOf(step, held, after, others);
  const sets = setsOf(held, settingsIn(after.inputs));
  const unless = say`what is not known yet turns out to be another: then it is replaced`;
  return changes.length === 0 ? [] : [{ ...profile(step, "update", before, changes), sets, unless }];
}

type Adoption = ProfileLine & { kind: "adoption" };

function adopted(step: Step, after: Side, unless: Pick<ProfileEffect, "unless">, effects: Effects): void {
  const adopt = after.inputs["adopt"] as string;
  const isHidden = adopt === UNKNOWN || adopt === SECRET;
  const lines = step.told
    .map(parseProfileLine)
    .filter((line) => line !== undefined && line.profileId === adopt) as ProfileLine[];
  const told = lines.filter((line): line is Adoption => line.kind === "adoption");
  const answers = [...new Map(told.map((answer) => [JSON.stringify(answer), answer])).values()];
  const [answer] = answers;
  const profileId = isHidden ? undefined : adopt;
  // What was told is what is sent. If it was not, that is unknown, but for what the program wants.
  const isTold = answers.length === 1 && !isHidden;
  const changes = answers.flatMap(adoptionChanges);
  effects.profiles.push({
    ...profile(step, "adopt", after, changes),
    id: profileId,
    reason: answer === undefined ? say`` : say`named ${nameText(answer.name)} today`,
    ...(isTold && { sets: { wanted: valuesAfter(answer), removes: [] } }),
    ...unless,
  });
  if (!isTold)
    effects.repeats.push({
      kind: "profile",
      tenant: after.tenant,
      id: profileId,
      name: step.name,
      wanted: settingsIn(after.inputs),
      removes: [],
    });
  effects.unknown.push(...hiddenChanges(step, after, changes));
  const problem = whyNotTold(adopt, lines, answers.length);
  if (problem !== undefined) effects.unknown.push(unknown(step, after, problem, ["adopt"]));
}

/** What the line tells differs, also where both values are secret. */
function adoptionChanges({ changes }: Adoption): FieldChange[] {
  return changes.flatMap(({ field, before, after }) =>
    changesFrom({ [field]: before }, { [field]: after }, { differs: [field], isHalfDone: false }),
  );
}

function valuesAfter(answer: Adoption | undefined): RawInputs {
  return Object.fromEntries((answer?.changes ?? []).map(({ field, after }) => [field, after]));
}

function nameText(name: unknown): string {
  return typeof name === "string" ? name : JSON.stringify(name);
}

/** Why it can't be told what an adoption changes; undefined where a line tells it. */
function whyNotTold(adopt: string, lines: readonly ProfileLine[], answers: number): Sentence | undefined {
  if (adopt === SECRET) return say`which profile it adopts is secret`;
  if (adopt === UNKNOWN) return say`which profile it adopts is known only when the change is made`;
  if (answers > 1) return say`what changes on ${id(adopt)}: lines of the preview contradict each other`;
  if (answers === 1) return undefined;
  const refused = lines.find((line) => line.kind === "not asked");
  if (refused === undefined) return say`what changes on ${id(adopt)}: the tenant was not asked`;
  return say`what changes on ${id(adopt)}: the tenant could not be asked (${refused.reason})`;
}

/** A delete, or the end of what is replaced. */
function ended(step: Step, before: Side, changed: readonly Step[], effects: Effects): void {
  const { name } = step;
  const profileId = before.id ?? "";
  const stays = whyItStays(step, before, changed);
  if (stays !== undefined) {
    effects.notes.push({ name, tenant: before.tenant, reason: say`nothing is sent: ${stays}` });
    return;
  }
  const isDeleted = isDeletedOnDestroy({ ...before.inputs, ...before.outputs });
  const unless = whyNotDeleted(step, isDeleted, changed);
  const reason = step.op === "replace" ? say`is replaced` : renamedTo(step, before, changed);
  effects.profiles.push({ ...profile(step, "delete", before, []), reason, ...(unless && { unless }) });
  if (isDeleted === true) return;
  const whether = say`whether ${id(profileId)} is deleted for good is ${whyHidden(isDeleted as Hidden)}`;
  effects.unknown.push(unknown(step, before, whether, ["delete"]));
}

/** Why nothing is sent for the end of a profile; undefined where it is deleted, or may be. */
function whyItStays({ leaves }: Step, before: Side, changed: readonly Step[]): Sentence | undefined {
  const profileId = id(before.id ?? "");
  const held = { ...before.inputs, ...before.outputs };
  if (leaves === "later") return say`${profileId} stays until a later run deletes it`;
  if (leaves === "get")
    return say`${profileId} stays, from now on it is only read; no resource manages it any more`;
  if (leaves !== undefined)
    return say`${profileId} stays, because of ${leaves}; no resource manages it any more`;
  if (isDeletedOnDestroy(held) === false)
    return isAdopted(held)
      ? say`${profileId} stays as it is, because it was adopted`
      : say`${profileId} stays as it is, because deleteOnDestroy is false`;
  const adopts = ({ after }: Step) =>
    after?.inputs["adopt"] === before.id && (after?.tenant ?? before.tenant) === before.tenant;
  return changed.some(adopts) ? say`another resource adopts ${profileId}` : undefined;
}

/** What may keep a profile from being deleted. */
function whyNotDeleted(
  step: Step,
  isDeleted: Hidden | boolean,
  changed: readonly Step[],
): Sentence | undefined {
  if (typeof isDeleted !== "boolean") return say`deleteOnDestroy is false, which is ${whyHidden(isDeleted)}`;
  if (step.after !== undefined && hiddenIn(step.after.inputs) === "unknown")
    return say`what is not known yet turns out to be as it is`;
  if (step.mayLeave) return say`what it is deletedWith is deleted`;
  if (step.isDeleteHidden) return say`the old one stays: this preview does not show its delete`;
  const adopter = changed.find(({ after }) => hiddenIn(after?.inputs["adopt"]) !== undefined);
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

/** Values that the preview doesn't show. */
function hiddenChanges(step: Step, side: Side, changes: readonly FieldChange[]): NotReviewable[] {
  return changes.flatMap(({ path, before, after }) => {
    const hidden = hiddenIn([before, after]);
    if (hidden === undefined) return [];
    return [unknown(step, side, say`the value of ${path} is ${whyHidden(hidden)}`, [])];
  });
}
