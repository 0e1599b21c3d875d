import { NO_WORKPLACE } from "../../cli/workplace";
import { randomBytes } from "node:crypto";
import { CommandError } from "../../cli/errors";
import { commandsOf, gitlabReport } from "../../cli/review/output/annotate";
import { documentOf } from "../../cli/review/output/document";
import { findingsOf } from "../../cli/review/output/findings";
import { reviewMarkdown } from "../../cli/review/output/markdown";
import { toJson } from "../../cli/review/output/json";
import { sarifOf } from "../../cli/review/output/sarif";
import { reviewText } from "../../cli/review/output/text";
import { type SeedInput } from "../../simulator";
import { ADMINS, AGENT, ALL_SCOPES, BILLING, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { adds, appearanceOf, AskedTenant, MAKING } from "../../testkit/cli/asked";
import { API_ECHOES, type Echo, TOKEN_ECHOES } from "../../testkit/canaries/echoes";
import { step } from "../../testkit/cli/previews";
import { checksSoFar, leaksIn, SPELLINGS } from "../../testkit/canaries/spellings";

/*
 * A tenant may repeat the credentials when it answers what a review asks for its rules and people: they must
 * not appear in the review, in any format, nor in a finding.
 */

const random = () => randomBytes(9).toString("base64url");
const clientSecret = `cA9/${random()}+&"é ~${random()}=`;
const environment = {
  IDENTITY_CLIENT_ID: "canary",
  IDENTITY_CLIENT_SECRET: clientSecret,
  IDENTITY_MAX_WAIT_SECONDS: "1",
};

const seed: SeedInput = {
  clients: [{ client_id: "canary", client_secret: clientSecret, scope: ALL_SCOPES }],
  users: [{ user_id: "auth0|both", groups: [SUPPORT, BILLING] }],
};
const RULES = `
allow:
  support-agent: [directory-admins]
conflicts:
  - [support-agent, billing-viewer]
end:
  billing-viewer: 30
`;
const CHANGE = [
  adds("a", VIEWER, [BILLING, ADMINS]),
  step({ name: "s", kind: "UserSignOut", after: { userId: "auth0|both" } }),
];

const tenant = AskedTenant.forTests();
afterAll(() =>
  process.stdout.write(`${checksSoFar()} searches for a canary in reviews and their findings\n`),
);

/** Returns everything that a person, a job or a code host sees. */
async function shown(): Promise<string> {
  try {
    const reviews = await tenant.reviewed([CHANGE], { rules: RULES, environment });
    return reviews
      .flatMap((review) => {
        const documents = [documentOf(review, ["rules"], true)];
        const findings = findingsOf([review], review.names, NO_WORKPLACE);
        return [
          reviewMarkdown(documents, "", appearanceOf(review)),
          reviewText(documents, appearanceOf(review)),
          JSON.stringify(toJson(review, { ...MAKING, hasIds: true })),
          sarifOf(findings, "review/access/prod"),
          commandsOf(findings),
          gitlabReport(findings),
        ];
      })
      .join("\n");
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    return (error as CommandError).message;
  }
}

/** A text where answers have names and ids of people. */
const named = (body: (text: string) => object): Record<string, Echo> => ({
  "an answer of the right shape": (text) => ({ status: 200, body: body(text) }),
});
const permission = (text: string) => ({ resource_server_identifier: text, permission_name: text });

/** Questions, with the requests whose answers echo. */
const QUESTIONS: [string, string, Record<string, Echo>][] = [
  [
    "the names of roles",
    "/api/v2/roles?*",
    {
      ...API_ECHOES,
      ...named((name) => ({
        roles: [AGENT, VIEWER].map((id) => ({ id, name })),
        start: 0,
        limit: 100,
        total: 2,
      })),
    },
  ],
  [
    "the groups of a role",
    "/api/v2/roles/*/groups*",
    { ...API_ECHOES, ...named((name) => ({ groups: [{ id: SUPPORT, name }] })) },
  ],
  [
    "the group of a name",
    "/api/v2/groups?*",
    { ...API_ECHOES, ...named((name) => ({ groups: [{ id: ADMINS, name }] })) },
  ],
  [
    "the members of a group",
    "/api/v2/groups/*/members*",
    { ...API_ECHOES, ...named((id) => ({ members: [{ id, member_type: "user" }] })) },
  ],
  [
    "the permissions of a role",
    "/api/v2/roles/*/permissions*",
    {
      ...API_ECHOES,
      ...named((text) => ({ permissions: [permission(text)], start: 0, limit: 100, total: 1 })),
    },
  ],
  [
    "who is signed out",
    "/api/v2/users/auth0%7Cboth?*",
    { ...API_ECHOES, ...named((name) => ({ user_id: "auth0|both", name })) },
  ],
  [
    "what somebody is signed in with",
    "/api/v2/users/*/sessions*",
    { ...API_ECHOES, ...named((id) => ({ sessions: [{ id, device: id }] })) },
  ],
  ["a token", "/oauth/token*", TOKEN_ECHOES],
];

/** Every two of a question, a place and a spelling meet; client.test.ts has every spelling in each place. */
const cases = QUESTIONS.flatMap(([question, path, echoes], first) =>
  Object.entries(echoes).map(([place, echo], second) => ({
    ...{ question, path, place, echo },
    spellings: Object.entries(SPELLINGS).filter((_, third) => (first + second + third) % 5 === 0),
  })),
);

test.each(cases)("$question: the client secret in $place", async ({ path, echo, spellings }) => {
  const leaks: string[] = [];
  for (const [spelling, spell] of spellings) {
    tenant.seed(seed);
    tenant.simulator.fail({ path, times: 10, action: echo(spell(clientSecret)) });
    const text = await shown();
    const canaries = {
      "client secret": clientSecret,
      token: tenant.simulator.state().access_tokens.at(-1) ?? "",
    };
    leaks.push(...leaksIn(`echoed as ${spelling}`, text, canaries));
  }
  expect(leaks).toEqual([]);
});

test("without an echo, the review finds what breaks the rules", async () => {
  tenant.seed(seed);
  const text = await shown();
  expect(text).toContain("which rules.yaml:3 doesn't allow");
  expect(text).toContain("1 person has");
});
