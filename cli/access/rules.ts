import { type IdentityClient } from "../../provider/http/client";
import { roleOfKey } from "../../provider/access/edge";
import { type Grant, Grants } from "../../provider/access/grants";
import { grouped, type Sentence } from "../../provider/sentence";
import { type GroupRecord } from "../../provider/service/groups";
import { type RoleRecord } from "../../provider/service/roles";
import { CommandError } from "../errors";
import { type RulesFile } from "../rules/file";
import { breachJson } from "../rules/breach";
import {
  breachesIn,
  byWeight,
  directGrants,
  groupsInConflict,
  isCompared,
  keysIn,
  lineAgainstDirect,
  MOST_CONFLICT_GROUPS,
  type Rules,
} from "../rules/judge";
import { namesIn, resolved, roleIdsIn } from "../rules/names";
import { readRuleOrganizations, withSystemRoles } from "../rules/organizations";
import { breachSentence } from "../rules/sentences";
import { anyOf, optional } from "../lists";
import { type Answers, valuesIn } from "../tenant/questions";
import { goingOn, MOST_PEOPLE, type TenantReader, valueOf } from "../tenant/reader";
import { whyInPart } from "../review/tenant/people";
import { type AccessRole } from "./claims";
import { type Read } from "./decisions";
import { namesById } from "./gaps";
import { type AccessJson } from "./model";
import { namedThing } from "./roles";

type RulesJson = NonNullable<AccessJson["rules"]>;

/** As in JSON, but sentences keep strangers' names apart. */
export type RulesAnswer = Omit<RulesJson, "breaches"> & {
  breaches: (Omit<RulesJson["breaches"][number], "reason"> & { reason: Sentence | string })[];
};

/** Returns the rules with the tenant's ids, and names of groups; one request for each name of a group. */
export async function readRuleNames(
  { client, reader }: { client: IdentityClient; reader: TenantReader },
  file: RulesFile,
  listed: { roles: readonly RoleRecord[]; isWhole: boolean },
): Promise<{ rules: Rules; groupNames: ReadonlyMap<string, string>; gaps: readonly string[] }> {
  const names = namesIn(file);
  if (names.roles.length > 0 && !listed.isWhole)
    throw new CommandError(
      `The tenant ${client.tenant} doesn't list all of its roles. Write ids in ${file.file} in place of their names.`,
    );
  const groups = new Map<string, GroupRecord[]>();
  await reader.groupsNamed(names.groups, (name, answer) => groups.set(name, valueOf(answer)));
  const { organizations, unchecked } = valueOf(await readRuleOrganizations(file, reader));
  const roles = await withSystemRoles(file, listed.roles, reader);
  return {
    rules: resolved(file, { tenant: client.tenant, ...listed, roles, groups, organizations }),
    gaps: [
      ...(listed.isWhole ? [] : uncheckedIds(file, roles)),
      ...unchecked.map(({ ids, reason }) =>
        client.border.clean(`whether the tenant has ${ids.join(", ")} was not read (${reason})`),
      ),
    ],
    groupNames: namesById([...groups.values()].flat(), client),
  };
}

function uncheckedIds(file: RulesFile, roles: readonly RoleRecord[]): string[] {
  const known = new Set(roles.map(({ id }) => id));
  return roleIdsIn(file)
    .filter((id) => !known.has(id))
    .map((id) => `${id} isn't among the roles that the tenant lists, which aren't all`);
}

export interface People {
  members: ReadonlyMap<string, ReadonlySet<string>>;
  /** By role: who has it directly. */
  direct: ReadonlyMap<string, ReadonlySet<string>>;
  /** The reasons why some people could not be compared. */
  gaps: readonly string[];
}

/** Reads the members of groups with a role in a conflict. Without the scope, there are none. */
export async function readPeople(
  { client, reader }: { client: IdentityClient; reader: TenantReader },
  rules: Rules,
  roles: readonly AccessRole[],
  organizations: readonly string[],
): Promise<People> {
  const there = roles.filter(({ exists }) => exists).map(({ id }) => id);
  const { direct, gaps } = await readDirect({ client, reader }, rules, { there, organizations });
  const all = grantsIn(roles).and(directIn({ direct }));
  const found = groupsInConflict(rules, all, () => true);
  const compared = found.filter(isCompared);
  const answers = await reader.membersOfGroups(
    compared.flatMap(({ groups }) => groups),
    (_, answer) => goingOn(answer),
  );
  const ofGroups = [...answers.values()].flatMap(({ value, reason }) => [
    ...optional(reason),
    ...optional(value).flatMap((members) => optional(whyInPart(members)).map((why) => `a group has ${why}`)),
  ]);
  const tooMany = `more than ${MOST_CONFLICT_GROUPS} groups in one conflict`;
  return {
    members: peopleIn(answers, client),
    direct,
    gaps: [...new Set([...gaps, ...anyOf([found.length - compared.length, tooMany]), ...ofGroups])],
  };
}

/** Reads who has the roles directly that are in a conflict, or that nobody may have so. */
async function readDirect(
  { client, reader }: { client: IdentityClient; reader: TenantReader },
  rules: Rules,
  { there, organizations }: { there: readonly string[]; organizations: readonly string[] },
): Promise<Pick<People, "direct" | "gaps">> {
  const forbidden = [...rules.direct.byRole.keys(), ...there].filter(
    (key) => lineAgainstDirect(rules, roleOfKey(key)) !== undefined,
  );
  const isThere = new Set(there);
  const inConflict = rules.conflicts
    .flatMap((conflict) => keysIn(conflict, [undefined, ...organizations]))
    .filter((key) => roleOfKey(key).organization === undefined || isThere.has(key));
  const asked = [...new Set([...inConflict, ...forbidden])];
  const answers = await reader.usersOfRoles(asked, (_, answer) => goingOn(answer));
  const tooMany = `a role has more than ${grouped(MOST_PEOPLE)} people directly`;
  return {
    direct: peopleIn(answers, client),
    gaps: [...answers.values()].flatMap(({ value, reason }) => [
      ...optional(reason).map((why) => `who has roles directly: ${why}`),
      ...anyOf([value?.isMore ?? false, tooMany]),
    ]),
  };
}

function peopleIn(
  answers: Answers<{ people: readonly string[] }>,
  { border }: IdentityClient,
): Map<string, ReadonlySet<string>> {
  const quoted = (people: readonly string[]) => new Set(people.map((person) => border.quote(person)));
  return new Map([...valuesIn(answers)].map(([id, { people }]) => [id, quoted(people)]));
}

/** The rules, and what was read for them. */
export interface Ruled {
  rules: Rules;
  people: People;
  /** Names of groups, by id. */
  groupNames: ReadonlyMap<string, string>;
}

export function rulesAnswerOf(
  file: RulesFile,
  { rules, people, read, groupNames }: Ruled & { read: Read },
  roles: readonly AccessRole[],
  moment: number,
): RulesAnswer {
  const all = [...roles, ...read.roles];
  const inOrganizations = all.flatMap(({ organization, role }) => [organization ?? [], role ?? []].flat());
  const named = [...inOrganizations, ...all, ...roles.flatMap(({ groups }) => groups)];
  const names = new Map([...groupNames, ...named.map(({ id, name }) => [id, name] as const)]);
  const show = (id: string) => namedThing({ id, name: names.get(id) });
  const today = {
    before: new Grants(),
    after: grantsIn(roles).and(directIn(people)),
    members: (group: string) => people.members.get(group),
    isRead: readIn(read),
    isWhole: people.gaps.length === 0 && roles.every(({ secret }) => secret.length === 0),
  };
  // Nothing changes, so nobody asks what is new.
  const breaches = breachesIn(rules, today, moment).map((breach) => ({ ...breach, isNew: true }));
  return {
    file: file.file,
    gaps: [...people.gaps],
    breaches: breaches.sort(byWeight).map((breach) => ({
      ...breachJson(breach, (ids) => [...ids]),
      by: breach.by.map(({ stack = "", name, line }) => ({ stack, resource: name, line: line ?? null })),
      reason: breachSentence(breach, file.file, show),
    })),
  };
}

/** Returns a test: true for a role, by its key, of which all groups are known. */
function readIn({ roles, places }: Read): (key: string) => boolean {
  const byKey = new Map(roles.map((role) => [role.id, role]));
  return (key) => {
    const role = byKey.get(key);
    return role === undefined ? places.has(roleOfKey(key).organization) : role.incomplete !== true;
  };
}

function directIn({ direct }: Pick<People, "direct">): Grant[] {
  return directGrants(direct.keys(), (role) => direct.get(role));
}

/** A claim that isn't on the tenant breaks no rule. */
function grantsIn(roles: readonly AccessRole[]): Grants {
  const there = roles.flatMap(({ id: role, groups }) =>
    groups.filter(({ status }) => status !== "drift").map(({ id: group, by }) => ({ role, group, by })),
  );
  return new Grants(
    there.map(({ role, group, by }) => ({
      ...roleOfKey(role),
      holder: { group },
      by: by.map(({ stack, resource, line, until }) => ({
        stack,
        name: resource,
        line: line ?? undefined,
        until: until ?? undefined,
      })),
    })),
  );
}
