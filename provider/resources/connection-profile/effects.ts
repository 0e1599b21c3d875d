import { isDeepStrictEqual } from "node:util";
import {
  type Change,
  type Effects,
  noEffects,
  type NotReviewable,
  type Profile,
  type Wanted,
} from "../../pulumi/effects";
import { pathText } from "../../pulumi/input-problems";
import { type RawInputs } from "../../pulumi/raw-inputs";
import { UNKNOWN } from "../../pulumi/reserved";
import { id, say, type Sentence } from "../../pulumi/sentence";
import { type Hidden, hiddenIn, SECRET, type Side, type Step, switchIn, whyHidden } from "../../pulumi/step";
import { emptyValue, isSet, isShared, mapEntries, SETTINGS } from "../../service/profile-fields";
import { isObject, type JsonObject } from "../../service/record";
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
  const target = targetOf({ live, wanted, owned });
  // State may be out of date about values that the program did not own before: they are always sent.
  const added = isFresh ? [] : leafPointers(wanted).filter((pointer) => !owned.includes(pointer));
  const changed = SETTINGS.filter(
    (name) => !isSame(name, live[name], target[name]) || added.some((pointer) => keysOf(pointer)[0] === name),
  );
  return Object.fromEntries(changed.map((name) => [name, target[name] ?? emptyValue(name)]));
}

/** The settings that a profile is to have. */
function targetOf({ live, wanted, owned }: Omit<PatchInput, "isFresh">): JsonObject {
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
  return Object.fromEntries(SETTINGS.filter((name) => name in values).map((name) => [name, values[name]]));
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
  const own = steps.filter(({ kind, op }) => kind === "ConnectionProfile" && op !== "same");
  for (const step of own) {
    if (isDrift) drifted(step, effects);
    else if (step.op === "update") updated(step, effects);
    else {
      if (step.after !== undefined) made(step, step.after, effects);
      if (step.before !== undefined) ended(step, step.before, own, effects);
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
  if (changes.length > 0) effects.profiles.push({ ...profile(step, "update", before, changes), sets });
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

/** What an update changes on a profile, of which state records this. */
function changesOf(
  step: Step,
  held: RawInputs,
  { inputs }: Side,
  settings: readonly string[] = SETTINGS,
): Change[] {
  const [live, wanted, owned] = [settingsIn(held), settingsIn(inputs), managedFields(held)];
  const patch = patchOf({ live, wanted, owned, isFresh: false });
  const target = targetOf({ live, wanted, owned });
  return settings
    .filter((name) => name in patch || (hiddenIn(target[name]) !== undefined && mayDiffer(name, step)))
    .flatMap((name) => {
      const differing = changesFrom({ [name]: live[name] }, { [name]: target[name] }, step);
      // What the program begins to set is sent even if it is so already, as far as state knows.
      return differing.length > 0 ? differing : [change([name], live[name], target[name])];
    });
}

/** What a change of a profile may set, of which state records this. */
function setsOf(held: RawInputs, wanted: JsonObject): Wanted {
  const gone = managedFields(held).filter((pointer) => valueAt(wanted, pointer) === undefined);
  return { wanted, removes: gone.map(keysOf) };
}

function made(step: Step, after: Side, effects: Effects): void {
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
  adopted(step, after, adopt, unless, effects);
}

/** What changes where a replacement is asked for by nothing but values that turn out to be as they are. */
function updatedInstead(step: Step, after: Side): Profile[] {
  const { before, replacedFor } = step;
  const isOpen =
    replacedFor.length > 0 && replacedFor.every((name) => hiddenIn(after.inputs[name]) === "unknown");
  if (before === undefined || !isOpen) return [];
  const held = { ...before.inputs, ...before.outputs };
  const others = SETTINGS.filter((name) => !replacedFor.includes(name));
  const changes = changesOf(step, held, after, others);
  const sets = setsOf(held, settingsIn(after.inputs));
  const unless = say`what is not known yet turns out to be another: then it is replaced`;
  return changes.length === 0 ? [] : [{ ...profile(step, "update", before, changes), sets, unless }];
}

function adopted(
  step: Step,
  after: Side,
  adopt: string,
  unless: Pick<Profile, "unless">,
  effects: Effects,
): void {
  const isHidden = adopt === UNKNOWN || adopt === SECRET;
  const lines = step.told
    .map(parseProfileLine)
    .filter((line) => line !== undefined && line.profileId === adopt);
  const answers = lines.filter((line) => line?.kind === "adoption") as (ProfileLine & { kind: "adoption" })[];
  const distinct = new Map(answers.map((answer) => [JSON.stringify(answer), answer]));
  const [answer] = distinct.values();
  const changes = [...distinct.values()].flatMap((told) =>
    told.changes.flatMap((change) =>
      // What the line tells differs, also where both values are secret.
      changesFrom(
        { [change.field]: change.before },
        { [change.field]: change.after },
        { differs: [change.field], isHalfDone: false },
      ),
    ),
  );
  const reason =
    answer === undefined
      ? say``
      : say`named ${typeof answer.name === "string" ? answer.name : JSON.stringify(answer.name)} today`;
  const profileId = isHidden ? undefined : adopt;
  // What was told is what is sent. If it was not, that is unknown, but for what the program wants.
  const isTold = answer !== undefined && distinct.size === 1 && !isHidden;
  const told = Object.fromEntries((answer?.changes ?? []).map(({ field, after }) => [field, after]));
  effects.profiles.push({
    ...profile(step, "adopt", after, changes),
    id: profileId,
    reason,
    ...(isTold && { sets: { wanted: told, removes: [] } }),
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
  const not = (reason: Sentence) => effects.unknown.push(unknown(step, after, reason, ["adopt"]));
  const refused = lines.find((line) => line?.kind === "not asked");
  if (adopt === SECRET) not(say`which profile it adopts is secret`);
  else if (adopt === UNKNOWN) not(say`which profile it adopts is known only when the change is made`);
  else if (distinct.size > 1)
    not(say`what changes on ${id(adopt)}: lines of the preview contradict each other`);
  else if (answer !== undefined) return;
  else if (refused?.kind === "not asked")
    not(say`what changes on ${id(adopt)}: the tenant could not be asked (${refused.reason})`);
  else not(say`what changes on ${id(adopt)}: the tenant was not asked`);
}

/** A delete, or the end of what is replaced. */
function ended(step: Step, before: Side, own: readonly Step[], effects: Effects): void {
  const { name, leaves } = step;
  const profileId = before.id ?? "";
  const held = { ...before.inputs, ...before.outputs };
  const stays = (reason: Sentence) => effects.notes.push({ name, tenant: before.tenant, reason });
  const isDeleted = isDeletedOnDestroy(held);
  if (leaves === "get")
    stays(
      say`nothing is sent: ${id(profileId)} stays, from now on it is only read; no resource manages it any more`,
    );
  else if (leaves !== undefined)
    stays(
      say`nothing is sent: ${id(profileId)} stays, because of ${leaves}; no resource manages it any more`,
    );
  else if (isDeleted === false)
    stays(
      isAdopted(held)
        ? say`nothing is sent: ${id(profileId)} stays as it is, because it was adopted`
        : say`nothing is sent: ${id(profileId)} stays as it is, because deleteOnDestroy is false`,
    );
  else if (
    own.some(
      ({ after }) =>
        after?.inputs["adopt"] === profileId && (after.tenant ?? before.tenant) === before.tenant,
    )
  )
    stays(say`nothing is sent: another resource adopts ${id(profileId)}`);
  else {
    const adopter = own.find(({ after }) => hiddenIn(after?.inputs["adopt"]) !== undefined);
    const unless =
      isDeleted !== true
        ? say`deleteOnDestroy is false, which is ${whyHidden(isDeleted)}`
        : step.after !== undefined && hiddenIn(step.after.inputs) === "unknown"
          ? say`what is not known yet turns out to be as it is`
          : step.mayLeave
            ? say`what it is deletedWith is deleted`
            : step.isDeleteHidden
              ? say`the old one stays: this preview does not show its delete`
              : adopter && say`${adopter.name} adopts it`;
    const reason = step.op === "replace" ? say`is replaced` : renamedTo(step, before, own);
    effects.profiles.push({ ...profile(step, "delete", before, []), reason, ...(unless && { unless }) });
    if (isDeleted !== true)
      effects.unknown.push(
        unknown(step, before, say`whether ${id(profileId)} is deleted for good is ${whyHidden(isDeleted)}`, [
          "delete",
        ]),
      );
  }
}

function profile({ name, line }: Step, op: Profile["op"], side: Side, changes: readonly Change[]): Profile {
  return { tenant: side.tenant, op, id: side.id, name, line, reason: say``, changes };
}

function unknown(
  { name, line }: Step,
  { tenant, id }: Side,
  reason: Sentence,
  categories: NotReviewable["categories"],
): NotReviewable {
  return { name, tenant, ...(id !== undefined && { id }), line, reason, categories };
}

/** Field by field, down to what is not an object on both sides. */
function changesFrom(
  before: JsonObject,
  after: JsonObject,
  step: Pick<Step, "differs" | "isHalfDone">,
  path: readonly string[] = [],
): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [old, now] = [own(before, name), own(after, name)];
    const at = [...path, name];
    // Of an object that is a secret as a whole, others may have put keys into it.
    if (old === SECRET && isObject(now) && holdsKeys(now))
      return changesFrom(mapEntries(now, (key) => [key, SECRET]) as JsonObject, now, step, at);
    if (isTree(old) && isTree(now) && holdsKeys(old, now))
      return changesFrom((old ?? {}) as JsonObject, (now ?? {}) as JsonObject, step, at);
    const isEqual = isDeepStrictEqual(old, now) && (hiddenIn(now) === undefined || !mayDiffer(at[0], step));
    return isEqual ? [] : [change(at, old, now)];
  });
}

function change(path: readonly string[], before: unknown, given: unknown): Change {
  // What others have put into an object stays, and does not show where its values are secrets.
  const after = before === SECRET && given === undefined && isShared(path[0] ?? "") ? SECRET : given;
  return { path: pathText(path), before, after, ...(isSet(path) && { isSet: true }) };
}

/** Whether a secret may be another one than before: the engine compares the inputs, which may be older than the outputs. */
function mayDiffer(
  name: string | undefined,
  { differs, isHalfDone }: Pick<Step, "differs" | "isHalfDone">,
): boolean {
  return isHalfDone || differs.includes(name ?? "");
}

function own(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isTree(value: unknown): boolean {
  return isObject(value) || value === undefined;
}

/** An empty object has no fields to show. */
function holdsKeys(...values: unknown[]): boolean {
  return values.some((value) => isObject(value) && Object.keys(value).length > 0);
}

/** Values that the preview doesn't show. */
function hiddenChanges(step: Step, side: Side, changes: readonly Change[]): NotReviewable[] {
  return changes.flatMap(({ path, before, after }) => {
    const hidden = hiddenIn([before, after]);
    return hidden === undefined
      ? []
      : [
          unknown(
            step,
            side,
            hidden === "secret"
              ? say`the value of ${path} is secret`
              : say`the value of ${path} is ${whyHidden(hidden)}`,
            [],
          ),
        ];
  });
}
