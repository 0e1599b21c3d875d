import { type AccessJson } from "../../cli/access/model";
import { Holdings, isGroup, placeOf, roleOf } from "./audits";
import { type Edge } from "./audits-drawn";
import { type Audit, type Claim, edgesIn } from "./compared-drawn";

/*
 * A calculator that knows both worlds, and what their audits asked for. It shares no code with the command.
 * Of the answers it reads only which names they list, since two of one name are told and not guessed.
 */

type Answer = Pick<AccessJson, "roles" | "covers">;
type Change = NonNullable<AccessJson["compared"]>["changes"][number];

/** A claim as an answer has it. */
interface Line extends Claim {
  text: string;
}

interface Cell {
  /** True if the holder has the role. */
  has: boolean;
  listing: readonly Line[];
  hidden: readonly Line[];
}

interface Row {
  /** What changed, and for whom. */
  what: string;
  /** The claims before and after. */
  by: string;
}

/** Roles and holders are words that both audits share: ids of one tenant, or names of two. */
class Side {
  readonly cells = new Map<string, Edge & Cell>();
  readonly #weights = new Map<string, number>();
  readonly #holdings: Holdings<Line>;
  readonly #namedGroups: ReadonlySet<string>;

  constructor(
    readonly audit: Audit,
    readonly answer: Answer,
    private readonly isByName: boolean,
    /** Whose claims count. */
    private readonly stacks: readonly number[],
  ) {
    const { edges, claims } = audit.world;
    const lines = [0, 1].flatMap((stack) =>
      claims
        .filter((claim) => claim.stack === stack)
        .map((claim, index) => ({
          ...claim,
          text: textOf(`access/stack${stack}`, `a${index}`, index + 1, claim.until),
        })),
    );
    this.#holdings = new Holdings(edges, lines);
    this.#namedGroups = new Set(
      answer.roles.flatMap((role) => role.groups.flatMap(({ id, name }) => (name === null ? [] : [id]))),
    );
    for (const edge of edgesIn(audit.world)) {
      const [key, holder] = [this.keyOf(edge.key), this.wordOf(edge.holder)];
      if (key !== undefined && holder !== undefined) this.#set({ key, holder }, edge);
    }
  }

  /** Of two objects of one name, an answer may list only one. */
  #set(words: Edge, edge: Edge): void {
    const { only } = this.audit.ask;
    const cell = this.#cellOf(edge);
    const weight = [
      only.role === roleOf(edge.key),
      only.group === edge.holder,
      cell.has,
      cell.listing.length > 0,
    ].reduce((sum, isSo) => 2 * sum + Number(isSo), 0);
    const place = JSON.stringify(words);
    if (weight < (this.#weights.get(place) ?? 0)) return;
    this.#weights.set(place, weight);
    this.cells.set(place, { ...words, ...cell });
  }

  #cellOf({ key, holder }: Edge): Cell {
    const has = this.#holdings.has(key, holder);
    // Without a name, what is only claimed can't be matched.
    const isShown = isGroup(holder) && (has || !this.isByName || this.#namedGroups.has(holder));
    const here = this.#holdings.listed.filter(
      (line) => isShown && line.key === key && this.stacks.includes(line.stack),
    );
    return {
      has,
      listing: here.filter(({ isHidden, groups }) => !isHidden && groups.includes(holder)),
      hidden: here.filter(({ isHidden }) => has && isHidden),
    };
  }

  wordOf(id: string): string | undefined {
    const { names } = this.audit.world;
    return this.isByName && names.has(id) ? names.get(id) : id;
  }

  keyOf(key: string): string | undefined {
    const [place, role] = [placeOf(key), this.wordOf(roleOf(key))];
    return place === "" || role === undefined ? role : `${this.wordOf(place)}/${role}`;
  }

  /** Those that the audit has read. An empty one doesn't say its name. */
  stackNames(): string[] {
    const { world, ask } = this.audit;
    const isEmpty = (stack: number) => !world.claims.some((claim) => claim.stack === stack);
    return ask.stacks.map((stack) => (isEmpty(stack) ? `file ${stack}` : `stack ${stack}`));
  }

  /** True if the audit asks for it, wherever. */
  wants({ key, holder }: Edge): boolean {
    const { only, direct } = this.audit.ask;
    if (only.role !== undefined && this.wordOf(only.role) !== roleOf(key)) return false;
    if (isPerson(holder)) return direct && only.group === undefined;
    return only.group === undefined || this.wordOf(only.group) === holder;
  }

  /** True if the audit says of it that it is so, or isn't. */
  covers(edge: Edge): boolean {
    const { world, ask } = this.audit;
    const place = placeOf(edge.key);
    if (!this.wants(edge)) return false;
    if (place === "") return true;
    const isAsked = (id: string) =>
      ask.organizations === "all" ||
      (ask.organizations === "first" && id === world.organizations[0]) ||
      world.claims.some(({ key, stack }) => ask.stacks.includes(stack) && placeOf(key) === id);
    const found = world.organizations.find((id) => this.wordOf(id) === place);
    return found === undefined ? world.organizations.every(isAsked) : isAsked(found);
  }

  /** True if the answer lists two roles, or groups, of this name. */
  hasTwin({ key, holder }: Edge): boolean {
    const { roles } = this.answer;
    const groups = roles.flatMap((one) => one.groups).filter(({ name }) => name === holder);
    const ofRole = roles.filter(
      (one) =>
        (one.role ?? one).name === roleOf(key) && ["", placeOf(key)].includes(one.organization?.name ?? ""),
    );
    return (
      new Set(groups.map(({ id }) => id)).size > 1 ||
      new Set(ofRole.map((one) => (one.role ?? one).id)).size > 1
    );
  }

  /** How many people have a role. */
  people(key: string): number {
    return [...this.cells.values()].filter((cell) => cell.has && cell.key === key && isPerson(cell.holder))
      .length;
  }
}

/** Groups' names have no bar. */
const isPerson = (holder: string) => holder.includes("|");

const textOf = (
  stack: string,
  resource: string,
  line: number | undefined,
  until: string | null | undefined,
) => `${resource} in ${stack}:${line} until ${until ?? undefined}`;

const NOWHERE: Cell = { has: false, listing: [], hidden: [] };
/** In place of a person's id. */
const numberOf = (was: number | undefined, is: number | undefined) => `number ${was} ${is}`;

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
    const places = new Set([...this.#then.cells.keys(), ...this.#now.cells.keys()]);
    const all = [...places].flatMap((place) => {
      const edge = JSON.parse(place) as Edge;
      if (!this.#now.wants(edge)) return [];
      const [was, is] = [this.#then.cells.get(place) ?? NOWHERE, this.#now.cells.get(place) ?? NOWHERE];
      if (!isPerson(edge.holder)) {
        const kind = kindOf(was, is);
        if (kind === undefined) return [];
        const isRead = was.has !== is.has || this.isByName || this.#areRead(kind);
        return [{ ...rowOf(kind, edge, was, is), isTold: isRead && this.#isToldOf(edge) }];
      }
      // Their number tells.
      const isCounted = !this.hasIds && this.#then.people(edge.key) !== this.#now.people(edge.key);
      if (was.has === is.has || isCounted) return [];
      const row = rowOf(is.has ? "gained" : "lost", edge, was, is);
      return [{ ...row, isTold: this.hasIds && this.#isToldOf(edge) }];
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

  #isToldOf(edge: Edge): boolean {
    return [this.#then, this.#now].every(
      (side) => side.covers(edge) && !(this.isByName && side.hasTwin(edge)),
    );
  }

  get hasIds(): boolean {
    return !this.isByName && [this.#then, this.#now].every(({ audit: { ask } }) => ask.people);
  }

  #numbers(): (Row & { isTold: boolean })[] {
    if (this.hasIds) return [];
    const cells = [...this.#then.cells.values(), ...this.#now.cells.values()];
    return [...new Set(cells.map(({ key }) => key))].flatMap((key) => {
      const person = { key, holder: "auth0|anybody" };
      const [was, is] = [this.#then.people(key), this.#now.people(key)];
      if (was === is || !this.#now.wants(person)) return [];
      const row = rowOf(is > was ? "gained" : "lost", { key, holder: numberOf(was, is) }, NOWHERE, NOWHERE);
      return [{ ...row, isTold: this.#isToldOf(person) }];
    });
  }

  /** The rows of an answer in the same words. */
  told(changes: readonly Change[]): Row[] {
    return changes.map(({ kind, role, group, user, people, before, by, tenant }) => {
      const side = tenant === undefined ? this.#now : this.#then;
      const one = group === undefined ? user : side.wordOf(group);
      const holder = people === undefined ? one : numberOf(people.before.count, people.now.count);
      const texts = (claims: Change["by"]) =>
        claims.map(({ stack, resource, line, until }) => textOf(stack ?? "", resource, line?.line, until));
      return {
        what: JSON.stringify([kind, side.keyOf(role), holder]),
        by: JSON.stringify([texts(before).sort(), texts(by).sort()]),
      };
    });
  }
}

function rowOf(kind: string, { key, holder }: Edge, was: Cell, is: Cell): Row {
  const texts = ({ has, listing, hidden }: Cell) =>
    (has && listing.length === 0 ? hidden : listing).map(({ text }) => text).sort();
  return { what: JSON.stringify([kind, key, holder]), by: JSON.stringify([texts(was), texts(is)]) };
}

function kindOf(was: Cell, is: Cell): string | undefined {
  if (was.has !== is.has) return is.has ? "gained" : "lost";
  if (!is.has) return undefined;
  const isUnknown = ({ listing, hidden }: Cell) => listing.length === 0 && hidden.length > 0;
  if (isUnknown(was) || isUnknown(is)) return undefined;
  const [managedBefore, managedNow] = [was.listing.length > 0, is.listing.length > 0];
  if (managedBefore !== managedNow) return managedNow ? "managed" : "unmanaged";
  return managedNow && lastIn(was) !== lastIn(is) ? "end" : undefined;
}

/** Days sort as texts do. */
function lastIn({ listing }: Cell): string | undefined {
  return listing
    .map(({ until }) => until ?? "never")
    .sort()
    .at(-1);
}
