import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tenant } from "../../testkit/tenant";
import {
  ADMINS,
  AGENT,
  BILLING,
  CLIENT_ID,
  CLIENT_SECRET,
  CONTRACTORS,
  VIEWER,
} from "../../simulator/default-seed";
import { type CommandResult, Stack } from "../../testkit/stack";

/*
 * A run of the real CLI that is held to its review. tests/host/held.test.ts has everything a review may lack,
 * and unusable files. Here are attacks with knowledge that only a program has, and the plugin's own door.
 */

const tenant = new Tenant();
let stack: Stack;
let file: string;

beforeAll(() => tenant.open());
beforeEach(() => tenant.seed());
afterEach(() => stack.remove());
afterAll(() => tenant.close());

async function start(language: "js" | "yaml", program: string): Promise<void> {
  stack = await Stack.create({ program, language });
  file = join(stack.home, "reviewed.json");
  await stack.configure(tenant);
}

/** Writes the review of the program to the file that runs are held to. */
async function review(): Promise<void> {
  const { code, all } = await stack.review({ args: ["--no-read", "--json", file] });
  if (code !== 0) throw new Error(all);
  tenant.sent();
}

const held = () => ({
  IDENTITY_REVIEW_FILE: file,
  IDENTITY_REVIEW_DIGEST: createHash("sha256").update(readFileSync(file)).digest("hex"),
});
const writes = () => tenant.sent().filter((line) => /^(POST|PATCH|DELETE)/.test(line));
const said = ({ all }: CommandResult) => all.replace(/\s+/g, " ");
const gains = (role: string, group: string) =>
  new RegExp(
    `role ${role}: ${group} would gain it, but reviewed\\.json \\(fingerprint .* doesn't allow that`,
  );

const assignment = (groups: string) =>
  `new RoleGroupAssignment("viewers", { roleId: "${VIEWER}", groupIds: ${groups} });`;
const ids = (...groups: string[]) => JSON.stringify(groups);
const START = `const pulumi = require("@pulumi/pulumi");
  const { Provider, RoleGroupAssignment } = require("pulumi-identity");`;
const REVIEWED = assignment(ids(ADMINS, BILLING));

const ATTACKS: [what: string, program: string, says: RegExp][] = [
  [
    "gives the role to another group in `up` than in the preview, prints lines as if it did not, and unsets the environment",
    `${assignment(`pulumi.runtime.isDryRun() ? ${ids(ADMINS, BILLING)} : ${ids(ADMINS, CONTRACTORS)}`)}
     console.log("viewers: role ${VIEWER}: + ${BILLING}");
     delete process.env.IDENTITY_REVIEW_FILE;`,
    gains(VIEWER, CONTRACTORS),
  ],
  [
    "has a Provider that says it is held to nothing",
    `const own = new Provider("own", { domain: "TENANT_URL", clientId: "${CLIENT_ID}",
       clientSecret: "${CLIENT_SECRET}", requireReview: false });
     new RoleGroupAssignment("more", { roleId: "${AGENT}", groupIds: ${ids(CONTRACTORS)} }, { provider: own });`,
    gains(AGENT, CONTRACTORS),
  ],
  [
    "replaces the file before the host reads it",
    `const { writeFileSync, readFileSync } = require("node:fs");
     const json = readFileSync(process.env.IDENTITY_REVIEW_FILE, "utf8");
     writeFileSync(process.env.IDENTITY_REVIEW_FILE, json.replaceAll("${BILLING}", "${CONTRACTORS}"));
     ${assignment(ids(ADMINS, CONTRACTORS))}`,
    /is not the file whose SHA-256 identity:reviewDigest/,
  ],
];

test("nothing is sent for a program that does otherwise than it was reviewed", async () => {
  await start("js", `${START}${REVIEWED}`);
  await review();
  const reviewed = readFileSync(file);
  for (const [what, program, says] of ATTACKS) {
    writeFileSync(file, reviewed);
    stack.write(`${START}${program.replace("TENANT_URL", tenant.url)}`);
    const result = await stack.up({ env: held() });
    expect({ what, isRefused: result.code !== 0, said: said(result), sent: writes() }).toEqual({
      what,
      isRefused: true,
      said: expect.stringMatching(says) as string,
      sent: [],
    });
  }
});

test("in YAML: what was reviewed is done, and nothing else", async () => {
  const program = (...groups: string[]) => `resources:
  viewers: { type: "identity:RoleGroupAssignment", properties: { roleId: ${VIEWER}, groupIds: ${ids(...groups)} } }
`;
  await start("yaml", program(ADMINS, BILLING));
  // The review is made all the same, though the file isn't there yet.
  await stack.config("identity:reviewFile", file);
  await review();

  stack.write(program(ADMINS, BILLING, CONTRACTORS));
  const refused = await stack.up({ env: held() });
  expect(refused.code).toBeGreaterThan(0);
  expect(said(refused)).toMatch(gains(VIEWER, CONTRACTORS));
  expect(writes()).toEqual([]);

  stack.write(program(ADMINS, BILLING));
  const { code, all } = await stack.up({ env: held() });
  if (code !== 0) throw new Error(all);
  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
  expect(writes()).toHaveLength(1);
});
