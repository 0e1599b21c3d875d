import { type AccessEffect, except } from "../../provider/access/change";
import { groupIn, holderId, roleKey, roleOfKey, roleSentence } from "../../provider/access/edge";
import { type Grant, type Grants } from "../../provider/access/grants";
import { list, say, type Sentence, tail, word } from "../../provider/sentence";
import { grantsTo, isEnded, type Rules } from "../rules/judge";
import { doubt, NOT_ASKED, whyUnread } from "./doubts";
import { type NotReviewable } from "./kinds/effects";
import { answered, type TenantAnswers } from "./tenant/answers";

/*
 * Decides whether somebody surely keeps a role. A group that may lose it doesn't count, and neither does one
 * that only a state has: the tenant may have taken it since.
 */

type Row = Grant & Pick<AccessEffect, "effect" | "unless">;

/** A change on one tenant. */
interface Change {
  after: Grants;
  rows: readonly Row[];
}

/** Returns why roles may be lost that one of their groups must keep. */
export function keepingDoubts({ require }: Rules, change: Change, judging: Judging): NotReviewable[] {
  return [...require].flatMap(([key, { groups, line }]) => {
    const losing = rowsOf(key, groups, change).filter(mayLose);
    if (losing.length === 0 || isJudged(key, groups, change, judging) || isSure(key, groups, change, judging))
      return [];
    const [role, rule] = [roleSentence(roleOfKey(key)), `${judging.file}:${line}`];
    const why = whyNotRead(key, judging.answers);
    if (why !== undefined)
      return [
        doubt(say`who has ${role} today was not read, and ${rule} requires that somebody keeps it (${why})`),
      ];
    const each = losing.map(({ holder, effect, unless }) => {
      const verb = word(effect === "keeps" ? "keeps" : "loses");
      return say`${{ id: holderId(holder) }} ${verb} it${except(unless)}`;
    });
    return [doubt(say`nobody surely keeps ${role}, and ${rule} requires that somebody does: ${list(each)}`)];
  });
}

interface Judging {
  answers: TenantAnswers;
  file: string;
  moment: number;
}

/** True if the tenant's answer shows that nobody keeps it: that is a breach. */
function isJudged(
  key: string,
  groups: readonly string[],
  { after }: Change,
  { answers, moment }: Judging,
): boolean {
  return (
    answered(answers.groups, key) !== undefined &&
    grantsTo(groups, key, after).every((grant) => isEnded(grant, moment))
  );
}

/** True if one keeps it that the change gives it to, or that has it on the tenant. */
function isSure(
  key: string,
  groups: readonly string[],
  change: Change,
  { answers, moment }: Judging,
): boolean {
  const gaining = rowsOf(key, groups, change).filter(({ effect }) => effect === "gains");
  const today = answered(answers.groups, key) ?? [];
  const has = new Set([...today.map(({ id }) => id), ...gaining.map(({ holder }) => holderId(holder))]);
  return keptIn(key, groups, change, moment).some(({ holder }) => has.has(holderId(holder)));
}

function whyNotRead(key: string, { groups, notConfigured }: TenantAnswers): Sentence | undefined {
  return whyUnread(groups.get(key), () => undefined, tail`${notConfigured}`.or(NOT_ASKED));
}

/** True if something hidden may take a role from all who must keep it: nothing that shows gives it to one. */
export function mayLoseUnseen({ require }: Rules, change: Change, moment: number): boolean {
  return [...require].some(([key, { groups }]) =>
    keptIn(key, groups, change, moment).every(({ by }) => by.length === 0),
  );
}

/** Returns the grants that keep a role, as far as anybody knows. */
function keptIn(key: string, groups: readonly string[], change: Change, moment: number): Grant[] {
  const losing = new Set(
    rowsOf(key, groups, change)
      .filter(mayLose)
      .map(({ holder }) => holderId(holder)),
  );
  return grantsTo(groups, key, change.after).filter(
    (grant) => !losing.has(holderId(grant.holder)) && !isEnded(grant, moment),
  );
}

function rowsOf(key: string, groups: readonly string[], { rows }: Change): Row[] {
  return rows.filter(
    (row) => roleKey(row) === key && groupIn(row.holder).some((group) => groups.includes(group)),
  );
}

function mayLose({ effect, unless }: Row): boolean {
  return effect === "loses" || (effect === "keeps" && unless !== undefined);
}
