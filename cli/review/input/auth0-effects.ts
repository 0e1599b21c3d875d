import {
  type ClaimAfter,
  type ClaimBefore,
  type ClaimsOfChange,
  type Loss,
} from "../../../provider/access/change";
import { type Edge, roleKey, sortedEdges } from "../../../provider/access/edge";
import { type Claim, Grants, groupedBy } from "../../../provider/access/grants";
import {
  type Category,
  type NotReviewable,
  type PermissionEffect,
  type PermissionHolder,
} from "../../../provider/review/effects";
import {
  type Hidden,
  mayBeUpdated,
  mayStay,
  type Step,
  TURNS_OUT_THE_SAME,
  whyHidden,
} from "../../../provider/review/step";
import { id, list, say, type Sentence, some, word } from "../../../provider/sentence";
import { type Auth0Step, type Item, type ItemPart } from "./auth0";
import { type Preview } from "./preview";

/*
 * Finds the access that steps of `@pulumi/auth0` give and take. That provider doesn't know other resources: a
 * create only adds, an update takes what state has and the program no longer lists, and a delete takes all.
 */

/** The tenant's answers, which the preview doesn't have. */
export interface KnownHere {
  /** Who has which role before the change, as far as it shows. */
  before: Iterable<Edge>;
  /** True for two names of one tenant. */
  isSame: (one: string | undefined, other: string | undefined) => boolean;
  /** True if the role has the permission today; undefined if nobody asked. */
  allows: (
    effect: Pick<PermissionEffect, "tenant" | "holder" | "resourceServer" | "permission">,
  ) => boolean | undefined;
}

export interface Auth0Effects {
  claims: ClaimsOfChange;
  permissions: PermissionEffect[];
  unknown: NotReviewable[];
}

export function auth0Effects(steps: readonly Auth0Step[], known: KnownHere): Auth0Effects {
  const taken = takenBy(steps);
  const { before, after } = grantsOfAuth0(steps);
  return {
    claims: { before, after, losses: lossesIn(taken, [...before, ...known.before], known.isSame) },
    permissions: permissionEffects(steps, taken, known),
    unknown: [...steps.flatMap(doubtsOf), ...endsIn(taken)],
  };
}

/** Returns who has a role directly, according to state and to the program. */
export function grantsOfAuth0(
  steps: readonly Auth0Step[],
  stack?: string,
): { before: Grants<ClaimBefore>; after: Grants<ClaimAfter> } {
  const [before, after] = [new Grants<ClaimBefore>(), new Grants<ClaimAfter>()];
  for (const { step, before: had, after: has } of steps) {
    const [old, now] = [keysOf(had), keysOf(has)];
    const claim = (): Claim & Pick<ClaimBefore, "op"> => ({
      stack,
      name: step.name,
      line: step.line,
      op: step.op,
    });
    const isTaken = step.op === "delete" && step.leaves === undefined;
    for (const item of had)
      addEdge(before, item, {
        ...claim(),
        reason: isTaken ? say`is deleted` : say``,
        isUnconfirmed: false,
        isLeaving: !now.has(keyOf(item)),
        mayInterrupt: step.deletesFirst === true,
      });
    for (const item of has)
      addEdge(after, item, {
        ...claim(),
        reason: say``,
        isChanged: step.op !== "same",
        isNew: !old.has(keyOf(item)),
      });
  }
  return { before, after };
}

function addEdge<Of extends Claim>(grants: Grants<Of>, item: Item, claim: Of): void {
  const edge = edgeOf(item);
  if (edge !== undefined) grants.add(edge, claim);
}

function idIn(part: ItemPart | undefined): string | undefined {
  return part !== undefined && "id" in part ? part.id : undefined;
}

/** Returns who has a role by an item; undefined if it gives none, or if a part of it doesn't show. */
function edgeOf({ kind, tenant, organization, role, user }: Item): Edge | undefined {
  const [at, holder] = [idIn(role), idIn(user)];
  if (kind !== "role" || at === undefined || holder === undefined || !isShown(organization)) return undefined;
  return { tenant, organization: idIn(organization), role: at, holder: { user: holder } };
}

function isShown(part: ItemPart | undefined): boolean {
  return part === undefined || "id" in part;
}

const PART_NAMES = ["organization", "user", "role", "api", "permission"] as const;

function partsOf(item: Item): ItemPart[] {
  return PART_NAMES.flatMap((name) => item[name] ?? []);
}

function isKnown(item: Item): boolean {
  return partsOf(item).every(isShown);
}

function keyOf(item: Item): string {
  return JSON.stringify([item.kind, item.tenant ?? null, ...PART_NAMES.map((name) => item[name] ?? null)]);
}

function keysOf(items: readonly Item[]): ReadonlySet<string> {
  return new Set(items.filter(isKnown).map(keyOf));
}

/** The access that a step takes away. */
interface Taken {
  step: Step;
  item: Item;
  unless: Sentence | undefined;
  reason: Sentence;
}

function takenBy(steps: readonly Auth0Step[]): Taken[] {
  const listed = groupedBy(
    steps.flatMap(({ step, before, after }) => {
      const old = keysOf(before);
      return after
        .filter(isKnown)
        .map(keyOf)
        .map((key) => ({ step, key, isNew: step.op !== "same" && !old.has(key) }));
    }),
    ({ key }) => key,
  );
  return steps.flatMap((one) => {
    const { step, before } = one;
    const kept = keptBy(one);
    const isLast = step.op !== "update" && step.deletesFirst !== true;
    return before
      .filter((item) => isKnown(item) && kept?.has(keyOf(item)) === false)
      .map((item) => {
        const others = (listed.get(keyOf(item)) ?? []).filter((other) => other.step !== step);
        const giver = isLast ? undefined : others.find(({ isNew }) => isNew);
        const unless = whyKept(one) ?? (giver && say`${giver.step.name} gives it again afterwards`);
        return {
          step,
          item,
          unless,
          reason: reasonOf(step, item, unless === undefined ? others[0]?.step : undefined),
        };
      });
  });
}

/** `other`: a resource that lists it, too. */
function reasonOf({ op }: Step, { kind }: Item, other: Step | undefined): Sentence {
  const reason = kind === "membership" ? say`ends the membership` : word(ENDS[op]);
  if (other === undefined) return reason;
  const also = say`${other.name} lists it too, but doesn't give it again`;
  return reason.isEmpty ? also : say`${reason}; ${also}`;
}

/** Returns what a step leaves of what its resource had; undefined if it leaves everything. */
function keptBy({ step, after }: Auth0Step): ReadonlySet<string> | undefined {
  const { op, leaves, deletesFirst } = step;
  if (op === "update") return keysOf(after);
  if ((op !== "delete" && op !== "replace") || leaves !== undefined) return undefined;
  // It usually creates first, and the delete takes that again.
  return deletesFirst === true ? keysOf(after) : new Set();
}

/** Returns why a step may leave what it seems to take. */
function whyKept({ step, after }: Auth0Step): Sentence | undefined {
  if (step.mayLeave === true) return say`what it is deletedWith is deleted`;
  // It can't have had an object that the run only creates.
  const isOpen = after.some((item) => hiddenPart(item) !== undefined);
  if (isOpen && (mayBeUpdated(step) || mayStay(step))) return TURNS_OUT_THE_SAME;
  const hidden = step.op === "update" ? after.map(hiddenPart).find((why) => why !== undefined) : undefined;
  if (hidden === undefined) return undefined;
  return hidden === "secret" ? say`it is among what is secret` : say`it is among what is not known yet`;
}

/** Returns why an item doesn't show; undefined if it does, or if it is known what the run creates for it. */
function hiddenPart(item: Item): Hidden | undefined {
  return partsOf(item).flatMap((part) => ("hidden" in part ? [part.hidden] : []))[0];
}

/** Returns the roles that users lose. `edges`: all that are known. */
function lossesIn(
  taken: readonly Taken[],
  edges: readonly Edge[],
  isSame: KnownHere["isSame"],
): Grants<Loss> {
  const losses = new Grants<Loss>();
  const all = sortedEdges(edges);
  for (const { step, item, unless, reason } of taken) {
    const { name, line, op } = step;
    const own = edgeOf(item);
    const lost =
      own === undefined
        ? all.filter((edge) => isSame(edge.tenant, item.tenant) && endsWith(edge, item))
        : [own];
    for (const edge of lost) losses.add(edge, { name, line, op, reason, unless });
  }
  return losses;
}

const ENDS: Readonly<Record<Step["op"], string>> = {
  create: "",
  update: "",
  same: "",
  delete: "is deleted",
  replace: "is replaced",
};

/** True if nobody has it any more when an object or a membership is gone. */
function endsWith({ organization, role, holder }: Edge, item: Item): boolean {
  if (item.kind !== "object" && item.kind !== "membership") return false;
  const user = "user" in holder ? holder.user : undefined;
  const is = (part: ItemPart | undefined, own: string | undefined) =>
    part === undefined || idIn(part) === own;
  return (
    item.api === undefined &&
    is(item.organization, organization) &&
    is(item.role, role) &&
    is(item.user, user)
  );
}

function permissionEffects(
  steps: readonly Auth0Step[],
  taken: readonly Taken[],
  { allows }: KnownHere,
): PermissionEffect[] {
  const had = new Set(steps.flatMap(({ before }) => [...keysOf(before)]));
  const lost = new Set(taken.map(({ item }) => keyOf(item)));
  const given = steps.flatMap(({ step, after }) =>
    step.op === "same"
      ? []
      : after.flatMap((item): PermissionEffect[] => {
          const permission = permissionOf(item);
          const key = keyOf(item);
          if (permission === undefined || had.has(key) || lost.has(key) || allows(permission) === true)
            return [];
          return [{ ...permission, ...causeIn(step, say``), effect: "gains" }];
        }),
  );
  const gone = taken.flatMap(({ step, item, unless, reason }): PermissionEffect[] => {
    const permission = permissionOf(item);
    if (permission === undefined) return [];
    return [{ ...permission, ...causeIn(step, reason), effect: "loses", unless }];
  });
  const keyOfEffect = ({ effect, tenant, holder, resourceServer, permission }: PermissionEffect) =>
    JSON.stringify([tenant ?? null, holder, effect, resourceServer, permission]);
  const byKey = groupedBy([...given, ...gone], keyOfEffect);
  return [...byKey.keys()].sort().flatMap((key) => {
    const all = byKey.get(key) ?? [];
    return (all.find(({ unless }) => unless === undefined) ?? all[0]) as PermissionEffect;
  });
}

function causeIn({ name, line }: Step, reason: Sentence): Pick<PermissionEffect, "name" | "line" | "reason"> {
  return { name, line, reason };
}

/** Undefined if it gives none, or if a part of it doesn't show. */
function permissionOf({
  kind,
  tenant,
  role,
  user,
  api,
  permission,
}: Item): Pick<PermissionEffect, "tenant" | "holder" | "resourceServer" | "permission"> | undefined {
  const [resourceServer, name] = [idIn(api), idIn(permission)];
  const holder = holderOf(role, user);
  if (kind !== "permission" || resourceServer === undefined || name === undefined) return undefined;
  return holder && { tenant, holder, resourceServer, permission: name };
}

function holderOf(role: ItemPart | undefined, user: ItemPart | undefined): PermissionHolder | undefined {
  if (role !== undefined && "made" in role) return { made: role.made.title };
  const [ofRole, ofUser] = [idIn(role), idIn(user)];
  if (ofRole !== undefined) return { role: ofRole };
  return ofUser === undefined ? undefined : { user: ofUser };
}

function doubtsOf({ step, before, after, inputs, says }: Auth0Step): NotReviewable[] {
  if (step.op === "same") return [];
  if (says !== undefined) return [doubt(step, says, ["grant", "revoke"])];
  const { op, differs } = step;
  if (
    op === "update" &&
    differs.length > 0 &&
    !differs.some((name) => inputs.includes(name.replace(/[.[].*$/s, "")))
  )
    return [];
  const isOpen = (item: Item) => !isKnown(item) && permissionOf(item) === undefined;
  const gives = after.filter((item) => item.kind === "role" || item.kind === "permission");
  const wasHidden =
    before.some((item) => hiddenPart(item) !== undefined) && keptBy({ step, before, after, inputs, says });
  return [
    ...gives.filter(isOpen).map((item) => doubt(step, givenSentence(item), ["grant"])),
    ...(wasHidden ? [doubt(step, say`what it gave before is secret`, ["revoke"])] : []),
  ];
}

/** `roles`: a held run must take no hole of another provider for one of its own resources. */
function doubt(
  { name, line, before, after }: Step,
  reason: Sentence,
  categories: readonly Category[],
): NotReviewable {
  return { name, tenant: (after ?? before)?.tenant, line, reason, categories, roles: [] };
}

/** `the user auth0|1 gains the new role support-agent` */
function givenSentence(item: Item): Sentence {
  const { organization, role, user, api, permission } = item;
  const to = partSentence(user ?? role, user === undefined ? "a role" : "a user");
  const what =
    item.kind === "role"
      ? partSentence(role, "a role")
      : say`${partSentence(permission, "a permission")} of ${partSentence(api, "an API")}`;
  const where =
    organization === undefined ? say`` : say` in ${partSentence(organization, "an organization")}`;
  const hidden = hiddenPart(item);
  if (hidden === undefined) return say`${to} gains ${what}${where}`;
  return say`it gives ${what}${where} to ${to}; the rest of that is ${whyHidden(hidden)}`;
}

function partSentence(part: ItemPart | undefined, hidden: string): Sentence {
  if (part === undefined || "hidden" in part) return word(hidden);
  if ("id" in part) return say`${id(part.id)}`;
  return say`the new ${word(part.made.what)} ${part.made.title}`;
}

/** Returns what ends for people whom nobody lists. */
function endsIn(taken: readonly Taken[]): NotReviewable[] {
  const ended = taken.filter(({ item }) => ["object", "membership", "scope"].includes(item.kind));
  const keyOfEnd = ({ step, item, unless }: Taken) =>
    JSON.stringify([
      step.urn,
      item.kind,
      idIn(item.organization) ?? null,
      idIn(item.api) ?? null,
      unless ?? null,
    ]);
  return [...groupedBy(ended, keyOfEnd).values()].flatMap((all) =>
    all.slice(0, 1).map(({ step, item, unless }) => {
      const reason = endSentence(item, all);
      return doubt(step, unless === undefined ? reason : say`${reason}, unless ${unless}`, ["revoke"]);
    }),
  );
}

function endSentence(item: Item, all: readonly Taken[]): Sentence {
  const { kind, organization, api } = item;
  if (kind === "object") return deletedSentence(item);
  if (kind === "scope") {
    const names = list(all.map(({ item: { permission } }) => shownId(permission)));
    return say`every role and every user loses ${names} of ${shownId(api)}; who has it wasn't read`;
  }
  const users = all.flatMap(({ item: { user } }) => idIn(user) ?? []);
  const [leave, lose] = users.length === 1 ? ["leaves", "loses"] : ["leave", "lose"];
  return say`${some(users)} ${word(leave)} ${shownId(organization)} and ${word(lose)} every role there, those through groups too`;
}

function deletedSentence({ organization, user, role, api }: Item): Sentence {
  if (api !== undefined)
    return say`every role and every user loses the permissions of ${shownId(api)}, which is deleted`;
  if (user !== undefined)
    return say`the user ${shownId(user)} is deleted, with every role and permission; only roles that this review lists show`;
  const lost = role === undefined ? say`every role in ${shownId(organization)}` : shownId(role);
  const where = role === undefined ? say`` : say`, in organizations too`;
  return say`everybody loses ${lost}, which is deleted${where}; only those whom this review lists show`;
}

function shownId(part: ItemPart | undefined): Sentence {
  return say`${id(idIn(part) ?? "")}`;
}

/** The keys of roles that change by these steps, with those of which the permissions change. */
export function rolesOfAuth0({ auth0 }: Pick<Preview, "auth0">): {
  changing: { tenant: string | undefined; role: string }[];
  permitted: { tenant: string | undefined; role: string }[];
} {
  const taken = takenBy(auth0);
  const items = [
    ...taken.map(({ item }) => item),
    ...auth0.flatMap(({ step, after }) => (step.op === "same" ? [] : after)),
  ];
  const ofKind = (kinds: readonly Item["kind"][]) =>
    items
      .filter((item) => kinds.includes(item.kind) && isShown(item.organization))
      .flatMap(({ tenant, organization, role }) => {
        const key = idIn(role);
        return key === undefined
          ? []
          : [{ tenant, role: roleKey({ organization: idIn(organization), role: key }) }];
      });
  return { changing: ofKind(["role", "object"]), permitted: ofKind(["permission"]) };
}
