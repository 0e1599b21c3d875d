import { type AccessEffect } from "../../../provider/access/change";
import { isOfGroup } from "../../../provider/access/edge";
import { type RowPeople } from "../../../provider/access/people";
import { type PermissionEffect } from "../kinds/effects";
import { type ReviewJson } from "../../../provider/review/model";
import { unlessEmpty } from "../../lists";
import { withTexts } from "../../output/texts";
import { breachJson } from "../../rules/breach";
import { type RulesVerdict } from "../../rules/judge";
import { type Review } from "../review";
import { countsOf } from "./counts";

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
  const { isDrift, stack, tenants, errors, fingerprint, categories, unknown, access, permissions } = review;
  const direct = access.filter((row) => !isOfGroup(row));
  const idsOf: IdsOf = (people) => (hasIds ? [...people] : undefined);
  const rowOf = (row: AccessEffect) => rowJson(row, review.people.get(row), idsOf);
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
    counts: countsJson(countsOf(review)),
    categories,
    access: access.filter(isOfGroup).map(rowOf),
    direct: unlessEmpty(direct.map(rowOf)),
    permissions: unlessEmpty(permissions.map((row) => permissionJson(row, review, idsOf))),
    profiles: review.profiles,
    removals: review.removals,
    signOuts: unlessEmpty(review.signOuts),
    names: review.names,
    roles: review.roles,
    unknown,
    notes: [...review.twins, ...review.notes],
    pending: review.pending?.map(({ kind, name, line }) => ({ kind, name, line })),
    after: review.after,
    removed: review.removed,
    rules: review.rules && rulesJson(review.rules, idsOf),
    judgedBy: review.judgedBy,
  };
  return JSON.parse(JSON.stringify(withTexts(json), nullForUnknown)) as ReviewJson;
}

/** Leaves out what older releases don't count, if there is none. */
function countsJson({
  endsLater,
  endsEarlier,
  signOuts,
  ...counts
}: ReturnType<typeof countsOf>): ReviewJson["counts"] {
  return {
    ...counts,
    ...(endsLater > 0 && { endsLater }),
    ...(endsEarlier > 0 && { endsEarlier }),
    ...(signOuts > 0 && { signOuts }),
  };
}

/** Returns people's ids if the JSON shows them. */
type IdsOf = (people: Iterable<string>) => string[] | undefined;

function rowJson(row: AccessEffect, people: RowPeople | undefined, idsOf: IdsOf): object {
  const { tenant, organization, role, holder, effect, forgotten, by, unless, until, untilBefore, ends } = row;
  const edge = { tenant, organization, role, ...holder };
  return {
    ...{ ...edge, effect, forgotten, by, unless, until, untilBefore, ends },
    people: people && peopleJson(people, idsOf),
  };
}

function permissionJson(row: PermissionEffect, { permitted }: Review, idsOf: IdsOf): object {
  const { holder, ...rest } = row;
  const people = permitted.get(row);
  return {
    ...rest,
    ...("made" in holder ? { madeRole: holder.made } : holder),
    people: people && {
      count: people.people.size,
      more: people.isPart,
      ids: idsOf(people.people)?.sort(),
    },
  };
}

function peopleJson(people: RowPeople, idsOf: IdsOf): object {
  const { people: ids, isMore, same, maybe, direct, notCompared } = people;
  return {
    count: ids.length,
    more: isMore,
    same,
    maybe: maybe.count > 0 ? maybe : undefined,
    direct: "count" in direct ? direct.count : null,
    notCompared,
    ids: idsOf(ids),
  };
}

function rulesJson({ file, breaches }: RulesVerdict, idsOf: IdsOf): object {
  return {
    file,
    breaches: breaches.map((breach) => ({
      ...breachJson(breach, idsOf),
      tenant: breach.tenant,
      isNew: breach.isNew,
      by: breach.by.map(({ stack, name, line }) => ({ stack: stack ?? null, name, line })),
      reason: breach.reason,
    })),
  };
}

const NULLABLE: ReadonlySet<string> = new Set(["tenant", "environmentTenant", "id", "line", "name"]);

/** Writes null for certain members rather than omitting them. */
function nullForUnknown(key: string, value: unknown): unknown {
  return value === undefined && NULLABLE.has(key) ? null : value;
}
