import { ConnectionProfile, getUser, Provider } from "../../../provider";
import { type Simulator, startSimulator } from "../../../simulator";
import { DEFAULT_SEED, USER_ID } from "../../../simulator/default-seed";
import { type InlineOutcome, runInline } from "../../../testkit/inline-engine";

/**
 * A long-lived process must remember nothing of a finished run of a program, or of a script without an
 * engine.
 */

const USER = `GET /api/v2/users/${encodeURIComponent(USER_ID)}`;
const TOKEN = "POST /oauth/token";
const asked = () => getUser({ userId: USER_ID });

let simulator: Simulator;
/** The runs' settings; the tenant may get another secret. */
let given: { clientId: string; clientSecret: string };
beforeEach(async () => {
  simulator = await startSimulator();
  given = { clientId: simulator.clientId, clientSecret: simulator.clientSecret };
});
afterEach(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith("IDENTITY_")) delete process.env[name];
  await simulator.close();
});

const clientOf = (secret: string) => ({
  client_id: given.clientId,
  client_secret: secret,
  scope: DEFAULT_SEED.clients?.[0]?.scope ?? "",
});

/** Runs an inline program of the Automation API in this process. */
function run(program: () => Promise<object>): Promise<InlineOutcome> {
  const config = {
    "identity:domain": simulator.url,
    "identity:clientId": given.clientId,
    "identity:clientSecret": given.clientSecret,
  };
  return runInline({ stack: "test", isPreview: false, config, program: program as never });
}

/** Makes the calls one after the other, and returns how each ended. */
async function oneByOne(calls: number): Promise<string[]> {
  const ends: string[] = [];
  for (let call = 0; call < calls; call++) {
    ends.push(
      await asked().then(
        () => "answered",
        (error: Error) => error.message,
      ),
    );
  }
  return ends;
}

test("each run asks once", async () => {
  for (const email of ["before@example.com", "after@example.com"]) {
    simulator.seed({ ...DEFAULT_SEED, users: [{ user_id: USER_ID, email }] });
    const { outputs, errors } = await run(async () => {
      await asked();
      return { email: (await asked()).email };
    });
    expect({ outputs, errors }).toEqual({ outputs: { email }, errors: [] });
    expect(simulator.log()).toEqual([`${TOKEN} 200`, `${USER} 200`]);
    simulator.reset();
  }
});

test("refused credentials end with the run, as does what was said of them", async () => {
  const refusedRun = () => run(async () => ({ ends: await oneByOne(2) }));
  simulator.seed({ ...DEFAULT_SEED, clients: [clientOf("another")] });
  for (let time = 0; time < 2; time++) {
    const { outputs } = await refusedRun();
    const [first, second] = outputs["ends"] as [string, string];
    expect(first).toContain("gave no token");
    expect(second).toContain("see the first message");
  }
  simulator.seed({ ...DEFAULT_SEED, clients: [clientOf(given.clientSecret)] });
  expect((await refusedRun()).outputs).toEqual({ ends: ["answered", "answered"] });
});

test("Providers with equal settings ask for one token, and share requests with no other", async () => {
  const { url: domain } = simulator;
  const settings = { domain, clientId: given.clientId, clientSecret: given.clientSecret };
  const asks = (provider: Provider) => getUser({ userId: USER_ID }, { provider });
  await run(async () => {
    const equal = ["a", "b", "c"].map((name) => new Provider(name, settings));
    await Promise.all(equal.map(asks));
    await asks(new Provider("d", { ...settings, maxConcurrency: 2 }));
    return {};
  });
  expect(simulator.log().filter((line) => line.startsWith(TOKEN))).toHaveLength(2);
});

test("two runs at once have nothing in common", async () => {
  const profile = (name: string) =>
    new ConnectionProfile(name, { name, adopt: "cop_2GjRf8mYd5LcVt7K9sPmZa" });
  const runs = await Promise.all(
    ["one", "two"].map((name) =>
      run(async () => {
        profile(name);
        return { email: (await asked()).email };
      }),
    ),
  );
  expect(runs.map(({ declared, errors }) => ({ declared, errors }))).toEqual([
    { declared: ["one"], errors: [] },
    { declared: ["two"], errors: [] },
  ]);
  expect(simulator.log().filter((line) => line === `${USER} 200`)).toHaveLength(2);
});

describe("a script without an engine", () => {
  beforeEach(() =>
    Object.assign(process.env, {
      IDENTITY_DOMAIN: simulator.url,
      IDENTITY_CLIENT_ID: given.clientId,
      IDENTITY_CLIENT_SECRET: given.clientSecret,
    }),
  );

  test("has no stack configuration, as a hook of an inline program hasn't, and says so", async () => {
    delete process.env["IDENTITY_DOMAIN"];
    await expect(asked()).rejects.toThrow(
      /identity:domain .*No program of Pulumi runs here, as in a script, or in a transform or hook of an inline program/,
    );
  });

  test("asks again once a call has ended, with the token that it has", async () => {
    expect(await oneByOne(2)).toEqual(["answered", "answered"]);
    await Promise.all([asked(), asked()]);
    expect(simulator.log()).toEqual([`${TOKEN} 200`, `${USER} 200`, `${USER} 200`, `${USER} 200`]);
  });

  test("is told each time why credentials are refused, until they are not", async () => {
    simulator.seed({ ...DEFAULT_SEED, clients: [clientOf("another")] });
    const refused = await oneByOne(2);
    expect(refused).toEqual([expect.stringContaining("gave no token"), refused[0]]);
    simulator.seed({ ...DEFAULT_SEED, clients: [clientOf(given.clientSecret)] });
    expect(await oneByOne(1)).toEqual(["answered"]);
  });
});
