import { type RawInputs, withoutNulls } from "../../review/raw-inputs";
import { argumentProblem, callText } from "../call-text";
import { type Named } from "../../service/record";
import { type DataSource } from "../data-source-kind";
import { secretNames, textsOf } from "../hidden-inputs";
import { RunMemory, type Run } from "../run";
import { HandlerError, messageOf } from "../host/handler-error";
import { withoutHidden } from "../host/state";
import { secret } from "./values";

/** Requests that are under way, by their question. */
const ASKED = new RunMemory(() => new Map<string, Promise<unknown>>());

/**
 * Asks the tenant. Calls at the same time share the requests of one question. Later ones ask again: a
 * provider can't know what was created in between.
 */
export async function ask(
  source: DataSource<object, unknown, unknown>,
  raw: RawInputs,
  { run, isSecret }: { run: Run; isSecret: boolean },
): Promise<object> {
  const args = withoutNulls(withoutHidden(raw));
  const secretArgs = secretNames(raw);
  const border = run.border.with(textsOf(args, secretArgs));
  const problem = argumentProblem(source, args, secretArgs);
  if (problem !== undefined) throw new HandlerError(border.clean(problem));
  const before = callText(source.name, args, secretArgs);
  try {
    const { client } = run;
    const answer = await source.read(client, args, (question, send) => once(run, question, send));
    // A line must not print a name that the program keeps secret.
    if (source.findsByName === true && !isSecret) noteFound(run, answer as Named);
    const presence = source.mayBeMissing !== true ? {} : { found: answer !== undefined };
    const values = JSON.parse(JSON.stringify({ ...(answer as object | undefined), ...presence })) as object;
    if (!isSecret && source.isSecret?.(args) !== true) return values;
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secret(value)]));
  } catch (error) {
    const on = run.tenant === undefined ? "" : ` on ${run.tenant}`;
    const advice = source.advice?.(error) ?? "";
    throw new HandlerError(
      border.clean(`${before}${on}: ${run.settingsOnce(error, messageOf(error))} ${advice}`),
    );
  }
}

function noteFound({ foundNames }: Run, { id, name }: Named): void {
  if (name) foundNames.set(id, name);
}

function once<Answer>(run: Run, question: unknown[], send: () => Promise<Answer>): Promise<Answer> {
  const asked = run.recall(ASKED);
  const key = JSON.stringify(question);
  const underWay = asked.get(key) as Promise<Answer> | undefined;
  if (underWay !== undefined) return underWay;
  const sent = send().finally(() => asked.delete(key));
  asked.set(key, sent);
  return sent;
}
