import { type Tenant } from "./tenant";
import { type RateState } from "./rate-limit";
import { type FaultAction, type LoggedRequest } from "./types";

/** The simulator's notes on a request while it answers it. */
export interface Exchange {
  entry: LoggedRequest;
  done: boolean;
  rate?: RateState;
  fault?: FaultAction;
  /** The tenant as this request sees it. */
  seen?: Tenant;
}

// Kept apart from the public types, because programs would otherwise need fastify's types.
declare module "fastify" {
  interface FastifyRequest {
    exchange: Exchange | undefined;
  }
}
