import { type AccessEffect } from "../../provider/access/change";
import { hasLess, type RowPeople } from "../../provider/access/people";
import {
  type Effects,
  type Note,
  type NotReviewable,
  type PermissionEffect,
  type RolePermissions,
} from "./kinds/effects";
import { CATEGORIES, type Category } from "../../provider/review/categories";
import { type Sentence } from "../../provider/sentence";
import { KINDS, type Managed } from "../../provider/kinds";
import { type Step } from "./kinds/step";
import { profileEffects } from "./kinds/profiles";
import { removalEffects, removedAfter } from "./kinds/removals";
import { signOutEffects } from "./kinds/sign-outs";
import { endsSoon, type ListedRole, rolesListed } from "./kinds/assignments";
import { compare, distinct, optional } from "../lists";
import { type RulesVerdict } from "../rules/judge";
import { endsOf, type EndsAsked, type ReviewEnds } from "./ends";
import { fingerprintOf } from "./fingerprint";
import { type Preview } from "./input/preview";
import { besideEffects } from "./notes";
import { doubted, sharedGrants } from "./shared-grants";
import { isAsked, noAnswers, type TenantAnswers } from "./tenant/answers";
import { withSignIns } from "./tenant/sign-ins";
import { withCredentials } from "./tenant/credentials";
import { accessEffects } from "./tenant/effects";
import { hostIn, mergedAnswers } from "./tenant/merged";
import { permissionsIn, rolesOfHolder, shownNames } from "./tenant/names";
import { peopleIn, peopleWith, type RolePeople } from "./tenant/people";
import { rolesIn } from "./tenant/subjects";
import { managedProfiles, twinsIn } from "./tenant/twins";
import { answersOf } from "./tenant/unread";

/** Returns the effects of a preview, whose steps are all of resources that manage the same. */
type Reviewer = (preview: Preview, isDrift: boolean, answers: TenantAnswers) => Effects;

const REVIEWERS: Readonly<Record<Managed, Reviewer>> = {
  grants: accessEffects,
  profiles: ({ steps }, isDrift) => profileEffects(steps, isDrift),
  credentials: ({ steps }, isDrift) => removalEffects(steps, isDrift),
  "sign-ins": ({ steps }, isDrift) => signOutEffects(steps, isDrift),
};

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
  /** Resources that an earlier run may have created; undefined if the state wasn't read. */
  pending?: Preview["pending"];
  /** New profiles whose names the tenant has already. */
  twins: Note[];
  /** The people behind each gain and loss, as far as they are known. */
  people: ReadonlyMap<AccessEffect, RowPeople>;
  /** The people of roles that gain or lose a permission, as far as they are known. */
  permitted: ReadonlyMap<PermissionEffect, RolePeople>;
  /** With --ends-within. */
  ends?: ReviewEnds | undefined;
  /** Undefined without rules. */
  rules?: RulesVerdict;
  /** The files of rules that judged, with what they found. */
  judgedBy?: readonly Sentence[];
}

/** A stack's preview, with the answers to it; undefined if its tenant wasn't asked. */
export interface AskedStack {
  preview: Preview;
  answers: TenantAnswers | undefined;
  /** Answers that only name what is shown. */
  named?: TenantAnswers | undefined;
}

export function reviewOf(
  preview: Preview,
  isDrift: boolean,
  answers?: TenantAnswers,
  /** Decides which grants end soon; not part of the fingerprint. */
  made = new Date(),
): Review {
  const [only] = reviewsOf([{ preview, answers }], isDrift, made);
  return (only as { review: Review }).review;
}

/**
 * The reviews of stacks that change together, with what all of them know of their tenant: nobody keeps
 * through one what another one takes away.
 */
export function reviewsOf<Stack extends AskedStack>(
  stacks: readonly Stack[],
  isDrift: boolean,
  made: Date,
  endsAsked?: EndsAsked,
): (Stack & { review: Review })[] {
  const previews = stacks.map(({ preview }) => preview);
  const mergedOf = mergedAnswers(stacks.map(({ answers }) => answers));
  const known = stacks.map((stack) => ({
    stack,
    answers: mergedOf(stack.answers),
    effects: effectsOf(stack.preview, isDrift, stack.answers),
  }));
  const together: Together = {
    isDrift,
    made,
    endsAsked,
    access: known.flatMap(({ effects }) => effects.access),
    sharedIn: sharedGrants(
      known.map(({ stack: { preview }, effects: { access } }) => ({ preview, access })),
      hostIn(known.map(({ answers }) => answers)),
    ),
    managed: managedProfiles(previews.flatMap(({ steps }) => steps)),
  };
  return known.map(({ stack, answers, effects }) => ({
    ...stack,
    answers,
    review: reviewIn(stack, { effects, answers }, together),
  }));
}

interface Together {
  isDrift: boolean;
  made: Date;
  endsAsked: EndsAsked | undefined;
  /** Changes by all stacks. */
  access: readonly AccessEffect[];
  sharedIn: ReturnType<typeof sharedGrants>;
  /** Ids of profiles. */
  managed: readonly string[];
}

/** `answers`: what the clients of all stacks on its tenant know. */
function reviewIn(
  { preview, answers: asked, named = asked }: AskedStack,
  { effects, answers = noAnswers() }: { effects: Effects; answers: TenantAnswers | undefined },
  together: Together,
): Review {
  const { stack, steps, auth0, errors, others, pending } = preview;
  const { isDrift, access } = together;
  const people = peopleIn(answers, access)(effects.access);
  const through = [...people.values()].flatMap(({ same, maybe }) => [...same.through, ...maybe.through]);
  const ahead = isDrift ? NOTHING_AHEAD : aheadOf(preview, effects, { ...together, answers });
  const { ids, notes, ...rest } = ahead;
  const ends = together.endsAsked && endsOf(preview, together.endsAsked, together.made.getTime());
  const inEnds = ends?.ids ?? [];
  // From the preview alone, so that a job that reads the tenant and one that doesn't agree.
  const alone = asked === undefined ? effects : effectsOf(preview, isDrift);
  const own = asked ?? noAnswers();
  return {
    isDrift,
    stack,
    tenants: tenantsOf([...steps, ...auth0.map(({ step }) => step)]),
    ...effects,
    access: isDrift ? effects.access : doubted(effects.access, together.sharedIn(preview)),
    notes: [...effects.notes, ...notes],
    errors,
    others,
    categories: categoriesOf(effects, preview),
    pending,
    fingerprint: fingerprintOf({ isDrift, errors, others, ...alone }),
    names: {
      ...shownNames(answers, effects, [...through, ...ids, ...inEnds]),
      ...shownNames(named ?? own, effects, inEnds),
    },
    roles: permissionsIn(own, effects),
    people,
    permitted: permittedIn(effects, answers, access),
    ends,
    ...rest,
  };
}

function permittedIn(
  { permissions }: Effects,
  answers: TenantAnswers,
  access: readonly AccessEffect[],
): Map<PermissionEffect, RolePeople> {
  return new Map(
    permissions
      .filter((row) => isAsked(answers, row.tenant))
      .flatMap((row) => {
        const people = rolesOfHolder(row.holder).flatMap((role) =>
          optional(peopleWith(role, answers, access)),
        );
        return people.map((at) => [row, at[HAVING[row.effect]]] as const);
      }),
  );
}

/** When the people of a role have the permission. */
const HAVING = { gains: "after", loses: "before" } as const;

interface Ahead extends Pick<Review, "notes" | "after" | "removed" | "twins"> {
  /** Further ids that are shown with their names. */
  ids: readonly string[];
}

/** A drift has happened, and nothing follows from it. */
const NOTHING_AHEAD: Ahead = { notes: [], after: [], removed: [], twins: [], ids: [] };

/** Returns what becomes of a change, besides its effects. */
function aheadOf(
  preview: Preview,
  { profiles }: Effects,
  { made, sharedIn, managed, answers }: Together & { answers: TenantAnswers },
): Ahead {
  const { steps } = preview;
  const shared = sharedIn(preview);
  return {
    notes: [...endsSoon(steps, made.getTime()), ...shared.map(({ note }) => note)],
    after: rolesListed(steps),
    removed: removedAfter(steps),
    twins: twinsIn(profiles, managed, answers),
    ids: shared.flatMap(({ ids }) => ids),
  };
}

function effectsOf(preview: Preview, isDrift: boolean, answers?: TenantAnswers): Effects {
  const known = answers ?? noAnswers();
  const managing = (what: string) => preview.steps.filter(({ kind }) => KINDS[kind].manages === what);
  const sum = sumOf([
    ...Object.entries(REVIEWERS).map(([managed, review]) =>
      review({ ...preview, steps: managing(managed) }, isDrift, known),
    ),
    besideEffects(preview, isDrift),
    answers === undefined ? {} : answersOf(rolesIn(preview), answers),
  ]);
  return {
    ...sum,
    removals: withCredentials(sum.removals, known),
    signOuts: withSignIns(sum.signOuts, known),
  };
}

function sumOf(parts: readonly Partial<Effects>[]): Effects {
  return {
    access: parts.flatMap(({ access = [] }) => access),
    permissions: parts.flatMap(({ permissions = [] }) => permissions),
    profiles: parts.flatMap(({ profiles = [] }) => profiles),
    removals: parts.flatMap(({ removals = [] }) => removals),
    signOuts: parts.flatMap(({ signOuts = [] }) => signOuts),
    unknown: parts.flatMap(({ unknown = [] }) => unknown),
    notes: parts.flatMap(({ notes = [] }) => notes),
    categories: parts.flatMap(({ categories = [] }) => categories),
  };
}

function tenantsOf(steps: readonly Step<string>[]): string[] {
  const changed = steps.filter(({ op }) => op !== "same");
  const tenants = changed.flatMap(({ before, after }) => [before?.tenant ?? [], after?.tenant ?? []].flat());
  return distinct(tenants);
}

/** Returns the reasons to require an approval, including anything that can't be excluded. */
function categoriesOf(effects: Effects, { steps, others, pending = [] }: Preview): Category[] {
  const { access, permissions, profiles, removals, signOuts, unknown } = effects;
  const changes = [...access, ...permissions];
  const isMoved = (ends: AccessEffect["ends"]) => access.some((row) => row.ends === ends);
  const found: Record<Category, boolean> = {
    grant: changes.some(({ effect }) => effect === "gains") || isMoved("later"),
    revoke: access.some(hasLess) || permissions.some(({ effect }) => effect === "loses"),
    removal: removals.length + signOuts.length > 0,
    delete: profiles.some(({ op }) => op === "delete"),
    replace: steps.some(({ op }) => op === "replace"),
    adopt: profiles.some(({ op }) => op === "adopt"),
    unknown: unknown.length > 0 || [...changes, ...profiles].some(({ unless }) => unless !== undefined),
    other: others > 0,
    // Set by the resource.
    exclusive: false,
    // Set by all reviews together.
    rules: false,
    pending: pending.length > 0,
  };
  const named = [...effects.categories, ...unknown.flatMap(({ categories }) => categories)];
  return CATEGORIES.filter((category) => found[category] || named.includes(category)).sort(compare);
}

/** Returns a review with further reasons to require an approval. */
export function withCategories(review: Review, categories: readonly Category[]): Review {
  return { ...review, categories: distinct([...review.categories, ...categories]) as Category[] };
}

/** Returns a review with more that can't be reviewed. */
export function withUnknown(review: Review, rows: readonly NotReviewable[]): Review {
  const categories = rows.flatMap((row) => [...row.categories, "unknown" as const]);
  return withCategories({ ...review, unknown: [...review.unknown, ...rows] }, categories);
}

/** True if there is anything to apply that concerns this package. */
export function hasChanges(effects: Omit<Effects, "categories">): boolean {
  const { access, permissions, profiles, removals, signOuts, unknown, notes } = effects;
  return [access, permissions, profiles, removals, signOuts, unknown, notes].some(({ length }) => length > 0);
}

/** True if a run of it would do something, also to other packages' resources. */
export function hasEffects(review: Review): boolean {
  return hasChanges({ ...review, notes: [] }) || review.others > 0 || (review.pending ?? []).length > 0;
}
