import { isDeepStrictEqual } from "node:util";
import { edgeKey, type RoleAt, roleKey } from "../../access/edge";
import { type RawInputs } from "../../review/raw-inputs";
import { type Hidden, hiddenIn, ifKnown, type Seen, seenSwitch, seenText, shownTexts } from "../../seen";
import { type Granted } from "./plan";

/** An assignment, as far as its inputs or outputs show. Those of a program may be unknown, at any depth. */
export class Assignment implements Granted {
  /** Undefined if it doesn't show. */
  readonly at: RoleAt | undefined;
  /** Those that show. */
  readonly groups: readonly string[];
  /** Why not all of its groups show. */
  readonly hiddenGroups: Hidden | undefined;
  readonly unconfirmed: readonly string[];
  readonly end: Seen<string> | undefined;
  readonly hasEnded: boolean;
  readonly exclusive: Seen<boolean>;
  /** True if destroying it takes the role from its groups. */
  readonly isRevokedOnDestroy: Seen<boolean>;
  /** Why its role or some of its groups don't show. */
  readonly hidden: Hidden | undefined;

  constructor(values: RawInputs = {}, isInOrganization = values["organizationId"] !== undefined) {
    const { organizationId, roleId, groupIds, until } = values;
    this.at = roleIn(values, isInOrganization);
    this.groups = shownTexts(groupIds);
    this.hiddenGroups = hiddenIn(groupIds);
    this.unconfirmed = shownTexts(values["unconfirmed"]);
    this.end = seenText(until);
    this.hasEnded = hasEnded(values);
    this.exclusive = !this.hasEnded && seenSwitch(values["exclusive"], false);
    this.isRevokedOnDestroy = seenSwitch(values["deleteOnDestroy"], true);
    this.hidden = hiddenIn([roleId, organizationId, groupIds]);
  }

  /** Undefined without one, and if it doesn't show. */
  get until(): string | undefined {
    return ifKnown(this.end);
  }
}

/** True if `check` has emptied the list because `until` has passed. */
export function hasEnded({ until, groupIds }: RawInputs): boolean {
  return until !== undefined && isDeepStrictEqual(groupIds, []);
}

function roleIn({ organizationId, roleId }: RawInputs, isInOrganization: boolean): RoleAt | undefined {
  const [role, organization] = [roleId, organizationId].map((id) => ifKnown(seenText(id)));
  if (role === undefined || (organization !== undefined) !== isInOrganization) return undefined;
  return { organization, role };
}

/** The same for inputs that are known. */
export function roleOfInputs({ organizationId: organization, roleId: role }: RoleInputs): RoleAt {
  return { organization, role };
}

interface RoleInputs {
  organizationId?: string | undefined;
  roleId: string;
}

/** Returns the inputs that name a role, and where it counts. */
export function inputsOfRole({ organization, role }: RoleAt): RoleInputs {
  return { organizationId: organization, roleId: role };
}

/** A group's role: the key of a want in the ledger. */
export function groupKey({ organization, role }: RoleAt, group: string): string {
  return edgeKey({ organization, role, holder: { group } });
}

/** A key that every assignment of a role wants, so that they find each other. */
export function anyOf(at: RoleAt): string {
  return `${roleKey(at)} any`;
}

/** A key that an exclusive assignment wants as well. */
export function aloneOf(at: RoleAt): string {
  return `${roleKey(at)} alone`;
}
