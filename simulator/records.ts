import { type SeedInput, type TenantState } from "./types";

/** All records of a state, as a seed that gives the same ones: it has no field of a profile that is not set. */
export function recordsOf(state: TenantState): SeedInput {
  const { clients, groups, device_credentials } = state;
  const profiles = state.connection_profiles.map((profile) =>
    Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== null)),
  );
  return {
    clients,
    groups,
    device_credentials,
    users: state.users,
    roles: state.roles,
    connection_profiles: profiles as unknown as SeedInput["connection_profiles"],
  };
}
