import { KINDS } from "../../provider/kinds";
import { PENDING_ADVICE, pendingSentence } from "../../provider/review/pending";
import { type ProfileNames, twinSentence, twinsOf } from "../pending";
import { type Unanswered } from "../pulumi-cli";
import { type StackState } from "../stack-export";
import { type Finding, unchecked, warning } from "./report";

/** `undefined`: the stack itself could not be read, which another finding says. */
type State = StackState | Unanswered | undefined;

export function pendingFindings(state: State): Finding[] {
  if (state === undefined) return [];
  if ("unread" in state) return [unchecked("state.pending", `not read: ${state.unread}`, state.advice)];
  return state.pending.map((one) =>
    warning("state.pending", pendingSentence(one).toString(), PENDING_ADVICE),
  );
}

/** Returns the names of profiles that an earlier run may have created. */
export function newProfiles(state: State): string[] {
  if (state === undefined || "unread" in state) return [];
  return state.pending.flatMap(({ profile }) => profile ?? []);
}

export function twinFindings(state: State, found: ProfileNames | Error | undefined): Finding[] {
  if (state === undefined || "unread" in state || found === undefined) return [];
  if (found instanceof Error) return [unchecked("state.profiles", `not read: ${found.message}`)];
  const known = new Set(
    state.resources.filter(({ kind }) => KINDS[kind].manages === "profiles").map(({ id }) => id),
  );
  return newProfiles(state).flatMap((name) => {
    const ids = twinsOf(name, found, known);
    if (ids.length === 0) return [];
    return [
      warning(
        "state.profiles",
        twinSentence(name, ids).toString(),
        `Give the resource adopt: "${ids[0]}", or delete the profile by hand.`,
      ),
    ];
  });
}
