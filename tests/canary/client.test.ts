import { generateKeyPairSync, randomBytes } from "node:crypto";
import {
  getConnectionProfiles,
  getDeviceCredentials,
  getGroup,
  getOrganization,
  getRole,
  getRoleGroups,
  getUser,
  getUserPermissions,
} from "../../provider";
import { Border } from "../../provider/border";
import { IdentityClient } from "../../provider/http/client";
import { type LogFormat } from "../../provider/http/debug-log";
import { type Credentials } from "../../provider/http/credentials";
import { DEFAULT_LIMITS } from "../../provider/http/settings";
import { connectionProfiles } from "../../provider/service/connection-profiles";
import { assignRoleGroups } from "../../provider/service/roles";
import { settingsOf } from "../../testkit/client";
import { ADMINS, AGENT, ALL_SCOPES, DEFAULT_SEED, USER_ID } from "../../simulator/default-seed";
import { API_ECHOES, type Echo, TOKEN_ECHOES } from "../../testkit/canaries/echoes";
import { isInTurn } from "../../testkit/properties";
import { anatomyOf, checksSoFar, leaksIn, SPELLINGS } from "../../testkit/canaries/spellings";
import { useSimulator } from "../../testkit/simulator";

/*
 * The service, or something in front of it, may repeat the credentials: they must not appear in an error or a
 * debug line. All spellings, one by one, at every place of an answer; tests/host/lifecycle/canaries.test.ts
 * has all operations. `npm run test:long` has them with every call; in `npm test` the calls take turns.
 */

const random = () => randomBytes(9).toString("base64url");
/** Characters that the spellings treat differently. */
const secretText = () => `cA9/${random()}+&"é ~${random()}=`;
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privateKey = keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const publicKey = keys.publicKey.export({ type: "spki", format: "pem" }) as string;

const clientSecret = secretText();
const accessToken = `${random()}.${random()}-${random()}`;
/** A line of the key: even repeating a part of it is too much. */
const keyLine = privateKey.split("\n")[5] ?? "";

const simulator = useSimulator({
  seed: {
    ...DEFAULT_SEED,
    clients: [
      { client_id: "by-secret", client_secret: clientSecret, scope: ALL_SCOPES },
      { client_id: "by-key", public_key: publicKey, scope: ALL_SCOPES },
    ],
    tokens: [{ access_token: accessToken, scope: ALL_SCOPES }],
  },
});
beforeAll(() => {
  // Each client with a debug log adds a listener for the end of the process.
  process.setMaxListeners(0);
});
afterAll(() => {
  process.stdout.write(`${checksSoFar()} searches for a canary in clients' errors and debug lines\n`);
});

interface Proof {
  canary: string;
  credentials: Credentials;
  /** Each format is used by some. */
  log: LogFormat;
}

const PROOFS: Record<string, Proof> = {
  "client secret": {
    canary: clientSecret,
    credentials: { type: "client-secret", clientId: "by-secret", clientSecret },
    log: "debug",
  },
  "private key": {
    canary: keyLine,
    credentials: { type: "private-key", clientId: "by-key", privateKey, algorithm: "RS256" },
    log: "json",
  },
  "access token": {
    canary: accessToken,
    credentials: { type: "access-token", accessToken },
    log: "debug",
  },
};

/** A call of each kind: with and without a body, with and without an answer. */
const CALLS: Record<string, (client: IdentityClient) => Promise<unknown>> = {
  create: (client) => connectionProfiles(client).create({ name: "new" }),
  read: (client) => connectionProfiles(client).read("cop_2GjRf8mYd5LcVt7K9sPmZa"),
  assign: (client) => assignRoleGroups(client, AGENT, [ADMINS]),
};

/** Returns the calls of the case with this number. */
function inTurn<Call>(calls: Record<string, Call>, number: number): [string, Call][] {
  const all = Object.entries(calls);
  return all.filter((_, i) => isInTurn(i - number, all.length));
}

/**
 * Returns everything that leaves the process when a call fails: the error as handlers pass it on, and the
 * printed lines.
 */
async function outputOf(
  { credentials, log }: Proof,
  call: (client: IdentityClient) => Promise<unknown>,
): Promise<{ text: string; token: string | undefined }> {
  const lines: string[] = [];
  const border = new Border([], (line) => lines.push(line));
  const limits = { ...DEFAULT_LIMITS, maxWaitSeconds: 1 };
  const client = new IdentityClient(settingsOf(simulator.url, { credentials, limits }), {
    border,
    log,
  });
  const error = await call(client).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const token = simulator.state().access_tokens.at(-1);
  await client.close();
  if (log === "json") for (const line of lines) expect(JSON.parse(line)).toHaveProperty("event");
  const shown = error instanceof Error ? border.clean(error.message) : String(error);
  const { answer, requestId, code } = (error ?? {}) as Record<string, unknown>;
  return { text: [shown, anatomyOf({ answer, requestId, code }), ...lines].join("\n"), token };
}

/**
 * A private key is never sent. Anybody who repeats a line of it got it elsewhere, as it stands in the file.
 */
function spellingsOf(proof: string): [string, (secret: string) => string][] {
  return Object.entries(SPELLINGS).filter(
    ([spelling]) => !proof.startsWith("private key") || spelling === "plain",
  );
}

const cases = (echoes: Record<string, Echo>) =>
  Object.entries(PROOFS).flatMap(([proof, given]) =>
    Object.entries(echoes).map(([place, echo], first) => ({
      ...{ proof, given, canary: given.canary, place, echo, first },
    })),
  );

test.each(cases(API_ECHOES))(
  "the $proof in $place of an answer",
  async ({ proof, given, canary, echo, first }) => {
    const leaks: string[] = [];
    for (const [second, [spelling, spell]] of spellingsOf(proof).entries()) {
      for (const [name, call] of inTurn(CALLS, first + second)) {
        simulator.reset();
        simulator.fail({ path: "/api/v2/*", times: 3, action: echo(spell(canary)) });
        const { text } = await outputOf(given, call);
        leaks.push(...leaksIn(`${name}, echoed as ${spelling}`, text, { [proof]: canary }));
      }
    }
    expect(leaks).toEqual([]);
  },
);

test.each(cases(TOKEN_ECHOES).filter(({ proof }) => !proof.startsWith("access token")))(
  "the $proof in $place of the token endpoint",
  async ({ proof, given, canary, echo }) => {
    const leaks: string[] = [];
    for (const [spelling, spell] of spellingsOf(proof)) {
      simulator.reset();
      simulator.fail({ path: "/oauth/token*", times: 3, action: echo(spell(canary)) });
      const { text } = await outputOf(given, CALLS["read"] as (client: IdentityClient) => Promise<unknown>);
      leaks.push(...leaksIn(`echoed as ${spelling}`, text, { [proof]: canary }));
    }
    expect(leaks).toEqual([]);
  },
);

describe("of what a program gets", () => {
  const before = { ...process.env };
  afterEach(() => (process.env = { ...before }));

  const QUESTIONS: Record<string, () => Promise<unknown>> = {
    getUser: () => getUser({ userId: USER_ID }),
    getUserPermissions: () => getUserPermissions({ userId: USER_ID }),
    getConnectionProfiles: () => getConnectionProfiles(),
    getRole: () => getRole({ name: "support-agent" }),
    getOrganization: () => getOrganization({ name: "acme" }),
    getGroup: () => getGroup({ name: "support-desk" }),
    getRoleGroups: () => getRoleGroups({ roleId: AGENT }),
    getDeviceCredentials: () => getDeviceCredentials({ userId: USER_ID }),
  };
  const places = Object.keys(API_ECHOES);

  test.each(places)("no property of an error holds a token: %s", async (place) => {
    const leaks: string[] = [];
    for (const [second, [spelling, spell]] of Object.entries(SPELLINGS).entries()) {
      for (const [name, ask] of inTurn(QUESTIONS, places.indexOf(place) + second)) {
        simulator.reset();
        const fresh = `${random()}.${random()}`;
        // Each time another token, and so another client.
        Object.assign(process.env, { IDENTITY_DOMAIN: simulator.url, IDENTITY_ACCESS_TOKEN: fresh });
        simulator.fail({ path: "/api/v2/*", times: 3, action: (API_ECHOES[place] as Echo)(spell(fresh)) });
        const error: unknown = await ask().then(
          () => "no error",
          (thrown: unknown) => thrown,
        );
        leaks.push(...leaksIn(`${name}, echoed as ${spelling}`, anatomyOf(error), { "access token": fresh }));
      }
    }
    expect(leaks).toEqual([]);
  });
});
