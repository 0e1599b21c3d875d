import { isGoneInBulk } from "../provider/http/errors";
import { CommandError } from "./errors";
import { DeniedListError } from "./tenant/denied-list-error";
import { type Answer } from "./tenant/questions";

export const CHECK_CREDENTIALS =
  "Check that the credentials are this tenant's, and that the client may read role groups.";

/** If a scope was revoked, the service answers 404 for the groups of each role that it lists. */
export function checkRoleGroups(tenant: string, answers: readonly Answer<unknown>[]): void {
  const { length: denied } = answers.filter(({ error }) => error instanceof DeniedListError);
  if (denied < answers.length || !isGoneInBulk(denied)) return;
  throw new CommandError(
    `${tenant} lists ${denied} roles, and answers 404 for the groups of each of them. ${CHECK_CREDENTIALS}`,
  );
}
