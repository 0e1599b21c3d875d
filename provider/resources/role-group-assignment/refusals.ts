import {
  ApiError,
  IdentityError,
  isOfSubscription,
  NotFoundError,
  NotReviewedError,
  sentence,
} from "../../http/errors";
import { groupedBy } from "../../access/grants";
import { listText } from "../../review/preview-lines";
import { count, firstOf } from "../../sentence";
import { type Refusal, type RoleCall } from "./next";

/** Groups that the service refused, by call. */
export type Refusals = Record<RoleCall, Refusal[]>;

interface Where {
  tenant: string;
  /** Undefined: the role counts in the tenant itself. */
  organization?: string | undefined;
}

const LIMITS =
  "The service allows at most 10 roles on a group, and 100 different roles on groups. If a group is to give up " +
  "another role for this one, take it out there and run `up`, then list it here; an assignment that changes its " +
  "roleId needs deleteBeforeReplace: true.";

/**
 * Returns the error of a change that succeeded for all other groups that were asked for; undefined if none
 * was refused.
 */
export function formatRefusals(
  { grant, revoke }: Refusals,
  asked: Record<RoleCall, readonly string[]>,
  where: Where,
): IdentityError | undefined {
  const texts = [
    ...textsOf("grant", grant, where),
    ...othersText(grant, asked.grant, "got the role"),
    ...textsOf("revoke", revoke, where),
    ...othersText(revoke, asked.revoke, "lost the role"),
  ];
  return texts.length === 0 ? undefined : new IdentityError(texts.join(" "), "refused");
}

/**
 * Explains the service's documented limits, because its error answer doesn't name them. No limit keeps
 * anybody from taking a role away. `gained`: the groups that had got the role by then.
 */
export function explained(call: RoleCall, error: unknown, gained: readonly string[]): unknown {
  if (call === "grant") return isLimit(error) ? new IdentityError(limitText(error)) : error;
  return error instanceof NotReviewedError && gained.length > 0
    ? new NotReviewedError(`${error.message} By then, ${listText(gained)} got the role.`)
    : error;
}

/** At a limit, the advice on scopes and plans would mislead. */
function limitText({ call, answer }: ApiError): string {
  return `${sentence(call, answer)} ${LIMITS}`;
}

function isLimit(error: unknown): error is ApiError & { code: string } {
  return error instanceof ApiError && isOfSubscription(error.answer);
}

/** Returns a text for each reason: groups refused for the same one are named together. */
function textsOf(call: RoleCall, refused: readonly Refusal[], where: Where): string[] {
  return [...groupedBy(refused, reasonOf).values()].map((alike) => refusalText(call, alike, where));
}

function reasonOf({ group, error }: Refusal): string {
  return error.message.replaceAll(group, "");
}

const ONE = {
  groups: "Group",
  have: "has",
  dont: "doesn't",
  arent: "isn't",
  ids: "the id",
  them: "it",
} as const;
const MANY = {
  groups: "Groups",
  have: "have",
  dont: "don't",
  arent: "aren't",
  ids: "the ids",
  them: "them",
} as const;

function refusalText(
  call: RoleCall,
  refused: readonly Refusal[],
  { tenant, organization = "" }: Where,
): string {
  const [{ error }] = refused as [Refusal];
  const words = refused.length === 1 ? ONE : MANY;
  const groups = `${words.groups} ${listText(refused.map(({ group }) => group))}`;
  const isMissing = error instanceof NotFoundError;
  const text = firstOf([
    [
      call === "revoke",
      () =>
        `still ${words.have} the role: ${error.message} Run this again; if it stays so, take it away on the tenant.`,
    ],
    [
      isMissing && organization !== "",
      () =>
        `${words.arent} in the organization ${organization}: ${sentence(error.call, error.answer)} ` +
        `Add ${words.them} to the organization, or take ${words.ids} out of the program.`,
    ],
    [
      isMissing,
      () =>
        `${words.dont} exist on ${tenant}: ${sentence(error.call, error.answer)} Take ` +
        `${words.ids} out of the program, or look the group up by its name, getGroup({ name: "…" }): ` +
        "a group that its directory has made anew has a new id.",
    ],
    [isLimit(error), () => `didn't get the role: ${limitText(error)}`],
  ]);
  const otherwise = `didn't get the role: ${error.message} Take ${words.them} out of the program, or correct what the service names.`;
  return `${groups} ${text ?? otherwise}`;
}

function othersText(refused: readonly Refusal[], all: readonly string[], what: string): string[] {
  const others = all.length - refused.length;
  return refused.length === 0 || others === 0 ? [] : [`${count(others, "other group")} ${what}.`];
}
