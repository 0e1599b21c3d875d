import { type SeedInput, type SimulatorState, type TenantState } from "./types";

/**
 * What is given as a seed may be a state as well, which has tokens that were handed out, and null for what is
 * not set.
 */
export function seedOf(given: unknown): unknown {
  if (!isState(given)) return given;
  const { access_tokens: _, ...records } = given;
  return { ...records, connection_profiles: records.connection_profiles.map(withoutNulls) };
}

function isState(given: unknown): given is SimulatorState {
  const { access_tokens, connection_profiles } = (given ?? {}) as Partial<SimulatorState>;
  return Array.isArray(access_tokens) && Array.isArray(connection_profiles);
}

function withoutNulls(record: object): object {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([, value]) => value !== null));
}

/**
 * All records of a state, as a seed that gives the same ones: it has no field of a profile that is not set.
 */
export function recordsOf(state: TenantState): SeedInput {
  const { clients, groups, device_credentials } = state;
  const profiles = state.connection_profiles.map(withoutNulls);
  return {
    clients,
    groups,
    device_credentials,
    users: state.users,
    roles: state.roles,
    connection_profiles: profiles as unknown as SeedInput["connection_profiles"],
  };
}
