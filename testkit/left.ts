import { recordsOf, type SeedInput } from "../simulator";
import { type Engine, type ResourceState } from "./engine";
import { type Tenant } from "./tenant";

/** State and tenant as a run has left them, to go on from there several times. */
interface Left {
  records: SeedInput;
  state: [string, ResourceState][];
  pendingDeletes: Engine["pendingDeletes"];
}

export function leftBy({ state, pendingDeletes }: Engine, tenant: Tenant): Left {
  const records = recordsOf(tenant.simulator.state());
  return structuredClone({ records, state: [...state], pendingDeletes });
}

/** `engine`: a new one. */
export function goOnFrom(left: Left, engine: Engine, tenant: Tenant): Engine {
  const { records, state, pendingDeletes } = structuredClone(left);
  tenant.seed(records);
  for (const [name, resource] of state) engine.state.set(name, resource);
  engine.pendingDeletes.push(...pendingDeletes);
  return engine;
}
