import { type Edge, edgeKey, type Holder, type RoleAt, roleKey, roleOfKey } from "../../provider/access/edge";
import { endChange, latestOf } from "../../provider/access/until";
import { sanitize } from "../../provider/border";
import { count, list, say, type Sentence, some, word } from "../../provider/sentence";
import { type Named } from "../../provider/service/record";
import { CommandError } from "../errors";
import { anyOf, compare, distinct, optional } from "../lists";
import { type AccessGroup, type AccessRole } from "./claims";
import { type DecisionOn } from "./decisions";
import { type AccessJson, accessSchema } from "./model";
import { byName, namedThing } from "./roles";

/*
 * Compares an earlier answer with today's. A grant that only one of them has is a change only if
 * the other one would list it: what that one didn't ask for, or couldn't read, is told as not compared.
 */

type ComparedJson = NonNullable<AccessJson["compared"]>;
export type ChangeJson = ComparedJson["changes"][number];
export type GapJson = Omit<ComparedJson["gaps"][number], "reason"> & { reason: Sentence | string };

/** As in JSON, but sentences keep strangers' names apart. */
export type ComparedAnswer = Omit<ComparedJson, "gaps"> & { gaps: GapJson[] };

/** Of an answer, what is compared. */
type Covered = Pick<
  AccessJson,
  | "made"
  | "tenant"
  | "incomplete"
  | "unreadPeople"
  | "organizations"
  | "otherOrganizations"
  | "stacks"
  | "roles"
> & { covers: NonNullable<AccessJson["covers"]> };

export interface ComparedFile {
  file: string;
  isByName: boolean;
  answer: Covered;
}

const ADVICE = "Compare with the whole output of: npx --no pulumi-identity access --format json";

/** `people`: true if today's answer asks who has roles directly. */
export function readCompared(
  { file, text }: { file: string; text: string },
  { isByName, people }: { isByName: boolean; people: boolean },
): ComparedFile {
  const { covers, user, ...answer } = answerIn(file, text);
  const refusal = (sentence: string) => new CommandError(sanitize(`${file} ${sentence}`));
  if (user !== null) throw refusal(`is about ${user.id} alone. Compare with an answer without --user.`);
  const [gap] = answer.incomplete;
  if (gap !== undefined)
    throw refusal(`isn't whole: ${gap} Compare with an answer that could read all lists.`);
  const [unread] = people ? (answer.unreadPeople ?? []) : [];
  if (unread !== undefined)
    throw refusal(`isn't whole: ${unread}. Compare with another one, or leave people out with --no-direct.`);
  if (covers === undefined) throw refusal(`doesn't say what was asked: it has no "covers". ${ADVICE}`);
  const made = Date.parse(answer.made);
  if (Number.isNaN(made)) throw refusal(`isn't an answer of access (made is wrong). ${ADVICE}`);
  return { file, isByName, answer: { ...answer, covers, made: new Date(made).toISOString() } };
}

function answerIn(file: string, text: string): AccessJson {
  const json = jsonIn(file, text);
  const { version, roles } = (json ?? {}) as { version?: unknown; roles?: unknown };
  if (Array.isArray(roles) && typeof version === "number" && version !== 1)
    throw new CommandError(
      `${file} has version ${version} of the answer, and this release reads version 1. Use a release that reads it.`,
    );
  const { data, error } = accessSchema.safeParse(json);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` (${issue.path.join(".")} is wrong)`;
  throw new CommandError(sanitize(`${file} isn't an answer of access${where}. ${ADVICE}`));
}

function jsonIn(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${file} is cut off, or isn't JSON. ${ADVICE}`);
  }
}

/** Throws for another tenant, unless it's to be compared by names. `tenants`: all names of today's. */
export function checkCompared({ file, isByName, answer }: ComparedFile, tenants: readonly string[]): void {
  if (isByName || tenants.includes(answer.tenant)) return;
  throw new CommandError(
    sanitize(
      `${file} is of ${answer.tenant}, and the tenant is ${tenants[0] ?? ""}. To compare two tenants by the names of their roles, groups and organizations, add --by-name.`,
    ),
  );
}

/** A file may hold anything, so each text of it is quoted as if the tenant had said it. */
export function quotedFile(file: ComparedFile, quote: (text: string) => string): ComparedFile {
  const known = new Map<string, string>();
  const quoted = (value: unknown): unknown => {
    if (typeof value === "string") {
      const text = known.get(value) ?? quote(value);
      known.set(value, text);
      return text;
    }
    if (Array.isArray(value)) return value.map(quoted);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, quoted(of)]));
  };
  return { ...file, answer: quoted(file.answer) as Covered };
}

/** How objects of two answers are matched. */
interface Terms {
  isByName: boolean;
  /** The key by which both answers know an object; undefined if it has no name. */
  term: (object: Named) => string | undefined;
  /** Says why nobody knows which object of the other answer it is. */
  doubt: (object: Named, kind: ObjectKind, place?: string) => Sentence | undefined;
}

type ObjectKind = "role" | "group" | "organization";

const BY_ID: Terms = { isByName: false, term: ({ id }) => id, doubt: () => undefined };

function termsByName(answers: readonly Covered[]): Terms {
  const twins = new Map(
    answers.flatMap((answer) => twinsIn(answer).map((key) => [key, answer.tenant] as const)),
  );
  return {
    isByName: true,
    term: ({ name }) => name || undefined,
    doubt: (object, kind, place) => {
      const { id, name } = object;
      if (!name) return say`the name of the ${word(kind)} ${{ id }} isn't known`;
      const tenant = twins.get(nameKey(object, kind)) ?? twins.get(nameKey(object, kind, place));
      return tenant === undefined ? undefined : say`${tenant} has several ${word(`${kind}s`)} named ${name}`;
    },
  };
}

/** The name of a role counts where the role does. */
function nameKey({ name }: Named, kind: ObjectKind, place = ""): string {
  return JSON.stringify([kind, kind === "role" ? place : "", name]);
}

/** Returns the names that several objects have. */
function twinsIn({ roles, covers }: Covered): string[] {
  const ids = new Map<string, Set<string>>();
  const add = (object: Named, kind: ObjectKind, place?: string) => {
    const key = nameKey(object, kind, place);
    ids.set(key, (ids.get(key) ?? new Set()).add(object.id));
  };
  for (const group of [...covers.groups, ...roles.flatMap(({ groups }) => groups)]) add(group, "group");
  for (const one of [...covers.organizations, ...roles.flatMap(({ organization }) => optional(organization))])
    add(one, "organization");
  // Each role of the tenant can be assigned in an organization, too.
  const places = new Set(["", ...roles.map(placeOf)]);
  for (const role of roles)
    for (const place of role.organization ? [placeOf(role)] : places) add(role.role ?? role, "role", place);
  return [...ids].filter(([, { size }]) => size > 1).map(([key]) => key);
}

function placeOf({ organization }: AccessRole): string {
  return organization?.name ?? "";
}

/** Somebody's role in an answer, or what only a program claims. */
interface Held {
  /** In the terms that both answers share. */
  edge: Edge;
  role: AccessRole;
  /** By the answer's own id. */
  holder: Holder;
  /** Undefined: a person, directly. */
  group: AccessGroup | undefined;
}

interface PlacedRole {
  at: RoleAt;
  role: AccessRole;
}

/** How many people have a role directly, or why that isn't known. */
type People = { count: number; more: boolean } | Sentence;
const NOBODY = { count: 0, more: false } as const;

/** One of the two answers. */
class Side {
  /** By {@link edgeKey}. */
  readonly held = new Map<string, Held>();
  /** By {@link roleKey}. */
  readonly roles = new Map<string, PlacedRole>();
  /** Grants that nobody can find in the other answer. */
  readonly doubtful: (GapJson & { edge: Edge })[] = [];
  /** Ids, by the terms. */
  readonly #groups = new Map<string, string>();

  constructor(
    readonly answer: Covered,
    /** The answer in a sentence: `today`, or `in` a file. */
    readonly when: Sentence,
    private readonly terms: Terms,
    /** The tenant, if its ids mean nothing on today's. */
    readonly foreign: string | undefined,
  ) {
    for (const role of answer.roles) this.#add(role);
  }

  #add(role: AccessRole): void {
    const { at, reason } = this.#placeOf(role);
    if (reason === undefined) this.roles.set(roleKey(at), { at, role });
    for (const group of role.groups) this.#addGroup({ at, role, reason }, group);
    const { ids = [], count: number = 0 } = role.people ?? {};
    if (reason !== undefined && number > 0)
      this.doubtful.push({ edge: { ...at, holder: { user: "" } }, ...this.gapOf(role, reason) });
    if (reason === undefined)
      for (const user of ids)
        this.#hold({ edge: { ...at, holder: { user } }, role, holder: { user }, group: undefined });
  }

  /** `reason`: why nobody knows which role it is. */
  #placeOf(role: AccessRole): { at: RoleAt; reason: Sentence | undefined } {
    const { isByName, term, doubt } = this.terms;
    if (!isByName) return { at: roleOfKey(role.id), reason: undefined };
    const alone = role.role ?? role;
    const organization = role.organization && term(role.organization);
    const ofOrganization = role.organization && doubt(role.organization, "organization");
    return {
      at: { organization, role: term(alone) ?? "" },
      reason: ofOrganization ?? doubt(alone, "role", organization),
    };
  }

  #addGroup({ at, role, reason }: PlacedRole & { reason: Sentence | undefined }, group: AccessGroup): void {
    const edge = { ...at, holder: { group: this.terms.term(group) ?? "" } };
    const doubt = reason ?? this.terms.doubt(group, "group");
    if (doubt === undefined) this.#hold({ edge, role, holder: { group: group.id }, group });
    else if (isThere(group)) this.doubtful.push({ edge, ...this.gapOf(role, doubt, group) });
  }

  #hold(held: Held): void {
    const { edge, group } = held;
    this.held.set(edgeKey(edge), held);
    if (group !== undefined && "group" in edge.holder) this.#groups.set(edge.holder.group, group.id);
  }

  /** Returns a holder by its own id; undefined for a group that nobody knows here. */
  holderOf(holder: Holder): Holder | undefined {
    if ("user" in holder) return holder;
    const group = this.#groups.get(holder.group);
    return group === undefined ? undefined : { group };
  }

  /** Says what the answer is restricted to, if that isn't among it. */
  restriction({ role, holder }: { role: string; holder?: Holder }): Sentence | undefined {
    const { roles, groups } = this.answer.covers;
    if (this.#leavesOut(roles, role)) return this.#only(roles);
    const isOther = holder !== undefined && "group" in holder && this.#leavesOut(groups, holder.group);
    return isOther ? this.#only(groups) : undefined;
  }

  #leavesOut(all: readonly Named[], term: string): boolean {
    return all.length > 0 && !all.some((one) => this.terms.term(one) === term);
  }

  #only(all: readonly Named[]): Sentence {
    return say`only ${some(all.map(namedThing))} was asked for ${this.when}`;
  }

  /** Says to which roles and groups the answer is restricted, if another one is about others, too. */
  restrictionsBeside({ answer: { covers } }: Side): Sentence[] {
    return (["roles", "groups"] as const).flatMap((name) => {
      const [own, others] = [this.answer.covers[name], covers[name]];
      const isLess = others.some((one) => this.#leavesOut(own, this.terms.term(one) ?? ""));
      return anyOf([own.length > 0 && (others.length === 0 || isLess), this.#only(own)]);
    });
  }

  /** Says which of the roles and groups that were asked for can't be found in another answer. */
  doubts(): Sentence[] {
    const { roles, groups } = this.answer.covers;
    return [
      ...roles.flatMap((role) => optional(this.terms.doubt(role, "role"))),
      ...groups.flatMap((group) => optional(this.terms.doubt(group, "group"))),
    ];
  }

  /** Says why it isn't known if a group that isn't listed has the role. */
  unknown({ holder, ...at }: Edge): Sentence | undefined {
    const known = this.roles.get(roleKey(at))?.role;
    const { covers, incomplete } = this.answer;
    const isPart = known?.incomplete === true || (covers.groups.length > 0 && incomplete.length > 0);
    return (
      this.restriction({ role: at.role, holder }) ??
      (isPart ? this.partOf("groups") : undefined) ??
      (known === undefined ? this.#unlisted(at) : undefined)
    );
  }

  people(at: RoleAt): People {
    const known = this.roles.get(roleKey(at))?.role;
    if (known?.people) return known.people;
    if (known?.exists === false) return NOBODY;
    const isUnread = known !== undefined || this.answer.unreadPeople !== undefined;
    return (
      this.restriction({ role: at.role }) ??
      (known === undefined ? this.#unlisted(at) : undefined) ??
      (isUnread ? say`who has it directly could not be read ${this.when}` : NOBODY)
    );
  }

  gapOf({ id, name }: AccessRole, reason: Sentence, group?: AccessGroup): GapJson {
    return {
      ...(this.foreign !== undefined && { tenant: this.foreign }),
      ...{ role: id, roleName: name },
      ...(group && { group: group.id, groupName: group.name }),
      reason,
    };
  }

  /** Says which stacks were not read that another answer knows: what they give looks as if by hand. */
  unreadStacks(known: readonly { stack: string }[]): Sentence | undefined {
    const read = new Set(this.answer.stacks.map(({ stack }) => stack));
    const unread = distinct(known.map(({ stack }) => stack)).filter((stack) => !read.has(stack));
    if (unread.length === 0) return undefined;
    return say`${list(unread)} ${word(unread.length === 1 ? "was" : "were")} not read ${this.when}`;
  }

  partOf(what: string): Sentence {
    return say`not all ${word(what)} could be read ${this.when}`;
  }

  /** Says why a role that isn't listed may be somebody's. */
  #unlisted({ organization }: RoleAt): Sentence | undefined {
    const { covers, otherOrganizations, organizations = [] } = this.answer;
    if (organization === undefined) return covers.tenant ? undefined : this.partOf("roles");
    const whole = covers.organizations.map(this.terms.term);
    if (whole.includes(organization)) return undefined;
    // One whose name isn't known may be this one.
    const isAsked = this.terms.isByName
      ? whole.length < organizations.length || whole.includes(undefined)
      : organizations.includes(organization);
    if (!isAsked && otherOrganizations === undefined) return undefined;
    return say`the organization was not asked, or not read whole, ${this.when}`;
  }
}

function isThere({ status }: Pick<AccessGroup, "status">): boolean {
  return status !== "drift";
}

function isHeld(held: Held | undefined): held is Held {
  return held !== undefined && (held.group === undefined || isThere(held.group));
}

function isWhole(people: People): boolean {
  return "count" in people && !people.more;
}

/** Returns what changed since the earlier answer. */
export function comparedWith(
  today: Covered,
  { file, isByName, answer }: ComparedFile,
  decisionOn: DecisionOn | undefined,
): ComparedAnswer {
  const { changes, gaps } = new Comparison(today, { file, isByName, answer });
  const number = (kind: ChangeJson["kind"]) => changes.filter((change) => change.kind === kind).length;
  const decided = (change: ChangeJson) => decisionOn && { decision: decisionOf(change, today, decisionOn) };
  return {
    ...{ file, made: answer.made, tenant: answer.tenant, byName: isByName },
    counts: {
      gained: number("gained"),
      lost: number("lost"),
      end: number("end"),
      unmanaged: number("unmanaged"),
      managed: number("managed"),
    },
    changes: changes.map((change) => ({ ...change, ...decided(change) })).sort(inOrder),
    gaps,
  };
}

function decisionOf(
  { tenant, role, group, user }: ChangeJson,
  today: Covered,
  decisionOn: DecisionOn,
): ChangeJson["decision"] {
  const holder = group === undefined ? user && { user } : { group };
  // Nobody decides on a number of people.
  return holder ? decisionOn({ tenant: tenant ?? today.tenant, role, holder }) : undefined;
}

const KINDS = ["gained", "lost", "end", "unmanaged", "managed"] as const;

/** By role, and then by what happened. */
function inOrder(one: ChangeJson, other: ChangeJson): number {
  // One role of two tenants stands together.
  const role = ({ role: id, roleName: name }: ChangeJson) => ({ id: name ? "" : id, name });
  const holder = ({ group, user, groupName: name }: ChangeJson) => ({ id: group ?? user ?? "", name });
  return (
    byName(role(one), role(other)) ||
    KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
    byName(holder(one), holder(other)) ||
    compare(one.role, other.role)
  );
}

class Comparison {
  readonly changes: ChangeJson[] = [];
  readonly gaps: GapJson[] = [];
  readonly #now: Side;
  readonly #then: Side;
  readonly #isByName: boolean;
  /** True if people are compared one by one, and not only counted. */
  readonly #hasIds: boolean;
  /** Stacks that only the other answer has read. Those of another tenant are others anyway. */
  readonly #unread: { then?: Sentence | undefined; now?: Sentence | undefined } = {};

  constructor(today: Covered, { file, isByName, answer }: ComparedFile) {
    const terms = isByName ? termsByName([today, answer]) : BY_ID;
    this.#isByName = isByName;
    this.#hasIds = !isByName && [today, answer].every(({ covers }) => covers.people === "ids");
    this.#now = new Side(today, word("today"), terms, undefined);
    this.#then = new Side(answer, say`in ${file}`, terms, isByName ? answer.tenant : undefined);
    if (!isByName) {
      this.#unread.then = this.#then.unreadStacks(today.stacks);
      this.#unread.now = this.#now.unreadStacks(answer.stacks);
    }
    const beside = [
      ...this.#now.doubts(),
      ...this.#then.restrictionsBeside(this.#now),
      ...optional(this.#unread.then),
      ...optional(this.#unread.now),
    ];
    this.gaps.push(...beside.map((reason) => ({ reason })));
    this.#addGapsOf(this.#then);
    this.#addGapsOf(this.#now);
    const edges = new Map([...this.#then.held, ...this.#now.held].map(([key, { edge }]) => [key, edge]));
    for (const [key, edge] of edges) if (this.#isAsked(edge)) this.#compare(key);
    this.#comparePeople();
  }

  /** Nobody wants to know of roles and groups that today's answer isn't about. */
  #isAsked(of: { role: string; holder?: Holder }): boolean {
    return this.#now.restriction(of) === undefined;
  }

  #addGapsOf(side: Side): void {
    const { incomplete, otherOrganizations } = side.answer;
    const whole = anyOf(
      [incomplete.length, say`not all lists could be read ${side.when}`],
      [
        otherOrganizations !== undefined,
        say`not all organizations were asked ${side.when}: --organization all asks them`,
      ],
    );
    this.gaps.push(...whole.map((reason) => ({ reason })));
    for (const { edge, ...gap } of side.doubtful)
      if (this.#isAsked(edge) && ("group" in edge.holder || this.#isAboutPeople())) this.gaps.push(gap);
    for (const { at, role } of side.roles.values())
      if (role.incomplete === true && this.#isAsked(at))
        this.gaps.push(side.gapOf(role, side.partOf("groups")));
  }

  #isAboutPeople(): boolean {
    return this.#now.answer.covers.people !== "no";
  }

  #compare(key: string): void {
    const [is, was] = [this.#now.held.get(key), this.#then.held.get(key)];
    if (isHeld(is) && isHeld(was)) this.#compareBoth(is, was);
    else if (isHeld(is)) this.#addOne("gained", is, this.#now, this.#then);
    else if (isHeld(was)) this.#addOne("lost", was, this.#then, this.#now);
  }

  /** A grant that only one of the answers has. */
  #addOne(kind: "gained" | "lost", held: Held, having: Side, lacking: Side): void {
    const { edge, role, group } = held;
    if (group === undefined) {
      // Why that isn't known is said once for the role.
      if (this.#hasIds && isWhole(lacking.people(edge))) this.#add(kind, held);
      return;
    }
    const reason = lacking.unknown(edge);
    if (reason === undefined) this.#add(kind, held);
    else this.gaps.push(having.gapOf(role, reason, group));
  }

  #compareBoth(held: Held, { group: was }: Held): void {
    const { role, group: is } = held;
    if (is === undefined || was === undefined) return;
    const secret = [is, was].find(({ status }) => status === "unknown");
    const kind = kindOf(is, was);
    if (secret !== undefined) {
      const names = list(secret.by.map(({ resource, stack }) => say`${resource} in ${stack}`));
      this.gaps.push(
        this.#now.gapOf(role, say`who gives it isn't known: the groups of ${names} are secret`, is),
      );
    } else if (kind !== undefined) {
      const { then, now } = this.#unread;
      const reason = { managed: then, unmanaged: now, end: then ?? now }[kind];
      if (reason === undefined) this.#add(kind, held);
      else this.gaps.push(this.#now.gapOf(role, reason, is));
    }
  }

  #add(kind: ChangeJson["kind"], held: Held): void {
    const key = edgeKey(held.edge);
    const [is, was] = [this.#now.held.get(key), this.#then.held.get(key)];
    const [by, before] = [is?.group?.by ?? [], was?.group?.by ?? []];
    this.changes.push({ kind, ...this.#idsOf(held), before, by });
  }

  /** This tenant's ids; if it has no such role or group, those of the other tenant. */
  #idsOf({ edge, role, holder, group }: Held): Omit<ChangeJson, "kind" | "by" | "before"> {
    const ours = this.#now.roles.get(roleKey(edge))?.role;
    const ourHolder = this.#now.holderOf(edge.holder);
    const isOurs = ours !== undefined && ourHolder !== undefined;
    const [{ id, name }, shown] = isOurs ? [ours, ourHolder] : [role, holder];
    return {
      ...(!isOurs && this.#isByName && { tenant: this.#then.answer.tenant }),
      ...{ role: id, roleName: name, ...shown },
      ...(group && { groupName: group.name }),
    };
  }

  #comparePeople(): void {
    const [now, then] = [this.#now, this.#then];
    if (!this.#isAboutPeople()) return;
    if (then.answer.covers.people === "no") {
      this.gaps.push({ reason: say`who has roles directly was not asked ${then.when}` });
      return;
    }
    for (const [key, { at, role }] of new Map([...then.roles, ...now.roles])) {
      if (!this.#isAsked(at)) continue;
      const side = now.roles.has(key) ? now : then;
      const [is, was] = [now.people(at), then.people(at)];
      const unknown = [is, was].find((people) => !("count" in people)) as Sentence | undefined;
      if (unknown !== undefined) this.gaps.push(side.gapOf(role, unknown));
      else this.#comparePeopleOf(role, side, is as Numbers, was as Numbers);
    }
  }

  #comparePeopleOf(role: AccessRole, side: Side, is: Numbers, was: Numbers): void {
    const kind = this.#hasIds ? undefined : numberChange(is, was);
    const [most] = [is, was].filter(({ more }) => more);
    if (kind !== undefined) {
      const { id, name } = role;
      const on = side.foreign === undefined ? {} : { tenant: side.foreign };
      const people = { before: numbersOf(was), now: numbersOf(is) };
      this.changes.push({ kind, ...on, role: id, roleName: name, people, before: [], by: [] });
    } else if (most !== undefined) {
      const people = count(most.count, "person has", "people have");
      this.gaps.push(side.gapOf(role, say`more than ${word(people)} it directly, and not all are listed`));
    } else if (is.count > 0 && !this.#hasIds) {
      const why = this.#isByName
        ? word("people have other ids on another tenant, so only their number is compared")
        : word("only the number of people is known: --people lists their ids");
      this.gaps.push(side.gapOf(role, why));
    }
  }
}

/** Compares a grant that both answers have. */
function kindOf(is: AccessGroup, was: AccessGroup): "managed" | "unmanaged" | "end" | undefined {
  if (is.status !== was.status) return is.status === "managed" ? "managed" : "unmanaged";
  return endChange(lastEnd(was), lastEnd(is)) === undefined ? undefined : "end";
}

type Numbers = Exclude<People, Sentence>;

function numbersOf({ count: number, more }: Numbers): Numbers {
  return { count: number, more };
}

/** Undefined if the numbers are the same, or may be. */
function numberChange(is: Numbers, was: Numbers): "gained" | "lost" | undefined {
  if (isCertainlyMore(is, was)) return "gained";
  return isCertainlyMore(was, is) ? "lost" : undefined;
}

function isCertainlyMore(one: Numbers, other: Numbers): boolean {
  return !other.more && (one.count > other.count || (one.count === other.count && one.more));
}

/** When all claims have ended; undefined if one of them has no end. */
export function lastEnd({ by }: Pick<AccessGroup, "by">): string | undefined {
  return latestOf(by.map(({ until }) => until ?? undefined));
}
