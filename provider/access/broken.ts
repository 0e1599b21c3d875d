import { type RoleAt } from "./edge";

/** False for a role that nobody keeps, and for an exception: no grant breaks the rule. */
export function isOfGrant({ rule }: Pick<BrokenRule, "rule">): boolean {
  return rule !== "require" && rule !== "exception";
}

/**
 * Where a rule is broken: each group stands for the next role that nobody has directly. A rule may compare
 * roles in several organizations.
 */
export function placesOf(broken: BrokenRule): (RoleAt & { group: string | undefined })[] {
  if (!isOfGrant(broken)) return [];
  const { roles, groups, direct = [], organization, contexts } = broken;
  const through = [...groups];
  return roles.map((role, index) => ({
    role,
    group: direct.includes(role) ? undefined : (through.shift() ?? groups[0]),
    organization: contexts === undefined ? organization : (contexts[index] ?? undefined),
  }));
}

interface BrokenRule {
  rule: string;
  roles: readonly string[];
  groups: readonly string[];
  direct?: readonly string[] | undefined;
  organization?: string | undefined;
  contexts?: readonly (string | null | undefined)[] | undefined;
}
