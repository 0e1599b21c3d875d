import { NotFoundError } from "../../provider/http/errors";
import { type RoleRecord } from "../../provider/service/roles";
import { optional } from "../lists";
import { type Answer, type Answers } from "../tenant/questions";
import { type TenantReader } from "../tenant/reader";
import { type RulesFile } from "./file";
import { type Names, namesIn, type OrganizationOfNames, organizationIdsIn } from "./names";

/** Ids in rules that may not be the tenant's, and why nobody knows. */
export interface UncheckedIds {
  ids: readonly string[];
  reason: string;
}

interface RuleOrganizations {
  organizations: Names["organizations"];
  unchecked: readonly UncheckedIds[];
}

/** Reads the organizations that rules name, and the roles of their own. One request or two for each. */
export async function readRuleOrganizations(
  file: RulesFile,
  reader: TenantReader,
): Promise<Answer<RuleOrganizations>> {
  const { organizations: names, roles: roleNames } = namesIn(file);
  const [named, known] = await Promise.all([
    reader.organizationsNamed(names),
    reader.namesOfOrganizations(organizationIdsIn(file)),
  ]);
  const [lost] = unansweredIn(named);
  if (lost !== undefined) return lost;
  const isGone = ({ error }: Answer<unknown>) => error instanceof NotFoundError;
  const found = new Map<string, string | undefined>([
    ...[...named].map(([name, { value }]) => [name, value?.id] as const),
    ...[...known].map(([id, answer]) => [id, isGone(answer) ? undefined : id] as const),
  ]);
  const unchecked = [...known]
    .filter(([, answer]) => !isGone(answer))
    .flatMap(([id, { reason }]) => optional(reason).map((why) => ({ ids: [id], reason: why })));
  const own = await reader.rolesOfOrganizations([...found.values()].filter((id) => id !== undefined));
  // A name must not be looked for among a part of the roles.
  const [unread] = unansweredIn(own);
  if (unread !== undefined && roleNames.length > 0) return unread;
  return { value: { organizations: withRoles(found, own), unchecked } };
}

function unansweredIn(answers: Answers<unknown>): Answer<never>[] {
  return [...answers.values()].filter((answer) => answer.reason !== undefined);
}

function withRoles(
  found: ReadonlyMap<string, string | undefined>,
  own: Answers<RoleRecord[]>,
): Names["organizations"] {
  return new Map(
    [...found].map(([text, id]): [string, OrganizationOfNames | undefined] => {
      return [text, id === undefined ? undefined : { id, roles: own.get(id)?.value }];
    }),
  );
}
