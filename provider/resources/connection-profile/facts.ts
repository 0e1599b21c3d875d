import { type Fact } from "../../pulumi/run-folder";

/** What a host leaves in the folder of the run for the other hosts, and the program for all of them: `declared`. */
export type ProfileFactKind = "adopting" | "adopted" | "declared";

const PROFILE_FACT = "profiles";

/** `hash`: of the profile's id. */
export function profileFactOf(what: ProfileFactKind, tenant: string, hash: string): Fact {
  return [`${PROFILE_FACT} ${what}`, tenant, hash];
}

export function parseProfileFact([kind, tenant, hash = ""]: Fact):
  { what: ProfileFactKind; tenant: string; hash: string } | undefined {
  const [of, what] = kind.split(" ");
  return of === PROFILE_FACT ? { what: what as ProfileFactKind, tenant, hash } : undefined;
}
