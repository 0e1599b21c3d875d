import * as pulumi from "@pulumi/pulumi";
import { type z } from "zod";
import { type IdentityClient } from "../../http/client";
import { InvalidInputError } from "../../http/errors";
import { redact } from "../../http/redact";
import { problemsOf, type RawInputs } from "../input-problems";
import { clientFor } from "../clients";
import { knownValue, resourcesOf, whenCreated } from "./dependencies";
import { Provider } from "./provider";
import { readSettings } from "../settings";
import { isUnknown } from "../unknown";

/** Options of the plain form of a data source. */
export interface DataSourceOptions {
  /** The tenant to ask: a `Provider` of this package. Default: that of `parent`, then stack configuration and environment. */
  provider?: pulumi.ProviderResource;
  /** A resource, such as the component that asks, whose provider is used. */
  parent?: pulumi.Resource;
}

/** Options of the Output form of a data source. */
export interface DataSourceOutputOptions extends DataSourceOptions {
  /**
   * Resources that must be there before the question is asked; of a component, its children. While one of them is yet
   * to be created, as in a preview, the result is unknown. Resources that arguments come from need not be listed.
   */
  dependsOn?: pulumi.Input<pulumi.Input<pulumi.Resource>[]> | pulumi.Input<pulumi.Resource>;
}

/** Asks the service, or shares the answer that another call of this run of the program gets for the same question. */
export type Ask = <Answer>(question: unknown[], send: () => Promise<Answer>) => Promise<Answer>;

/** A question to the tenant that a program asks, in previews too. */
export interface DataSource<Args extends object, Answer, Result> {
  /** `getUser` */
  name: string;
  schema: z.ZodType<Args>;
  read(client: IdentityClient, args: Args, ask: Ask): Promise<Answer>;
  /** Makes the result from what `read`, or in a unit test a mock, answered; marks what is secret. */
  result(answer: Answer, args: Args): Result;
}

/** The plain form: a promise. */
export async function invoke<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: Args,
  options: DataSourceOptions = {},
): Promise<Result> {
  if (Object.values(args ?? {}).some(isDeferred)) {
    throw new InvalidInputError(
      `${source.name}: an argument is an Output or is not known yet. Use ${source.name}Output, which takes such values.`,
    );
  }
  return answer(source, args, options, [], []);
}

/** The Output form: takes Outputs, stays unknown while they are, and keeps them secret if they are. */
export function invokeOutput<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: { [Name in keyof Args]: pulumi.Input<Args[Name]> },
  { dependsOn, ...options }: DataSourceOutputOptions = {},
): pulumi.Output<pulumi.Unwrap<Result>> {
  const provider = providerOf(options);
  const inputs = pulumi.output<object>([args, dependsOn ?? [], provider && settingsKnown(provider)]);
  const result: pulumi.Output<unknown> = inputs.apply(async (known) => {
    const [values, explicit] = known as [Args, pulumi.Resource | pulumi.Resource[], unknown];
    const secrets = await secretNames(args);
    const created = whenCreated([...[explicit].flat(), ...(await resourcesOf(inputs))]);
    return created.apply(async (urns) => {
      const found = await answer(source, values, options, secrets, urns);
      // `output` lifts what is secret within the result, so that all of it is.
      return pulumi.output<unknown>(found);
    });
  });
  return result as pulumi.Output<pulumi.Unwrap<Result>>;
}

async function answer<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: Args,
  options: DataSourceOptions,
  secrets: string[],
  dependencies: string[],
): Promise<Result> {
  const problems = problemsOf(source.schema, args as RawInputs, secrets);
  if (problems.length > 0) {
    throw new InvalidInputError(`${source.name} was called with invalid arguments. ${problems.join(" ")}`);
  }
  // Without it an inline program of the Automation API would end while the service is being asked.
  const done = pulumi.runtime.rpcKeepAlive();
  try {
    return source.result(await send(source, args, options, dependencies), args);
  } catch (error) {
    throw withoutValues(
      error,
      secrets.map((name) => (args as RawInputs)[name]),
    );
  } finally {
    done();
  }
}

async function send<Args extends object, Answer, Result>(
  source: DataSource<Args, Answer, Result>,
  args: Args,
  options: DataSourceOptions,
  dependencies: string[],
): Promise<Answer> {
  const provider = providerOf(options);
  if (isMocked()) {
    // pulumi.runtime.setMocks promises that no unit test of a program reaches the network.
    const token = `identity:index:${source.name}`;
    return (await pulumi.runtime.invoke(token, args, provider === undefined ? {} : { provider })) as Answer;
  }
  const client = await clientOf(provider);
  return source.read(client, args, (question, send) =>
    once(client, JSON.stringify([question, [...dependencies].sort()]), send),
  );
}

type Answers = WeakMap<IdentityClient, Map<string, Promise<unknown>>>;

/** Answers by run of a program: the Automation API makes several runs in one process, and each must ask anew. */
const answersOfRuns = new WeakMap<object, Answers>();
const NO_ENGINE = {};

/**
 * Sends a question once. Dependencies are part of the question: whoever waited for the same resources may share an
 * answer, since none was asked for before they were there.
 */
function once<Answer>(
  client: IdentityClient,
  question: string,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const run = pulumi.runtime.getMonitor() ?? NO_ENGINE;
  const clients: Answers = answersOfRuns.get(run) ?? new WeakMap();
  answersOfRuns.set(run, clients);
  const answers = clients.get(client) ?? new Map<string, Promise<unknown>>();
  clients.set(client, answers);
  const known = answers.get(question) as Promise<Answer> | undefined;
  if (known !== undefined) return known;
  const answer = send();
  answers.set(question, answer);
  // The next call may have better luck.
  answer.catch(() => answers.delete(question));
  return answer;
}

function providerOf({ provider, parent }: DataSourceOptions): Provider | undefined {
  const given = provider ?? parent?.getProvider("pulumi-nodejs:dynamic/identity:DataSource");
  if (given === undefined || given instanceof Provider) return given;
  throw new InvalidInputError("The provider of a data source must be a Provider of pulumi-identity.");
}

async function clientOf(provider: Provider | undefined): Promise<IdentityClient> {
  if (provider === undefined) {
    const config = new pulumi.Config("identity");
    return clientFor(
      readSettings((setting) => config.get(setting), process.env),
      { kind: "stack" },
    );
  }
  const { name, settings } = Provider.settingsOf(provider);
  const known = await knownValue(settings);
  if (known === undefined) {
    throw new InvalidInputError(
      `An argument of the Provider "${name}" is not known during this preview. Use the Output form of the data ` +
        "source, whose result is then unknown as well, or give the provider arguments that are known.",
    );
  }
  return clientFor(
    readSettings((setting) => known[setting], {}),
    { kind: "provider", name },
  );
}

/** Unknown while an argument of the provider is; never secret, since a result does not reveal credentials. */
function settingsKnown(provider: Provider): pulumi.Output<boolean> {
  return pulumi.unsecret(Provider.settingsOf(provider).settings).apply(() => true);
}

function isDeferred(value: unknown): boolean {
  const parts = Array.isArray(value) ? (value as unknown[]) : [value];
  return parts.some(
    (part) =>
      pulumi.Output.isInstance(part) ||
      part instanceof Promise ||
      isUnknown(part) ||
      pulumi.containsUnknowns(part),
  );
}

async function secretNames(args: object): Promise<string[]> {
  const names = Object.entries(args ?? {}).map(async ([name, value]: [string, unknown]) =>
    (await pulumi.isSecret(pulumi.output(value))) ? [name] : [],
  );
  return (await Promise.all(names)).flat();
}

/** The path in a message would show an id that the program keeps secret. */
function withoutValues(error: unknown, values: unknown[]): unknown {
  if (!(error instanceof Error)) return error;
  const texts = values
    .flat()
    .filter((value) => typeof value === "string")
    .flatMap((text) => [text, encodeURIComponent(text)]);
  if (texts.length === 0) return error;
  error.message = redact(error.message, texts);
  if (error.stack !== undefined) error.stack = redact(error.stack, texts);
  return error;
}

function isMocked(): boolean {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}
