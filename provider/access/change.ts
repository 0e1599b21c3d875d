import { firstOf, optional, type Place, say, type Sentence, tail } from "../sentence";
import { type Edge, type RoleAt, sortedEdges } from "./edge";
import { type Claim, endOf, type Grants } from "./grants";
import { endChange, type EndChange } from "./until";

/** A change of a holder's role, with the resources that make it. */
export interface AccessEffect extends Edge {
  effect: "gains" | "loses" | "keeps";
  /** True if the tenant says that it doesn't have today what it loses: only state forgets it. */
  forgotten?: true | undefined;
  by: readonly Cause[];
  /** Why it may not happen; undefined if it is certain. */
  unless?: Sentence | undefined;
  /** The end of the grant, and its end before the change; undefined without an end. */
  until?: string | undefined;
  untilBefore?: string | undefined;
  /** How the end of a kept grant moves; undefined if it stays, or doesn't show. */
  ends?: EndChange | undefined;
}

interface Cause {
  name: string;
  op: string;
  line: Place | undefined;
  reason: Sentence;
}

/** A resource's claim in a change, with its step. */
export interface ClaimInChange extends Claim {
  op: string;
  reason: Sentence;
  /** True if its end is secret, or not known yet. */
  isEndHidden?: boolean;
}

export interface ClaimBefore extends ClaimInChange {
  /** True if the outcome of the change that was to give it isn't known. */
  isUnconfirmed: boolean;
  /** True if the resource doesn't claim it afterwards. `reason` says why. */
  isLeaving: boolean;
  /** True if the holder may be without the role for a moment because of it. */
  mayInterrupt: boolean;
  /** Why nobody ends it any more, although its resource goes; undefined if somebody does. */
  left?: Sentence | undefined;
}

export interface ClaimAfter extends ClaimInChange {
  /** False if its resource stays as it is. */
  isChanged: boolean;
  /** True if its resource did not claim it before. */
  isNew: boolean;
}

/** A resource takes the role away, or may. */
export interface Loss extends ClaimInChange {
  unless: Sentence | undefined;
}

export interface AccessChange {
  before: Grants<ClaimBefore>;
  after: Grants<ClaimAfter>;
  losses: Grants<Loss>;
  today: Pick<Today, "has">;
  /** The name of a changing resource that may have had it, as a secret. */
  secretly: (edge: Edge) => string | undefined;
  /** The name of a resource that may take it from everybody whom it doesn't list. */
  taker: (edge: Edge) => string | undefined;
}

/** The claims of resources on edges before and after a change, and the edges that they take. */
export type ClaimsOfChange = Pick<AccessChange, "before" | "after" | "losses">;

/** Returns at most one row for each edge, sorted. */
export function effectsOfChange(change: AccessChange): AccessEffect[] {
  const { before, after, losses } = change;
  return sortedEdges([...before, ...after, ...losses]).flatMap((edge) =>
    optional(effectOn(edge, change)).map((seen) => rowOf(edge, change, seen)),
  );
}

/** False for what the holder doesn't have today. */
export function isLoss({ effect, forgotten }: Pick<AccessEffect, "effect" | "forgotten">): boolean {
  return effect === "loses" && forgotten !== true;
}

/** `, unless the tenant has it already`; empty if it is certain. */
export function except(unless: Sentence | undefined): Sentence {
  return tail`, unless ${unless}`;
}

type EdgeEffect = Pick<AccessEffect, "effect" | "forgotten" | "unless"> & { by: readonly ClaimInChange[] };

interface Sides {
  before: Grants<ClaimInChange>;
  after: Grants<ClaimInChange>;
}

function rowOf(edge: Edge, { before, after }: Sides, seen: EdgeEffect): AccessEffect {
  const { effect, forgotten, by, unless } = seen;
  const { tenant, organization, role, holder } = edge;
  return {
    tenant,
    organization,
    role,
    holder,
    effect,
    forgotten,
    by: by.map(({ name, op, line, reason }) => ({ name, op, line, reason })),
    unless,
    ...endsOfRow(effect, before.by(edge), after.by(edge)),
  };
}

function endsOfRow(
  effect: AccessEffect["effect"],
  had: readonly ClaimInChange[],
  has: readonly ClaimInChange[],
): Pick<AccessEffect, "until" | "untilBefore" | "ends"> {
  if (effect === "loses") return {};
  if (effect === "gains") return { until: endOf({ by: has }) };
  const ends = endChangeOf(had, has);
  const [was, is] = ends === undefined ? [had, has] : [shown(had), shown(has)];
  return { until: endOf({ by: is }), untilBefore: endOf({ by: was }), ends };
}

/** Returns how a kept grant's end moves, as far as ends show. What nobody claims has no end. */
function endChangeOf(had: readonly ClaimInChange[], has: readonly ClaimInChange[]): EndChange | undefined {
  const isHidden = [had, has].some((claims) => claims.length > 0 && shown(claims).length === 0);
  return isHidden ? undefined : endChange(endOf({ by: shown(had) }), endOf({ by: shown(has) }));
}

function shown(claims: readonly ClaimInChange[]): readonly ClaimInChange[] {
  return claims.filter(({ isEndHidden }) => isEndHidden !== true);
}

function effectOn(
  edge: Edge,
  { before, after, losses, secretly, taker, ...change }: AccessChange,
): EdgeEffect | undefined {
  const [had, has, lost] = [before.by(edge), after.by(edge), losses.by(edge)];
  const today = change.today.has(edge);
  if (lost.length > 0) return lostBy(lost, today);
  const changed = has.filter(({ isChanged }) => isChanged);
  if (had.length > 0 && has.length > 0) return keptBy(had, has, changed, today);
  return changed.length === 0
    ? leftBy(had, today, taker(edge))
    : gainedBy(changed, GAINS[today ? "keeps" : "gains"], secretly(edge));
}

/** Returns a row if a resource goes, its grant stays, and nobody ends it any more. */
function leftBy(
  had: readonly ClaimBefore[],
  today: boolean | undefined,
  taker: string | undefined,
): EdgeEffect | undefined {
  const by = had.flatMap((claim) => optional(claim.left).map((reason) => ({ ...claim, reason })));
  const isLonger = by.length > 0 && today !== false && endChangeOf(had, []) !== undefined;
  const unless = taker === undefined ? undefined : say`${taker} takes it away, which is exclusive`;
  return isLonger ? { effect: "keeps", by, unless } : undefined;
}

const NOT_THERE = say`it does not have the role today`;

function lostBy(lost: readonly Loss[], today: boolean | undefined): EdgeEffect {
  const notThere = ({ reason }: Loss) => say`${reason.or(say`removes it`)}; ${NOT_THERE}`;
  if (today === false)
    return {
      effect: "loses",
      forgotten: true,
      by: lost.map((loss) => ({ ...loss, reason: notThere(loss) })),
    };
  return {
    effect: "loses",
    by: lost,
    unless: lost.every(({ unless }) => unless !== undefined) ? lost[0]?.unless : undefined,
  };
}

/** A group that has the role already keeps it. `unless`: a secret assignment may have given it. */
const GAINS = {
  gains: {
    effect: "gains",
    reason: undefined,
    unless: (secret: string) => say`it has the role already through ${secret}`,
  },
  keeps: {
    effect: "keeps",
    reason: say`adds it; it has the role already`,
    unless: (secret: string) => say`${secret} takes it away, which had it`,
  },
} as const;

function gainedBy(
  changed: readonly ClaimAfter[],
  { effect, reason, unless }: (typeof GAINS)["gains" | "keeps"],
  secret: string | undefined,
): EdgeEffect {
  const by = withEnds(changed, reason);
  return { effect, by, unless: secret === undefined ? undefined : unless(secret) };
}

function keptBy(
  had: readonly ClaimBefore[],
  has: readonly ClaimAfter[],
  changed: readonly ClaimAfter[],
  today: boolean | undefined,
): EdgeEffect | undefined {
  const isMoved = changed.some(({ isNew }) => isNew);
  const isRepeated = isMoved || changed.some(({ op }) => op === "replace");
  const isOpen = changed.length > 0 && had.every(({ isUnconfirmed }) => isUnconfirmed);
  const mayChange = isMoved || had.some(({ mayInterrupt }) => mayInterrupt);
  const isEndMoved = endChangeOf(had, has) !== undefined;
  const hidden = [...had, ...has].find(({ isEndHidden }) => isEndHidden);
  return firstOf<EdgeEffect>([
    [isRepeated && today === false, () => ({ effect: "gains", by: withEnds(changed, AGAIN) })],
    [isOpen, () => ({ effect: "gains", by: withEnds(changed), unless: UNCONFIRMED })],
    [
      mayChange || isEndMoved,
      () => ({
        effect: "keeps",
        by: [
          ...had.filter(({ isLeaving }) => isLeaving),
          ...(mayChange ? withEnds(has) : endingBy(has, today)),
        ],
        unless:
          isEndMoved && hidden ? say`${hidden.name} gives it for longer, which does not show` : undefined,
      }),
    ],
  ]);
}

/** The row itself has the end of a single one. */
function endingBy(has: readonly ClaimAfter[], today: boolean | undefined): readonly ClaimInChange[] {
  if (today === false) return has.map((claim) => ({ ...claim, reason: NOT_THERE }));
  return has.length > 1 ? withEnds(has) : has;
}

const AGAIN = say`gives it again; it has lost the role meanwhile`;

const UNCONFIRMED = say`an earlier change, of which the outcome is not known, has given it`;

/** `reason`: in place of the claims' own. */
function withEnds(claims: readonly ClaimAfter[], reason?: Sentence): ClaimInChange[] {
  return claims.map((claim) => ({ ...claim, reason: withEnd(reason ?? claim.reason, claim.until) }));
}

function withEnd(reason: Sentence, until: string | undefined): Sentence {
  if (until === undefined) return reason;
  return say`${tail`${reason}, `}until ${until}`;
}

/** Returns what others have changed: `before` as in state, `after` as on the tenant. */
export function effectsOfDrift({ before, after }: Sides): AccessEffect[] {
  const stays = (edge: Edge) => before.has(edge) && after.has(edge);
  return sortedEdges([...before, ...after].filter((edge) => !stays(edge))).map((edge) => {
    const seen: EdgeEffect = after.has(edge)
      ? { effect: "gains", by: after.by(edge) }
      : { effect: "loses", by: before.by(edge) };
    return rowOf(edge, { before, after }, seen);
  });
}

/** Tenants' answers: who has a role today. Undefined if nobody asked, or there was no answer. */
export interface Today {
  groups: (tenant: string | undefined, at: RoleAt) => ReadonlySet<string> | undefined;
  has: (edge: Edge) => boolean | undefined;
}

/**
 * Returns what a tenant has before a change: what states have, unless it denies that, and others beside.
 * `all`: whoever has one of the roles that were asked for.
 */
export function grantsBefore(inState: Grants, today: Pick<Today, "has">, all: readonly Edge[]): Grants {
  const beside = all.filter((edge) => !inState.has(edge));
  return inState
    .filter((grant) => today.has(grant) !== false)
    .and(beside.map((edge) => ({ ...edge, by: [] })));
}

/**
 * Returns what a tenant has after a change: what programs list, unless it was lost before and isn't given
 * again, and what the tenant had beside, without what it loses.
 */
export function grantsAfter(
  before: Grants,
  listed: Grants,
  today: Pick<Today, "has">,
  { gained, lost }: { gained: Grants; lost: Grants },
): Grants {
  // A refresh finds grants that no program lists.
  const given = listed
    .and(gained.filter((grant) => !listed.has(grant)))
    .filter((grant) => gained.has(grant) || today.has(grant) !== false);
  const rest = before.filter((grant) => !given.has(grant) && !lost.has(grant));
  // Nobody ends it any more.
  return given.and(
    [...rest].map((grant) => ({ ...grant, by: grant.by.map((claim) => ({ ...claim, until: undefined })) })),
  );
}
