import { type AccessJson } from "../../cli/access/model";
import { type Audit, type Claim, type Edge, type Named } from "./compared-drawn";

/*
 * A calculator that knows both worlds, and what their audits asked for. It shares no code with the command.
 * Of the answers it reads only which names they list, since two of one name are told and not guessed.
 */

type Answer = Pick<AccessJson, "roles" | "covers">;
type Change = NonNullable<AccessJson["compared"]>["changes"][number];

export const isGroup = (holder: string) => holder.startsWith("grp_");

/** Somebody's role in words that both audits share: ids of one tenant, or names of two. */
interface Place {
  organization: string;
  role: string;
  holder: string;
}

interface Cell extends Place {
  /** True if the holder has the role. */
  has: boolean;
  listing: ReadonlyMap<Claim, string>;
  hidden: ReadonlyMap<Claim, string>;
}

export interface Row {
  /** What changed, and for whom. */
  what: string;
  /** The claims before and after. */
  by: string;
}

class Side {
  readonly cells = new Map<string, Cell>();
  readonly #weights = new Map<string, number>();
  readonly #texts = new Map<Claim, string>();
  readonly #namedGroups: ReadonlySet<string>;

  constructor(
    readonly audit: Audit,
    readonly answer: Answer,
    private readonly isByName: boolean,
    /** Whose claims count. */
    private readonly stacks: readonly number[],
  ) {
    const { roles, groups, organizations, edges, claims } = audit.world;
    for (const stack of [0, 1])
      claims
        .filter((claim) => claim.stack === stack)
        .forEach((claim, index) =>
          this.#texts.set(claim, textOf(`access/stack${stack}`, index, claim.until)),
        );
    this.#namedGroups = new Set(
      answer.roles.flatMap((role) => role.groups.flatMap(({ id, name }) => (name === null ? [] : [id]))),
    );
    const people = edges.map(({ holder }) => holder).filter((holder) => !isGroup(holder));
    for (const organization of [undefined, ...organizations])
      for (const role of roles)
        for (const holder of [...groups.map(({ id }) => id), ...new Set(people)]) {
          const edge = { organization: organization?.id, role: role.id, holder };
          const place = this.#placeOf(edge);
          if (place !== undefined) this.#set({ ...place, ...this.#claimsOn(edge) }, edge);
        }
  }

  /** Of two objects of one name, an answer may list only one. */
  #set(cell: Cell, { role, holder }: Edge): void {
    const { world, ask } = this.audit;
    const { only } = ask;
    const weight = [
      only.role !== undefined && world.roles[only.role]?.id === role,
      only.group !== undefined && world.groups[only.group]?.id === holder,
      cell.has,
      cell.listing.size > 0,
    ].reduce((sum, isSo) => 2 * sum + Number(isSo), 0);
    const { organization, role: what, holder: who } = cell;
    const key = JSON.stringify({ organization, role: what, holder: who });
    if (weight < (this.#weights.get(key) ?? 0)) return;
    this.#weights.set(key, weight);
    this.cells.set(key, cell);
  }

  #placeOf({ organization, role, holder }: Edge): Place | undefined {
    const { world } = this.audit;
    const where = organization === undefined ? "" : this.wordOf(world.organizations, organization);
    const what = this.wordOf(world.roles, role);
    const who = isGroup(holder) ? this.wordOf(world.groups, holder) : holder;
    if (where === undefined || what === undefined || who === undefined) return undefined;
    return { organization: where, role: what, holder: who };
  }

  wordOf(all: readonly Named[], id: string): string | undefined {
    return this.isByName ? all.find((one) => one.id === id)?.name : id;
  }

  #claimsOn({ organization, role, holder }: Edge): Pick<Cell, "has" | "listing" | "hidden"> {
    const { edges, claims } = this.audit.world;
    const here = claims.filter(
      (claim) =>
        this.stacks.includes(claim.stack) && claim.organization === organization && claim.role === role,
    );
    const has = edges.some(
      (edge) => edge.organization === organization && edge.role === role && edge.holder === holder,
    );
    // Without a name, what is only claimed can't be matched.
    const isShown = isGroup(holder) && (has || !this.isByName || this.#namedGroups.has(holder));
    const texts = (test: (claim: Claim) => boolean) =>
      new Map(
        here
          .filter(test)
          .flatMap((claim) => (isShown ? [[claim, this.#texts.get(claim) ?? ""] as const] : [])),
      );
    return {
      has,
      listing: texts(({ isHidden, groups }) => !isHidden && groups.includes(holder)),
      hidden: texts(({ isHidden }) => has && isHidden),
    };
  }

  /** Those that the audit has read. An empty one doesn't say its name. */
  stackNames(): string[] {
    const { world, ask } = this.audit;
    const isEmpty = (stack: number) => !world.claims.some((claim) => claim.stack === stack);
    return ask.stacks.map((stack) => (isEmpty(stack) ? `file ${stack}` : `stack ${stack}`));
  }

  /** True if the audit asks for it, wherever. */
  wants({ role, holder }: Place): boolean {
    const { world, ask } = this.audit;
    const isOnly = (all: readonly Named[], index: number | undefined, word: string) =>
      index === undefined || this.wordOf(all, all[index]?.id ?? "") === word;
    if (!isOnly(world.roles, ask.only.role, role)) return false;
    if (isGroupIn(holder)) return isOnly(world.groups, ask.only.group, holder);
    return ask.direct && ask.only.group === undefined;
  }

  /** True if the audit says of it that it is so, or isn't. */
  covers(place: Place): boolean {
    const { world, ask } = this.audit;
    if (!this.wants(place)) return false;
    if (place.organization === "") return true;
    const isAsked = ({ id }: Named, index: number) =>
      ask.organizations === "all" ||
      (ask.organizations === "first" && index === 0) ||
      world.claims.some(({ organization, stack }) => ask.stacks.includes(stack) && organization === id);
    const there = world.organizations.findIndex(
      ({ id }) => this.wordOf(world.organizations, id) === place.organization,
    );
    const found = world.organizations[there];
    return found === undefined ? world.organizations.every(isAsked) : isAsked(found, there);
  }

  /** True if the answer lists two roles, or groups, of this name. */
  hasTwin({ organization, role, holder }: Place): boolean {
    const { roles } = this.answer;
    const groups = roles.flatMap((one) => one.groups).filter(({ name }) => name === holder);
    const ofRole = roles.filter(
      (one) => (one.role ?? one).name === role && ["", organization].includes(one.organization?.name ?? ""),
    );
    return (
      new Set(groups.map(({ id }) => id)).size > 1 ||
      new Set(ofRole.map((one) => (one.role ?? one).id)).size > 1
    );
  }
}

/** Groups' names have no bar. */
function isGroupIn(holder: string): boolean {
  return !holder.includes("|");
}

function textOf(stack: string, index: number, until: string | undefined): string {
  return `a${index} in ${stack}:${index + 1} until ${until}`;
}

const NOWHERE = { has: false, listing: new Map<Claim, string>(), hidden: new Map<Claim, string>() };
const NUMBER = "number";

export class Truth {
  readonly #then: Side;
  readonly #now: Side;

  /** `by`: a grant is managed by the stacks that its own audit has read, or either of the two. */
  constructor(
    [then, now]: readonly [Audit, Audit],
    answers: { then: Answer; now: Answer },
    private readonly isByName: boolean,
    by: "own" | "either",
  ) {
    const stacks = [then, now].flatMap(({ ask }) => ask.stacks);
    const read = ({ ask }: Audit) => (by === "own" || isByName ? ask.stacks : stacks);
    this.#then = new Side(then, answers.then, isByName, read(then));
    this.#now = new Side(now, answers.now, isByName, read(now));
  }

  /** Each change that somebody wants to know of; `isTold`: both audits can tell. */
  rows(): (Row & { isTold: boolean })[] {
    const keys = new Set([...this.#then.cells.keys(), ...this.#now.cells.keys()]);
    const all = [...keys].flatMap((key) => {
      const place = JSON.parse(key) as Place;
      if (!this.#now.wants(place)) return [];
      const [was, is] = [this.#then.cells.get(key) ?? NOWHERE, this.#now.cells.get(key) ?? NOWHERE];
      if (isGroupIn(place.holder)) {
        const kind = kindOf(was, is);
        if (kind === undefined) return [];
        const isRead = was.has !== is.has || this.isByName || this.#areRead(kind);
        return [{ ...rowOf(kind, place, was, is), isTold: isRead && this.#isToldOf(place) }];
      }
      const [before, now] = this.#numbersOf(place);
      // Their number tells.
      if (was.has === is.has || (!this.hasIds && before !== now)) return [];
      const row = rowOf(is.has ? "gained" : "lost", place, was, is);
      return [{ ...row, isTold: this.hasIds && this.#isToldOf(place) }];
    });
    return [...all, ...this.#numbers()];
  }

  /** True if an audit that finds nothing has read all stacks of the other one. */
  #areRead(kind: string): boolean {
    const [then, now] = [this.#then.stackNames(), this.#now.stackNames()];
    const [isThenWhole, isNowWhole] = [
      now.every((name) => then.includes(name)),
      then.every((name) => now.includes(name)),
    ];
    if (kind === "managed") return isThenWhole;
    return kind === "unmanaged" ? isNowWhole : isThenWhole && isNowWhole;
  }

  #isToldOf(place: Place): boolean {
    return [this.#then, this.#now].every(
      (side) => side.covers(place) && !(this.isByName && side.hasTwin(place)),
    );
  }

  get hasIds(): boolean {
    return !this.isByName && [this.#then, this.#now].every(({ audit: { ask } }) => ask.people);
  }

  /** How many people have a role, then and now. */
  #numbersOf({ organization, role }: Pick<Place, "organization" | "role">): [number, number] {
    const number = ({ cells }: Side) =>
      [...cells.values()].filter(
        (cell) =>
          cell.has && cell.organization === organization && cell.role === role && !isGroupIn(cell.holder),
      ).length;
    return [number(this.#then), number(this.#now)];
  }

  #numbers(): (Row & { isTold: boolean })[] {
    if (this.hasIds) return [];
    const cells = [...this.#then.cells.values(), ...this.#now.cells.values()];
    const places = new Map(
      cells.map(({ organization, role }) => [JSON.stringify([organization, role]), { organization, role }]),
    );
    return [...places.values()].flatMap((of) => {
      const person = { ...of, holder: "auth0|anybody" };
      const [was, is] = this.#numbersOf(of);
      if (was === is || !this.#now.wants(person)) return [];
      const place = { ...of, holder: `${NUMBER} ${was} ${is}` };
      return [
        { ...rowOf(is > was ? "gained" : "lost", place, NOWHERE, NOWHERE), isTold: this.#isToldOf(person) },
      ];
    });
  }

  /** The rows of an answer in the same words. */
  told(changes: readonly Change[]): Row[] {
    return changes.map((change) => {
      const { kind, role: key, group, user, people, before, by } = change;
      const { world } = (change.tenant === undefined ? this.#now : this.#then).audit;
      const side = change.tenant === undefined ? this.#now : this.#then;
      const [role = "", organization] = key.split("/").reverse();
      const holder =
        people === undefined
          ? group === undefined
            ? user
            : side.wordOf(world.groups, group)
          : `${NUMBER} ${people.before.count} ${people.now.count}`;
      const where = organization === undefined ? "" : side.wordOf(world.organizations, organization);
      const place = { organization: where, role: side.wordOf(world.roles, role), holder };
      const texts = (claims: Change["by"]) =>
        claims.map(
          ({ stack, resource, line, until }) =>
            `${resource} in ${stack}:${line?.line} until ${until ?? undefined}`,
        );
      return {
        what: JSON.stringify([kind, place]),
        by: JSON.stringify([texts(before).sort(), texts(by).sort()]),
      };
    });
  }
}

type Seen = Pick<Cell, "has" | "listing" | "hidden">;

function rowOf(kind: string, { organization, role, holder }: Place, was: Seen, is: Seen): Row {
  const texts = ({ has, listing, hidden }: Seen) =>
    [...(has && listing.size === 0 ? hidden : listing).values()].sort();
  return {
    what: JSON.stringify([kind, { organization, role, holder }]),
    by: JSON.stringify([texts(was), texts(is)]),
  };
}

function kindOf(was: Seen, is: Seen): string | undefined {
  if (was.has !== is.has) return is.has ? "gained" : "lost";
  if (!is.has) return undefined;
  const isUnknown = ({ listing, hidden }: Seen) => listing.size === 0 && hidden.size > 0;
  if (isUnknown(was) || isUnknown(is)) return undefined;
  const [managedBefore, managedNow] = [was.listing.size > 0, is.listing.size > 0];
  if (managedBefore !== managedNow) return managedNow ? "managed" : "unmanaged";
  return managedNow && lastIn(was) !== lastIn(is) ? "end" : undefined;
}

/** Days sort as texts do. */
function lastIn({ listing }: Seen): string {
  return (
    [...listing.keys()]
      .map(({ until }) => until ?? "never")
      .sort()
      .at(-1) ?? ""
  );
}
