import { type AccessJson } from "./model";
import { groupedBy } from "../../provider/access/grants";
import { endOfUntil } from "../../provider/access/until";
import { placed, say } from "../../provider/sentence";
import { endingBy, type EndingAssignment, type Ends, untilNear, type Within, withinOf } from "../ends";
import { optional } from "../lists";
import { type Workplace } from "../places";
import { type AccessRole, type ClaimJson } from "./claims";

export type EndsAnswer = NonNullable<AccessJson["ends"]>;
type EndingJson = EndsAnswer["assignments"][number];

interface Asked {
  within: Within;
  moment: number;
  linesOf: Workplace["linesOf"];
  quote: (text: string) => string;
}

/** Returns the assignments of these roles that end in time, and whose groups then lose the role. */
export function endsOf(roles: readonly AccessRole[], asked: Asked): EndsAnswer {
  const { within, moment } = asked;
  const lost = roles.flatMap((role) => [
    ...role.groups.flatMap(({ id, status, by }) =>
      (status === "managed" ? endingBy(by, within, moment) : []).map((last) => ({
        role,
        group: id,
        by: last,
      })),
    ),
    ...role.secret
      .flatMap((by) => endingBy([by], within, moment))
      .map((by) => ({ role, group: undefined, by })),
  ]);
  const byAssignment = groupedBy(lost, ({ role, by: { stack, resource, line, until } }) =>
    JSON.stringify([role.id, stack, resource, line, until]),
  );
  const secret = roles
    .flatMap(claimsOf)
    .filter(({ untilSecret = false }) => untilSecret)
    .map(({ stack, resource, line }) => ({ stack, resource, line }));
  return {
    within: within.text,
    assignments: [...byAssignment.values()]
      .flatMap((all) => endingOf(all, asked))
      .sort((one, other) => one.secondsLeft - other.secondsLeft),
    secret: once(secret),
  };
}

function once<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function claimsOf({ groups, secret }: AccessRole): ClaimJson[] {
  return [...groups.flatMap(({ by }) => by), ...secret];
}

function endingOf(
  all: readonly { role: AccessRole; group: string | undefined; by: ClaimJson }[],
  { moment, linesOf, quote }: Asked,
): EndingJson[] {
  const groups = all.flatMap(({ group }) => optional(group));
  return all.slice(0, 1).map(({ role, by: { stack, resource, line, until } }): EndingJson => {
    const [project = ""] = stack.split("/");
    const change = line && untilNear(line, linesOf(line.file, project));
    const end = until ?? "";
    return {
      ...{ stack, resource, line, until: end, role: role.id, groups: [...new Set(groups)] },
      secretGroups: groups.length < all.length,
      secondsLeft: Math.floor(((endOfUntil(end) ?? moment) - moment) / 1000),
      change: change ? { ...change, text: quote(change.text) } : null,
    };
  });
}

/** In words; `roles`: of the answer, for the names. */
export function endsText({ within, assignments, secret }: EndsAnswer, { roles, made }: TimedRoles): Ends {
  const roleOf = new Map(roles.map((role) => [role.id, role]));
  const endings = assignments.map(({ role: key, groups, secretGroups, change, ...by }): EndingAssignment => {
    const role = roleOf.get(key);
    const names = new Map(role?.groups.map(({ id, name }) => [id, name]));
    return {
      ...by,
      role: say`${role?.name ?? key}`,
      groups: groups.map((id) => say`${names.get(id) ?? id}`),
      hasSecretGroups: secretGroups,
      change: change ?? undefined,
    };
  });
  return {
    within: withinOf(within),
    endings,
    secret: secret.map(({ resource, stack, line }) => say`${resource} in ${placed(stack, line)}`),
    moment: Date.parse(made),
  };
}

interface TimedRoles {
  roles: readonly AccessRole[];
  made: string;
}
