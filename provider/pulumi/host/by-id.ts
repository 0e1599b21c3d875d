import type * as pulumi from "@pulumi/pulumi";
import * as z from "../../zod";
import { IdentityError, InvalidInputError, NotFoundError } from "../../http/errors";
import { problemsOf } from "../input-problems";
import { type Observed, type ResourceKind } from "../resource-kind";
import { type KindInHost } from "./kind-in-host";

/* Looks at a resource of which nothing but the id is known. */

/** Reads a resource that state doesn't have yet, to manage it from now on or only to read it. */
export async function importById<Inputs extends object>(
  host: KindInHost<Inputs>,
  id: string,
): Promise<pulumi.dynamic.ReadResult> {
  const { tenant } = host.run.client;
  const observed = await look(host, id, false);
  const what = `${host.kind.name} ${JSON.stringify(id)}`;
  if (observed === undefined)
    throw new IdentityError(`${what} does not exist on the tenant ${tenant}. Check the id.`);
  if (observed.isAssumed === true)
    throw new IdentityError(
      `${what} can't be read: the service has no call for it. Declare it in the program.`,
    );
  const lack = lackOf(host, observed);
  // If `check` refused what an import has read, the CLI would call it a bug of the provider.
  // The engine doesn't say whether it's an import.
  if (lack !== undefined)
    throw new IdentityError(`${what} can neither be imported nor read by get as it is: ${lack}`);
  return resultOf(host, id, observed);
}

/**
 * The same for a program that asks whether there is one. An empty result if the program could neither import
 * nor `get` it.
 */
export async function exists<Inputs extends object>(
  host: KindInHost<Inputs>,
  id: string,
): Promise<pulumi.dynamic.ReadResult> {
  const observed = await look(host, id, true);
  const isProven = observed !== undefined && observed.isAssumed !== true;
  return isProven && lackOf(host, observed) === undefined ? resultOf(host, id, observed) : {};
}

function look<Inputs extends object>(
  host: KindInHost<Inputs>,
  id: string,
  needsProof: boolean,
): Promise<Observed<Inputs> | undefined> {
  const { kind } = host;
  checkId(kind, id, kind.name);
  return unlessGone(() => kind.read(host.request({}, { id, needsProof })));
}

/** Returns why no program could declare it as it is, such as a role without groups. */
function lackOf<Inputs extends object>(
  { kind, format }: KindInHost<Inputs>,
  observed: Observed<Inputs>,
): string | undefined {
  return problemsOf(kind.fields.schema, format.observedInputs(observed, {}), [])[0];
}

function resultOf<Inputs extends object>(
  { format, run }: KindInHost<Inputs>,
  id: string,
  observed: Observed<Inputs>,
): pulumi.dynamic.ReadResult {
  return {
    id,
    props: format.outputs(run.client.tenant, observed, {}),
    inputs: format.observedInputs(observed, {}),
  };
}

/** Throws an `InvalidInputError` if a program has given something else than an id of the kind. */
export function checkId<Inputs extends object>(
  { fields }: ResourceKind<Inputs>,
  id: string,
  to: string,
): void {
  const [problem] = problemsOf(z.object({ id: fields.id }), { id }, []);
  if (problem !== undefined) throw new InvalidInputError(`${to}: ${problem}`);
}

/** Treats a 404 of the object itself as gone, for `read` and `delete` of every kind. */
export async function unlessGone<T>(operation: () => Promise<T>): Promise<T | undefined> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
