import { type Note, type NotReviewable } from "../../provider/pulumi/effects";
import { say, type Sentence, some } from "../../provider/pulumi/sentence";
import {
  type Answer,
  distinct,
  isAsked,
  type RoleOfTenant,
  type SamplePermission,
  type Tenant,
} from "./tenant";

/** What the tenant was asked for a review, and what it was not, with the reasons. */
export function answersOf(
  roles: readonly RoleOfTenant[],
  tenant: Tenant,
): { unknown: NotReviewable[]; notes: Note[] } {
  if (roles.length === 0) return { unknown: [], notes: [] };
  if (tenant.notConfigured !== undefined)
    return { unknown: [refused(say`who has the roles today`, tenant.notConfigured)], notes: [] };
  const asked = distinct(roles.filter((one) => isAsked(tenant, one.tenant)).map(({ role }) => role));
  const groups = asked.map((role) => [role, tenant.groups.get(role)] as const);
  const isAnswered = groups.some(([, answer]) => answer !== undefined && "value" in answer);
  return {
    unknown: [
      ...byReason(groups).map(([reason, ids]) => refused(say`who has ${some(ids)} today`, reason)),
      ...(asked.length === 0 ? [] : [...tenant.permissions].flatMap(ofSampleUser)),
    ],
    notes: [
      ...(isAnswered
        ? [
            note(say`${tenant.hosts[0] ?? ""} was asked who has these roles today`),
            ...tenant.names.notRead.map(({ what, reason }) =>
              note(say`names of ${what} are not shown (${reason})`),
            ),
          ]
        : []),
      ...elsewhere(roles, tenant),
    ],
  };
}

function byReason(
  answers: readonly (readonly [string, Answer<unknown> | undefined])[],
): [string, string[]][] {
  const reasons = new Map<string, string[]>();
  for (const [id, answer] of answers) {
    if (answer === undefined || "value" in answer) continue;
    const ids = reasons.get(answer.reason) ?? [];
    ids.push(id);
    reasons.set(answer.reason, ids);
  }
  return [...reasons];
}

function ofSampleUser([user, answer]: [string, Answer<readonly SamplePermission[]>]): NotReviewable[] {
  if ("reason" in answer) return [refused(say`what the sample user ${user} may do`, answer.reason)];
  if (answer.value.every(({ sources }) => sources !== undefined)) return [];
  const what = say`through which roles the sample user ${user} may do something`;
  return [notReviewable(say`${what}: this release doesn't know the form in which the tenant tells it`)];
}

/** Roles of which nothing was read, since the client is of another tenant. */
function elsewhere(roles: readonly RoleOfTenant[], tenant: Tenant): Note[] {
  const others = roles.filter((role) => !isAsked(tenant, role.tenant));
  return distinct(others.map((role) => role.tenant ?? "")).map((name) =>
    note(
      name === ""
        ? say`nothing was read where the preview doesn't tell the tenant: set identity:domain in the stack's configuration`
        : say`nothing was read of ${name}: the client is one of ${tenant.hosts[0] ?? ""}`,
    ),
  );
}

function refused(what: Sentence, reason: string): NotReviewable {
  return notReviewable(say`${what} could not be read (${reason})`);
}

function notReviewable(reason: Sentence): NotReviewable {
  return { name: undefined, line: undefined, reason, categories: [] };
}

function note(reason: Sentence): Note {
  return { name: undefined, reason };
}
