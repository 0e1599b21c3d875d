import {
  type ClaimAfter,
  type ClaimBefore,
  type ClaimsOfChange,
  except,
  type Loss,
} from "../../../provider/access/change";
import { type Edge, roleKey, sortedEdges } from "../../../provider/access/edge";
import { type Claim, type Grant, Grants, groupedBy } from "../../../provider/access/grants";
import { type NotReviewable, type PermissionEffect } from "../kinds/effects";
import { type Category } from "../../../provider/review/categories";
import { type Step, whyHidden } from "../kinds/step";
import { id, list, say, type Sentence, some, tail, word } from "../../../provider/sentence";
import { anyOf, optional } from "../../lists";
import { type Auth0Step, type Taken } from "./auth0";
import {
  type Item,
  type ItemName,
  type ItemPart,
  keysOf,
  type PartName,
  type PermissionEdge,
} from "./auth0-item";
import { type Preview } from "./preview";

/* The access that steps of `@pulumi/auth0` give and take. */

/** The tenant's answers, which the preview doesn't have. */
export interface KnownHere {
  /** Who has which role before the change, as far as it shows. */
  before: Iterable<Edge>;
  /** To whom this package's resources give roles. */
  after: Iterable<Edge>;
  /** True for two names of one tenant. */
  isSame: (one: string | undefined, other: string | undefined) => boolean;
  /** True if the role has the permission today; undefined if nobody asked. */
  allows: (permission: PermissionEdge) => boolean | undefined;
}

export interface Auth0Effects {
  claims: ClaimsOfChange;
  permissions: PermissionEffect[];
  unknown: NotReviewable[];
}

export function auth0Effects(steps: readonly Auth0Step[], known: KnownHere): Auth0Effects {
  const { before, after } = grantsOfAuth0(steps);
  const taken = steps.flatMap((step) => step.taken);
  return {
    claims: {
      before,
      after,
      losses: lossesIn(taken, [...before, ...known.before], [...after, ...known.after], known.isSame),
    },
    permissions: permissionEffects(steps, known),
    unknown: [...steps.flatMap(doubtsOf), ...endsIn(taken)],
  };
}

/** Returns who has a role directly, according to state and to the program. */
export function grantsOfAuth0(
  steps: readonly Auth0Step[],
  stack?: string,
): { before: Grants<ClaimBefore>; after: Grants<ClaimAfter> } {
  const before = steps.flatMap(({ step, before: had, after: has }) => {
    const now = keysOf(has);
    const isTaken = step.op === "delete" && step.leaves === undefined;
    return grantsBy(had, step, stack, ({ key }) => ({
      reason: word(isTaken ? ENDS.delete : ""),
      isUnconfirmed: false,
      isLeaving: !now.has(key),
      mayInterrupt: step.deletesFirst === true,
    }));
  });
  const after = steps.flatMap(({ step, before: had, after: has }) => {
    const old = keysOf(had);
    return grantsBy(has, step, stack, ({ key }) => ({
      reason: say``,
      isChanged: step.op !== "same",
      isNew: !old.has(key),
    }));
  });
  return { before: new Grants(before), after: new Grants(after) };
}

function grantsBy<Facts>(
  items: readonly Item[],
  { name, line, op }: Step<string>,
  stack: string | undefined,
  factsOf: (item: Item) => Facts,
): Grant<Claim & Pick<ClaimBefore, "op"> & Facts>[] {
  return items.flatMap((item) =>
    optional(item.edge).map((edge) => ({ ...edge, by: [{ stack, name, line, op, ...factsOf(item) }] })),
  );
}

const ENDS: Readonly<Record<Step["op"], string>> = {
  create: "",
  update: "",
  same: "",
  delete: "is deleted",
  replace: "is replaced",
};

function reasonOf({ step, item, listers, unless }: Taken): Sentence {
  const reason = item.what === "membership" ? say`ends the membership` : word(ENDS[step.op]);
  const [lister] = listers;
  if (lister === undefined || unless !== undefined) return reason;
  return say`${tail`${reason}; `}${lister.name} lists it too, but doesn't give it again`;
}

/** Returns the roles that are lost, of those that are known before the change and after it. */
function lossesIn(
  taken: readonly Taken[],
  before: readonly Edge[],
  after: readonly Edge[],
  isSame: KnownHere["isSame"],
): Grants<Loss> {
  const had = sortedEdges(before);
  // A run deletes last, and an object takes what the same run has given with it.
  const given = sortedEdges([...before, ...after]);
  return new Grants(
    taken.flatMap((taking) => {
      const { step, item, unless } = taking;
      const { name, line, op } = step;
      const all = item.what === "object" ? given : had;
      const ended = () => all.filter((edge) => isSame(edge.tenant, item.tenant) && item.ends(edge));
      const lost = item.edge === undefined ? ended() : [item.edge];
      return lost.map((edge) => ({ ...edge, by: [{ name, line, op, reason: reasonOf(taking), unless }] }));
    }),
  );
}

function permissionEffects(steps: readonly Auth0Step[], { allows }: KnownHere): PermissionEffect[] {
  const taken = steps.flatMap((step) => step.taken);
  const known = new Set([
    ...steps.flatMap(({ before }) => [...keysOf(before)]),
    ...taken.map(({ item }) => item.key),
  ]);
  const given = steps
    .filter(({ step }) => step.op !== "same")
    .flatMap(({ step, after }) => after.map((item) => ({ step, item, reason: say`` })))
    .filter(({ item }) => !known.has(item.key))
    .flatMap((giving) => permissionEffect("gains", giving))
    .filter((permission) => allows(permission) !== true);
  const gone = taken.flatMap((taking) => permissionEffect("loses", { ...taking, reason: reasonOf(taking) }));
  const keyOf = ({ effect, tenant, holder, resourceServer, permission }: PermissionEffect) =>
    JSON.stringify([tenant ?? null, holder, effect, resourceServer, permission]);
  const byKey = groupedBy([...given, ...gone], keyOf);
  return [...byKey.keys()].sort().flatMap((key) => {
    const all = byKey.get(key) ?? [];
    return (all.find(({ unless }) => unless === undefined) ?? all[0]) as PermissionEffect;
  });
}

/** Returns nothing for an item that allows nothing, or doesn't show whom or what. */
function permissionEffect(
  effect: PermissionEffect["effect"],
  { step, item, ...why }: Pick<Taken, "step" | "item"> & Pick<PermissionEffect, "reason" | "unless">,
): PermissionEffect[] {
  const { name, line } = step;
  const { reason, unless } = why;
  return optional(item.permission).map((permission) => ({
    ...permission,
    name,
    line,
    reason,
    effect,
    unless,
  }));
}

function doubtsOf({ step, before, after, isTouched, says, takes }: Auth0Step): NotReviewable[] {
  if (!isTouched) return [];
  const isOpen = ({ isKnown, permission }: Item) => !isKnown && permission === undefined;
  const given = after.filter(isOpen).flatMap((item) => optional(givenSentence(item)));
  const wasHidden = takes && before.some(({ hidden }) => hidden !== undefined);
  return [
    ...optional(says).map((why) => doubt(step, why, ["grant", "revoke"])),
    ...given.map((why) => doubt(step, why, ["grant"])),
    ...anyOf([wasHidden, doubt(step, say`what it gave before is secret`, ["revoke"])]),
  ];
}

/** `roles`: a held run must take no hole of another provider for one of its own resources. */
function doubt(
  { name, line, before, after }: Step<string>,
  reason: Sentence,
  categories: readonly Category[],
): NotReviewable {
  return { name, tenant: (after ?? before)?.tenant, line, reason, categories, roles: [] };
}

/** Says what an item gives. Other items give nobody anything by themselves. */
const GIVEN: Readonly<Partial<Record<ItemName, (item: Item) => Sentence>>> = {
  role: (item) => partSentence(item, "role"),
  permission: (item) => say`${partSentence(item, "permission")} of ${partSentence(item, "api")}`,
};

/** `the user auth0|1 gains the new role support-agent` */
function givenSentence(item: Item): Sentence | undefined {
  const { of, hidden } = item;
  const given = GIVEN[item.what]?.(item);
  if (given === undefined) return undefined;
  const what = say`${given}${tail` in ${partSentence(item, "organization")}`}`;
  const to = partSentence(item, of.user === undefined ? "role" : "user");
  if (hidden === undefined) return say`${to} gains ${what}`;
  return say`it gives ${what} to ${to}; the rest of that is ${whyHidden(hidden)}`;
}

/** Words for a part whose id doesn't show. */
const SOME: Readonly<Record<PartName, string>> = {
  organization: "an organization",
  user: "a user",
  role: "a role",
  api: "an API",
  permission: "a permission",
};

/** Empty if the item has no such part. */
function partSentence({ of }: Item, name: PartName): Sentence {
  const { id: shown, made, hidden } = of[name] ?? {};
  if (shown !== undefined) return say`${id(shown)}`;
  if (made !== undefined) return say`the new ${word(made.what)} ${made.title}`;
  return word(hidden === undefined ? "" : SOME[name]);
}

/** Returns what ends for people whom nobody lists. */
function endsIn(taken: readonly Taken[]): NotReviewable[] {
  const keyOf = ({ step, item: { what, of }, unless }: Taken) =>
    JSON.stringify([
      step.urn,
      what,
      of.organization?.id ?? null,
      of.api?.id ?? null,
      unless?.toString() ?? null,
    ]);
  return [...groupedBy(taken, keyOf).values()].flatMap((all) =>
    all
      .slice(0, 1)
      .flatMap(({ step, item, unless }) =>
        optional(ENDED[item.what]?.(item, all)).map((reason) =>
          doubt(step, say`${reason}${except(unless)}`, ["revoke"]),
        ),
      ),
  );
}

/** How sentences say that something ends; nothing for what shows in rows. */
const ENDED: Readonly<Partial<Record<ItemName, (item: Item, all: readonly Taken[]) => Sentence>>> = {
  object: ({ of }) =>
    list(Object.entries(of).flatMap(([name, part]) => DELETED[name]?.(shownId(part)) ?? [])),
  scope: ({ of }, all) => {
    const names = list(all.map(({ item }) => shownId(item.of.permission)));
    return say`every role and every user loses ${names} of ${shownId(of.api)}; who has it wasn't read`;
  },
  membership: ({ of }, all) => {
    const users = all.flatMap(({ item }) => item.of.user?.id ?? []);
    const [leave, lose] = users.length === 1 ? ["leaves", "loses"] : ["leave", "lose"];
    return say`${some(users)} ${word(leave)} ${shownId(of.organization)} and ${word(lose)} every role there, those through groups too`;
  },
};

const DELETED: Readonly<Record<string, (object: Sentence) => Sentence>> = {
  api: (api) => say`every role and every user loses the permissions of ${api}, which is deleted`,
  user: (user) =>
    say`the user ${user} is deleted, with every role and permission; only roles that this review lists show`,
  role: (role) =>
    say`everybody loses ${role}, which is deleted, in organizations too; only those whom this review lists show`,
  organization: (organization) =>
    say`everybody loses every role in ${organization}, which is deleted; only those whom this review lists show`,
};

function shownId(part: ItemPart | undefined): Sentence {
  return say`${id(part?.id ?? "")}`;
}

/** Returns the users who are deleted for certain: groups have them no longer. */
export function usersEnded(steps: readonly Auth0Step[]): { tenant: string | undefined; user: string }[] {
  return steps
    .flatMap(({ taken }) => taken)
    .filter(({ item: { what }, unless }) => what === "object" && unless === undefined)
    .flatMap(({ item: { tenant, of } }) => optional(of.user?.id).map((user) => ({ tenant, user })));
}

/**
 * The keys of roles that change by these steps; `whole`: those of which everybody counts, because the
 * permissions change, or the role is deleted.
 */
export function rolesOfAuth0({ auth0 }: Pick<Preview, "auth0">): {
  changing: { tenant: string | undefined; role: string }[];
  whole: { tenant: string | undefined; role: string }[];
} {
  const items = [
    ...auth0.flatMap(({ taken }) => taken.map(({ item }) => item)),
    ...auth0.filter(({ step }) => step.op !== "same").flatMap(({ after }) => after),
  ];
  const rolesIn = (...names: ItemName[]) =>
    items
      .filter(({ what }) => names.includes(what))
      .flatMap(({ tenant, at }) => optional(at).map((role) => ({ tenant, role: roleKey(role) })));
  return { changing: rolesIn("role"), whole: rolesIn("permission", "object") };
}
