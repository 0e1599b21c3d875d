import { type PlannedWrite } from "../../review/permits";
import { holdsUnknown, isUnknown, type RawInputs } from "../../review/raw-inputs";
import {
  type LookAhead,
  type PlannedChange,
  type PlannedEffects,
  type PriorState,
} from "../../pulumi/resource-kind";
import { type Run } from "../../pulumi/run";
import { listGroupsOf } from "../../service/role-groups";
import { type RoleAt, roleKey } from "../../access/edge";
import { endNotices, formatLines, formatRoleLine, neighbourNotices, type RolePart } from "./lines";
import {
  exclusiveIn,
  foresee,
  type Foreseen,
  hasEnded,
  type Held,
  heldBy,
  isRevokedOnDestroy,
  knownTexts,
  groupKey,
  minus,
  NOTHING,
  plan,
  roleIn,
  roleOfInputs,
  wantedIn,
} from "./plan";
import { type RoleOfRun, roleOf } from "./roles-of-run";
import { type AssignmentInputs } from "./schema";

/** Returns the effects of an assignment's change before it's made. */
export function plannedEffects(run: Run, planned: PlannedChange<AssignmentInputs>): PlannedEffects {
  const { prior, inputs } = planned;
  const at = roleIn(inputs);
  const held = at && heldOf(at, prior);
  const former = prior === undefined || held !== undefined ? [] : formerLines(run, prior);
  if (at === undefined) return { lines: former, losses: [] };
  const role = roleOf(run, at);
  const foreseen = foresee(held ?? NOTHING, wantedIn(inputs), role);
  const parts = partsOf(foreseen, planned);
  const lines = formatLines(at, parts);
  const isEndTold = parts.some((part) => part.kind === "has ended" && part.groups.length > 0);
  const isChanged = lines.length > 0 || changesUntold(inputs, prior);
  return {
    lines: [...lines, ...former],
    notices: [
      ...(isEndTold ? [] : endNotices(at, untilIn(inputs), run.moment)),
      ...neighbourNotices(at, role.unlistedNeighbour),
    ],
    losses: foreseen.certain.revoke.map((group) => groupKey(at, group)),
    writes: [grantWrite(at, inputs, foreseen.certain.grant, prior)],
    lookAhead:
      exclusiveIn(inputs) === true && isChanged
        ? whoLoses(role, held ?? NOTHING, wantedIn(inputs))
        : undefined,
  };
}

/** Returns what the assignment has of this role; undefined if it's new, or of another role. */
function heldOf(at: RoleAt, prior: PriorState<AssignmentInputs> | undefined): Held | undefined {
  const isSame = prior !== undefined && roleKey(roleOfInputs(prior.inputs)) === roleKey(at);
  return isSame ? heldBy(prior.outputs) : undefined;
}

function partsOf(foreseen: Foreseen, planned: PlannedChange<AssignmentInputs>): RolePart[] {
  const { certain, maybe } = foreseen;
  const { inputs } = planned;
  return [
    { kind: "grants", groups: certain.grant, until: untilIn(inputs) },
    ...(holdsUnknown(wantedIn(inputs)) ? [{ kind: "unknown groups" as const }] : []),
    ...lossParts(foreseen, planned),
    { kind: "hands over", groups: certain.handOver },
    { kind: "may hand over", groups: maybe.handOver },
    ...(isUnknown(exclusiveIn(inputs)) ? [{ kind: "unknown exclusive" as const }] : []),
  ];
}

function lossParts(
  { certain: { revoke: groups }, maybe }: Foreseen,
  { prior, inputs, isReplaced }: PlannedChange<AssignmentInputs>,
): RolePart[] {
  const isLeft = isReplaced && isRevokedOnDestroy(prior?.outputs ?? {}) === false;
  if (isLeft && exclusiveIn(inputs) !== true)
    return [{ kind: "leaves", groups: [...groups, ...maybe.revoke] }];
  const until = untilIn(inputs);
  const certain: RolePart = isReplaced
    ? { kind: "revokes later", groups }
    : hasEnded(inputs) && until !== undefined
      ? { kind: "has ended", groups, until }
      : { kind: "revokes", groups };
  return [certain, { kind: "may revoke", groups: maybe.revoke }];
}

/**
 * Another end date is a grant too. Nothing is sent for it, but it decides when a later run revokes the role.
 */
function grantWrite(
  at: RoleAt,
  inputs: RawInputs,
  grants: readonly string[],
  prior: PriorState<AssignmentInputs> | undefined,
): PlannedWrite {
  const until = untilIn(inputs);
  const groups = until === prior?.inputs.until ? grants : knownTexts(wantedIn(inputs));
  return { kind: "grant", ...at, groups, until };
}

function changesUntold(inputs: RawInputs, prior: PriorState<AssignmentInputs> | undefined): boolean {
  if (prior === undefined) return true;
  return (
    exclusiveIn(inputs) !== exclusiveIn(prior.inputs) ||
    untilIn(inputs) !== prior.inputs.until ||
    inputs["deleteOnDestroy"] !== prior.inputs.deleteOnDestroy ||
    // Some of the groups to remove still have the role.
    prior.outputs["unfinished"] === true ||
    knownTexts(prior.outputs["others"]).length > 0
  );
}

function untilIn({ until }: RawInputs): string | undefined {
  return typeof until === "string" ? until : undefined;
}

/** Returns the lines for the groups of the assignment's former role. */
function formerLines(run: Run, { inputs, outputs }: PriorState<AssignmentInputs>): string[] {
  const at = roleOfInputs(inputs);
  const { revoke, handOver } = plan(heldBy(outputs), [], roleOf(run, at));
  const isLeft = isRevokedOnDestroy(outputs) === false;
  return formatLines(at, [
    { kind: isLeft ? "leaves" : "revokes later", groups: revoke },
    { kind: "hands over", groups: handOver },
  ]);
}

/** An exclusive assignment takes the role from groups that only the tenant knows. */
function whoLoses(role: RoleOfRun, held: Held, groupIds: unknown): LookAhead {
  const { at } = role;
  return {
    notAsked: (reason) => formatRoleLine(at, { kind: "not asked", reason }),
    async ask({ client }, signal) {
      if (holdsUnknown(groupIds))
        return {
          lines: [formatRoleLine(at, { kind: "not asked", reason: "its own groups are not known yet" })],
          losses: [],
        };
      const assigned = await listGroupsOf(client, at, signal);
      const { revoke } = plan(held, knownTexts(groupIds), role, minus(assigned, held.groups));
      for (const group of revoke) role.named.add(group);
      return {
        lines: [formatRoleLine(at, { kind: "exclusive", groups: revoke })],
        losses: revoke.map((group) => groupKey(at, group)),
      };
    },
  };
}
