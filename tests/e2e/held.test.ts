import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tenant } from "../host/tenant";
import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../simulator/default-seed";
import { review } from "./review/review";
import { type CommandResult, Stack } from "./stack";

/*
 * Attacks and accidents between a review and its run, with the real CLI: each is refused, and nothing is
 * sent.
 */

const tenant = new Tenant();
let stack: Stack;
let file: string;

const START = `
  const { ConnectionProfile, Provider, RoleGroupAssignment } = require("pulumi-identity");
  const pulumi = require("@pulumi/pulumi");
  const isUp = !pulumi.runtime.isDryRun();`;
const assignment = (groups: string, role = VIEWER, name = "viewers") =>
  `new RoleGroupAssignment("${name}", { roleId: "${role}", groupIds: ${groups} });`;
const ids = (...groups: string[]) => JSON.stringify(groups);
const profile = (fields: object) => `new ConnectionProfile("enterprise", ${JSON.stringify(fields)});`;
const program = (...lines: string[]) => [START, ...lines].join("\n");

const PROFILE = { name: "enterprise", enabledFeatures: ["scim"] };
/** The program before the change. */
const BEFORE = program(assignment(ids(ADMINS)), profile(PROFILE));
/** The reviewed program: one group gains the role, and the profile gets another name. */
const REVIEWED = [assignment(ids(ADMINS, BILLING)), profile({ ...PROFILE, name: "company" })];

beforeAll(async () => {
  await tenant.open();
  tenant.seed();
  stack = await Stack.create({ program: BEFORE });
  file = join(stack.home, "reviewed.json");
  await stack.configure(tenant);
  succeeded(await stack.up());
  await reviewOf(program(...REVIEWED));
});
afterAll(async () => {
  stack.remove();
  await tenant.close();
});

function succeeded(result: CommandResult): CommandResult {
  if (result.code !== 0) throw new Error(result.all);
  return result;
}

/** Writes the review of a program to the file that runs are held to. */
async function reviewOf(text: string): Promise<void> {
  stack.write(text);
  const { stdout } = succeeded(await stack.preview({ json: true }));
  const { json } = await review([stdout]);
  writeFileSync(file, JSON.stringify(json));
  tenant.sent();
}

const digest = () => createHash("sha256").update(readFileSync(file)).digest("hex");
const writes = () => tenant.sent().filter((line) => /^(POST|PATCH|DELETE)/.test(line));
const said = ({ all }: CommandResult) => all.replace(/\s+/g, " ");

interface Attack {
  program?: string;
  env?: () => Record<string, string>;
  run?: () => Promise<CommandResult>;
  says: RegExp;
}

const gains = (role: string, group: string) =>
  new RegExp(
    `role ${role}: ${group} would gain it, but reviewed\\.json \\(fingerprint .* doesn't allow that`,
  );
const loses = (role: string, group: string) =>
  new RegExp(`role ${role}: ${group} would lose it, but reviewed\\.json .* doesn't allow that`);
/** Grants the role to another group than it seems, based on knowledge from `up` only. */
const otherwise = (...more: string[]) =>
  program(assignment(`isUp ? ${ids(ADMINS, CONTRACTORS)} : ${ids(ADMINS, BILLING)}`), ...more);

/**
 * Attacks with knowledge that only a real run has. host/held.test.ts covers everything else a review may
 * lack, and unusable files.
 */
const ATTACKS: Record<string, Attack> = {
  "the program gives the role to another group in `up` than in the preview, prints lines as if it did not, and unsets the environment":
    {
      program: otherwise(
        profile(PROFILE),
        `console.log("viewers: role ${VIEWER}: + ${BILLING}");`,
        "delete process.env.IDENTITY_REVIEW_FILE;",
      ),
      says: gains(VIEWER, CONTRACTORS),
    },
  "a Provider that says it is held to nothing": {
    program: program(
      `const own = new Provider("own", { domain: "TENANT_URL", clientId: "simulatorClient",
        clientSecret: "simulator-secret-not-a-real-one", requireReview: false });`,
      `new RoleGroupAssignment("more", { roleId: "${AGENT}", groupIds: ${ids(CONTRACTORS)} }, { provider: own });`,
      assignment(ids(ADMINS)),
      profile(PROFILE),
    ),
    says: gains(AGENT, CONTRACTORS),
  },
  "the program replaces the file before the host reads it": {
    program: program(
      `const { writeFileSync, readFileSync } = require("node:fs");
       const json = readFileSync(process.env.IDENTITY_REVIEW_FILE, "utf8");
       writeFileSync(process.env.IDENTITY_REVIEW_FILE, json.replaceAll("${BILLING}", "${CONTRACTORS}"));`,
      assignment(ids(ADMINS, CONTRACTORS)),
      profile(PROFILE),
    ),
    says: /is not the file whose SHA-256 identity:requireReview/,
  },
  "the job forgets the file": {
    program: program(...REVIEWED),
    env: () => ({ IDENTITY_REVIEW_FILE: "", IDENTITY_REQUIRE_REVIEW: "true" }),
    says: /Nothing is sent without a review/,
  },
  "the run is a destroy": {
    run: () => stack.destroy({ env: held() }),
    says: /would (lose it|be deleted), but reviewed\.json/,
  },
};

const held = () => ({ IDENTITY_REVIEW_FILE: file, IDENTITY_REQUIRE_REVIEW: digest() });

test.each(Object.entries(ATTACKS))("%s", async (_, { program: text, env = held, run, says }) => {
  const reviewed = readFileSync(file);
  const before = tenant.simulator.state();
  if (text !== undefined) stack.write(text.replace("TENANT_URL", tenant.url));
  const result = await (run?.() ?? stack.up({ env: env() }));
  writeFileSync(file, reviewed);
  expect(result.code).toBeGreaterThan(0);
  expect(said(result)).toMatch(says);
  // A reviewed write next to a refused one may be sent. Here the refused one comes first, and ends the run.
  expect(writes()).toEqual([]);
  expect(tenant.simulator.state().roles).toEqual(before.roles);
});

test("the tenant moves: an exclusive assignment would take the role from somebody else; then what was reviewed is done", async () => {
  const exclusive = `new RoleGroupAssignment("viewers", { roleId: "${VIEWER}", groupIds: ${ids(ADMINS)}, exclusive: true });`;
  const reviewed = program(exclusive, ...REVIEWED.slice(1));
  await reviewOf(reviewed);
  await tenant.outside("POST", `/roles/${VIEWER}/groups`, { groups: [SUPPORT] });
  const preview = await stack.preview({ env: held() });
  expect(said(preview)).toMatch(loses(VIEWER, SUPPORT));
  const refused = await stack.up({ env: held() });
  expect(said(refused)).toMatch(loses(VIEWER, SUPPORT));
  expect(writes().filter((line) => line.includes("/roles/"))).toEqual([]);

  await tenant.outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [SUPPORT] });
  succeeded(await stack.up({ env: held() }));
  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  expect(tenant.profiles().map(({ name }) => name)).toEqual(["company"]);
  tenant.sent();
  // Again with the same file: there is nothing to do.
  succeeded(await stack.up({ env: held(), args: ["--expect-no-changes"] }));
  expect(writes()).toEqual([]);
});
