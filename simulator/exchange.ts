import { type Tenant } from "./tenant";
import { type RateState } from "./rate-limit";
import { type FaultAction, type LoggedRequest } from "./types";

/** What the simulator keeps about a request while it answers it. */
export interface Exchange {
  entry: LoggedRequest;
  done: boolean;
  rate?: RateState;
  fault?: FaultAction;
  /** The tenant as this request sees it. */
  seen?: Tenant;
}

// Not beside the public types: programs would have to resolve the types of fastify for it.
declare module "fastify" {
  interface FastifyRequest {
    exchange: Exchange | undefined;
  }
}
