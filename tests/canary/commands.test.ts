import { randomBytes } from "node:crypto";
import { FORMATS, formatted } from "../../cli/access/formats";
import { CommandError } from "../../cli/errors";
import { commandsOf, gitlabReport } from "../../cli/review/output/annotate";
import { documentOf } from "../../cli/review/output/document";
import { findingsOf } from "../../cli/review/output/findings";
import { toJson } from "../../cli/review/output/json";
import { reviewMarkdown } from "../../cli/review/output/markdown";
import { sarifOf } from "../../cli/review/output/sarif";
import { reviewText } from "../../cli/review/output/text";
import { NO_WORKPLACE } from "../../cli/places";
import { type SeedInput } from "../../simulator";
import { ADMINS, AGENT, ALL_SCOPES, BILLING, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { API_ECHOES, type Echo, TOKEN_ECHOES } from "../../testkit/canaries/echoes";
import { checksSoFar, leaksIn, SPELLINGS } from "../../testkit/canaries/spellings";
import { ACME, asked, assignment, inOrganization, state } from "../../testkit/cli/access";
import { adds, appearanceOf, AskedTenant, MAKING } from "../../testkit/cli/asked";
import { step } from "../../testkit/cli/previews";

/*
 * A tenant may repeat the credentials when it answers a command: they must not appear in what the command
 * says, in any format, nor in the sentence in its place.
 */

const random = () => randomBytes(9).toString("base64url");
const clientSecret = `cA9/${random()}+&"é ~${random()}=`;
const USER = "auth0|both";

const tenant = AskedTenant.forTests();
const SEED: SeedInput = {
  clients: [{ client_id: "canary", client_secret: clientSecret, scope: ALL_SCOPES }],
  users: [{ user_id: USER, groups: [SUPPORT, BILLING] }],
  // Its name repeats the secret whenever nothing else does.
  organizations: [
    { id: ACME, name: clientSecret, groups: [SUPPORT], roles: [{ id: AGENT, groups: [SUPPORT] }] },
  ],
};
afterAll(() => process.stdout.write(`${checksSoFar()} searches for a canary in what commands say\n`));

async function access(user?: string): Promise<string> {
  const { url } = tenant.simulator;
  const resources = { a: assignment(AGENT, [SUPPORT]), o: inOrganization(ACME, AGENT, [SUPPORT]) };
  const answer = await asked(
    { url, clientId: "canary", clientSecret },
    { exports: [state(new URL(url).host, "access/prod", resources)], ...(user !== undefined && { user }) },
    { IDENTITY_MAX_WAIT_SECONDS: "1" },
  );
  return FORMATS.map((format) => formatted(answer, format)).join("\n");
}

const RULES = `
allow:
  support-agent: [directory-admins]
conflicts:
  - [support-agent, billing-viewer]
`;
const CHANGE = [
  adds("a", VIEWER, [BILLING, ADMINS]),
  step({ name: "s", kind: "UserSignOut", after: { userId: USER } }),
];

/** Returns everything that a person, a job or a code host sees. */
async function review(): Promise<string> {
  const environment = {
    IDENTITY_CLIENT_ID: "canary",
    IDENTITY_CLIENT_SECRET: clientSecret,
    IDENTITY_MAX_WAIT_SECONDS: "1",
  };
  const found = await tenant.reviewedAlone(CHANGE, { rules: RULES, environment });
  const documents = [documentOf(found, ["rules"], true)];
  const findings = findingsOf([found], found.names, NO_WORKPLACE);
  return [
    reviewMarkdown(documents, "", appearanceOf(found)),
    reviewText(documents, appearanceOf(found)),
    JSON.stringify(toJson(found, { ...MAKING, hasIds: true })),
    sarifOf(findings, "review/access/prod"),
    commandsOf(findings),
    gitlabReport(findings),
  ].join("\n");
}

const COMMANDS = { access, "access --user": () => access(USER), review };

/** Answers of the right shape, with the text where names and ids are. */
const NAMED: Record<string, (text: string) => object> = {
  "/api/v2/roles?*": (name) => ({
    ...{ start: 0, limit: 100, total: 2 },
    roles: [AGENT, VIEWER].map((id) => ({ id, name })),
  }),
  "/api/v2/roles/*/groups*": (name) => ({ groups: [{ id: SUPPORT, name }] }),
  "/api/v2/groups?*": (name) => ({ groups: [{ id: ADMINS, name }] }),
  "/api/v2/groups/*/members*": (id) => ({ members: [{ id, member_type: "user" }] }),
  "/api/v2/roles/*/permissions*": (text) => ({
    ...{ start: 0, limit: 100, total: 1 },
    permissions: [{ resource_server_identifier: text, permission_name: text }],
  }),
  "/api/v2/users/*/permissions*": (text) => ({
    ...{ start: 0, limit: 100, total: 1 },
    permissions: [
      {
        ...{ resource_server_identifier: text, permission_name: text },
        sources: [
          { source_id: AGENT, source_name: text, source_type: "ROLE" },
          { source_id: text, source_name: text, source_type: text },
        ],
      },
    ],
  }),
  "/api/v2/users/auth0%7Cboth?*": (name) => ({ user_id: USER, name }),
  "/api/v2/users/*/sessions*": (id) => ({ sessions: [{ id, device: id }] }),
};

/** Questions of each command, by the requests whose answers echo. */
const QUESTIONS: [keyof typeof COMMANDS, string][] = [
  ["access", "/api/v2/roles?*"],
  ["access", "/api/v2/roles/*/groups*"],
  ["access", "/api/v2/organizations/*/groups*"],
  ["access", "/oauth/token*"],
  ["access --user", "/api/v2/users/*/permissions*"],
  ["access --user", "*/effective-roles?*"],
  ["access --user", "*/sources/groups*"],
  ["access --user", "/api/v2/users/*/organizations*"],
  ["access --user", "/api/v2/organizations/*/members/*"],
  ["review", "/api/v2/roles?*"],
  ["review", "/api/v2/roles/*/groups*"],
  ["review", "/api/v2/groups?*"],
  ["review", "/api/v2/groups/*/members*"],
  ["review", "/api/v2/roles/*/permissions*"],
  ["review", "/api/v2/users/auth0%7Cboth?*"],
  ["review", "/api/v2/users/*/sessions*"],
  ["review", "/oauth/token*"],
];

function echoesOf(path: string): Record<string, Echo> {
  const body = NAMED[path];
  const named: Record<string, Echo> = body
    ? { "names and ids": (text) => ({ status: 200, body: body(text) }) }
    : {};
  return path.startsWith("/oauth") ? TOKEN_ECHOES : { ...API_ECHOES, ...named };
}

/** Each question meets each place, and each place each spelling. client.test.ts has all of them together. */
const spellings = Object.entries(SPELLINGS);
const cases = QUESTIONS.flatMap(([command, path], first) =>
  Object.entries(echoesOf(path)).map(([place, echo], second) => {
    const [spelling, spell] = spellings[(first + second) % spellings.length]!;
    return { command, path, place, echo, spelling, spell };
  }),
);

const questioned = new Set<string>();
test.each(cases)(
  "$command: the client secret in $place of $path, $spelling",
  async ({ command, path, echo, spell }) => {
    tenant.seed(SEED);
    tenant.simulator.fail({ path, times: 10, action: echo(spell(clientSecret)) });
    const text = await COMMANDS[command]().catch((error: unknown) => {
      expect(error).toBeInstanceOf(CommandError);
      return (error as CommandError).message;
    });
    const token = tenant.simulator.state().access_tokens.at(-1) ?? "";
    expect(leaksIn("what it says", text, { "client secret": clientSecret, token })).toEqual([]);
    const [last = ""] = path.split("*").filter(Boolean).slice(-1);
    if (tenant.simulator.log().some((line) => line.includes(last))) questioned.add(`${command} ${path}`);
  },
);

test("each question was asked", () =>
  expect([...questioned]).toEqual(QUESTIONS.map((question) => question.join(" "))));

test("without an echo, the review finds what breaks the rules", async () => {
  tenant.seed(SEED);
  const text = await review();
  expect(text).toContain("which rules.yaml:3 doesn't allow");
  expect(text).toContain("1 person has");
});
