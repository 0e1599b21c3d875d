import { type RoleAt } from "./edge";

/**
 * Where a rule is broken: each group stands for the next role that nobody has directly. A rule may compare
 * roles in several organizations.
 */
export function placesOf({
  roles,
  groups,
  direct = [],
  organization,
  contexts,
}: BrokenRule): (RoleAt & { group: string | undefined })[] {
  const through = [...groups];
  return roles.map((role, index) => ({
    role,
    group: direct.includes(role) ? undefined : (through.shift() ?? groups[0]),
    organization: contexts === undefined ? organization : (contexts[index] ?? undefined),
  }));
}

interface BrokenRule {
  roles: readonly string[];
  groups: readonly string[];
  direct?: readonly string[] | undefined;
  organization?: string | undefined;
  contexts?: readonly (string | null | undefined)[] | undefined;
}
