import { CommandError } from "./errors";

/** From so many on, of which none is there, credentials are the likelier reason than deletions. */
const TOO_MANY_GONE = 3;

/** Whether so many objects are gone that it isn't to be believed. */
export function isGoneInBulk({ gone, found }: { gone: number; found: number }): boolean {
  return found === 0 && gone >= TOO_MANY_GONE;
}

export const CHECK_CREDENTIALS =
  "Check that the credentials are this tenant's, and that the client may read role groups.";

/** With a right that was taken away, the service answers 404 for the groups of each role that it lists. */
export function checkRoleGroups(tenant: string, answers: readonly (readonly unknown[] | undefined)[]): void {
  const found = answers.filter((groups) => groups !== undefined).length;
  const gone = answers.length - found;
  if (!isGoneInBulk({ gone, found })) return;
  throw new CommandError(
    `${tenant} lists ${gone} roles, and answers 404 for the groups of each of them. ${CHECK_CREDENTIALS}`,
  );
}
