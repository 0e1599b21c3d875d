import { KINDS } from "../../../provider/kinds";
import { type Note, type ProfileEffect } from "../kinds/effects";
import { say } from "../../../provider/sentence";
import { ifKnown, seenText } from "../../../provider/seen";
import { type Step } from "../kinds/step";
import { anyOf, optional } from "../../lists";
import { type ProfileNames, twinSentence, twinsOf } from "../../pending";
import { isAsked, type TenantAnswers } from "./answers";

/** Returns the ids of all profiles in the states of these stacks. */
export function managedProfiles(steps: readonly Step[]): string[] {
  const profiles = steps.filter(({ kind }) => KINDS[kind].manages === "profiles");
  return profiles.flatMap(({ before, after }) => [before?.id ?? [], after?.id ?? []].flat());
}

/** Returns new profiles whose names are on the tenant already: another create is refused, or makes a twin. */
export function twinsIn(
  effects: readonly ProfileEffect[],
  managed: readonly string[],
  answers: TenantAnswers,
): Note[] {
  const answer = answers.profiles;
  const made = effects.filter(({ op, tenant: host }) => op === "create" && isAsked(answers, host));
  if (answer === undefined || made.length === 0) return [];
  if (answer.reason !== undefined)
    return [note(say`whether the new profiles' names are free could not be read (${answer.reason})`)];
  const adopted = effects.filter(({ op }) => op === "adopt").flatMap(({ id }) => optional(id));
  const known = new Set([...managed, ...adopted]);
  return [...made.flatMap((effect) => twinOf(effect, answer.value, known)), ...notCompared(answer.value)];
}

function twinOf({ name, wanted }: ProfileEffect, names: ProfileNames, known: ReadonlySet<string>): Note[] {
  return optional(ifKnown(seenText(wanted?.["name"]))).flatMap((title) => {
    const ids = twinsOf(title, names, known);
    return anyOf([ids.length, { name, reason: twinSentence(title, ids) }]);
  });
}

function notCompared({ isMore, profiles }: ProfileNames): Note[] {
  const first = String(profiles.length);
  return anyOf([
    isMore,
    note(say`the new profiles' names were compared with the tenant's first ${first} profiles only`),
  ]);
}

function note(reason: Note["reason"]): Note {
  return { name: undefined, reason };
}
