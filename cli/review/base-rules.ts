import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { count, firstOf, list, say, type Sentence, word } from "../../provider/sentence";
import { type Environment, type HostName } from "../code-host/host";
import { CommandError } from "../errors";
import { readBytes, textOf } from "../files";
import { compare } from "../lists";
import { isBroken } from "../rules/breach";
import { type ExceptionInFile, readRules, type RulesFile } from "../rules/file";
import { type TenantBreach } from "../rules/judge";
import { type Workplace } from "../places";
import { openCodeHost } from "./output/publish";
import { doubt } from "./doubts";
import { type Review, withCategories, withUnknown } from "./review";

/*
 * A pull request can change its own rules. So it's judged by those of the branch it goes to as well, as the
 * code host has them: pipelines check out a single commit.
 */

export interface RulesText {
  rules: RulesFile;
  content: string;
  /** The beginning of the file's SHA-256, as `sha256sum` prints it. */
  digest: string;
}

/** The rules of the base branch. `unread`: why they can't be used. */
export type BaseRules =
  | { branch: string; text: RulesText | undefined; unread?: undefined }
  | { branch: string | undefined; text?: undefined; unread: string };

const DIGITS = 16;

function rulesText(file: string, bytes: Uint8Array): RulesText {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, DIGITS);
  const content = textOf(file, bytes);
  return { rules: readRules({ file, text: content }), content, digest };
}

/** Undefined if the file isn't there, but may be on the base branch. */
export function ownRules(file: string, hasBase: boolean): RulesText | undefined {
  return hasBase && !existsSync(file) ? undefined : rulesText(file, readBytes(file));
}

/** Undefined if the file isn't in the repository, where a pull request could change it. */
export async function baseRules(
  file: string,
  name: HostName,
  environment: Environment,
  { inRepository }: Workplace,
): Promise<BaseRules | undefined> {
  const path = inRepository({ file: resolve(file), line: 1 })?.file;
  if (path === undefined) return undefined;
  let branch: string | undefined;
  try {
    const host = openCodeHost(name, environment);
    try {
      const found = await host.baseFile(path);
      branch = found.branch;
      const text = found.bytes === undefined ? undefined : rulesText(`${branch}:${file}`, found.bytes);
      return { branch, text };
    } finally {
      await host.close();
    }
  } catch (error) {
    return { branch, unread: whyUnusable(error) };
  }
}

/** Judges by both files: what breaks one of them counts, and an exception counts only if both have it. */
export async function judgedByBoth(
  { file, own, base }: { file: string; own: RulesText | undefined; base: BaseRules | undefined },
  judge: (rules: RulesFile) => Promise<Review[]>,
): Promise<Review[]> {
  // Of a file that is on neither branch, reading says so.
  const first = own ?? base?.text ?? rulesText(file, readBytes(file));
  const excusing = own === undefined ? [] : excusingItself(own.rules, base);
  const reviews = await judge(withPending(first.rules, excusing));
  const judged = reviews.map((review) => withSentence(review, verdictSentence(review, first)));
  if (base === undefined) return judged;
  const branch = base.branch ?? "the base branch";
  if (base.unread !== undefined) {
    const reason = say`the rules of ${branch} could not be read (${base.unread})`;
    return judged.map((review) => withUnknown(review, [doubt(reason)]));
  }
  const { text } = base;
  const comparison = comparisonOf(file, own, { branch, text });
  const compared = judged.map((review) =>
    [comparison, ...pendingSentence(file, excusing, branch)].reduce(withSentence, review),
  );
  const isOther = own !== undefined && text !== undefined && own.content !== text.content;
  return isOther ? judgedByBase(compared, { branch, text }, judge) : compared;
}

/** Returns the exceptions of a pull request's file that its base branch doesn't have. */
function excusingItself({ exceptions }: RulesFile, base: BaseRules | undefined): readonly ExceptionInFile[] {
  if (base === undefined) return [];
  const known = new Set((base.text?.rules.exceptions ?? []).map(identityOf));
  return exceptions.filter((exception) => !known.has(identityOf(exception)));
}

/** Not until when: a breach passes only if both files let it, so the earlier end counts. */
function identityOf({ rule, roles, holder }: ExceptionInFile): string {
  const texts = roles
    .map(({ text, organization }) => JSON.stringify([text, organization?.text]))
    .sort(compare);
  const of = "user" in holder ? { user: holder.user.text } : { group: holder.group.text };
  return JSON.stringify([rule, texts, of]);
}

function withPending(rules: RulesFile, pending: readonly ExceptionInFile[]): RulesFile {
  return {
    ...rules,
    exceptions: rules.exceptions.map((exception) =>
      pending.includes(exception) ? { ...exception, isPending: true } : exception,
    ),
  };
}

function pendingSentence(file: string, pending: readonly ExceptionInFile[], branch: string): Sentence[] {
  if (pending.length === 0) return [];
  const places = list(pending.map(({ line }) => `${file}:${line}`));
  const [what, verb] = pending.length === 1 ? ["The exception", "counts"] : ["The exceptions", "count"];
  return [
    say`${word(`${what} of `)}${places} ${word(verb)} once ${branch} has ${word(pending.length === 1 ? "it" : "them")}`,
  ];
}

function comparisonOf(
  file: string,
  own: RulesText | undefined,
  { branch, text }: { branch: string; text: RulesText | undefined },
): Sentence {
  if (own === undefined) return say`This change removes ${file}, which ${branch} has`;
  if (text === undefined) return say`${branch} has no ${file}: only this change's own file judges it`;
  if (text.content === own.content) return say`${branch} has the same file`;
  return say`This change changes ${file}, so that of ${branch} judges it too`;
}

async function judgedByBase(
  reviews: readonly Review[],
  { branch, text }: { branch: string; text: RulesText },
  judge: (rules: RulesFile) => Promise<Review[]>,
): Promise<Review[]> {
  try {
    const others = await judge(text.rules);
    return reviews.map((review, index) => withBoth(review, others[index] ?? review, text));
  } catch (error) {
    // Such as a role that is gone, which this change takes out of the file.
    const reason = say`the rules of ${branch} could not be judged (${whyUnusable(error)})`;
    return reviews.map((review) => withUnknown(review, [doubt(reason)]));
  }
}

/** Throws any error that is no command's sentence. */
function whyUnusable(error: unknown): string {
  if (!(error instanceof CommandError)) throw error;
  return error.message.replace(/\.$/, "");
}

function withSentence(review: Review, sentence: Sentence): Review {
  return { ...review, judgedBy: [...(review.judgedBy ?? []), sentence] };
}

function withBoth(review: Review, other: Review, text: RulesText): Review {
  // The change may have mended the branch's own faulty exceptions, so they don't count against it.
  const others = (other.rules?.breaches ?? []).filter(({ rule }) => rule !== "exception");
  const open = new Set(others.filter(({ exception }) => exception === undefined).map(keyOf));
  // The end that counts is the branch's: this change may ask for a later one.
  const passing = new Map(
    others.filter(({ exception }) => exception !== undefined).map((breach) => [keyOf(breach), breach]),
  );
  const own = (review.rules?.breaches ?? [])
    .filter((breach) => breach.exception === undefined || !open.has(keyOf(breach)))
    .map((breach) => {
      const there = breach.exception && passing.get(keyOf(breach));
      return there === undefined ? breach : { ...breach, exception: there.exception, passing: there.passing };
    });
  const known = new Set(own.map(keyOf));
  const breaches = others.filter((breach) => !known.has(keyOf(breach)));
  const reasons = new Set(review.unknown.map(({ reason }) => reason.toString()));
  const both = {
    ...review,
    rules: { file: review.rules?.file ?? "", breaches: [...own, ...breaches] },
    unknown: [...review.unknown, ...other.unknown.filter(({ reason }) => !reasons.has(reason.toString()))],
    names: { ...other.names, ...review.names },
  };
  const verdict = { ...other, rules: { file: text.rules.file, breaches: others } };
  const isFound = others.some(isBroken) || isOpen(other);
  const categories = other.categories.filter((category) => category !== "rules" || isFound);
  return withSentence(withCategories(both, categories), verdictSentence(verdict, text));
}

/** True if not all could be judged. */
function isOpen({ unknown }: Pick<Review, "unknown">): boolean {
  return unknown.some(({ categories }) => categories.includes("rules"));
}

function keyOf(breach: TenantBreach): string {
  const { tenant, organization, contexts, rule, roles, groups, people, isNew } = breach;
  return JSON.stringify([tenant, organization, contexts, rule, roles, groups, people, isNew]);
}

/** `Nothing breaks rules.yaml (sha256 0123456789abcdef)`: a pass must not look like no rules at all. */
function verdictSentence({ rules, unknown }: Review, { rules: { file }, digest }: RulesText): Sentence {
  const name = say`${file} (sha256 ${word(digest)})`;
  const breaches = rules?.breaches ?? [];
  const broken = breaches.filter(isBroken).length;
  const verdict = firstOf([
    [broken > 0, () => say`${word(count(broken, "breach", "breaches"))} of ${name}`],
    [isOpen({ unknown }), () => say`Not everything could be judged by ${name}`],
    [breaches.length > 0, () => say`Nothing more breaks ${name}`],
  ]);
  return verdict ?? say`Nothing breaks ${name}`;
}
