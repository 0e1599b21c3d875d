import { type Cases, firstOf, optional } from "../../sentence";
import { type Act, grants, revocations } from "../../review/act";
import { UNKNOWN } from "../../seen";
import { type LookAhead, type PlannedEffects, type Prior, type Request } from "../../pulumi/resource-kind";
import { type Run } from "../../pulumi/run";
import { listGroupsOf } from "../../service/role-groups";
import { type RoleAt, roleKey } from "../../access/edge";
import { endNotices, formatLines, neighbourNotice, notAskedLine, type RolePart, takesLine } from "./lines";
import { Assignment, roleOfInputs } from "./assignment";
import { foresee, type Foreseen, type Granted, minus, plan } from "./plan";
import { type RoleOfRun, roleOf } from "./roles-of-run";
import { type AssignmentInputs } from "./schema";

/** Returns the effects of an assignment's change before it's made. */
export function plannedEffects(change: Request<AssignmentInputs>): PlannedEffects {
  // Its revocations are judged when they're built, and depend on what the run has checked by then.
  if (change.isDelete) return { lines: [], acts: [] };
  const { run, prior, replaced, inputs } = change;
  const listed = new Assignment(inputs);
  const { at, until } = listed;
  const { own, other } = byRole(at, prior ?? replaced);
  const former = optional(other).flatMap((before) => formerLines(run, before));
  if (at === undefined) return { lines: former, acts: [] };
  const granted = new Assignment(own?.outputs);
  const role = roleOf(run, at);
  const foreseen = foresee(role.withLosses(granted), listed, role.elsewhere);
  const parts = partsOf(foreseen, listed, change);
  const lines = formatLines(at, parts);
  const isEndInLines = parts.some((part) => part.says === "has ended" && part.groups.length > 0);
  // Some of the groups to remove may still have the role.
  const isChanged = change.isChanged || lines.length > 0 || prior?.outputs["unfinished"] === true;
  return {
    lines: [...lines, ...former],
    notices: [
      ...(isEndInLines || until === undefined ? [] : endNotices(at, until, run.moment)),
      ...optional(role.elsewhere.unlistedNeighbour).map((neighbour) => neighbourNotice(at, neighbour)),
    ],
    acts: [
      ...grantsOf(at, listed, change, foreseen.certain.grant),
      ...revocationsOf(at, foreseen, areRevokedLater(listed, change)),
    ],
    lookAhead: listed.exclusive === true && isChanged ? whoLoses(change, role, granted, listed) : undefined,
  };
}

type PriorAssignment = Prior<AssignmentInputs>;

/** Tells an assignment of the same role from one of another. */
function byRole(
  at: RoleAt | undefined,
  before: PriorAssignment | undefined,
): { own?: PriorAssignment; other?: PriorAssignment } {
  if (before === undefined) return {};
  const isSame = at !== undefined && roleKey(roleOfInputs(before.inputs)) === roleKey(at);
  return isSame ? { own: before } : { other: before };
}

function partsOf(foreseen: Foreseen, listed: Assignment, change: Request<AssignmentInputs>): RolePart[] {
  const { certain, maybe } = foreseen;
  return [
    { says: "grants", groups: certain.grant, until: listed.until },
    ...(listed.hiddenGroups === UNKNOWN ? [{ says: "unknown groups" as const, groups: [] }] : []),
    ...lossParts(foreseen, listed, change),
    { says: "hands over", groups: certain.handOver },
    { says: "may hand over", groups: maybe.handOver },
    ...(listed.exclusive === UNKNOWN ? [{ says: "unknown exclusive" as const, groups: [] }] : []),
  ];
}

function lossParts(
  { certain: { revoke: groups }, maybe }: Foreseen,
  listed: Assignment,
  change: Request<AssignmentInputs>,
): RolePart[] {
  const isLater = areRevokedLater(listed, change);
  if (isLater && new Assignment(change.replaced?.outputs).isRevokedOnDestroy === false)
    return [{ says: "leaves", groups: [...groups, ...maybe.revoke] }];
  const cases: Cases<RolePart["says"]> = [
    [isLater, () => "revokes later"],
    [listed.hasEnded, () => "has ended"],
  ];
  return [
    { says: firstOf(cases) ?? "revokes", groups, until: listed.until },
    { says: "may revoke", groups: maybe.revoke },
  ];
}

function revocationsOf(at: RoleAt, { certain, maybe }: Foreseen, areLater: boolean): Act[] {
  // The delete plans them itself.
  if (areLater) return [];
  return [...revocations(at, certain.revoke), ...revocations(at, maybe.revoke, "perhaps")];
}

/**
 * True if only the delete of what is replaced revokes its groups' role. Options may keep the engine from it,
 * and no host sees those.
 */
function areRevokedLater({ exclusive }: Assignment, { replaced }: Request<AssignmentInputs>): boolean {
  return replaced !== undefined && exclusive !== true;
}

/**
 * Another end date is a grant too. Nothing is sent for it, but it decides when a later run revokes the role.
 */
function grantsOf(
  at: RoleAt,
  { groups, until }: Assignment,
  { prior, replaced }: Request<AssignmentInputs>,
  granted: readonly string[],
): Act[] {
  const isSameEnd = until === (prior ?? replaced)?.inputs.until;
  return grants(at, isSameEnd ? granted : groups, until);
}

/** Returns the lines for the groups of the assignment's former role. */
function formerLines(run: Run, { inputs, outputs }: PriorAssignment): string[] {
  const at = roleOfInputs(inputs);
  const former = new Assignment(outputs);
  const { revoke, handOver } = plan(former, [], roleOf(run, at).elsewhere);
  return formatLines(at, [
    { says: former.isRevokedOnDestroy === false ? "leaves" : "revokes later", groups: revoke },
    { says: "hands over", groups: handOver },
  ]);
}

/** An exclusive assignment takes the role from groups that only the tenant knows. */
function whoLoses(
  change: Request<AssignmentInputs>,
  role: RoleOfRun,
  granted: Granted,
  { groups, hiddenGroups }: Assignment,
): LookAhead {
  const { at } = role;
  return {
    notAsked: (reason) => notAskedLine(at, reason),
    async ask(signal) {
      if (hiddenGroups === UNKNOWN)
        return { lines: [notAskedLine(at, "its own groups are not known yet")], acts: [] };
      const assigned = await listGroupsOf(change.client, at, signal);
      const { revoke } = plan(granted, groups, role.elsewhere, minus(assigned, granted.groups));
      for (const group of revoke) role.named.add(group);
      return {
        lines: [takesLine(at, revoke)],
        acts: revocations(at, revoke),
      };
    },
  };
}
