import { roleOfKey, roleSentence } from "../../../provider/access/edge";
import { groupedBy } from "../../../provider/access/grants";
import { type Effects, type Note, type NotReviewable } from "../kinds/effects";
import { say, type Sentence, some, word } from "../../../provider/sentence";
import { answered, isAsked, type SamplePermission, type TenantAnswers } from "./answers";
import { distinct, optional } from "../../lists";
import { type Answer } from "../../tenant/questions";
import { type RoleOfTenant } from "./subjects";

/** Returns what a tenant didn't answer, and notes on what it did. */
export function answersOf(
  roles: readonly RoleOfTenant[],
  answers: TenantAnswers,
): Pick<Effects, "unknown" | "notes"> {
  if (roles.length === 0) return { unknown: [], notes: notesOf(answers.unnamed) };
  if (answers.notConfigured !== undefined)
    return { unknown: [unread(say`who has the roles today`, answers.notConfigured)], notes: [] };
  const asked = distinct(roles.filter((role) => isAsked(answers, role.tenant)).map(({ role }) => role));
  const refused = asked.flatMap((role) =>
    optional(answers.groups.get(role)?.reason).map((reason) => ({ role, reason })),
  );
  const isAnswered = asked.some((role) => answered(answers.groups, role) !== undefined);
  return {
    unknown: [
      ...[...groupedBy(refused, ({ reason }) => reason)].map(([reason, all]) =>
        unread(say`who has ${some(all.map(({ role }) => roleSentence(roleOfKey(role))))} today`, reason),
      ),
      ...(asked.length === 0 ? [] : [...answers.permissions].flatMap(ofSampleUser)),
    ],
    notes: [
      ...(isAnswered ? [note(say`${answers.hosts[0] ?? ""} was asked who has these roles today`)] : []),
      // Where nobody answers, the unknown says so already.
      ...notesOf(answers.unnamed.filter((each) => refused.every(({ reason }) => reason !== each.reason))),
      ...absentGroups(roles, answers),
      ...elsewhere(roles, answers),
    ],
  };
}

function notesOf(unnamed: TenantAnswers["unnamed"]): Note[] {
  return unnamed.map(({ what, reason }) => note(say`${word(what)} are not shown (${reason})`));
}

function absentGroups(roles: readonly RoleOfTenant[], answers: TenantAnswers): Note[] {
  const here = roles.filter((role) => isAsked(answers, role.tenant)).flatMap(({ groups }) => groups);
  const absent = distinct(here.filter((group) => answers.absentGroups.has(group)));
  const [host = ""] = answers.hosts;
  const [groups, are, them] = absent.length === 1 ? ["group", "isn't", "it"] : ["groups", "aren't", "them"];
  return absent
    .slice(0, 1)
    .map(() =>
      note(say`the ${word(groups)} ${some(absent)} ${word(are)} on ${host}: a grant to ${word(them)} fails`),
    );
}

function ofSampleUser([user, answer]: [string, Answer<readonly SamplePermission[]>]): NotReviewable[] {
  if (answer.reason !== undefined) return [unread(say`what the sample user ${user} may do`, answer.reason)];
  if (answer.value.every(({ sources }) => sources !== undefined)) return [];
  const what = say`through which roles the sample user ${user} may do something`;
  return [notReviewable(say`${what}: this release doesn't know the form in which the tenant tells it`)];
}

/** Notes roles that could not be read, because the client is of another tenant. */
function elsewhere(roles: readonly RoleOfTenant[], answers: TenantAnswers): Note[] {
  const others = roles.filter((role) => !isAsked(answers, role.tenant));
  return distinct(others.map((role) => role.tenant ?? "")).map((name) =>
    note(
      name === ""
        ? say`nothing was read where the preview doesn't tell the tenant: set identity:domain in the stack's configuration, or the domain of the Provider`
        : say`nothing was read of ${name}: the client is one of ${answers.hosts[0] ?? ""}`,
    ),
  );
}

function unread(what: Sentence, reason: string): NotReviewable {
  return notReviewable(say`${what} could not be read (${reason})`);
}

function notReviewable(reason: Sentence): NotReviewable {
  return { name: undefined, line: undefined, reason, categories: [] };
}

function note(reason: Sentence): Note {
  return { name: undefined, reason };
}
