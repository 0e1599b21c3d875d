import { type Note, type ProfileEffect } from "../../../provider/review/effects";
import { say } from "../../../provider/review/sentence";
import { hiddenIn, type Step } from "../../../provider/review/step";
import { twinSentence, twinsOf } from "../../pending";
import { type Preview } from "../input/preview";
import { type Tenant } from "./tenant";

/** Returns the names of the profiles that these steps create. */
export function newProfilesIn(steps: readonly Step[]): string[] {
  return steps.flatMap(({ kind, op, after }) => {
    if (kind !== "ConnectionProfile" || (op !== "create" && op !== "replace")) return [];
    const { name, adopt } = after?.inputs ?? {};
    return typeof name === "string" && hiddenIn(name) === undefined && adopt === undefined ? [name] : [];
  });
}

/** Returns the ids of all profiles in the states of these stacks. */
export function managedProfiles(previews: readonly Preview[]): ReadonlySet<string> {
  const profiles = previews.flatMap(({ steps }) => steps.filter(({ kind }) => kind === "ConnectionProfile"));
  const ids = profiles.flatMap(({ before, after }) => [before?.id, after?.id]);
  return new Set(ids.filter((id) => id !== undefined));
}

/** Returns new profiles whose names are on the tenant already: another create is refused, or makes a twin. */
export function twinsIn(
  effects: readonly ProfileEffect[],
  managed: ReadonlySet<string>,
  tenant: Tenant | undefined,
): Note[] {
  const answer = tenant?.profiles;
  if (tenant === undefined || answer === undefined) return [];
  const adopted = effects.flatMap(({ op, id }) => (op === "adopt" && id !== undefined ? [id] : []));
  const known = new Set([...managed, ...adopted]);
  const made = effects.filter(({ op, tenant: host }) => op === "create" && isOf(tenant, host));
  if (made.length === 0) return [];
  if ("reason" in answer)
    return [note(say`whether the new profiles' names are free could not be read (${answer.reason})`)];
  const found = made.flatMap(({ name, wanted }) => {
    const title = wanted?.["name"];
    const ids = typeof title === "string" ? twinsOf(title, answer.value, known) : [];
    return ids.length === 0 ? [] : [{ name, reason: twinSentence(title as string, ids) }];
  });
  const { isMore, profiles } = answer.value;
  if (!isMore) return found;
  return [
    ...found,
    note(
      say`the new profiles' names were compared with the tenant's first ${String(profiles.length)} profiles only`,
    ),
  ];
}

function isOf({ hosts }: Tenant, host: string | undefined): boolean {
  return host !== undefined && hosts.includes(host);
}

function note(reason: Note["reason"]): Note {
  return { name: undefined, reason };
}
