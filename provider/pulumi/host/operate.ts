import type * as pulumi from "@pulumi/pulumi";
import {
  ApiError,
  AuthenticationError,
  IdentityError,
  isOfSubscription,
  NetworkError,
  NotFoundError,
} from "../../http/errors";
import { type Actor } from "../../review/permits";
import { type RawInputs } from "../../review/raw-inputs";
import { READ_ONLY } from "../hidden-inputs";
import { PartialFailure, type Request } from "../resource-kind";
import { checkId, unlessGone } from "./by-id";
import { HandlerError, messageOf } from "./handler-error";
import { type KindInHost } from "./kind-in-host";
import { notShownYet, SIGHTINGS } from "./sightings";
import { guardTenant, writtenNow } from "./state";

/* The operations that ask or change the tenant. */

export async function create<Inputs extends object>(
  host: KindInHost<Inputs>,
  news: RawInputs,
): Promise<pulumi.dynamic.CreateResult> {
  const { kind, format, run } = host;
  run.restrain();
  const { tenant } = run.client;
  const inputs = format.inputs(news);
  const request = host.request(news, { resource: host.checked(news, inputs), inputs });
  try {
    const observed = await ifReviewed(host, request, () => kind.create(request));
    return { id: observed.id, outs: format.outputs(tenant, observed, written(host, news)) };
  } catch (error) {
    throw failed(host, request, error, host.doubt(news));
  }
}

export async function read<Inputs extends object>(
  host: KindInHost<Inputs>,
  id: string,
  props: RawInputs,
): Promise<pulumi.dynamic.ReadResult> {
  const { kind, format, run } = host;
  if (id.trim() === "") {
    throw new IdentityError(`${kind.name}.get needs the id of an existing resource; it is empty.`);
  }
  // State written by this package always has the tenant; `get` provides only the id.
  const isKnown = format.tenantOf(props) !== undefined;
  if (!isKnown) checkId(kind, id, `${kind.name}.get`);
  const isManaged = isKnown && props[READ_ONLY] !== true;
  const { tenant } = run.client;
  guardTenant(kind.name, props, run);
  const prior = isManaged ? format.prior(props) : undefined;
  const request = host.request(props, { id, prior, needsProof: false });
  const look = async () => {
    const seen = await unlessGone(() => kind.read(request));
    return seen ?? (prior?.isJustWritten === true ? notShownYet(kind.name, prior, request) : undefined);
  };
  const observed = await (isKnown ? run.recall(SIGHTINGS).during(tenant, look) : look());
  if (observed === undefined && isKnown) return {};
  if (observed === undefined) {
    throw new IdentityError(
      `${kind.name} ${JSON.stringify(id)} does not exist on the tenant ${tenant}. Check the id given to ${kind.name}.get.`,
    );
  }
  return {
    id,
    props: { ...format.outputs(tenant, observed, props), ...(!isManaged && { [READ_ONLY]: true }) },
    inputs: format.observedInputs(observed, props),
  };
}

export async function update<Inputs extends object>(
  host: KindInHost<Inputs>,
  id: string,
  olds: RawInputs,
  news: RawInputs,
): Promise<pulumi.dynamic.UpdateResult> {
  const { kind, format, run } = host;
  guardTenant(kind.name, olds, run);
  run.restrain();
  const { tenant } = run.client;
  const prior = format.prior(olds);
  const inputs = format.inputs(news);
  const about = { resource: host.checked(news, inputs), id, prior, inputs };
  // In state, an id may have come from an input that was a secret back then.
  const request = host.request(news, about, host.border(olds, news));
  try {
    const observed = await ifReviewed(host, request, () => kind.update(request));
    return { outs: format.outputs(tenant, observed, written(host, news)) };
  } catch (error) {
    throw failed(host, request, error);
  }
}

export async function remove<Inputs extends object>(
  host: KindInHost<Inputs>,
  id: string,
  props: RawInputs,
): Promise<void> {
  const { kind, format, run } = host;
  guardTenant(kind.name, props, run);
  run.restrain();
  run.refuseMisspelt();
  const request = host.request(props, { id, prior: format.prior(props), isDelete: true });
  await unlessGone(() => ifReviewed(host, request, () => kind.delete(request)).catch(withWayOut));
}

/** A tenant that is gone, or lost the feature, would keep a stack from ever being destroyed. */
function withWayOut(error: unknown): never {
  const isLost = error instanceof ApiError && isOfSubscription(error.answer);
  const isNowhere = error instanceof AuthenticationError && [404, 405].includes(error.status);
  const isUnknown = error instanceof NetworkError && error.isUnknownHost;
  if (!(isLost || isNowhere || isUnknown)) throw error;
  throw new IdentityError(
    `${error.message} To destroy the rest, leave this resource out: pulumi destroy --exclude URN. If its tenant ` +
      "or the feature is gone for good, take it out of state: pulumi state delete URN.",
    error.outcome,
  );
}

/** Runs an operation. If the run is held to a review that lacks any part of it, refuses the whole. */
async function ifReviewed<Inputs extends object, Result>(
  host: KindInHost<Inputs>,
  request: Request<Inputs>,
  operation: () => Promise<Result>,
): Promise<Result> {
  const { guard } = host.run;
  if (!guard.isOn) return operation();
  return guard.during(actorOf(request), host.effects(request).acts, operation);
}

function actorOf<Inputs extends object>({ isDelete, resource, id, secretInputs }: Request<Inputs>): Actor {
  if (!isDelete) return { name: resource?.name, id };
  // A review shows everything in state except secrets, so only those can leave something open.
  return secretInputs.length > 0 ? { id } : {};
}

/** The door of the plugin tells the stack with each call. */
function written<Inputs extends object>({ door, run }: KindInHost<Inputs>, news: RawInputs): RawInputs {
  return writtenNow(news, door.namesResources ? undefined : run.stack);
}

function failed<Inputs extends object>(
  host: KindInHost<Inputs>,
  { client: { tenant }, border, given }: Request<Inputs>,
  error: unknown,
  doubt?: string,
): HandlerError {
  const { kind, format } = host;
  const cause = error instanceof PartialFailure ? error.cause : error;
  const advice =
    cause instanceof NotFoundError
      ? ` The ${kind.name} refers to something that is not on the tenant ${tenant} (any more)` +
        (doubt === undefined ? ": check the ids." : `. ${doubt}`)
      : "";
  const message = border.clean(messageOf(cause) + advice);
  if (!(error instanceof PartialFailure)) return new HandlerError(message);
  const { id, observed } = error as PartialFailure<Inputs>;
  const properties = format.partialOutputs(tenant, observed, written(host, given));
  return new HandlerError(message, { id, properties, reasons: [message] });
}
