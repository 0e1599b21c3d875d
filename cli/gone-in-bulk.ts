import { isGoneInBulk } from "../provider/http/errors";
import { CommandError } from "./errors";

export const CHECK_CREDENTIALS =
  "Check that the credentials are this tenant's, and that the client may read role groups.";

/** If a scope was revoked, the service answers 404 for the groups of each role that it lists. */
export function checkRoleGroups(tenant: string, answers: readonly (readonly unknown[] | undefined)[]): void {
  const found = answers.filter((groups) => groups !== undefined).length;
  const gone = answers.length - found;
  if (found > 0 || !isGoneInBulk(gone)) return;
  throw new CommandError(
    `${tenant} lists ${gone} roles, and answers 404 for the groups of each of them. ${CHECK_CREDENTIALS}`,
  );
}
