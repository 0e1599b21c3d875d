import { isDeepStrictEqual } from "node:util";
import { type Border } from "../../border";
import { IdentityError } from "../../http/errors";
import { type RawInputs, recordable, sortedSet } from "../../review/raw-inputs";
import { hiddenIn, ifKnown, seenText, UNKNOWN } from "../../seen";
import { doubtOfId } from "../../service/ids";
import { isObject } from "../../service/record";
import { secretNames, secretTexts } from "../hidden-inputs";
import { type PlannedEffects, type Request, type ResourceKind } from "../resource-kind";
import { type CheckedResource, type Run } from "../run";
import { type Door, type HostConfig } from "./door";
import { HandlerError, messageOf } from "./handler-error";
import { runOf } from "./run-of-host";
import { StateFormat } from "./state";

/** A kind in this process, with the run that its operations share. */
export class KindInHost<Inputs extends object> {
  readonly format: StateFormat<Inputs>;
  #config: HostConfig | undefined;
  #run: Run | undefined;

  constructor(
    readonly kind: ResourceKind<Inputs>,
    readonly door: Door,
  ) {
    this.format = new StateFormat(kind);
  }

  configure(config: HostConfig): void {
    this.#config = config;
    this.#run = undefined;
  }

  get run(): Run {
    this.#run ??= runOf(this.#config, this.door);
    return this.#run;
  }

  /** Returns the border of a resource with these inputs, which may be those of before and after a change. */
  border(...raws: RawInputs[]): Border {
    return this.run.border.with(raws.flatMap(secretTexts));
  }

  /** Returns the request of a call with these inputs, or with this state if it has no inputs. */
  request<About extends Partial<Request<Inputs>>>(
    given: RawInputs,
    about: About,
    border = this.border(given),
  ): Request<Inputs> & About {
    const { run } = this;
    return {
      ...DEFAULTS,
      ...about,
      run,
      get client() {
        return run.client;
      },
      given,
      secretInputs: secretNames(given),
      border,
      tell: (...lines) => lines.forEach((line) => border.print(line)),
      requestRevocation: (by, acts) => {
        // Messages of other resources name it, but their borders don't know its secrets.
        run.revocations.request(about.resource?.name ?? border.clean(by), acts);
        if (acts.length > 0) run.tellRestraints();
      },
    };
  }

  /** Says that an input for an id may hold a name, unless the program has found the id by one. */
  doubt(raw: RawInputs, names?: CheckedResource["names"]): string | undefined {
    const openId = this.kind.fields.openId?.(raw);
    const id = openId && ifKnown(seenText(raw[openId.input]));
    if (openId === undefined || id === undefined || names?.has(id) === true) return undefined;
    return doubtOfId(openId, id, secretNames(raw).includes(openId.input));
  }

  effects(request: Request<Inputs>): PlannedEffects {
    return this.kind.effects?.(request) ?? { lines: [], acts: [] };
  }

  /** Returns the resource of a later call, if this run has checked it; throws if its inputs have changed. */
  checked(raw: RawInputs, inputs: RawInputs): CheckedResource | undefined {
    const { name } = this.kind;
    const { reliedOn = [] } = this.kind.fields;
    const resource = this.run.resource(name, raw);
    if (resource === undefined) return undefined;
    const now = recordable(inputs);
    const changed = reliedOn.filter((input) => !isAlike(resource.inputs[input], now[input]));
    if (changed.length === 0) return resource;
    // The engine compares dependents of a replaced resource with what is not known yet.
    if (changed.some((input) => hiddenIn(now[input]) === UNKNOWN)) return undefined;
    throw new IdentityError(changedSinceCheck(resource.name ?? name, changed), "not sent");
  }

  /** Cleans an error for leaving the process; inputs and state among `args` know the secrets in it. */
  leaving(error: unknown, args: readonly unknown[]): HandlerError {
    if (error instanceof HandlerError) return error;
    const border = this.border(...args.filter(isObject).map(recordable));
    return new HandlerError(border.clean(this.run.settingsOnce(error, messageOf(error))));
  }
}

const DEFAULTS = {
  resource: undefined,
  id: undefined,
  prior: undefined,
  replaced: undefined,
  inputs: {},
  isChanged: true,
  isDelete: false,
  replacedSets: [],
} as const;

/** Other resources of the run have relied on what `check` got. */
function changedSinceCheck(resource: string, inputs: readonly string[]): string {
  return (
    `Nothing was sent: after the provider had checked ${resource}, something changed its ${inputs.join(" and ")}, as a policy ` +
    "pack's remediation does. Write the change into the program, or make the policy mandatory."
  );
}

/** Order means nothing in a list that others rely on. */
function isAlike(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((value) => (Array.isArray(value) ? sortedSet(value) : value));
  return isDeepStrictEqual(a, b);
}
