import {
  CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  Parser,
} from "yaml";
import { sanitize } from "../../provider/border";
import { untilProblem } from "../../provider/access/until";
import { nearest } from "../../provider/near-names";
import { CommandError } from "../errors";
import { readFile } from "../files";

/** A role or a group as the file names it: by its name or its id. */
export interface Ref {
  text: string;
  line: number;
}

/** A role. `organization`: where the rule holds; undefined: wherever the role counts. */
export interface RoleRef extends Ref {
  organization?: Ref | undefined;
}

/** Rules as written, before names are resolved to ids. */
export interface RulesFile {
  file: string;
  /** For roles that `allow` doesn't name. `isClosed`: no group may have them. */
  defaults: readonly (InPlace & { isClosed: boolean })[];
  allow: readonly { role: RoleRef; groups: readonly Ref[] | "*" }[];
  conflicts: readonly ConflictInFile[];
  ends: readonly { role: RoleRef; days: number }[];
  /** A rule may forbid people to have a role without a group. */
  direct: readonly ({ role: RoleRef } & Forbidding)[];
  /** The same for roles that `direct` doesn't name. */
  directDefaults: readonly (InPlace & Forbidding)[];
  /** One of the groups must keep the role. */
  require: readonly { role: RoleRef; groups: readonly Ref[] }[];
  exceptions: readonly ExceptionInFile[];
  tests: readonly CaseInFile[];
}

/** Lets a breach of one holder pass. What it lacks is no error of the file: the judge says so. */
export interface ExceptionInFile extends Reasons {
  line: number;
  rule: ExceptedRule | undefined;
  /** Several: of a conflict. */
  roles: readonly RoleRef[];
  holder: { group: Ref } | { user: Ref };
  /** True if only a pull request has it, and not the branch that it goes to: it doesn't count yet. */
  isPending?: boolean;
}

/** The words for people around an exception. */
export interface Reasons {
  reason: string | undefined;
  owner: string | undefined;
  until: string | undefined;
}

/** A holder of roles, and the rules that must be broken by that; none: it's allowed. */
export interface CaseInFile {
  line: number;
  /** The group, or those of a user; a user in none has the roles directly. */
  groups: readonly Ref[];
  isUser: boolean;
  has: readonly RoleRef[];
  /** Until their end; undefined: there is none. */
  days: number | undefined;
  breaks: readonly ExceptedRule[];
}

/** A default; undefined: wherever no organization has its own. */
interface InPlace {
  organization: Ref | undefined;
}

/** The line that forbids something; undefined: it's allowed. */
interface Forbidding {
  forbidden: number | undefined;
}

/** Without a file. */
export const NO_RULES: RulesFile = {
  file: "",
  defaults: [],
  allow: [],
  conflicts: [],
  ends: [],
  direct: [],
  directDefaults: [],
  require: [],
  exceptions: [],
  tests: [],
};

/** `anyContext`: true if one of the roles may be in an organization, and another one elsewhere. */
interface ConflictInFile {
  roles: readonly RoleRef[];
  anyContext: boolean;
}

/** The rules of an organization, or those that hold everywhere. */
type RulesSection = Omit<RulesFile, "file" | "tests">;

export const RULES = ["allow", "conflicts", "end", "direct", "require", "exceptions", "default"] as const;
export const ORGANIZATIONS = "organizations";
export const TESTS = "tests";

/** The rules that an exception or a case names. A role that `default` closes breaks `allow`. */
export const EXCEPTED = ["allow", "conflicts", "end", "direct"] as const;
export type ExceptedRule = (typeof EXCEPTED)[number];

/** The keys that a mapping may have. */
interface Keys {
  names: readonly string[];
  /** The kind of entries, in the singular: `rule`. */
  noun: string;
}
const KEYS: Keys = { names: [...RULES, ORGANIZATIONS, TESTS], noun: "rule" };
export const EXCEPTION = ["rule", "role", "roles", "group", "user", "reason", "owner", "until"] as const;
export const CASE = ["group", "user", "has", "days", "breaks", "ok"] as const;
export const DEFAULTS = ["free", "closed"] as const;
export const DIRECT = ["allow", "forbid"] as const;
const CLOSED = pairOf(...DEFAULTS);
const FORBIDDEN = pairOf(...DIRECT);
const TRUE = pairOf(false, true);
export const MOST_DAYS = 3650;

const LONGEST_REASON = 500;
const MOST_CHARACTERS = 1_000_000;
const MOST_LEVELS = 100;

export function readRulesFile(file: string): RulesFile {
  return readRules({ file, text: readFile(file) });
}

/** Reads YAML, and JSON, which is YAML. Throws with the line of the problem. */
export function readRules({ file, text }: { file: string; text: string }): RulesFile {
  checkShape(file, text);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    // It compares each key with each other one.
    uniqueKeys: false,
  });
  const [error] = document.errors;
  if (error !== undefined) throw new RulesError(file, lines.linePos(error.pos[0]).line, error.message);
  return new RulesReader(file, document, lines).rules();
}

/** A pull request may bring the file: none may keep the parser busy for minutes, or overflow its stack. */
function checkShape(file: string, text: string): void {
  if (text.length > MOST_CHARACTERS) throw new RulesError(file, 1, "the file is larger than 1 MB");
  const parser = new Parser();
  const refusal = (sentence: string) =>
    new RulesError(file, text.slice(0, parser.offset).split("\n").length, sentence);
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    if (!isText && CST.tokenType(token) === "alias")
      throw refusal(`${quoted(token)} stands for something else: write the names out`);
    isText = token === CST.SCALAR;
    // It goes on after an error, and so would the composer.
    Array.from(parser.next(token));
    if (parser.stack.length > MOST_LEVELS) throw refusal(`it is nested deeper than ${MOST_LEVELS} levels`);
  }
}

export class RulesError extends CommandError {
  constructor(file: string, line: number, sentence: string) {
    super(sanitize(`${file}:${line}: ${sentence.replace(/([^.?])$/, "$1.")}`));
  }
}

/** A node, or the line of what lacks one. */
type YamlPlace = Node | { line: number } | undefined;
type Pairs = [key: Ref, value: Node | undefined][];
type Mapping = ReadonlyMap<string, Node | undefined>;

class RulesReader {
  constructor(
    private readonly file: string,
    private readonly document: Document.Parsed,
    private readonly lines: LineCounter,
  ) {}

  rules(): RulesFile {
    const top = this.#node(this.document.contents);
    const none = "there are no rules. Give at least one of allow, conflicts, end, direct, require";
    if (top === undefined) throw this.#error(top, none);
    const given = this.#given(top, `the rules must be a mapping with ${orList(KEYS.names)}`, KEYS);
    if (given.size === 0) throw this.#error(top, none);
    const general = this.#section(given, undefined);
    const sections = [general, ...readIn(given, ORGANIZATIONS, (node) => this.#organizations(node))];
    return {
      file: this.file,
      defaults: sections.flatMap(({ defaults }) => defaults),
      allow: sections.flatMap(({ allow }) => allow),
      conflicts: sections.flatMap(({ conflicts }) => conflicts),
      ends: sections.flatMap(({ ends }) => ends),
      direct: sections.flatMap(({ direct }) => direct),
      directDefaults: sections.flatMap(({ directDefaults }) => directDefaults),
      require: sections.flatMap(({ require }) => require),
      exceptions: sections.flatMap(({ exceptions }) => exceptions),
      tests: readIn(given, TESTS, (node) => this.#tests(node)),
    };
  }

  #given(node: Node | undefined, sentence: string, keys: Keys, place: YamlPlace = node): Mapping {
    const pairs = this.#pairs(node, sentence, place).filter(([{ text }]) => text !== "$schema");
    const [wrong] = pairs.map(([key]) => key).filter(({ text }) => !keys.names.includes(text));
    if (wrong !== undefined) throw this.#unknown(wrong, keys);
    return new Map(pairs.map(([{ text }, value]) => [text, value]));
  }

  #section(given: Mapping, organization: Ref | undefined): RulesSection {
    const there = <Row extends { role: RoleRef }>(rows: readonly Row[]): Row[] =>
      rows.map((row) => ({ ...row, role: inOrganization(row.role, organization) }));
    const direct = readIn(given, "direct", (node) => this.#direct(node));
    const isDefault = ({ role }: { role: Ref }) => role.text === "default";
    return {
      defaults: readIn(given, "default", (node) => [{ organization, isClosed: this.#isClosed(node) }]),
      allow: there(readIn(given, "allow", (node) => this.#allow(node))),
      conflicts: readIn(given, "conflicts", (node) => this.#conflicts(node, organization)),
      ends: there(readIn(given, "end", (node) => this.#ends(node))),
      direct: there(direct.filter((rule) => !isDefault(rule))),
      directDefaults: direct.filter(isDefault).map(({ forbidden }) => ({ organization, forbidden })),
      require: there(readIn(given, "require", (node) => this.#require(node))),
      exceptions: readIn(given, "exceptions", (node) => this.#exceptions(node, organization)),
    };
  }

  #organizations(node: Node | undefined): RulesSection[] {
    const sentence = "organizations must map each organization to its rules";
    return this.#pairs(node, sentence).map(([organization, value]) => {
      const rules = `the rules of ${quoted(organization.text)} must be a mapping with ${orList(RULES)}`;
      const given = this.#given(value, rules, { names: RULES, noun: "rule" }, organization);
      return this.#section(given, organization);
    });
  }

  #unknown({ text, line }: Ref, { names, noun }: Keys): RulesError {
    const [meant] = nearest(text, names, 1, 2);
    const advice = meant === undefined ? `: use ${orList(names)}` : `. Did you mean "${meant}"?`;
    return new RulesError(this.file, line, `${quoted(text)} is no ${noun}${advice}`);
  }

  #isClosed(node: Node | undefined): boolean {
    return this.#meaning(node, CLOSED, "default must be free or closed");
  }

  #require(node: Node | undefined): RulesFile["require"] {
    return this.#pairs(node, "require must map each role to groups that keep it").map(([role, value]) => {
      const sentence = `the groups of ${quoted(role.text)} must be a list of one or more: any of them keeps the role`;
      const groups = this.#refs(value ?? role, sentence);
      if (groups.length === 0 || groups.some(({ text }) => text === "*"))
        throw this.#error(value ?? role, sentence);
      return { role, groups };
    });
  }

  #exceptions(node: Node | undefined, organization: Ref | undefined): ExceptionInFile[] {
    return this.#items(node, "exceptions must be a list").map((item) => {
      const given = this.#parts(item, "an exception", EXCEPTION);
      const text = (name: keyof Reasons) => this.#text(given, name);
      const until = text("until");
      const problem = until === undefined ? undefined : untilProblem(until);
      if (problem !== undefined) throw this.#error(given.get("until"), `until ${problem}`);
      return {
        line: this.#line(item),
        rule: readIn(given, "rule", (rule) => [this.#rule(rule)])[0],
        roles: this.#exceptedRoles(given, item, organization),
        holder: this.#holder(given, item),
        reason: text("reason"),
        owner: text("owner"),
        until,
      };
    });
  }

  #exceptedRoles(given: Mapping, item: Node | undefined, organization: Ref | undefined): RoleRef[] {
    const [role, roles] = [given.get("role"), given.get("roles")];
    if ((role === undefined) === (roles === undefined))
      throw this.#error(item, "an exception must name a role, or all roles of a conflict as roles");
    if (role !== undefined) return [this.#role(role, organization)];
    const sentence = "the roles of an exception must be a list of those that conflict, two or more";
    const all = this.#items(roles, sentence).map((one) => this.#role(one, organization));
    if (all.length < 2) throw this.#error(roles, sentence);
    return all.map(this.#once((name) => `the exception names ${name} twice`));
  }

  #holder(given: Mapping, item: Node | undefined): ExceptionInFile["holder"] {
    const [group, user] = [given.get("group"), given.get("user")];
    if ((group === undefined) === (user === undefined))
      throw this.#error(item, "an exception must name one group or one user");
    return group === undefined ? { user: this.#ref(user) } : { group: this.#ref(group) };
  }

  /** Undefined if it's missing or empty. */
  #text(given: Mapping, name: string): string | undefined {
    const node = given.get(name);
    const value = scalarIn(node) ?? "";
    if (typeof value !== "string" || (node !== undefined && !isScalar(node)))
      throw this.#error(node, `${name} must be text: put it in quotes`);
    return value.trim() === "" ? undefined : sanitize(value.trim(), LONGEST_REASON);
  }

  #rule(node: Node | undefined): ExceptedRule {
    const { text, line } = this.#ref(node);
    const known = EXCEPTED.find((name) => name === text);
    if (known !== undefined) return known;
    if (text === "require")
      throw new RulesError(this.file, line, "require is about all holders of a role: nothing lets one pass");
    if (text === "default")
      throw new RulesError(this.file, line, "a role that default closes breaks allow: write allow");
    throw this.#unknown({ text, line }, { names: EXCEPTED, noun: "rule" });
  }

  #tests(node: Node | undefined): CaseInFile[] {
    return this.#items(node, "tests must be a list of cases").map((item) => {
      const given = this.#parts(item, "a case", CASE);
      const [group, user] = [given.get("group"), given.get("user")];
      if ((group === undefined) === (user === undefined))
        throw this.#error(item, "a case must be about one group or one user");
      const sentence = "has must be a list of one role or more";
      const has = this.#items(given.get("has") ?? item, sentence).map((role) => this.#role(role, undefined));
      if (has.length === 0) throw this.#error(item, sentence);
      return {
        line: this.#line(item),
        groups: group === undefined ? this.#groupsOfUser(user) : [this.#ref(group)],
        isUser: group === undefined,
        has,
        days: readIn(given, "days", (value) => [this.#days(value, "days")])[0],
        breaks: this.#outcome(given, item),
      };
    });
  }

  #groupsOfUser(node: Node | undefined): Ref[] {
    const sentence =
      "the user of a case must be a mapping with groups: [a, b]; groups: [] is for direct roles";
    const given = this.#given(node, sentence, { names: ["groups"], noun: "part of a user" });
    return this.#refs(given.get("groups") ?? node, sentence);
  }

  #outcome(given: Mapping, item: Node | undefined): ExceptedRule[] {
    const [breaks, ok] = [given.get("breaks"), given.get("ok")];
    const sentence = "a case must say either breaks: [rules] or ok: true";
    if ((breaks === undefined) === (ok === undefined)) throw this.#error(item, sentence);
    if (breaks === undefined) {
      if (scalarIn(ok) !== true) throw this.#error(ok, sentence);
      return [];
    }
    const rules = this.#items(breaks, sentence).map((rule) => this.#rule(rule));
    if (rules.length === 0) throw this.#error(breaks, sentence);
    return rules;
  }

  #parts(item: Node | undefined, what: string, names: readonly string[]): Mapping {
    return this.#given(item, `${what} must be a mapping with ${orList(names)}`, {
      names,
      noun: `part of ${what}`,
    });
  }

  #refs(node: YamlPlace, sentence: string): Ref[] {
    return this.#items(node, sentence).map((item) => this.#ref(item));
  }

  #allow(node: Node | undefined): RulesFile["allow"] {
    return this.#pairs(node, "allow must map each role to its groups").map(([role, value]) => {
      if (scalarIn(value) === "*") return { role, groups: "*" as const };
      const sentence = `the groups of ${quoted(role.text)} must be a list, or "*" for any group`;
      const groups = this.#refs(value ?? role, sentence);
      const any = groups.find(({ text }) => text === "*");
      if (any !== undefined)
        throw new RulesError(this.file, any.line, `"*" stands alone: write ${sanitize(role.text)}: "*"`);
      return { role, groups };
    });
  }

  #conflicts(node: Node | undefined, organization: Ref | undefined): RulesFile["conflicts"] {
    return this.#items(node, "conflicts must be a list of lists of roles").map((item) => {
      const { list, anyContext } = this.#conflict(item);
      const sentence = "a conflict must be a list of two roles or more";
      const roles = this.#items(list, sentence).map((role) => this.#role(role, organization));
      if (roles.length < 2) throw this.#error(list, sentence);
      if (anyContext && organization !== undefined)
        throw this.#error(
          item,
          `the rules of ${quoted(organization.text)} are judged in it alone: no anyContext`,
        );
      return { roles: roles.map(this.#once((name) => `the conflict names ${name} twice`)), anyContext };
    });
  }

  /** `[payer, approver]`, or `{ roles: [payer, approver], anyContext: true }` */
  #conflict(item: Node | undefined): { list: Node | undefined; anyContext: boolean } {
    if (!isMap(item)) return { list: item, anyContext: false };
    const given = this.#given(item, "", { names: ["roles", "anyContext"], noun: "part of a conflict" });
    const list = given.get("roles") ?? item;
    if (!given.has("anyContext")) return { list, anyContext: false };
    const value = given.get("anyContext");
    const sentence = "anyContext must be true or false";
    return { list, anyContext: this.#meaning(value, TRUE, sentence, value ?? item) };
  }

  /** `payer`, or `{ role: payer, organization: acme }` */
  #role(node: Node | undefined, organization: Ref | undefined): RoleRef {
    if (!isMap(node)) return inOrganization(this.#ref(node), organization);
    const given = this.#given(node, "", { names: ["role", "organization"], noun: "part of a role" });
    const [role, where] = [given.get("role"), given.get("organization")];
    if (role === undefined || where === undefined)
      throw this.#error(node, "a role must be a name, an id, or both role and organization");
    if (organization !== undefined)
      throw this.#error(
        node,
        `the rules of ${quoted(organization.text)} name roles in it: write the role alone`,
      );
    return inOrganization(this.#ref(role), this.#ref(where));
  }

  #ends(node: Node | undefined): RulesFile["ends"] {
    return this.#pairs(node, "end must map each role to a number of days").map(([role, value]) => ({
      role,
      days: this.#days(value, `the days of ${quoted(role.text)}`, value ?? role),
    }));
  }

  #days(node: Node | undefined, what: string, place: YamlPlace = node): number {
    const days = scalarIn(node);
    if (typeof days === "number" && Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days;
    throw this.#error(place, `${what} must be a whole number from 1 to ${MOST_DAYS}`);
  }

  /** Also for `default`. */
  #direct(node: Node | undefined): RulesFile["direct"] {
    const pairs = this.#pairs(node, "direct must map roles, or default, to allow or forbid");
    return pairs.map(([role, value]) => {
      const sentence = `${quoted(role.text)} must be allow or forbid`;
      const isForbidden = this.#meaning(value, FORBIDDEN, sentence, value ?? role);
      return { role, forbidden: isForbidden ? role.line : undefined };
    });
  }

  /** Returns whether a value is the one word of a pair, or the other. */
  #meaning(
    node: Node | undefined,
    words: ReadonlyMap<unknown, boolean>,
    sentence: string,
    place: YamlPlace = node,
  ): boolean {
    const meaning = words.get(scalarIn(node));
    if (meaning === undefined) throw this.#error(place, sentence);
    return meaning;
  }

  #pairs(node: Node | undefined, sentence: string, place: YamlPlace = node): Pairs {
    if (!isMap(node)) throw this.#error(place, sentence);
    const once = this.#once((name) => `${name} is given twice`);
    return node.items.map(({ key, value }) => [once(this.#ref(this.#node(key))), this.#node(value)]);
  }

  /** Returns a function that throws at a name that it was given before. */
  #once(sentence: (name: string) => string): <Of extends RoleRef>(ref: Of) => Of {
    const known = new Set<string>();
    return (ref) => {
      const key = JSON.stringify([ref.text, ref.organization?.text]);
      if (known.has(key)) throw new RulesError(this.file, ref.line, sentence(quoted(ref.text)));
      known.add(key);
      return ref;
    };
  }

  #items(node: YamlPlace, sentence: string): (Node | undefined)[] {
    if (!isSeq(node)) throw this.#error(node, sentence);
    return node.items.map((item) => this.#node(item));
  }

  #ref(node: Node | undefined): Ref {
    const text = scalarIn(node);
    if (typeof text !== "string") throw this.#error(node, "a name must be text: put it in quotes");
    if (text.trim() === "") throw this.#error(node, "a name is empty");
    return { text, line: this.#line(node) };
  }

  #node(value: unknown): Node | undefined {
    return (value ?? undefined) as Node | undefined;
  }

  #line(node: YamlPlace): number {
    if (node === undefined) return 1;
    if ("line" in node) return node.line;
    return this.lines.linePos(node.range?.[0] ?? 0).line;
  }

  #error(node: YamlPlace, sentence: string): RulesError {
    return new RulesError(this.file, this.#line(node), sentence);
  }
}

/** Returns what a rule says; nothing if it isn't given. */
function readIn<Row>(
  given: Mapping,
  name: string,
  read: (node: Node | undefined) => readonly Row[],
): readonly Row[] {
  return given.has(name) ? read(given.get(name)) : [];
}

function pairOf(no: unknown, yes: unknown): ReadonlyMap<unknown, boolean> {
  return new Map([
    [no, false],
    [yes, true],
  ]);
}

function inOrganization(role: Ref, organization: Ref | undefined): RoleRef {
  return organization === undefined ? role : { ...role, organization };
}

function orList(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}

function scalarIn(node: Node | undefined): unknown {
  return isScalar(node) ? node.value : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(sanitize(text, 100));
}
