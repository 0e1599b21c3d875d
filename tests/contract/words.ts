import { type Fault } from "../../simulator";
import { VIEWER } from "../../simulator/default-seed";
import { groupsUrl } from "../../testkit/assignments";
import { assignment, type Resource } from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { json } from "../../testkit/tenant";
import { type NotFor, type Said } from "./table";

/* The words of the assignment's tables. Without another one, the role is VIEWER, and the name is `a`. */

export const URL_OF_GROUPS = `*${groupsUrl(VIEWER)}`;

export const line = (what: string, name = "a"): string => `${name}: role ${VIEWER}: ${what}`;
export const grants = (...groups: string[]): string => line(`+ ${groups.join(", ")}`);

const NO_LISTING = "no listing says who else lists the groups";
export const LISTS: NotFor = {
  "the classes": "their listing says that no other assignment lists the groups",
  "the classes of /plugin": "their listing says that no other assignment lists the groups",
};

/** Only where a listing says who else lists the groups, or only where nothing does. */
export const byListing = (said: string): Said => ({ said, notFor: { YAML: NO_LISTING } });
export const withoutListing = (said: string): Said => ({ said, notFor: LISTS });

/** A line that ends with a loss: without a listing, another assignment may still list the groups. */
export function unlessListed(text: string): Said[] {
  return [
    { said: text, notFor: { YAML: NO_LISTING } },
    { said: `${text}, unless the program still lists them`, notFor: LISTS },
  ];
}

export const lossesText = (count: number): string =>
  count === 1 ? "1 grant or device credential" : `${count} grants and device credentials`;

/** What a preview warns of where no loss is certain. */
export const mayExceed = (count: number, most: number): string =>
  `this run may revoke ${lossesText(count)}, and identity:maxRevocations ` +
  `(IDENTITY_MAX_REVOCATIONS) allows ${most}: pulumi up refuses each change that exceeds it`;

/** What a destroy says before it revokes. */
export const RESTRAINTS: Said = {
  said: /^In this run, revocations have no limit, and no review is required\./,
  notFor: {
    "the classes of /plugin": "the plugin is given today's settings without the program",
    YAML: "the plugin is given today's settings without the program",
  },
};
/** … where state has a limit or a review, which today's settings don't confirm. */
export const restrained = (most: number): RegExp =>
  new RegExp(`^In this run, revocations are limited to ${most}, and no review is required\\.`);
export const HELD_DESTROY =
  /^In this run, revocations have no limit, and .* is the review that it is held to\./;

/** The error of what the review of a held run lacks. */
export const notReviewed = (what: string): RegExp =>
  new RegExp(
    `^\\w+: ${what} review-\\d+\\.json \\(fingerprint [0-9a-f]{32}, made \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\) doesn't allow that` +
      ".*Preview and review the change again\\.",
  );

export const stays = (...groups: string[]): string =>
  `role ${VIEWER}: stays with ${groups.join(", ")}, because deleteOnDestroy is false`;

export const takes = (what: string): string => line(`exclusive, takes the role from ${what}`);

/** A request that got another answer. */
export const answered = (request: string, status: number): string => request.replace(/204$/, `${status}`);

/** A request as the log has it if the service did not read its body. */
export const refused = (method: "POST" | "DELETE", status: number): string =>
  `${method} ${groupsUrl(VIEWER)} ${status}`;
export const of = (role: string, method: "POST" | "DELETE", ...groups: string[]): string =>
  `${method} ${groupsUrl(role)} ${json({ groups })} 204`;

/** The last day of assignments that end, and moments around it. */
export const DAY = "2030-12-31";
export const LONG_BEFORE = Date.parse("2030-06-01T00:00:00Z");
export const BEFORE = Date.parse("2030-12-31T12:00:00Z");
export const AFTER = Date.parse("2031-01-01T00:00:00Z");

export const until = (end: string | undefined, groupIds: unknown, more: Values = {}): Resource =>
  assignment({ roleId: VIEWER, groupIds, ...(end !== undefined && { until: end }), ...more });

export const EMPTIED =
  "groupIds: is empty, though until has not passed. List the groups; if ignoreChanges names groupIds, it keeps the list " +
  "empty that an earlier end has emptied: leave it out for this run.";

const endedOn = (end: string) =>
  line(`has ended (until ${end}): it gives the role to no group until it is prolonged`);
export const ENDED = endedOn(DAY);

/** What a run prints for groups that lose the role at the end. */
export const ends = (...groups: string[]): Said[] => endsOf(groups.join(", "));

export function endsOf(groups: string, { rest = "", end = DAY } = {}): Said[] {
  return [
    { said: line(`− ${groups}, since it ended ${end}${rest}`), notFor: { YAML: NO_LISTING } },
    ...endsUnlisted(groups, end).map((said) => ({ said, notFor: LISTS })),
  ];
}

/** … where no listing says that nobody else lists them. */
export const endsUnlisted = (groups: string, end = DAY): string[] => [
  line(`− ${groups}, unless the program still lists them`),
  endedOn(end),
];

/** Done for one group, then refused; the calls for the rest are refused too. */
export const inPart = (method: "POST" | "DELETE", status: number): Fault[] => [
  { method, path: URL_OF_GROUPS, action: { status, part: 1 } },
  { method, path: URL_OF_GROUPS, times: 10, action: { status } },
];

export const unlisted = (status: number): Fault => ({
  method: "GET",
  path: `${URL_OF_GROUPS}*`,
  times: 20,
  action: { status },
});
