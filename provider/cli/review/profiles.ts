import { isDeepStrictEqual } from "node:util";
import { type PreviewLine } from "../../pulumi/preview-lines";
import { pathText } from "../../pulumi/paths";
import { SECRET, type Side, type Step, UNKNOWN, type Values } from "./preview";
import { type Change, type Note, type NotReviewable, type Profile } from "./effects";
import { id, say } from "./sentence";

export interface ProfileEffects {
  profiles: Profile[];
  unknown: NotReviewable[];
  notes: Note[];
}

/** Inputs that say how a profile is handled; nothing of them is on the tenant. */
const HANDLING: readonly string[] = ["adopt", "deleteOnDestroy"];

/** What becomes of connection profiles. */
export function profileEffects(steps: readonly Step[], isDrift: boolean): ProfileEffects {
  const own = steps.filter(({ kind }) => kind === "ConnectionProfile");
  const adopted = new Set(own.map(({ after }) => after?.inputs["adopt"]));
  const effects: ProfileEffects = { profiles: [], unknown: [], notes: [] };
  for (const step of own) {
    if (isDrift) drifted(step, effects);
    else {
      if (step.op === "update") updated(step, effects);
      else {
        if (step.after !== undefined) made(step, step.after, effects);
        if (step.before !== undefined) removed(step, step.before, adopted, effects);
      }
    }
  }
  return effects;
}

function drifted(step: Step, effects: ProfileEffects): void {
  const { before, after } = step;
  if (after === undefined) effects.profiles.push(profile(step, "gone", before, []));
  else effects.profiles.push(profile(step, "update", before, changesOf(step, before, after)));
}

function updated(step: Step, effects: ProfileEffects): void {
  const { name, before, after } = step;
  if (before === undefined || after === undefined) return;
  const changes = changesOf(step, before, after);
  if (changes.length > 0) effects.profiles.push(profile(step, "update", before, changes));
  effects.unknown.push(...hiddenIn(step, changes));
  const [was, is] = [isDeletedOnDestroy(before), isDeletedOnDestroy(after, before)];
  if (was !== is) {
    const what = is
      ? say`deletes ${id(before.id ?? "")} for good`
      : say`leaves ${id(before.id ?? "")} in place`;
    effects.notes.push({ name, reason: say`from now on, destroying it ${what} (deleteOnDestroy)` });
  }
}

function made(step: Step, after: Side, effects: ProfileEffects): void {
  const adopt = textOf(after.inputs["adopt"]);
  if (adopt === undefined) {
    const changes = changesOf(step, undefined, after);
    effects.profiles.push(profile(step, "create", undefined, changes));
    effects.unknown.push(...hiddenIn(step, changes));
    return;
  }
  const { name, line } = step;
  const refused = step.told.find(
    (told) => told.kind === "not-asked" && told.about === "adoption" && told.id === adopt,
  );
  const answer = step.told.find((told) => told.kind === "adoption" && told.profileId === adopt);
  const changes = answer?.kind === "adoption" ? changesOfAdoption(step, answer) : [];
  const isHidden = adopt === UNKNOWN || adopt === SECRET;
  const reason = answer?.kind === "adoption" ? say`named ${String(answer.name)} today` : say``;
  const adopted = profile(step, "adopt", after, changes);
  effects.profiles.push({ ...adopted, id: isHidden ? undefined : adopt, reason });
  effects.unknown.push(...hiddenIn(step, changes));
  const not = (why: ReturnType<typeof say>) =>
    effects.unknown.push({ name, line, reason: why, categories: ["adopt"] });
  if (adopt === SECRET) not(say`which profile it adopts is secret`);
  else if (adopt === UNKNOWN) not(say`which profile it adopts is known only when the change is made`);
  else if (refused?.kind === "not-asked")
    not(say`what changes on ${id(adopt)}: the tenant could not be asked (${refused.reason})`);
  else if (answer === undefined) not(say`what changes on ${id(adopt)}: the tenant was not asked`);
}

/** A delete, or the end of what is replaced. */
function removed(step: Step, before: Side, adopted: ReadonlySet<unknown>, effects: ProfileEffects): void {
  const { name } = step;
  const profileId = before.id ?? "";
  const stays = (reason: ReturnType<typeof say>) => effects.notes.push({ name, reason });
  if (before.retainOnDelete) stays(say`nothing is sent: ${id(profileId)} stays, because of retainOnDelete`);
  else if (!isDeletedOnDestroy(before))
    stays(
      before.outputs["adopted"] === true
        ? say`nothing is sent: ${id(profileId)} stays as it is, because it was adopted`
        : say`nothing is sent: ${id(profileId)} stays as it is, because deleteOnDestroy is false`,
    );
  else if (adopted.has(profileId)) stays(say`nothing is sent: another resource adopts ${id(profileId)}`);
  else {
    const reason = step.op === "replace" ? say`is replaced` : say``;
    effects.profiles.push({ ...profile(step, "delete", before, []), reason });
  }
}

/** Whether destroying the resource deletes the profile. */
function isDeletedOnDestroy({ inputs, outputs }: Side, state: Side | undefined = undefined): boolean {
  const { deleteOnDestroy } = inputs;
  if (typeof deleteOnDestroy === "boolean") return deleteOnDestroy;
  return (state?.outputs ?? outputs)["adopted"] !== true;
}

function profile(
  { name, line }: Step,
  op: Profile["op"],
  side: Side | undefined,
  changes: readonly Change[],
): Profile {
  return { tenant: side?.tenant, op, id: side?.id, name, line, reason: say``, changes };
}

function changesOf(step: Step, before: Side | undefined, after: Side): Change[] {
  return diff(settings(before?.inputs ?? {}), settings(after.inputs), [], step.differs);
}

function changesOfAdoption(step: Step, { changes }: PreviewLine & { kind: "adoption" }): Change[] {
  return changes.flatMap(({ field, before, after }) =>
    diff({ [field]: before }, { [field]: after }, [], step.differs),
  );
}

function settings(inputs: Values): Values {
  return Object.fromEntries(
    Object.entries(inputs).filter(([name]) => !name.startsWith("__") && !HANDLING.includes(name)),
  );
}

/** Field by field, down to what is not an object on both sides. */
function diff(
  before: unknown,
  after: unknown,
  path: readonly string[],
  differs: readonly string[],
): Change[] {
  const isTree = (value: unknown) => isObject(value) || value === undefined;
  if (isTree(before) && isTree(after) && (isObject(before) || isObject(after))) {
    const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
    const [old, now] = [before ?? {}, after ?? {}];
    const changes = [...names].sort().flatMap((name) => diff(old[name], now[name], [...path, name], differs));
    // An empty object has no fields to show.
    if (names.size > 0 || path.length === 0) return changes;
  }
  const isSameSecret = before === SECRET && after === SECRET;
  if (isSameSecret ? !differs.includes(path[0] ?? "") : isDeepStrictEqual(before, after)) return [];
  return [{ path: pathText(path), before, after }];
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Values that the preview doesn't show. */
function hiddenIn({ name, line }: Step, changes: readonly Change[]): NotReviewable[] {
  const holds = (value: unknown, hidden: string): boolean =>
    value === hidden ||
    (typeof value === "object" &&
      value !== null &&
      Object.values(value).some((child) => holds(child, hidden)));
  const of = (hidden: string) =>
    changes.filter(({ before, after }) => holds(after, hidden) || holds(before, hidden));
  return [
    ...of(SECRET).map(({ path }) => ({ path, why: say`is secret` })),
    ...of(UNKNOWN).map(({ path }) => ({ path, why: say`is known only when the change is made` })),
  ].map(({ path, why }) => ({ name, line, reason: say`the value of ${path} ${why}`, categories: [] }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
