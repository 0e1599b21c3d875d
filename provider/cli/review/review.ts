import { accessEffects } from "./access";
import { answersOf } from "./answers";
import {
  type Access,
  type Effects,
  type Note,
  type NotReviewable,
  type Profile,
  type RolePermissions,
} from "./effects";
import { fingerprintOf } from "./fingerprint";
import { type Category } from "./categories";
import { type ReviewJson } from "./model";
import { compare, type Preview, type Step } from "./preview";
import { profileEffects } from "./profiles";
import { removalEffects } from "./removals";
import { list, say } from "./sentence";
import { holdersIn, namesIn, permissionsIn, rolesIn, type Tenant } from "./tenant";

export interface Review extends Effects {
  isDrift: boolean;
  stack: string | undefined;
  tenants: string[];
  errors: Preview["errors"];
  /** Changes of resources of other packages. */
  others: number;
  categories: Category[];
  fingerprint: string;
  /** What `--read` has found. */
  names: Record<string, string>;
  roles: RolePermissions[];
}

/** `tenant`: what was read of it. */
export function reviewOf(preview: Preview, isDrift: boolean, tenant?: Tenant): Review {
  const { stack, steps, errors, others } = preview;
  // Of the preview alone, so that a job that reads and one that doesn't agree on it.
  const fingerprint = fingerprintOf({ isDrift, errors, others, ...effectsOf(preview, isDrift) });
  const effects = effectsOf(preview, isDrift, tenant);
  const tenants = steps.flatMap(({ before, after }) => [before?.tenant, after?.tenant]);
  return {
    isDrift,
    stack,
    tenants: [...new Set(tenants.filter((tenant) => tenant !== undefined))].sort(compare),
    ...effects,
    errors,
    others,
    categories: categoriesOf(effects, steps, others),
    fingerprint,
    names: tenant === undefined ? {} : namesIn(tenant, effects),
    roles: tenant === undefined ? [] : permissionsIn(tenant, effects),
  };
}

function effectsOf(preview: Preview, isDrift: boolean, tenant?: Tenant): Effects {
  const { steps } = preview;
  const access = accessEffects(steps, isDrift, tenant && holdersIn(tenant));
  const answers = tenant === undefined ? { unknown: [], notes: [] } : answersOf(rolesIn(steps), tenant);
  const profiles = profileEffects(steps, isDrift);
  const removals = isDrift ? { removals: [], unknown: [], notes: [] } : removalEffects(steps);
  return {
    access: access.access,
    profiles: profiles.profiles,
    removals: removals.removals,
    unknown: [
      ...access.unknown,
      ...profiles.unknown,
      ...removals.unknown,
      ...strangeIn(preview),
      ...answers.unknown,
    ],
    notes: [
      ...profiles.notes,
      ...removals.notes,
      ...(isDrift ? [] : [...optionsOf(steps), ...providersOf(preview)]),
      ...answers.notes,
    ],
  };
}

function strangeIn({ strange }: Preview): NotReviewable[] {
  return strange.map(({ name, op }) => ({
    name,
    line: undefined,
    reason: say`this release does not know the operation ${op}: update pulumi-identity`,
    categories: ["grant", "revoke", "removal", "delete"],
  }));
}

/** A `Provider` changes nothing on its tenant; it says which tenant it is, and by which client. */
function providersOf({ providers }: Preview): Note[] {
  return providers.map(({ name, op, tenant, differs }) => {
    const where = tenant === undefined ? say`a tenant that the preview doesn't tell` : say`${tenant}`;
    if (op === "create") return { name, reason: say`is a new Provider, of ${where}` };
    if (op === "delete") return { name, reason: say`is no longer a Provider, of ${where}` };
    return { name, reason: say`is the Provider of ${where}; its settings change: ${list(differs)}` };
  });
}

/** Options that change what a later run does. */
function optionsOf(steps: readonly Step[]): Note[] {
  return steps.flatMap(({ name, op, kind, before, after }) => {
    const notes: Note[] = [];
    if (kind === "RoleGroupAssignment" && op === "delete" && before?.retainOnDelete === true)
      notes.push({ name, reason: say`nothing is sent: its groups keep the role, because of retainOnDelete` });
    if (before === undefined || after === undefined) return notes;
    if (before.protect !== after.protect)
      notes.push({
        name,
        reason: after.protect ? say`is protected from now on` : say`is no longer protected`,
      });
    if (before.retainOnDelete !== after.retainOnDelete)
      notes.push({
        name,
        reason: after.retainOnDelete
          ? say`from now on, destroying it sends nothing (retainOnDelete)`
          : say`from now on, destroying it has its effect again (retainOnDelete is gone)`,
      });
    return notes;
  });
}

/** What an approval may be required for. What can't be excluded counts. */
function categoriesOf(effects: Effects, steps: readonly Step[], others: number): Category[] {
  const { access, profiles, removals, unknown } = effects;
  const found = new Set<Category>(unknown.flatMap(({ categories }) => categories));
  const add = (category: Category, isThere: boolean) => isThere && found.add(category);
  add(
    "grant",
    access.some(({ effect }) => effect === "gains"),
  );
  add(
    "revoke",
    access.some(({ effect }) => effect === "loses"),
  );
  add("removal", removals.length > 0);
  add(
    "delete",
    profiles.some(({ op }) => op === "delete"),
  );
  add("exclusive", steps.some(becomesExclusive));
  add(
    "replace",
    steps.some(({ op }) => op === "replace"),
  );
  add(
    "adopt",
    profiles.some(({ op }) => op === "adopt"),
  );
  add("unknown", unknown.length > 0);
  add("other", others > 0);
  return [...found].sort(compare);
}

function becomesExclusive({ kind, before, after }: Step): boolean {
  if (kind !== "RoleGroupAssignment" || after?.inputs["exclusive"] !== true) return false;
  return before?.inputs["exclusive"] !== true || before.inputs["roleId"] !== after.inputs["roleId"];
}

/** Whether there is anything to apply, as far as this package is concerned. */
export function hasChanges({ access, profiles, removals, unknown, notes }: Effects): boolean {
  return [access, profiles, removals, unknown, notes].some(({ length }) => length > 0);
}

export function countsOf({ access, profiles, removals, unknown, others }: Review): ReviewJson["counts"] {
  const effects = (wanted: Access["effect"]) => access.filter(({ effect }) => effect === wanted).length;
  const ops = (...wanted: Profile["op"][]) => profiles.filter(({ op }) => wanted.includes(op)).length;
  return {
    gains: effects("gains"),
    loses: effects("loses"),
    keeps: effects("keeps"),
    removals: removals.length,
    created: ops("create"),
    changed: ops("update"),
    adopted: ops("adopt"),
    deleted: ops("delete", "gone"),
    unknown: unknown.length,
    others,
  };
}

/** The review in the form of `reviewSchema`. */
export function toJson(review: Review): ReviewJson {
  const { isDrift, stack, tenants, errors, fingerprint, categories, unknown } = review;
  const json = {
    version: 1,
    kind: isDrift ? "drift" : "preview",
    stack: stack ?? null,
    tenants,
    complete: errors.length === 0 && unknown.length === 0,
    failed: errors.length > 0,
    errors,
    fingerprint,
    counts: countsOf(review),
    categories,
    access: review.access,
    profiles: review.profiles,
    removals: review.removals,
    names: review.names,
    roles: review.roles,
    unknown,
    notes: review.notes,
  };
  return JSON.parse(JSON.stringify(json, nullForUnknown)) as ReviewJson;
}

/** The members that say null rather than being left out. */
const NULLABLE: ReadonlySet<string> = new Set(["tenant", "id", "line", "name"]);

function nullForUnknown(key: string, value: unknown): unknown {
  return value === undefined && NULLABLE.has(key) ? null : value;
}
