import { isDeepStrictEqual } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import { type Border, type Clean } from "../../border";
import { IdentityError } from "../../http/errors";
import { type RawInputs, recordable, unrecordable, withoutNulls } from "../../review/raw-inputs";
import {
  GIVEN_SETS,
  ignoredIn,
  keptMarks,
  PROVIDER_TEXT,
  QUALIFIED_NAME,
  qualifiedName,
  registered,
  secretNames,
} from "../hidden-inputs";
import { hiddenIn, UNKNOWN } from "../../seen";
import { capitalized, optional } from "../../sentence";
import { problemsOf } from "../input-problems";
import { type Consequence, type PlannedEffects, type Request } from "../resource-kind";
import { type CheckedResource } from "../run";
import { nameLines } from "../../review/preview-lines";
import { ignoredProblem, mixtureProblem, replacedSets } from "../sets";
import { type KindInHost } from "./kind-in-host";
import { lookAhead } from "./look-ahead";
import { guardTenant, withoutHidden } from "./state";

/*
 * `check` and `diff`: what a change would do, before anything is sent. `diff` reports changes, because it
 * gets what state records. `check` reports creates and replacements: the engine puts none of the old inputs
 * in their place, so theirs may be different.
 */

export interface CheckResult extends pulumi.dynamic.CheckResult {
  inputs: RawInputs;
  failures: { property: string; reason: Clean }[];
}

export async function check<Inputs extends object>(
  host: KindInHost<Inputs>,
  olds: RawInputs,
  raw: RawInputs,
): Promise<CheckResult> {
  const { kind, format, run } = host;
  const before = format.before(recordable(olds));
  const news = recordable(raw);
  let inputs = withoutNulls(withoutHidden(news));
  const { schema, sets = [] } = kind.fields;
  const replaced = replacedSets(sets, news[GIVEN_SETS], { inputs, before });
  const problems = [
    ...run.wrongSettings(),
    ...run.guard.problems(registered(news)?.stack),
    ...unrecordable(raw).map(([name, rule]) => `${name}: ${rule}.`),
    ...problemsOf(schema, inputs, secretNames(news)),
    ...replaced.filter(({ isMixture }) => isMixture).map(({ place }) => mixtureProblem(place)),
  ];
  run.tellDomain();
  run.tellUnconfigured();
  if (problems.length === 0) {
    const resource = run.checked(kind.name, news, before);
    const checked = kind.check?.(host.request(news, { resource, inputs, replacedSets: replaced }));
    inputs = checked?.inputs ?? inputs;
    problems.push(...(checked?.problems ?? []));
    resource.inputs = inputs;
    if (before === undefined) problems.push(...(await tellCreate(host, resource, inputs, news)));
  }
  const border = host.border(news);
  return {
    inputs: { ...inputs, ...keptMarks({ ...news, ...nameMark(host, news) }) },
    // With a property name, the engine would print the value, secret or not.
    failures: problems.map((problem) => ({ property: "", reason: border.clean(problem) })),
  };
}

export async function diff<Inputs extends object>(
  host: KindInHost<Inputs>,
  id: string,
  olds: RawInputs,
  news: RawInputs,
): Promise<pulumi.dynamic.DiffResult> {
  const { kind, format, run } = host;
  guardTenant(kind.name, olds, run);
  run.knownIds(kind.name).add(id);
  const prior = format.prior(recordable(olds));
  const inputs = format.inputs(news);
  const consequences = consequencesOf(host, prior.inputs as RawInputs, { id, inputs });
  const replaces = [...consequences.keys()].filter((name) => consequences.get(name) === "replace");
  const resource = host.checked(news, inputs);
  // Without a resource this is a refresh within a run, and the program may want something else by now.
  if (resource === undefined) return consequences.size > 0 ? { replaces } : { changes: false };
  const option = ignoredProblem(kind.fields.sets ?? [], ignoredIn(news), [prior.inputs, inputs]);
  if (option !== undefined) throw new IdentityError(option);
  if (replaces.length > 0) {
    resource.replaced = { id, outputs: olds };
    return { replaces };
  }
  const isRewritten = mustBeRewritten(host, olds, news);
  const isChanged = consequences.size > 0 || isRewritten;
  const border = host.border(recordable(olds), news);
  const request = host.request(news, { resource, id, prior, inputs, isChanged }, border);
  const effects = host.effects(request);
  const [problem] = await tell(host, request, effects);
  if (problem !== undefined) throw new IdentityError(problem);
  // Without `changes` the engine compares the inputs itself, and so shows each changed property.
  const isAlways = [...consequences.values()].every((consequence) => consequence === "always");
  if (consequences.size > 0) return isAlways ? { changes: true } : { replaces };
  return { changes: effects.lines.length > 0 || isRewritten };
}

/** True if state lacks what the next calls need: an update writes it, even if no input differs. */
function mustBeRewritten<Inputs extends object>(
  host: KindInHost<Inputs>,
  olds: RawInputs,
  news: RawInputs,
): boolean {
  // State from the plugin lacks the text by which the SDK's host finds the code.
  if (PROVIDER_TEXT in news && !(PROVIDER_TEXT in olds)) return true;
  // Refresh and delete know the secrets from outputs alone.
  return !isDeepStrictEqual(secretInputs(host, olds), secretInputs(host, news));
}

/** Returns the consequence of each input that differs, if it has one. */
function consequencesOf<Inputs extends object>(
  { kind, format }: KindInHost<Inputs>,
  before: RawInputs,
  { id, inputs }: { id: string; inputs: RawInputs },
): ReadonlyMap<string, Consequence> {
  const differing = format.inputNames.filter(
    (name) => hiddenIn(inputs[name]) === UNKNOWN || !isDeepStrictEqual(before[name], inputs[name]),
  );
  return new Map(
    differing
      .map((name) => [name, kind.fields.consequence?.(name, { id, inputs }) ?? "update"] as const)
      .filter(([, consequence]) => consequence !== "nothing"),
  );
}

/** Options make outputs secret too, but a program doesn't send those. */
function secretInputs<Inputs extends object>({ format }: KindInHost<Inputs>, raw: RawInputs): string[] {
  return secretNames(raw)
    .filter((name) => format.inputNames.includes(name))
    .sort();
}

/** Left for the calls that get nothing but inputs. */
function nameMark<Inputs extends object>({ door }: KindInHost<Inputs>, news: RawInputs): RawInputs {
  const name = door.namesResources ? undefined : qualifiedName(news);
  return name === undefined ? {} : { [QUALIFIED_NAME]: name };
}

function tellCreate<Inputs extends object>(
  host: KindInHost<Inputs>,
  resource: CheckedResource,
  inputs: RawInputs,
  news: RawInputs,
): Promise<string[]> {
  // If options ask for the replacement, `diff` isn't called: only the inputs of the last update are known.
  const { id, outputs = resource.before } = resource.replaced ?? {};
  const replaced = outputs && host.format.prior(recordable(outputs));
  const request = host.request(news, { resource, id, replaced, inputs }, host.border(outputs ?? {}, news));
  return tell(host, request, host.effects(request), optional(host.doubt(news, resource.names)));
}

/** Prints what a change does, once, and returns the reasons against it. */
async function tell<Inputs extends object>(
  host: KindInHost<Inputs>,
  request: Request<Inputs> & { resource: CheckedResource },
  effects: PlannedEffects,
  doubts: readonly string[] = [],
): Promise<string[]> {
  const { resource, border } = request;
  // The engine also checks the create of a replacement.
  if (resource.isTold) return [];
  resource.isTold = true;
  const { kind, run } = host;
  const { name } = resource;
  const all = await lookAhead(effects, run);
  // The engine shows a handler's lines without the resource's name.
  const print = (line: string) => border.print(name === undefined ? line : `${name}: ${line}`);
  const lines = [...all.lines, ...(all.notices ?? []), ...doubts];
  [...lines, ...nameLines(lines, namesBeside(border, resource))].forEach(print);
  const excess = run.revocations.count(name ?? kind.name, all.acts);
  if (excess === undefined) optional(run.revocations.warning(all.acts)).forEach(print);
  return [
    ...(all.problems ?? []),
    ...notReviewed(host, request, all.acts),
    ...(excess === undefined ? [] : [capitalized(excess)]),
  ];
}

/** A name would tell what a secret id stands for. */
function namesBeside(border: Border, { names }: CheckedResource): ReadonlyMap<string, string> {
  return new Map([...names].filter(([id]) => !border.isSecret(id)));
}

function notReviewed<Inputs extends object>(
  { run: { guard } }: KindInHost<Inputs>,
  { id, prior, resource }: Request<Inputs>,
  acts: PlannedEffects["acts"],
): string[] {
  // If options turn this update into a replacement, only its operations know what they send.
  const mayBeReplaced = prior !== undefined && guard.hasReplacements;
  return mayBeReplaced ? [] : guard.problemsOf({ name: resource?.name, id }, acts);
}
