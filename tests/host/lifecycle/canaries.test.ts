import { API_ECHOES, type Echo, TOKEN_ECHOES } from "../../../testkit/canaries/echoes";
import { checksSoFar, leaksIn, SPELLINGS } from "../../../testkit/canaries/spellings";
import {
  ALL_SCOPES,
  DEFAULT_SEED,
  GROUP_ADMINS,
  GROUP_BILLING,
  OTHER_ROLE_ID,
} from "../../../simulator/default-seed";
import {
  assignment,
  Engine,
  profile,
  type Program,
  removal,
  type Run,
  RunFailed,
  secret,
} from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";

/*
 * The answers to every operation echo credentials in every spelling, through the SDK's provider host. Neither
 * these nor the secret input of a profile may reach the engine, the output, or state.
 */

const tenant = useTenant();

const CLIENT = { client_id: "canary", client_secret: `cA9/kw0!+&"x ~q7Zr2=`, scope: ALL_SCOPES };
const TOKEN = "tk9.Xw2-vPq7.L0dR4";
const PROFILE_ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
/** A value in a profile that the program gives as a secret. */
const INPUT = "in7/Vq+&w ~Hc3p";
const CANARIES = { "client secret": CLIENT.client_secret, "access token": TOKEN, "secret input": INPUT };

/** All spellings at once, within the 1,000 characters that a quote may have. */
const allSpellings = (canary: string) =>
  Object.values(SPELLINGS)
    .map((spell) => spell(canary))
    .join(" ");

/** tests/canary has each place, with the client alone. */
const PLACES = ["the message of a 400", "the code of a 403", "keys and values of an answer of another shape"];

const start = (): Program => ({
  p: profile({ name: "mine", strategyOverrides: { okta: { provisioning: { note: secret(INPUT) } } } }),
  a: assignment({ roleId: OTHER_ROLE_ID, groupIds: [GROUP_ADMINS] }),
});

/** Operations on the resources while the answers echo. */
const OPERATIONS: Record<string, (engine: Engine) => Promise<Run>> = {
  create: (engine) =>
    engine.up({
      ...start(),
      q: profile({ name: "q", strategyOverrides: { okta: { provisioning: { note: secret(INPUT) } } } }),
    }),
  adopt: (engine) => engine.up({ ...start(), q: profile({ name: "x", adopt: PROFILE_ID }) }),
  "look ahead": (engine) => engine.preview({ ...start(), q: profile({ name: "x", adopt: PROFILE_ID }) }),
  update: (engine) =>
    engine.up({
      p: profile({
        name: "other",
        strategyOverrides: { okta: { provisioning: { note: secret(INPUT), more: 1 } } },
      }),
      a: assignment({ roleId: OTHER_ROLE_ID, groupIds: [GROUP_BILLING] }),
    }),
  remove: (engine) => engine.up({ ...start(), r: removal("dcr_6XnTb4kWq9ZpHs2V") }),
  refresh: (engine) => engine.refresh(),
  destroy: (engine) => engine.destroy({ continueOnError: true }),
};

const WITH_SECRET = { "identity:clientId": CLIENT.client_id, "identity:clientSecret": CLIENT.client_secret };
const WITH_TOKEN = { "identity:accessToken": TOKEN };
/** The echoed values, with the credentials in use. */
const ECHOED: Record<string, { canary: string; credentials: Record<string, string> }> = {
  "the client secret": { canary: CLIENT.client_secret, credentials: WITH_SECRET },
  "the access token": { canary: TOKEN, credentials: WITH_TOKEN },
};

afterAll(() =>
  process.stdout.write(`${checksSoFar()} searches for a canary in what handlers say and record\n`),
);

async function leaksOf(path: string, echo: Echo, echoed: string, operation: string): Promise<string[]> {
  const { canary, credentials } = ECHOED[echoed] as { canary: string; credentials: Record<string, string> };
  tenant.seed({
    clients: [...(DEFAULT_SEED.clients ?? []), CLIENT],
    tokens: [{ access_token: TOKEN, scope: ALL_SCOPES }],
    connection_profiles: [{ id: PROFILE_ID, name: "theirs" }],
  });
  const config = { "identity:domain": tenant.url, "identity:maxWaitSeconds": "1", ...credentials };
  const engine = new Engine(tenant, { config });
  await engine.up(start());
  tenant.clear();
  tenant.fail({ path, times: 20, action: echo(allSpellings(canary)) });
  const operate = OPERATIONS[operation] as (engine: Engine) => Promise<Run>;
  const run = await operate(engine).catch((error: unknown) => {
    if (error instanceof RunFailed) return error.run;
    throw error;
  });
  expect(tenant.sent().length).toBeGreaterThan(0);
  const shown = [...run.messages, ...run.errors, run.stderr].join("\n");
  // State has the secret input under its own name, where the engine encrypts it.
  const state = JSON.stringify([...engine.state], (key, value: unknown) =>
    key === "note" ? undefined : value,
  );
  return [
    ...leaksIn(`${operation}: shown`, shown, CANARIES),
    ...leaksIn(`${operation}: state`, state, CANARIES),
  ];
}

describe.each(Object.keys(ECHOED))("%s is echoed", (echoed) => {
  const first = Object.keys(ECHOED).indexOf(echoed);
  const rows = Object.keys(OPERATIONS).map((operation, i) => ({
    operation,
    place: PLACES[(first + i) % PLACES.length]!,
  }));

  test.each(rows)("by the API's answers to $operation: $place", async ({ operation, place }) => {
    expect(await leaksOf("/api/v2/*", API_ECHOES[place] as Echo, echoed, operation)).toEqual([]);
  });
});

test("the client secret is echoed by the token endpoint", async () => {
  const [echo] = Object.values(TOKEN_ECHOES);
  expect(await leaksOf("/oauth/token*", echo as Echo, "the client secret", "refresh")).toEqual([]);
});
