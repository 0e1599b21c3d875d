import { type Named } from "../../provider/service/record";
import { type RoleRecord } from "../../provider/service/roles";
import { optional } from "../lists";
import { type Answer, type Answers, isNotFound } from "../tenant/questions";
import { type TenantReader } from "../tenant/reader";
import { type RulesFile } from "./file";
import { type Names, namesIn, type OrganizationOfNames, organizationIdsIn, rolesIn } from "./names";

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
  const found = new Map<string, readonly Named[]>([
    ...[...named].map(([name, { value = [] }]) => [name, value] as const),
    ...[...known].map(([id, answer]) => [id, isNotFound(answer) ? [] : [{ id }]] as const),
  ]);
  const unchecked = [...known]
    .filter(([, answer]) => !isNotFound(answer))
    .flatMap(([id, { reason }]) => optional(reason).map((why) => ({ ids: [id], reason: why })));
  const own = await reader.rolesOfOrganizations([...found].flatMap(meantBy));
  // A name must not be looked for among a part of the roles.
  const [unread] = unansweredIn(own);
  if (unread !== undefined && roleNames.length > 0) return unread;
  return { value: { organizations: withRoles(found, own), unchecked } };
}

/** Returns the tenant's roles, and the service's if a rule names any that isn't among them. */
export async function withSystemRoles(
  file: RulesFile,
  listed: readonly RoleRecord[],
  reader: TenantReader,
): Promise<RoleRecord[]> {
  const known = new Set(listed.flatMap(({ id, name }) => [id, name]));
  if (rolesIn(file).every((text) => known.has(text))) return [...listed];
  const { value = [] } = await reader.systemRoles();
  return [...listed, ...value.filter(({ id }) => !known.has(id))];
}

function unansweredIn(answers: Answers<unknown>): Answer<never>[] {
  return [...answers.values()].filter((answer) => answer.reason !== undefined);
}

/** Returns the id of the organization that a text names, if the tenant has it. */
function meantBy([text, known]: readonly [text: string, known: readonly Named[]]): string[] {
  return known.filter(({ id, name }) => [id, name].includes(text)).map(({ id }) => id);
}

function withRoles(
  found: ReadonlyMap<string, readonly Named[]>,
  own: Answers<RoleRecord[]>,
): Names["organizations"] {
  return new Map(
    [...found].map(([text, known]): [string, OrganizationOfNames] => {
      const [id = ""] = meantBy([text, known]);
      return [text, { known, roles: own.get(id)?.value }];
    }),
  );
}
