import * as pulumi from "@pulumi/pulumi";
import { type SeedInput, type Simulator, type SimulatorOptions, startSimulator } from "../../simulator";

export const USER_ID = "auth0|64c1f0a2b7d83e5f9a1b2c3d";
export const USER_PATH = `/api/v2/users/${encodeURIComponent(USER_ID)}`;

const READS =
  "read:users read:roles read:groups read:group_roles read:organizations read:connection_profiles read:device_credentials";

/** least-privilege.test.ts has each call with its own scopes alone. */
const TOKENS: NonNullable<SeedInput["tokens"]> = [
  { access_token: "reads", scope: READS },
  { access_token: "reads-identity-tokens", scope: "read:users read:user_idp_tokens" },
  { access_token: "reads-itself", scope: "read:current_user", subject: USER_ID },
  { access_token: "reads-nothing", scope: "update:users" },
];

const running: Simulator[] = [];

/** Starts a tenant and selects it in the environment; each has its own port, and so its own client. */
export async function startTenant(
  seed: SeedInput,
  { accessToken = "reads", ...options }: SimulatorOptions & { accessToken?: string } = {},
): Promise<Simulator> {
  const simulator = await startSimulator({ ...options, seed: { tokens: TOKENS, ...seed } });
  running.push(simulator);
  process.env["IDENTITY_DOMAIN"] = simulator.url;
  process.env["IDENTITY_ACCESS_TOKEN"] = accessToken;
  return simulator;
}

/** For `afterEach`. */
export async function stopTenants(): Promise<void> {
  for (const name of Object.keys(process.env)) if (name.startsWith("IDENTITY_")) delete process.env[name];
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
}

/** Returns an Output's known value, and if it's secret; rejects as the Output does. */
export async function settled<T>(output: pulumi.Output<T>): Promise<{ value: T; secret: boolean }> {
  const { promise } = output as unknown as { promise: () => Promise<T> };
  return { value: await promise(), secret: await pulumi.isSecret(output) };
}

export async function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as { isKnown: Promise<boolean> }).isKnown;
}

/** Returns the error of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => Promise.reject(new Error("The call was expected to fail.")),
    (error: Error) => error,
  );
}
