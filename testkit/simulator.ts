import { type Simulator, type SimulatorOptions, startSimulator } from "../simulator";
import { UNLIMITED } from "./client";

/** The simulated tenant of one test file, with a rate limit that no test reaches unless it's given one. */
export function useSimulator(options: SimulatorOptions = {}): Simulator {
  let started: Simulator | undefined;
  beforeAll(async () => {
    started = await startSimulator({ rate: UNLIMITED, ...options });
  });
  afterAll(() => started?.close());
  return new Proxy({} as Simulator, {
    get: (_, name) => {
      if (started === undefined) throw new Error("The simulator starts with the tests.");
      const value: unknown = Reflect.get(started, name);
      return typeof value === "function" ? (value.bind(started) as unknown) : value;
    },
  });
}

/** The settings of a tenant, as variables. */
export function environmentOf({
  url,
  clientId,
  clientSecret,
}: Pick<Simulator, "url" | "clientId" | "clientSecret">): Record<string, string> {
  return { IDENTITY_DOMAIN: url, IDENTITY_CLIENT_ID: clientId, IDENTITY_CLIENT_SECRET: clientSecret };
}
