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
import { clean } from "../../provider/border";
import { nearest } from "../../provider/near-names";
import { CommandError } from "../errors";
import { readFile } from "../files";

/** A role or a group as the file names it: by its name or its id. */
export interface Ref {
  text: string;
  line: number;
}

/** Rules as written, before names are resolved to ids. */
export interface RulesFile {
  file: string;
  /** True if no group may have a role that no rule names. */
  isClosed: boolean;
  allow: readonly { role: Ref; groups: readonly Ref[] | "*" }[];
  conflicts: readonly (readonly Ref[])[];
  ends: readonly { role: Ref; days: number }[];
  /** Whether people may have roles without a group. `forbidden`: the line of `default: forbid`. */
  direct: { forbidden: number | undefined; roles: readonly { role: Ref; isForbidden: boolean }[] };
}

export const RULES = ["allow", "conflicts", "end", "direct", "default"] as const;
const NAMES = "allow, conflicts, end, direct or default";
export const DEFAULTS = ["free", "closed"] as const;
export const DIRECT = ["allow", "forbid"] as const;
export const MOST_DAYS = 3650;

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
    super(clean(`${file}:${line}: ${sentence.replace(/([^.?])$/, "$1.")}`));
  }
}

/** A node, or the line of what lacks one. */
type Place = Node | { line: number } | undefined;
type Pairs = [key: Ref, value: Node | undefined][];

class RulesReader {
  constructor(
    private readonly file: string,
    private readonly document: Document.Parsed,
    private readonly lines: LineCounter,
  ) {}

  rules(): RulesFile {
    const top = this.#node(this.document.contents);
    const none = "there are no rules. Give at least one of allow, conflicts, end, direct";
    if (top === undefined) throw this.#error(top, none);
    const given = new Map<string, Node | undefined>();
    for (const [{ text, line }, value] of this.#pairs(top, `the rules must be a mapping with ${NAMES}`)) {
      if (text === "$schema") continue;
      if (!(RULES as readonly string[]).includes(text)) throw this.#noRule(text, line);
      given.set(text, value);
    }
    if (given.size === 0) throw this.#error(top, none);
    const rule = <Value>(
      name: (typeof RULES)[number],
      read: (node: Node | undefined) => Value,
      absent: Value,
    ): Value => (given.has(name) ? read(given.get(name)) : absent);
    return {
      file: this.file,
      isClosed: rule("default", (node) => this.#isClosed(node), false),
      allow: rule("allow", (node) => this.#allow(node), []),
      conflicts: rule("conflicts", (node) => this.#conflicts(node), []),
      ends: rule("end", (node) => this.#ends(node), []),
      direct: rule("direct", (node) => this.#direct(node), { forbidden: undefined, roles: [] }),
    };
  }

  #noRule(text: string, line: number): RulesError {
    const [meant] = nearest(text, RULES, 1, 2);
    const advice = meant === undefined ? `: use ${NAMES}` : `. Did you mean "${meant}"?`;
    return new RulesError(this.file, line, `${quoted(text)} is no rule${advice}`);
  }

  #isClosed(node: Node | undefined): boolean {
    const value = scalarIn(node);
    if (value !== "free" && value !== "closed") throw this.#error(node, "default must be free or closed");
    return value === "closed";
  }

  #allow(node: Node | undefined): RulesFile["allow"] {
    return this.#pairs(node, "allow must map each role to its groups").map(([role, value]) => {
      if (scalarIn(value) === "*") return { role, groups: "*" as const };
      const sentence = `the groups of ${quoted(role.text)} must be a list, or "*" for any group`;
      const groups = this.#items(value ?? role, sentence).map((item) => this.#ref(item));
      const any = groups.find(({ text }) => text === "*");
      if (any !== undefined)
        throw new RulesError(this.file, any.line, `"*" stands alone: write ${clean(role.text)}: "*"`);
      return { role, groups };
    });
  }

  #conflicts(node: Node | undefined): RulesFile["conflicts"] {
    return this.#items(node, "conflicts must be a list of lists of roles").map((item) => {
      const sentence = "a conflict must be a list of two roles or more";
      const roles = this.#items(item, sentence).map((role) => this.#ref(role));
      if (roles.length < 2) throw this.#error(item, sentence);
      return roles.map(this.#once((name) => `the conflict names ${name} twice`));
    });
  }

  #ends(node: Node | undefined): RulesFile["ends"] {
    return this.#pairs(node, "end must map each role to a number of days").map(([role, value]) => {
      const days = scalarIn(value);
      if (typeof days === "number" && Number.isInteger(days) && days >= 1 && days <= MOST_DAYS)
        return { role, days };
      const sentence = `the days of ${quoted(role.text)} must be a whole number from 1 to ${MOST_DAYS}`;
      throw this.#error(value ?? role, sentence);
    });
  }

  #direct(node: Node | undefined): RulesFile["direct"] {
    const all = this.#pairs(node, "direct must map roles, or default, to allow or forbid").map(
      ([role, value]) => {
        const word = scalarIn(value);
        if (word !== "allow" && word !== "forbid")
          throw this.#error(value ?? role, `${quoted(role.text)} must be allow or forbid`);
        return { role, isForbidden: word === "forbid" };
      },
    );
    const [byDefault] = all.filter(({ role }) => role.text === "default");
    return {
      forbidden: byDefault?.isForbidden === true ? byDefault.role.line : undefined,
      roles: all.filter((rule) => rule !== byDefault),
    };
  }

  #pairs(node: Node | undefined, sentence: string): Pairs {
    if (!isMap(node)) throw this.#error(node, sentence);
    const once = this.#once((name) => `${name} is given twice`);
    return node.items.map(({ key, value }) => [once(this.#ref(this.#node(key))), this.#node(value)]);
  }

  /** Returns a function that throws at a name that it was given before. */
  #once(sentence: (name: string) => string): (ref: Ref) => Ref {
    const known = new Set<string>();
    return (ref) => {
      if (known.has(ref.text)) throw new RulesError(this.file, ref.line, sentence(quoted(ref.text)));
      known.add(ref.text);
      return ref;
    };
  }

  #items(node: Place, sentence: string): (Node | undefined)[] {
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
    return value === null || value === undefined ? undefined : (value as Node);
  }

  #line(node: Place): number {
    if (node === undefined) return 1;
    if ("line" in node) return node.line;
    return this.lines.linePos(node.range?.[0] ?? 0).line;
  }

  #error(node: Place, sentence: string): RulesError {
    return new RulesError(this.file, this.#line(node), sentence);
  }
}

function scalarIn(node: Node | undefined): unknown {
  return isScalar(node) ? node.value : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(clean(text, undefined, 100));
}
