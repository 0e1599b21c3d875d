import { type PlannedWrite } from "../../review/permits";
import { holdsUnknown, isUnknown, type RawInputs } from "../../review/raw-inputs";
import {
  type LookAhead,
  type PlannedChange,
  type PlannedEffects,
  type PriorState,
} from "../../pulumi/resource-kind";
import { type Run } from "../../pulumi/run";
import { listRoleGroups } from "../../service/roles";
import { formatLines, formatRoleLine, type RolePart } from "./lines";
import {
  exclusiveIn,
  hasEnded,
  type Held,
  heldBy,
  isTakenOnDestroy,
  knownTexts,
  groupKey,
  minus,
  NOTHING,
  type Plan,
  plan,
  wantedIn,
} from "./plan";
import { type RoleOfRun, roleOf } from "./roles-of-run";
import { type Inputs } from "./schema";
import { isPast, nearEnd } from "../../access/until";

/** Returns the effects of an assignment's change before it's made. */
export function plannedEffects(run: Run, planned: PlannedChange<Inputs>): PlannedEffects {
  const { prior, inputs } = planned;
  const { roleId } = inputs;
  const former = prior === undefined || prior.inputs.roleId === roleId ? [] : endLines(run, prior);
  if (typeof roleId !== "string" || isUnknown(roleId)) return { lines: former, losses: [] };
  const effects = effectsOn(roleOf(run, roleId), planned, run.moment);
  return { ...effects, lines: [...effects.lines, ...former] };
}

function effectsOn(role: RoleOfRun, planned: PlannedChange<Inputs>, moment: number): PlannedEffects {
  const { roleId } = role;
  const { prior, inputs } = planned;
  const groupIds = wantedIn(inputs);
  const held = prior?.inputs.roleId === roleId ? heldBy(prior.outputs) : NOTHING;
  const planOfChange = plan(held, knownTexts(groupIds), role);
  // A leaving group may turn out to be an unknown one that is listed.
  const isKnown = !holdsUnknown(groupIds);
  const parts = partsOf(role, planned, planOfChange);
  const lines = formatLines(roleId, parts);
  const isEndTold = parts.some((part) => part.kind === "has ended" && part.groups.length > 0);
  const isChanged = lines.length > 0 || changesUntold(inputs, prior);
  return {
    lines,
    notices: [
      ...(isEndTold ? [] : endNotices(roleId, untilIn(inputs), moment)),
      ...neighbourNotices(roleId, role.unlistedNeighbour),
    ],
    losses: isKnown ? certainOf(role, planOfChange).map((group) => groupKey(roleId, group)) : [],
    writes: [grantWrite(roleId, inputs, planOfChange.add, prior)],
    lookAhead: exclusiveIn(inputs) === true && isChanged ? whoLoses(role, held, groupIds) : undefined,
  };
}

/** Groups that certainly no other assignment of the program lists. */
function certainOf(role: RoleOfRun, { remove }: Plan): string[] {
  return remove.filter((group) => role.lists(group) === false);
}

function partsOf(role: RoleOfRun, planned: PlannedChange<Inputs>, planOfChange: Plan): RolePart[] {
  const { inputs } = planned;
  const { add, remove, handOver } = planOfChange;
  const isKnown = !holdsUnknown(wantedIn(inputs));
  const certain = isKnown ? certainOf(role, planOfChange) : [];
  return [
    { kind: "grants", groups: add, until: untilIn(inputs) },
    ...(isKnown ? [] : [{ kind: "unknown groups" as const }]),
    ...lossParts(planned, certain, minus(remove, certain)),
    ...handOverParts(role, handOver),
    ...(isUnknown(exclusiveIn(inputs)) ? [{ kind: "unknown exclusive" as const }] : []),
  ];
}

function handOverParts(role: RoleOfRun, groups: readonly string[]): RolePart[] {
  const certain = groups.filter((group) => role.isInListing(group));
  return [
    { kind: "hands over", groups: certain },
    { kind: "may hand over", groups: minus(groups, certain) },
  ];
}

function lossParts(
  { prior, inputs, isReplaced }: PlannedChange<Inputs>,
  groups: readonly string[],
  doubtful: readonly string[],
): RolePart[] {
  const isLeft = isReplaced && isTakenOnDestroy(prior?.outputs ?? {}) === false;
  if (isLeft && exclusiveIn(inputs) !== true) return [{ kind: "leaves", groups: [...groups, ...doubtful] }];
  const until = untilIn(inputs);
  const certain: RolePart = isReplaced
    ? { kind: "revokes later", groups }
    : hasEnded(inputs) && until !== undefined
      ? { kind: "has ended", groups, until }
      : { kind: "revokes", groups };
  return [certain, { kind: "may revoke", groups: doubtful }];
}

/**
 * Another end date is a grant too. Nothing is sent for it, but it decides when a later run revokes the role.
 */
function grantWrite(
  role: string,
  inputs: RawInputs,
  grants: readonly string[],
  prior: PriorState<Inputs> | undefined,
): PlannedWrite {
  const until = untilIn(inputs);
  const groups = until === prior?.inputs.until ? grants : knownTexts(wantedIn(inputs));
  return { kind: "grant", role, groups, until };
}

function changesUntold(inputs: RawInputs, prior: PriorState<Inputs> | undefined): boolean {
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
function endLines(run: Run, { inputs: { roleId }, outputs }: PriorState<Inputs>): string[] {
  const role = roleOf(run, roleId);
  const { remove, handOver } = plan(heldBy(outputs), [], role);
  const isLeft = isTakenOnDestroy(outputs) === false;
  return formatLines(roleId, [
    { kind: isLeft ? "leaves" : "revokes later", groups: remove },
    { kind: "hands over", groups: handOver },
  ]);
}

/** Returns notices for every preview: the groups will soon lose the role, or have lost it. */
function endNotices(roleId: string, until: string | undefined, moment: number): string[] {
  if (until === undefined) return [];
  if (isPast(until, moment))
    return [
      `role ${roleId}: has ended (until ${until}): it gives the role to no group until it is prolonged`,
    ];
  const when = nearEnd(until, moment);
  return when === undefined ? [] : [`role ${roleId}: until ${until}, ${when}: then its groups lose the role`];
}

function neighbourNotices(roleId: string, neighbour: string | undefined): string[] {
  if (neighbour === undefined) return [];
  return [
    `role ${roleId}: is also assigned by ${neighbour}, under another provider. A group that moves between the two can ` +
      "end up without the role: put all assignments of a role under one provider.",
  ];
}

/** An exclusive assignment takes the role from groups that only the tenant knows. */
function whoLoses(role: RoleOfRun, held: Held, groupIds: unknown): LookAhead {
  const { roleId } = role;
  return {
    notAsked: (reason) => formatRoleLine(roleId, { kind: "not asked", reason }),
    async ask({ client }, signal) {
      if (holdsUnknown(groupIds))
        return {
          lines: [formatRoleLine(roleId, { kind: "not asked", reason: "its own groups are not known yet" })],
          losses: [],
        };
      const assigned = await listRoleGroups(client, roleId, signal);
      const { remove } = plan(held, knownTexts(groupIds), role, minus(assigned, held.groups));
      for (const group of remove) role.named.add(group);
      return {
        lines: [formatRoleLine(roleId, { kind: "exclusive", groups: remove })],
        losses: remove.map((group) => groupKey(roleId, group)),
      };
    },
  };
}
