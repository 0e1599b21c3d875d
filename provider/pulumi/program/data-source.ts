import * as pulumi from "@pulumi/pulumi";
import { type IdentityClient } from "../../http/client";
import { InvalidInputError } from "../../http/errors";
import { PACKAGE_VERSION } from "../../http/package-version";
import { Border } from "../../border";
import { type Named } from "../../service/record";
import { textsOf } from "../hidden-inputs";
import { type RawInputs } from "../../review/raw-inputs";
import { UNKNOWN_VALUE } from "../../seen";
import { type DataSource } from "../data-source-kind";
import { argumentProblem, callText } from "../call-text";
import { keepLateRejectionsQuiet, outgoing } from "./data-source-error";
import { type DataSourceOptions, type DataSourceOutputOptions } from "./data-source-options";
import { resourcesOf, secretNamesIn, whenCreated } from "./dependencies";
import { refuseResources } from "./no-resources";
import { guardInlineRun, isInline, isMocked, ProgramMemory } from "./program-run";
import { type AnyProvider, isProvider } from "./provider";
import { inheritedProvider } from "./registration";
import { clientOf, clientOfStack, settingsKnown, tenantKey } from "./connection";
import { noteFound } from "./found-names";

export async function invoke<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: Args,
  options: DataSourceOptions = {},
): Promise<Result> {
  refuseResources(source.name, args);
  if (Object.values(args ?? {}).some(isDeferred)) {
    throw new InvalidInputError(
      `${source.name}: an argument is an Output or is not known yet. Use ${source.name}Output, which takes such values.`,
    );
  }
  return answer(source, args, options);
}

/** The Output form: takes Outputs, stays unknown while they are, and keeps them secret if they are. */
export function invokeOutput<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: { [Name in keyof Args]: pulumi.Input<Args[Name]> },
  { dependsOn, ...options }: DataSourceOutputOptions = {},
): pulumi.Output<pulumi.Unwrap<Result>> {
  refuseResources(`${source.name}Output`, args);
  guardInlineRun();
  const provider = providerOf(options);
  if (provider === undefined && isInline() && !isMocked()) requireStackClient(`${source.name}Output`);
  const inputs = pulumi.output<object>([args, dependsOn ?? [], provider && settingsKnown(provider)]);
  const result: pulumi.Output<unknown> = inputs.apply(async (known) => {
    const [values, explicit] = known as [Args, pulumi.Resource | pulumi.Resource[], unknown];
    const secrets = await secretNamesIn(args ?? {});
    const created = whenCreated([...[explicit].flat(), ...(await resourcesOf(inputs))]);
    return created.apply(async (urns) => {
      const found = await answer(source, values, options, { secretArgs: secrets, dependencies: urns });
      // `output` lifts inner secrets, so all of the result becomes one.
      return pulumi.output<unknown>(found);
    });
  });
  return result as pulumi.Output<pulumi.Unwrap<Result>>;
}

/** Returns the provider whose tenant a data source asks; undefined for the stack's own. */
function providerOf({ provider, parent }: DataSourceOptions): AnyProvider | undefined {
  const given = provider ?? (parent && inheritedProvider(parent));
  if (given === undefined || isProvider(given)) return given;
  throw new InvalidInputError("The provider of a data source must be a Provider of pulumi-identity.");
}

interface FromOutputs {
  secretArgs: string[];
  dependencies: string[];
}

async function answer<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: Args,
  options: DataSourceOptions,
  fromOutputs: FromOutputs = { secretArgs: [], dependencies: [] },
): Promise<Result> {
  const { secretArgs } = fromOutputs;
  const problem = argumentProblem(source, args as RawInputs, secretArgs);
  if (problem !== undefined)
    throw new InvalidInputError(new Border(textsOf(args, secretArgs)).clean(problem));
  // Without it, an inline program of the Automation API would end before the service answers.
  const done = pulumi.runtime.rpcKeepAlive();
  try {
    const provider = providerOf(options);
    // pulumi.runtime.setMocks promises that unit tests of a program never reach the network.
    const found = isMocked()
      ? ((await pulumi.runtime.invoke(`identity:index:${source.name}`, args, { provider })) as Answer)
      : await askProvider(source, args, provider, fromOutputs);
    // A line must not print a name that the program keeps secret.
    if (source.findsByName === true && !isMocked() && secretArgs.length === 0)
      noteFound(await tenantKey(provider), found as Named);
    return source.result === undefined ? (found as unknown as Result) : source.result(found, args);
  } catch (error) {
    keepLateRejectionsQuiet();
    throw error;
  } finally {
    done();
  }
}

async function askProvider<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: Args,
  provider: AnyProvider | undefined,
  { secretArgs, dependencies }: FromOutputs,
): Promise<Answer> {
  const secrets = textsOf(args, secretArgs);
  // Before there is a client, only arguments are known to be secret.
  let border = new Border(secrets);
  let client: IdentityClient | undefined;
  try {
    const connection = provider === undefined ? clientOfStack() : await clientOf(provider);
    client = connection.client;
    border = client.border.with(secrets);
    // Dependencies are part of the question. Calls that waited for the same resources may share an answer,
    // since no request went out before these existed.
    return await source.read(client, args, (question, send) =>
      once(JSON.stringify([connection.key, question, [...dependencies].sort()]), send),
    );
  } catch (error) {
    const before = callText(source.name, args, secretArgs);
    const leaving = outgoing(error, {
      before: client === undefined ? before : `${before} on ${client.tenant}`,
      after: source.advice?.(error) ?? "",
      border,
    });
    throw leaving;
  }
}

/** Without stack settings, data sources of an inline program fail at once. */
function requireStackClient(call: string): void {
  try {
    clientOfStack();
  } catch (error) {
    const leaving = outgoing(error, { before: call, after: "", border: new Border() });
    throw leaving;
  }
}

/** Shared only among copies of one release: another may read more, or less, of a tenant's answer. */
const ANSWERS = new ProgramMemory(`answers/${PACKAGE_VERSION}`, () => new Map<string, { answer: unknown }>());
/** Each copy has its own, because its errors aren't instances of another copy's classes. */
const ASKED = new ProgramMemory(Symbol("asked"), () => new Map<string, Promise<unknown>>());
const ASKED_BY_SCRIPT = new Map<string, Promise<unknown>>();

/**
 * Sends a question once in a run. A script without an engine has no known end, so only simultaneous calls
 * share an answer. Failures aren't kept.
 */
function once<Answer>(question: string, send: () => Promise<Answer>): Promise<Answer> {
  const answers = ANSWERS.recall();
  const known = answers?.get(question);
  if (known !== undefined) return Promise.resolve(known.answer as Answer);
  const asked = ASKED.recall() ?? ASKED_BY_SCRIPT;
  const underWay = asked.get(question) as Promise<Answer> | undefined;
  if (underWay !== undefined) return underWay;
  const sent = send();
  asked.set(question, sent);
  sent.then(
    (received) => {
      asked.delete(question);
      answers?.set(question, { answer: received });
    },
    () => asked.delete(question),
  );
  return sent;
}

function isDeferred(value: unknown): boolean {
  const parts = Array.isArray(value) ? (value as unknown[]) : [value];
  return parts.some(
    (part) =>
      pulumi.Output.isInstance(part) ||
      part instanceof Promise ||
      part === UNKNOWN_VALUE ||
      pulumi.containsUnknowns(part),
  );
}
