import type * as pulumi from "@pulumi/pulumi";
import * as z from "../../zod";
import { IdentityError, InvalidInputError, NotFoundError } from "../../http/errors";
import { problemsOf } from "../input-problems";
import { type Context, type Observed, type ResourceKind } from "../resource-kind";
import { type StateFormat } from "./state";

/** A look at a resource of which nothing but the id is known. */
export class ById<Inputs extends object> {
  constructor(
    private readonly kind: ResourceKind<Inputs>,
    private readonly format: StateFormat<Inputs>,
    private readonly context: Context,
  ) {}

  async import(id: string): Promise<pulumi.dynamic.ReadResult> {
    const observed = await this.#read(id);
    const what = `${this.kind.name} ${JSON.stringify(id)}`;
    if (observed === undefined)
      throw new IdentityError(
        `${what} does not exist on the tenant ${this.context.client.tenant}. Check the id.`,
      );
    if (observed.isAssumed === true)
      throw new IdentityError(
        `${what} can't be read: the service has no call for it. Declare it in the program.`,
      );
    const lack = this.#lack(observed);
    // If `check` refused what an import has read, the CLI would call it a bug of the provider.
    // The engine doesn't say whether it's an import.
    if (lack !== undefined)
      throw new IdentityError(`${what} can neither be imported nor read by get as it is: ${lack}`);
    return this.#result(id, observed);
  }

  /** An empty result if the program could neither import nor `get` it. */
  async exists(id: string): Promise<pulumi.dynamic.ReadResult> {
    const observed = await this.#read(id);
    if (observed === undefined || this.#lack(observed) !== undefined) return {};
    const isDone = observed.isAssumed !== true || (await this.kind.isDone?.(this.context, id));
    return isDone === false ? {} : this.#result(id, observed);
  }

  #read(id: string): Promise<Observed<Inputs> | undefined> {
    checkId(this.kind, id, this.kind.name);
    return unlessGone(() => this.kind.read(this.context, id, undefined));
  }

  /** Why no program could declare it as it is, such as a role without groups. */
  #lack(observed: Observed<Inputs>): string | undefined {
    return problemsOf(this.kind.schema, this.format.observedInputs(observed, {}), [])[0];
  }

  #result(id: string, observed: Observed<Inputs>): pulumi.dynamic.ReadResult {
    return {
      id,
      props: this.format.outputs(this.context.client.tenant, observed, {}),
      inputs: this.format.observedInputs(observed, {}),
    };
  }
}

/** Throws an `InvalidInputError` if a program has given something else than an id of the kind. */
export function checkId({ id: rule }: Pick<ResourceKind<object>, "id">, id: string, to: string): void {
  const [problem] = problemsOf(z.object({ id: rule }), { id }, []);
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
