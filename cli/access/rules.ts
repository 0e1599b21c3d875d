import { type IdentityClient } from "../../provider/http/client";
import { Grants } from "../../provider/access/grants";
import { say, type Sentence } from "../../provider/review/sentence";
import { concernsOneQuestion, shortReason } from "../../provider/http/errors";
import { groupsNamed, readMembers } from "../../provider/service/groups";
import { type RoleRecord } from "../../provider/service/roles";
import { CommandError } from "../errors";
import { type RulesFile } from "../rules/file";
import {
  breachesIn,
  breachJson,
  groupsInConflict,
  isCompared,
  MOST_CONFLICT_GROUPS,
  type Rules,
} from "../rules/judge";
import { namesIn, resolved } from "../rules/names";
import { breachSentence } from "../rules/sentences";
import { MOST_PEOPLE, whyInPart } from "../review/people";
import { askFirstAlone } from "../review/questions";
import { type AccessRole } from "./claims";
import { type AccessJson } from "./model";

type RulesJson = NonNullable<AccessJson["rules"]>;

/** As in JSON, but sentences keep strangers' names apart. */
export type RulesAnswer = Omit<RulesJson, "breaches"> & {
  breaches: (Omit<RulesJson["breaches"][number], "reason"> & { reason: Sentence | string })[];
};

/** Returns the rules with the tenant's ids, and names of groups; one request for each name of a group. */
export async function readRuleNames(
  client: IdentityClient,
  file: RulesFile,
  listed: { roles: readonly RoleRecord[]; isWhole: boolean },
): Promise<{ rules: Rules; groupNames: ReadonlyMap<string, string> }> {
  const names = namesIn(file);
  if (names.roles.length > 0 && !listed.isWhole)
    throw new CommandError(
      `The tenant ${client.tenant} doesn't list all of its roles. Write ids in ${file.file} in place of their names.`,
    );
  const groups = await Promise.all(
    names.groups.map(async (name) => [name, await groupsNamed(client, name)] as const),
  );
  return {
    rules: resolved(file, { tenant: client.tenant, roles: listed.roles, groups: new Map(groups) }),
    groupNames: new Map(
      groups.flatMap(([name, found]) => found.map(({ id }) => [id, client.border.quote(name)] as const)),
    ),
  };
}

export interface People {
  members: ReadonlyMap<string, ReadonlySet<string>>;
  /** The reasons why some people could not be compared. */
  gaps: readonly string[];
}

/** Reads the members of groups with a role in a conflict. Without the scope, there are none. */
export async function readPeople(
  client: IdentityClient,
  rules: Rules,
  roles: readonly AccessRole[],
): Promise<People> {
  const found = groupsInConflict(rules, grantsIn(roles), () => true);
  const compared = found.filter(isCompared);
  const gaps = new Set<string>();
  if (compared.length < found.length) gaps.add(`more than ${MOST_CONFLICT_GROUPS} groups in one conflict`);
  const answers = await askFirstAlone(
    [...new Set(compared.flatMap(({ groups }) => groups))],
    (id) => readMembers(client, id, MOST_PEOPLE),
    (error) => {
      if (!concernsOneQuestion(error)) throw error;
      return shortReason(error);
    },
  );
  const members = new Map<string, ReadonlySet<string>>();
  for (const [id, answer] of answers)
    if ("reason" in answer) gaps.add(answer.reason);
    else {
      const why = whyInPart(answer.value);
      if (why !== undefined) gaps.add(`a group has ${why}`);
      members.set(id, new Set(answer.value.people.map((person) => client.border.quote(person))));
    }
  return { members, gaps: [...gaps] };
}

export function rulesAnswerOf(
  file: RulesFile,
  { rules, people }: { rules: Rules; people: People },
  roles: readonly AccessRole[],
  moment: number,
): RulesAnswer {
  const names = new Map(
    [...roles, ...roles.flatMap(({ groups }) => groups)].map(({ id, name }) => [id, name]),
  );
  const show = (id: string) => {
    const name = names.get(id);
    return name ? say`${name} ${id}` : say`${id}`;
  };
  return {
    file: file.file,
    gaps: [...people.gaps],
    breaches: breachesIn(
      rules,
      // Nothing changes, so nobody asks what is new.
      { before: new Grants(), after: grantsIn(roles), members: (group) => people.members.get(group) },
      moment,
    ).map((breach) => ({
      ...breachJson(breach, true),
      by: breach.by.map(({ stack = "", name, line }) => ({ stack, resource: name, line: line ?? null })),
      reason: breachSentence(breach, file.file, show),
    })),
  };
}

/** A claim that isn't on the tenant breaks no rule. */
function grantsIn(roles: readonly AccessRole[]): Grants {
  const there = roles.flatMap(({ id: role, groups }) =>
    groups.filter(({ status }) => status !== "drift").map(({ id: group, by }) => ({ role, group, by })),
  );
  return new Grants(
    there.map(({ role, group, by }) => ({
      role,
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
