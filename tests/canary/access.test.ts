import { randomBytes } from "node:crypto";
import { CommandError } from "../../cli/errors";
import { FORMATS, formatted } from "../../cli/access/formats";
import { asked, assignment, state } from "../../testkit/cli/access";
import { AGENT, ALL_SCOPES, DEFAULT_SEED, SUPPORT, USER_ID } from "../../simulator/default-seed";
import { API_ECHOES, type Echo, TOKEN_ECHOES } from "../../testkit/canaries/echoes";
import { checksSoFar, leaksIn, SPELLINGS } from "../../testkit/canaries/spellings";
import { useSimulator } from "../../testkit/simulator";

/*
 * A tenant may repeat the credentials when it refuses a question of `access`: they must not appear in the
 * answer, in any format, nor in the sentence in its place. tests/cli/access/formats.test.ts covers names.
 */

const ACME = "org_5vJmTq8XbRz3kWcY";
const inAcme = {
  ...assignment(`${ACME}/${AGENT}`, [SUPPORT], { organizationId: ACME, roleId: AGENT }),
  type: "pulumi-nodejs:dynamic/identity:OrganizationRoleGroupAssignment",
};

const random = () => randomBytes(9).toString("base64url");
const clientSecret = `cA9/${random()}+&"é ~${random()}=`;

const [user] = DEFAULT_SEED.users ?? [];
const simulator = useSimulator({
  seed: {
    ...DEFAULT_SEED,
    clients: [{ client_id: "canary", client_secret: clientSecret, scope: ALL_SCOPES }],
    roles: [{ id: AGENT, groups: [SUPPORT] }],
    users: [{ ...user!, groups: [SUPPORT] }],
    // Its name repeats the secret whenever nothing else does.
    organizations: [
      {
        id: ACME,
        name: clientSecret,
        groups: [SUPPORT],
        roles: [{ id: AGENT, groups: [SUPPORT], members: [USER_ID] }],
      },
    ],
  },
});
afterAll(() => {
  process.stdout.write(`${checksSoFar()} searches for a canary in answers of access, and in its errors\n`);
});

/** Returns everything a person sees. */
async function shown(user: string | undefined): Promise<string> {
  const { host } = new URL(simulator.url);
  try {
    const access = await asked(
      { url: simulator.url, clientId: "canary", clientSecret },
      {
        exports: [state(host, "access/prod", { a: assignment(AGENT, [SUPPORT]), o: inAcme })],
        ...(user !== undefined && { user }),
      },
      { IDENTITY_MAX_WAIT_SECONDS: "1" },
    );
    return FORMATS.map((format) => formatted(access, format)).join("\n");
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    return (error as CommandError).message;
  }
}

/** Questions, with the requests that are refused. */
const QUESTIONS: [string, string | undefined, string, Record<string, Echo>][] = [
  ["who has which role", undefined, "/api/v2/roles*", API_ECHOES],
  ["the groups of a role", undefined, "/api/v2/roles/*", API_ECHOES],
  ["what a user may do", USER_ID, "/api/v2/users/*/permissions*", API_ECHOES],
  ["the roles of a user", USER_ID, "*/effective-roles?*", API_ECHOES],
  ["the groups of a user", USER_ID, "*/sources/groups*", API_ECHOES],
  ["the organizations of a user", USER_ID, "/api/v2/users/*/organizations*", API_ECHOES],
  ["the roles of a user in an organization", USER_ID, "/api/v2/organizations/*/members/*", API_ECHOES],
  ["the groups of a role in an organization", undefined, "/api/v2/organizations/*/groups*", API_ECHOES],
  ["a token", undefined, "/oauth/token*", TOKEN_ECHOES],
];

/** Every two of a question, a place and a spelling meet; client.test.ts has every spelling in each place. */
const cases = QUESTIONS.flatMap(([question, user, path, echoes], first) =>
  Object.entries(echoes).map(([place, echo], second) => ({
    ...{ question, user, path, place, echo },
    spellings: Object.entries(SPELLINGS).filter((_, third) => (first + second + third) % 5 === 0),
  })),
);

test.each(cases)("$question: the client secret in $place", async ({ user, path, echo, spellings }) => {
  const leaks: string[] = [];
  for (const [spelling, spell] of spellings) {
    simulator.reset();
    simulator.fail({ path, times: 3, action: echo(spell(clientSecret)) });
    const text = await shown(user);
    const canaries = { "client secret": clientSecret, token: simulator.state().access_tokens.at(-1) ?? "" };
    leaks.push(...leaksIn(`echoed as ${spelling}`, text, canaries));
  }
  const [last = ""] = path.split("*").filter(Boolean).slice(-1);
  expect(simulator.log().some((line) => line.includes(last))).toBe(true);
  expect(leaks).toEqual([]);
});
