import { type AccessEffect } from "../../provider/access/change";
import { holderId } from "../../provider/access/edge";
import { type RowPeople } from "../../provider/access/people";
import {
  CATEGORIES,
  type Category,
  type Effects,
  type Note,
  type NotReviewable,
  type ProfileEffect,
  type RolePermissions,
} from "../../provider/review/effects";
import { list, say, type Sentence } from "../../provider/review/sentence";
import { compare, type Step } from "../../provider/review/step";
import { profileEffects } from "../../provider/resources/connection-profile/review";
import { removalEffects, removedAfter } from "../../provider/resources/device-credential-removal/review";
import {
  endsSoon,
  type ListedRole,
  roleEffects,
  rolesListed,
} from "../../provider/resources/role-group-assignment/review";
import {
  answersOf,
  holdersIn,
  missingCredentials,
  permissionsIn,
  rolesIn,
  shownNames,
  type Tenant,
} from "./tenant/tenant";
import { mergedTenants } from "./tenant/merged";
import { fingerprintOf } from "./fingerprint";
import { type ReviewJson } from "../../provider/review/model";
import { peopleOf } from "./tenant/people";
import { type Preview } from "./input/preview";
import { breachJson, type RulesVerdict } from "../rules/judge";
import { sharedGrants } from "./shared";
import { managedProfiles, twinsIn } from "./tenant/twins";

const KIND_EFFECTS = [roleEffects, profileEffects, removalEffects] as const;

export interface Review extends Omit<Effects, "categories"> {
  isDrift: boolean;
  stack: string | undefined;
  tenants: string[];
  errors: Preview["errors"];
  others: number;
  categories: Category[];
  fingerprint: string;
  names: Record<string, string>;
  roles: RolePermissions[];
  after: ListedRole[];
  removed: { tenant: string | undefined; id: string }[];
  /** What an earlier run may have created; undefined if the state wasn't read. */
  pending?: Preview["pending"];
  /** New profiles whose names the tenant has already. */
  twins: Note[];
  /** The people behind each gain and loss, as far as they are known. */
  people: ReadonlyMap<AccessEffect, RowPeople>;
  /** Undefined without rules. */
  rules?: RulesVerdict;
  /** The files of rules that judged, with what they found. */
  judgedBy?: readonly Sentence[];
}

export function reviewOf(
  preview: Preview,
  isDrift: boolean,
  tenant?: Tenant,
  /** Decides which grants end soon; not part of the fingerprint. */
  made = new Date(),
): Review {
  const [only] = reviewsOf([{ preview, tenant }], isDrift, made);
  return (only as { review: Review }).review;
}

function reviewAlone(
  preview: Preview,
  isDrift: boolean,
  tenant: Tenant | undefined,
  made: Date,
): Omit<Review, "people" | "twins"> {
  const { stack, steps, errors, others } = preview;
  // From the preview alone, so that a job that reads the tenant and one that doesn't agree.
  const fingerprint = fingerprintOf({ isDrift, errors, others, ...effectsOf(preview, isDrift) });
  const effects = effectsOf(preview, isDrift, tenant);
  const changed = steps.filter(({ op }) => op !== "same");
  const tenants = changed.flatMap(({ before, after }) => [before?.tenant, after?.tenant]);
  return {
    isDrift,
    stack,
    tenants: [...new Set(tenants.filter((one) => one !== undefined))].sort(compare),
    ...effects,
    notes: [...effects.notes, ...(isDrift ? [] : endsSoon(steps, made.getTime()))],
    errors,
    others,
    categories: categoriesOf(effects, preview),
    ...(preview.pending && { pending: preview.pending }),
    fingerprint,
    names: tenant === undefined ? {} : shownNames(tenant, effects),
    roles: tenant === undefined ? [] : permissionsIn(tenant, effects),
    after: isDrift ? [] : rolesListed(steps),
    removed: isDrift ? [] : removedAfter(steps),
  };
}

/**
 * The reviews of stacks that change together, with what all of them know of their tenant: nobody keeps
 * through one what another one takes away.
 */
export function reviewsOf<Stack extends { preview: Preview; tenant: Tenant | undefined }>(
  stacks: readonly Stack[],
  isDrift: boolean,
  made: Date,
): (Stack & { review: Review })[] {
  const merged = mergedTenants(stacks.map(({ tenant }) => tenant));
  const alone = stacks.map((stack) => ({
    ...stack,
    review: reviewAlone(stack.preview, isDrift, stack.tenant, made),
  }));
  const access = alone.flatMap(({ review }) => review.access);
  const shared = isDrift
    ? []
    : sharedGrants(
        stacks.map(({ preview }) => preview),
        merged,
      );
  const known = managedProfiles(stacks.map(({ preview }) => preview));
  return alone.map((stack, index) => {
    const [tenant, together = []] = [merged[index], shared[index]];
    const review = { ...stack.review, notes: [...stack.review.notes, ...together.map(({ note }) => note)] };
    const ids = together.flatMap((one) => one.ids);
    const twins = isDrift ? [] : twinsIn(review.profiles, known, tenant);
    return { ...stack, tenant, review: { ...withPeople(review, access, tenant, ids), twins } };
  });
}

/** `access`: what all stacks change. `ids`: further ones that are shown with their names. */
function withPeople(
  review: Omit<Review, "people" | "twins">,
  access: readonly AccessEffect[],
  tenant: Tenant | undefined,
  ids: readonly string[],
): Omit<Review, "twins"> {
  if (tenant === undefined) return { ...review, people: new Map() };
  const found = review.access.map((row) => [row, peopleOf(row, access, tenant)] as const);
  const people = new Map(found.flatMap(([row, of]) => (of === undefined ? [] : [[row, of]])));
  const through = [...people.values()].flatMap(({ same, maybe }) => [...same.through, ...maybe.through]);
  return {
    ...review,
    people,
    names: { ...shownNames(tenant, review, [...through, ...ids]), ...review.names },
  };
}

/** Returns the gains and losses alone, for questions that come before the review. */
export function accessIn({ steps }: Preview, isDrift: boolean, tenant: Tenant): AccessEffect[] {
  return roleEffects(steps, isDrift, holdersIn(tenant)).access;
}

function effectsOf(preview: Preview, isDrift: boolean, tenant?: Tenant): Effects {
  const { steps } = preview;
  const holders = tenant === undefined ? () => undefined : holdersIn(tenant);
  const all = KIND_EFFECTS.map((effectsOfKind) => effectsOfKind(steps, isDrift, holders));
  const answers = tenant === undefined ? { unknown: [], notes: [] } : answersOf(rolesIn(steps), tenant);
  return {
    access: all.flatMap(({ access }) => access),
    profiles: all.flatMap(({ profiles }) => profiles),
    removals: all.flatMap(({ removals }) => removals),
    unknown: [
      ...all.flatMap(({ unknown }) => unknown),
      ...strangeIn(preview),
      ...uncheckedIn(preview),
      ...(isDrift ? [] : tenantDoubt(preview)),
      ...answers.unknown,
    ],
    notes: [
      ...all.flatMap(({ notes }) => notes),
      ...(isDrift ? [] : [...optionNotes(steps), ...providersOf(preview), ...importsOf(preview)]),
      ...answers.notes,
      ...(tenant === undefined
        ? []
        : missingCredentials(
            all.flatMap(({ removals }) => removals),
            tenant,
          )),
    ],
    categories: all.flatMap(({ categories }) => categories),
  };
}

/** Anybody can print lines, so one that names a tenant adds doubt. */
function tenantDoubt({ environmentTenant: tenant }: Preview): NotReviewable[] {
  if (tenant === undefined) return [];
  const reason = say`the tenant is ${tenant}, because IDENTITY_DOMAIN was set for the preview; the stack's identity:domain is another one`;
  return [{ name: undefined, line: undefined, reason, categories: [] }];
}

function strangeIn({ strange }: Preview): NotReviewable[] {
  return strange.map(({ name, op }) => ({
    name,
    line: undefined,
    reason: say`this release does not know the operation ${op}: update pulumi-identity`,
    categories: ["grant", "revoke", "removal", "delete"],
  }));
}

function uncheckedIn({ unchecked }: Preview): NotReviewable[] {
  return unchecked.map(({ name, provider, line }) => {
    const reason = say`its Provider ${provider} has a setting that isn't known until the change is made, so its inputs weren't checked`;
    return { name, line, reason, categories: [] };
  });
}

function importsOf({ imported }: Preview): Note[] {
  return imported.map((name) => ({ name, reason: say`is imported: from now on, this stack manages it` }));
}

/** A `Provider` changes nothing on its tenant, but it selects the tenant and the client. */
function providersOf({ providers }: Preview): Note[] {
  return providers.map(({ name, op, tenant, differs }) => {
    const where = tenant === undefined ? say`a tenant that the preview doesn't tell` : say`${tenant}`;
    if (op === "create") return { name, reason: say`is a new Provider, of ${where}` };
    if (op === "delete") return { name, reason: say`is no longer a Provider, of ${where}` };
    return { name, reason: say`is the Provider of ${where}; its settings change: ${list(differs)}` };
  });
}

/** Options that affect what a later run does. */
function optionNotes(steps: readonly Step[]): Note[] {
  return steps.flatMap(({ name, before, after }) => {
    if (before === undefined || after === undefined) return [];
    const reasons: Sentence[] = [];
    if (before.protect !== after.protect)
      reasons.push(after.protect ? say`is protected from now on` : say`is no longer protected`);
    if (before.retainOnDelete !== after.retainOnDelete)
      reasons.push(
        after.retainOnDelete
          ? say`from now on, destroying it sends nothing (retainOnDelete)`
          : say`from now on, destroying it has its effect again (retainOnDelete is gone)`,
      );
    return reasons.map((reason) => ({ name, tenant: after.tenant, reason }));
  });
}

/** Returns the reasons to require an approval, including anything that can't be excluded. */
function categoriesOf(effects: Effects, { steps, others, pending = [] }: Preview): Category[] {
  const { access, profiles, removals, unknown } = effects;
  const found: Record<Category, boolean> = {
    grant: access.some(({ effect }) => effect === "gains"),
    revoke: access.some(({ effect }) => effect === "loses"),
    removal: removals.length > 0,
    delete: profiles.some(({ op }) => op === "delete"),
    replace: steps.some(({ op }) => op === "replace"),
    adopt: profiles.some(({ op }) => op === "adopt"),
    unknown: unknown.length > 0 || [...access, ...profiles].some(({ unless }) => unless !== undefined),
    other: others > 0,
    // Set by the resource.
    exclusive: false,
    // Set by all reviews together.
    rules: false,
    pending: pending.length > 0,
  };
  const told = [...effects.categories, ...unknown.flatMap(({ categories }) => categories)];
  return CATEGORIES.filter((category) => found[category] || told.includes(category)).sort(compare);
}

/** True if there is anything to apply that concerns this package. */
export function hasChanges(effects: Omit<Effects, "categories">): boolean {
  const { access, profiles, removals, unknown, notes } = effects;
  return [access, profiles, removals, unknown, notes].some(({ length }) => length > 0);
}

export function countsOf({ access, profiles, removals, unknown, others }: Review): ReviewJson["counts"] {
  const effects = (wanted: AccessEffect["effect"]) => access.filter(({ effect }) => effect === wanted).length;
  const ops = (...wanted: ProfileEffect["op"][]) => profiles.filter(({ op }) => wanted.includes(op)).length;
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

export interface Making {
  made: Date;
  unknownAccepted: boolean;
  environmentTenant: string | undefined;
  /** True to show people's ids. */
  hasIds?: boolean;
}

/** Returns the review in the form of `reviewSchema`. */
export function toJson(
  review: Review,
  { made, unknownAccepted, environmentTenant, hasIds = false }: Making,
): ReviewJson {
  const { isDrift, stack, tenants, errors, fingerprint, categories, unknown } = review;
  const json = {
    version: 1,
    kind: isDrift ? "drift" : "preview",
    made: made.toISOString(),
    unknownAccepted,
    environmentTenant,
    stack: stack ?? null,
    tenants,
    complete: errors.length === 0 && unknown.length === 0,
    failed: errors.length > 0,
    errors,
    fingerprint,
    counts: countsOf(review),
    categories,
    access: review.access.map((row) => rowJson(row, review.people.get(row), hasIds)),
    profiles: review.profiles,
    removals: review.removals,
    names: review.names,
    roles: review.roles,
    unknown,
    notes: [...review.twins, ...review.notes],
    pending: review.pending?.map(({ kind, name, line }) => ({ kind, name, line })),
    after: review.after,
    removed: review.removed,
    rules: review.rules && rulesJson(review.rules, hasIds),
  };
  return JSON.parse(JSON.stringify(json, nullForUnknown)) as ReviewJson;
}

function rowJson(row: AccessEffect, people: RowPeople | undefined, hasIds: boolean): object {
  const { tenant, role, holder, effect, by, unless, until, untilBefore } = row;
  const edge = { tenant, role, group: holderId(holder) };
  return { ...edge, effect, by, unless, until, untilBefore, people: peopleJson(people, hasIds) };
}

function peopleJson(people: RowPeople | undefined, hasIds: boolean): object | undefined {
  if (people === undefined) return undefined;
  const { people: ids, isMore, same, maybe, direct, notCompared } = people;
  const directly = "count" in direct ? direct.count : null;
  return {
    count: ids.length,
    more: isMore,
    same,
    ...(maybe.count > 0 && { maybe }),
    direct: directly,
    notCompared,
    ...(hasIds && { ids }),
  };
}

function rulesJson({ file, breaches }: RulesVerdict, hasIds: boolean): object {
  return {
    file,
    breaches: breaches.map((breach) => ({
      ...breachJson(breach, hasIds),
      tenant: breach.tenant,
      isNew: breach.isNew,
      by: breach.by.map(({ stack, name, line }) => ({ stack: stack ?? null, name, line })),
      reason: breach.reason,
    })),
  };
}

/** Writes null for certain members rather than omitting them. */
function nullForUnknown(key: string, value: unknown): unknown {
  const isNullable = ["tenant", "environmentTenant", "id", "line", "name"].includes(key);
  return value === undefined && isNullable ? null : value;
}
