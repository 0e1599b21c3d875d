import { type SeedInput, type SimulatorState, type TenantState } from "./types";

/** Accepts a state as a seed, too: drops its issued tokens, and nulls for unset fields. */
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

/** Turns a state into a seed with the same records, leaving out unset fields of profiles. */
export function recordsOf(state: TenantState): SeedInput {
  const { clients, groups, device_credentials, sessions, refresh_tokens } = state;
  const profiles = state.connection_profiles.map(withoutNulls);
  return {
    clients,
    groups,
    device_credentials,
    sessions,
    refresh_tokens,
    users: state.users,
    roles: state.roles,
    organizations: state.organizations,
    connection_profiles: profiles as unknown as SeedInput["connection_profiles"],
  };
}
