import { type Cases, firstOf, optional } from "../../sentence";
import { type PlannedWrite } from "../../review/permits";
import { holdsUnknown, isUnknown } from "../../review/raw-inputs";
import { textIn, textsIn } from "../../review/step";
import {
  type LookAhead,
  type PlannedChange,
  type PlannedEffects,
  type PriorState,
} from "../../pulumi/resource-kind";
import { type Run } from "../../pulumi/run";
import { listGroupsOf } from "../../service/role-groups";
import { type RoleAt, roleKey } from "../../access/edge";
import { endNotices, formatLines, neighbourNotice, notAskedLine, type RolePart, takesLine } from "./lines";
import {
  foresee,
  type Foreseen,
  hasEnded,
  type Granted,
  grantedBy,
  isRevokedOnDestroy,
  groupKey,
  minus,
  plan,
  roleIn,
  roleOfInputs,
} from "./plan";
import { type RoleOfRun, roleOf } from "./roles-of-run";
import { type AssignmentInputs } from "./schema";

/** Returns the effects of an assignment's change before it's made. */
export function plannedEffects(run: Run, change: PlannedChange<AssignmentInputs>): PlannedEffects {
  const { prior, replaced, inputs } = change;
  const at = roleIn(inputs);
  const { own, other } = byRole(at, prior ?? replaced);
  const former = optional(other).flatMap((before) => formerLines(run, before));
  if (at === undefined) return { lines: former, losses: [] };
  const granted = grantedBy(own?.outputs);
  const role = roleOf(run, at);
  const foreseen = foresee(granted, inputs["groupIds"], role);
  const parts = partsOf(foreseen, change);
  const lines = formatLines(at, parts);
  const ends = optional(textIn(inputs["until"]));
  const isEndInLines = parts.some((part) => part.says === "has ended" && part.groups.length > 0);
  // Some of the groups to remove may still have the role.
  const isChanged = change.isChanged || lines.length > 0 || prior?.outputs["unfinished"] === true;
  return {
    lines: [...lines, ...former],
    notices: [
      ...(isEndInLines ? [] : ends.flatMap((until) => endNotices(at, until, run.moment))),
      ...optional(role.unlistedNeighbour).map((neighbour) => neighbourNotice(at, neighbour)),
    ],
    ...lossesOf(at, foreseen, change),
    writes: [grantWrite(at, change, foreseen.certain.grant)],
    lookAhead:
      inputs["exclusive"] === true && isChanged ? whoLoses(role, granted, inputs["groupIds"]) : undefined,
  };
}

type Prior = PriorState<AssignmentInputs>;

/** Tells an assignment of the same role from one of another. */
function byRole(at: RoleAt | undefined, before: Prior | undefined): { own?: Prior; other?: Prior } {
  if (before === undefined) return {};
  const isSame = at !== undefined && roleKey(roleOfInputs(before.inputs)) === roleKey(at);
  return isSame ? { own: before } : { other: before };
}

function partsOf(foreseen: Foreseen, change: PlannedChange<AssignmentInputs>): RolePart[] {
  const { certain, maybe } = foreseen;
  const { inputs } = change;
  return [
    { says: "grants", groups: certain.grant, until: textIn(inputs["until"]) },
    ...(holdsUnknown(inputs["groupIds"]) ? [{ says: "unknown groups" as const, groups: [] }] : []),
    ...lossParts(foreseen, change),
    { says: "hands over", groups: certain.handOver },
    { says: "may hand over", groups: maybe.handOver },
    ...(isUnknown(inputs["exclusive"]) ? [{ says: "unknown exclusive" as const, groups: [] }] : []),
  ];
}

function lossParts(
  { certain: { revoke: groups }, maybe }: Foreseen,
  change: PlannedChange<AssignmentInputs>,
): RolePart[] {
  const { replaced, inputs } = change;
  const isLater = areRevokedLater(change);
  if (isLater && isRevokedOnDestroy(replaced?.outputs ?? {}) === false)
    return [{ says: "leaves", groups: [...groups, ...maybe.revoke] }];
  const cases: Cases<RolePart["says"]> = [
    [isLater, () => "revokes later"],
    [hasEnded(inputs), () => "has ended"],
  ];
  return [
    { says: firstOf(cases) ?? "revokes", groups, until: textIn(inputs["until"]) },
    { says: "may revoke", groups: maybe.revoke },
  ];
}

function lossesOf(
  at: RoleAt,
  { certain, maybe }: Foreseen,
  change: PlannedChange<AssignmentInputs>,
): Pick<PlannedEffects, "losses" | "possibleLosses"> {
  if (areRevokedLater(change)) return { losses: [] };
  const keysOf = (groups: readonly string[]) => groups.map((group) => groupKey(at, group));
  return { losses: keysOf(certain.revoke), possibleLosses: keysOf(maybe.revoke) };
}

/**
 * True if only the delete of what is replaced revokes its groups' role. Options may keep the engine from it,
 * and no host sees those.
 */
function areRevokedLater({ replaced, inputs }: PlannedChange<AssignmentInputs>): boolean {
  return replaced !== undefined && inputs["exclusive"] !== true;
}

/**
 * Another end date is a grant too. Nothing is sent for it, but it decides when a later run revokes the role.
 */
function grantWrite(
  at: RoleAt,
  { prior, replaced, inputs }: PlannedChange<AssignmentInputs>,
  grants: readonly string[],
): PlannedWrite {
  const until = textIn(inputs["until"]);
  const isSameEnd = until === (prior ?? replaced)?.inputs.until;
  return { act: "grant", ...at, groups: isSameEnd ? grants : textsIn(inputs["groupIds"]), until };
}

/** Returns the lines for the groups of the assignment's former role. */
function formerLines(run: Run, { inputs, outputs }: Prior): string[] {
  const at = roleOfInputs(inputs);
  const { revoke, handOver } = plan(grantedBy(outputs), [], roleOf(run, at));
  const isLeft = isRevokedOnDestroy(outputs) === false;
  return formatLines(at, [
    { says: isLeft ? "leaves" : "revokes later", groups: revoke },
    { says: "hands over", groups: handOver },
  ]);
}

/** An exclusive assignment takes the role from groups that only the tenant knows. */
function whoLoses(role: RoleOfRun, granted: Granted, groupIds: unknown): LookAhead {
  const { at } = role;
  return {
    notAsked: (reason) => notAskedLine(at, reason),
    async ask({ client }, signal) {
      if (holdsUnknown(groupIds))
        return { lines: [notAskedLine(at, "its own groups are not known yet")], losses: [] };
      const assigned = await listGroupsOf(client, at, signal);
      const { revoke } = plan(granted, textsIn(groupIds), role, minus(assigned, granted.groups));
      for (const group of revoke) role.named.add(group);
      return {
        lines: [takesLine(at, revoke)],
        losses: revoke.map((group) => groupKey(at, group)),
      };
    },
  };
}
