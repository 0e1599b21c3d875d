import type * as pulumi from "@pulumi/pulumi";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import * as provider from "../../provider";
import { unmark } from "../../provider/pulumi/plugin/values";
import { type Fault, type SeedInput, type Simulator } from "../../simulator";
import { structOf, type Values } from "../../testkit/hosts/host";
import { PluginInProcess, RunsInProcess } from "../../testkit/hosts/plugin-in-process";
import { settled, startTenant, stopTenants } from "./tenant";

/*
 * One table for all data sources. A row is a tenant, the calls that a program makes at once, and all that
 * comes of them: requests, and a result or an error. Every way to ask runs every row.
 */

export type Call = readonly [name: string, args: unknown];

export interface Row {
  title: string;
  tenant?: SeedInput;
  faults?: readonly Fault[];
  /** Calls at once, which share their requests. */
  asks: Call | readonly Call[];
  /** Requests in any order, without the API's path, or their number. Default: not compared. */
  sends?: readonly string[] | number;
  /** The result of the call, or those of all. */
  finds?: unknown;
  /** The message, and the class of the error where it is promised. */
  fails?: Failure | readonly [ErrorClass, Failure];
}

type Failure = string | RegExp;
type ErrorClass = new (...args: never[]) => Error;

type Ask = (name: string, args: unknown) => Promise<unknown>;
type Form = (args: unknown) => unknown;

const formOf = (name: string) => (provider as unknown as Record<string, Form>)[name] as Form;

/** How a program asks: by the function, in an Output, or in another language. */
const WAYS: Record<string, (tenant: Simulator, runs: RunsInProcess) => Promise<Ask>> = {
  "the function": () => Promise.resolve((name, args) => formOf(name)(args) as Promise<unknown>),
  "its Output form": () =>
    Promise.resolve(async (name, args) => {
      const output = formOf(`${name}Output`)(args) as pulumi.Output<unknown>;
      return (await settled(output)).value;
    }),
  "the plugin": async ({ url }, runs) => {
    const host = await PluginInProcess.start({ runs });
    const accessToken = process.env["IDENTITY_ACCESS_TOKEN"] ?? "";
    await host.configure({ "identity:domain": url, "identity:accessToken": accessToken });
    return async (name, args) => {
      const request = new rpc.InvokeRequest();
      request.setTok(`identity:index:${name}`);
      request.setArgs(structOf(args as Values));
      const answer = await host.call<rpc.InvokeResponse>("invoke", request);
      return unmark(answer.getReturn()?.toJavaScript() ?? {}).values;
    };
  },
};

export function table(subject: string, rows: readonly Row[], ways = Object.keys(WAYS)): void {
  describe(subject, () => {
    const runs = new RunsInProcess();
    afterAll(() => runs.stop());
    afterEach(stopTenants);
    describe.each(ways)("through %s", (way) => {
      // A failed Output fails the whole program.
      const those = rows.filter(({ fails }) => fails === undefined || way !== "its Output form");
      test.each(those)("$title", async ({ tenant: seed = {}, faults = [], asks, sends, finds, fails }) => {
        const tenant = await startTenant(seed);
        tenant.fail(...faults);
        const ask = await WAYS[way]!(tenant, runs);
        const calls = (typeof asks[0] === "string" ? [asks] : asks) as readonly Call[];
        const answers = await Promise.allSettled(calls.map(([name, args]) => ask(name, args)));

        if (fails === undefined) {
          const results = answers.map((one) => (one.status === "fulfilled" ? one.value : one));
          expect(calls === asks ? results : results[0]).toEqual(finds);
        } else {
          for (const answer of answers) expectFailure(answer, fails, way !== "the plugin");
        }
        const sent = tenant.log().map((line) => line.replace("/api/v2", ""));
        if (sends !== undefined)
          expect(typeof sends === "number" ? sent.length : sent.sort()).toEqual(
            typeof sends === "number" ? sends : [...sends].sort(),
          );
      });
    });
  });
}

/** The plugin has no classes of errors: another language gets the message alone. */
function expectFailure(
  answer: PromiseSettledResult<unknown>,
  fails: NonNullable<Row["fails"]>,
  hasClass: boolean,
): void {
  const [errorClass, failure] =
    typeof fails === "string" || fails instanceof RegExp ? [provider.IdentityError, fails] : fails;
  expect(answer.status).toBe("rejected");
  const { reason } = answer as { reason: Error };
  if (hasClass) expect(reason).toBeInstanceOf(errorClass);
  expect(reason.message).toEqual(
    typeof failure === "string" ? expect.stringContaining(failure) : expect.stringMatching(failure),
  );
}
