import { type FastifyRequest } from "fastify";
import { Tenant } from "./tenant";

/** Makes reads lag behind writes, if the tenant's `read_lag` asks for it. */
export class Lag {
  #before: Tenant | undefined;
  #readsLeft = 0;

  constructor(private readonly tenant: () => Tenant) {}

  readonly seen = (request: FastifyRequest): Tenant => {
    const { exchange } = request;
    const seen = exchange?.seen ?? this.#next();
    if (exchange !== undefined) exchange.seen = seen;
    return seen;
  };

  /** Call it right before a change. */
  readonly written = (): Tenant => {
    const tenant = this.tenant();
    const { read_lag: reads } = tenant.behaviour;
    if (reads > 0 && this.#readsLeft === 0)
      this.#before = new Tenant({ ...tenant.state(), access_tokens: [] });
    this.#readsLeft = reads;
    return tenant;
  };

  /** A new seed shows at once. */
  end(): void {
    this.#readsLeft = 0;
  }

  #next(): Tenant {
    if (this.#before === undefined || this.#readsLeft === 0) return this.tenant();
    this.#readsLeft--;
    return this.#before;
  }
}
