import { type PlannedEnd } from "../../pulumi/held-review";
import { holdsUnknown, isUnknown, type RawInputs } from "../../pulumi/raw-inputs";
import {
  type LookAhead,
  type PlannedChange,
  type PlannedEffects,
  type PriorState,
} from "../../pulumi/resource-kind";
import { type Run } from "../../pulumi/run";
import { listRoleGroups } from "../../service/roles";
import {
  changeOf,
  endOf,
  exclusiveIn,
  hasEnded,
  type Held,
  heldBy,
  isTakenOnDestroy,
  knownTexts,
  lossOf,
  minus,
  NOTHING,
  type RoleChange,
  wantedIn,
} from "./effects";
import { formatLines, formatRoleLine, keptLines, type RolePart, UNSETTLED } from "./lines";
import { roleOf } from "./roles-of-run";
import { type Inputs } from "./schema";
import { isPast, isWithin, nearEnd } from "./until";

/** What a change of an assignment does, before it is done. */
export function plannedEffects(run: Run, change: PlannedChange<Inputs>): PlannedEffects {
  const { prior } = change;
  const { roleId } = change.inputs;
  const ended = prior === undefined || prior.inputs.roleId === roleId ? [] : endLines(run, prior);
  if (typeof roleId !== "string" || isUnknown(roleId)) return { lines: ended, losses: [] };
  const effects = effectsOn(run, roleId, change);
  return { ...effects, lines: [...effects.lines, ...ended] };
}

function effectsOn(run: Run, roleId: string, planned: PlannedChange<Inputs>): PlannedEffects {
  const { prior, inputs, isReplaced } = planned;
  const groupIds = wantedIn(inputs);
  const held = prior?.inputs.roleId === roleId ? heldBy(prior.outputs) : NOTHING;
  const role = roleOf(run, roleId);
  const change = changeOf(held, knownTexts(groupIds), role);
  const lines = formatLines(roleId, partsOf(inputs, change, isReplaced));
  // Any group that leaves may turn out to be one that is not known yet. Options may keep what is replaced,
  // and others may list its groups that were not asked yet: its delete counts them.
  const areLosersKnown = !holdsUnknown(groupIds) && !isReplaced;
  const losers = areLosersKnown ? [...change.revocations, ...change.ended] : [];
  const isEndTold = hasEnded(inputs) && lines.length > 0;
  const isChanged = lines.length > 0 || changesUntold(inputs, prior);
  return {
    lines,
    notices: [
      ...keptLines(roleId, change.unsettled, UNSETTLED),
      ...(isEndTold ? [] : endNotices(roleId, untilIn(inputs), run.moment)),
    ],
    losses: losers.map((group) => lossOf(roleId, group)),
    writes: [
      { kind: "grant", role: roleId, groups: change.grants },
      endWrite(roleId, inputs, held, prior),
      {
        kind: "revoke",
        role: roleId,
        groups: losers,
        // What options replace gives all groups the role, and its end may be left out.
        instead: { kind: "grant", role: roleId, groups: knownTexts(groupIds) },
      },
    ],
    lookAhead: exclusiveIn(inputs) === true && isChanged ? whoLoses(roleId, held, groupIds) : undefined,
  };
}

function endWrite(role: string, inputs: RawInputs, { groups }: Held, prior?: PriorState<Inputs>): PlannedEnd {
  const until = untilIn(inputs);
  return {
    kind: "end",
    role,
    groups: knownTexts(wantedIn(inputs)),
    until,
    before: { groups, until: prior?.inputs.until },
    isWithin: (reviewed) => isWithin(until, reviewed),
  };
}

function changesUntold(inputs: RawInputs, prior: PriorState<Inputs> | undefined): boolean {
  if (prior === undefined) return true;
  return (
    exclusiveIn(inputs) !== exclusiveIn(prior.inputs) ||
    untilIn(inputs) !== prior.inputs.until ||
    inputs["deleteOnDestroy"] !== prior.inputs.deleteOnDestroy ||
    // A part of what is to be taken away still has the role.
    prior.outputs["unfinished"] === true ||
    knownTexts(prior.outputs["others"]).length > 0
  );
}

function partsOf(inputs: RawInputs, change: RoleChange, isReplaced: boolean): RolePart[] {
  const until = untilIn(inputs);
  const isKnown = !holdsUnknown(wantedIn(inputs));
  const groups = change.revocations;
  return [
    { kind: "grants", groups: change.grants, until },
    ...(isKnown ? [] : [{ kind: "unknown groups" as const }]),
    isReplaced && isKnown
      ? { kind: "revokes later", groups }
      : !change.isCertain
        ? { kind: "may revoke", groups }
        : hasEnded(inputs) && until !== undefined
          ? { kind: "has ended", groups, until }
          : { kind: "revokes", groups },
    { kind: "hands over", groups: [...change.handOvers, ...minus(change.dropped, change.ended)] },
    { kind: "ends", groups: change.ended },
    ...(isUnknown(exclusiveIn(inputs)) ? [{ kind: "unknown exclusive" as const }] : []),
  ];
}

function untilIn({ until }: RawInputs): string | undefined {
  return typeof until === "string" ? until : undefined;
}

function endLines(run: Run, { inputs: { roleId }, outputs }: PriorState<Inputs>): string[] {
  const role = roleOf(run, roleId);
  const { removed, listed } = endOf(heldBy(outputs), (group) => role.lists(group));
  const isLeft = isTakenOnDestroy(outputs) === false;
  return formatLines(roleId, [
    { kind: isLeft ? "leaves" : "revokes later", groups: removed },
    { kind: "hands over", groups: listed },
  ]);
}

/** Said in each preview: that the groups are about to lose the role, or that they have lost it. */
function endNotices(roleId: string, until: string | undefined, moment: number): string[] {
  if (until === undefined) return [];
  if (isPast(until, moment))
    return [
      `role ${roleId}: has ended (until ${until}): it gives the role to no group until it is prolonged`,
    ];
  const when = nearEnd(until, moment);
  return when === undefined ? [] : [`role ${roleId}: until ${until}, ${when}: then its groups lose the role`];
}

/** An exclusive assignment takes the role from groups that only the tenant knows. */
function whoLoses(roleId: string, held: Held, groupIds: unknown): LookAhead {
  return {
    notAsked: (reason) => formatRoleLine(roleId, { kind: "not asked", reason }),
    async ask({ client, run }, signal) {
      if (holdsUnknown(groupIds))
        return {
          lines: [formatRoleLine(roleId, { kind: "not asked", reason: "its own groups are not known yet" })],
          losses: [],
        };
      const assigned = await listRoleGroups(client, roleId, signal);
      const role = roleOf(run, roleId);
      const others = minus(assigned, [...knownTexts(groupIds), ...held.groups, ...held.handedOver]).filter(
        (group) => !role.lists(group),
      );
      for (const group of others) role.named.add(group);
      return {
        lines: [formatRoleLine(roleId, { kind: "exclusive", groups: others })],
        losses: others.map((group) => lossOf(roleId, group)),
        writes: [{ kind: "revoke", role: roleId, groups: others }],
      };
    },
  };
}
