import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  SUPPORT,
  VIEWER,
} from "../../simulator/default-seed";
import { review } from "../../testkit/cli/review";
import { type CommandResult, environmentOf, Stack } from "../../testkit/stack";

/*
 * examples/policies with the real CLI. A language host built here can't run policy packs. So the pack is a
 * script that runs the SDK's own runner, like the language host of an installed Pulumi.
 */

const repository = resolve(__dirname, "../..");
const AUDITOR = "rol_2kVpYs6TgLc8dJmE";
let home: string;
let runner: string;
let simulator: Simulator;
let stack: Stack;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "pulumi-identity-policies-"));
  const pack = join(home, "policies");
  cpSync(join(repository, "examples/policies"), pack, { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(pack, "node_modules"), "junction");
  runner = runnerOf(pack);
  simulator = await startSimulator();
  const roles = [AGENT, VIEWER, AUDITOR].map((id) => ({ id, name: id }));
  simulator.seed({ ...DEFAULT_SEED, roles });
  stack = await Stack.create({
    env: environmentOf(simulator),
  });
});

afterAll(async () => {
  stack.remove();
  await simulator.close();
  rmSync(home, { recursive: true });
});

/** Returns the script that stands for a pack's language host. */
function runnerOf(pack: string): string {
  const path = join(pack, "run");
  const script = `cd "${pack}" && exec node node_modules/@pulumi/pulumi/cmd/run-policy-pack "$1" .`;
  writeFileSync(path, `#!/bin/sh\nexport PULUMI_NODEJS_TYPESCRIPT=true\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const HEAD = `const pulumi = require("@pulumi/pulumi");
const { RoleGroupAssignment } = require("pulumi-identity");
`;
const assignment = (name: string, roleId: string, groupIds: string[], more = {}) =>
  `new RoleGroupAssignment("${name}", ${JSON.stringify({ roleId, groupIds, ...more })});\n`;

function preview(program: string, { json = false } = {}): Promise<CommandResult> {
  stack.write(HEAD + program);
  return stack.preview({ json, args: ["--policy-pack", runner] });
}

/** Returns the names of policies and of the resources they refuse, sorted. */
function refused(output: string): string[] {
  const lines = output.matchAll(/- \[mandatory\] +(\S+) +\(.*: (\S+)\)/g);
  return [...lines].map(([, policy, resource]) => `${policy}: ${resource}`).sort();
}

test("what keeps to the policies passes; what is not known yet is judged when it is", async () => {
  const { code, all } = await preview(
    `const agents = ${assignment("agents", AGENT, [ADMINS, BILLING])}
     const groupIds = agents.id.apply(() => ["${ADMINS}"]);
     new RoleGroupAssignment("viewers", { roleId: "${VIEWER}", groupIds });`,
  );
  expect({ code, refused: refused(all) }).toEqual({ code: 0, refused: [] });
  expect(all).toMatch(/can't run policy 'holders-of-roles' .* during preview/);
});

test("each policy refuses, and quotes no secret", async () => {
  const program = `
    new RoleGroupAssignment("agents", { roleId: "${AGENT}", groupIds: pulumi.secret(["${CONTRACTORS}"]) });
    ${assignment("auditors", AUDITOR, [ADMINS], { exclusive: true })}
    ${assignment("viewers", VIEWER, [ADMINS, BILLING])}
    ${assignment("more-viewers", VIEWER, [CONTRACTORS, SUPPORT])}`;
  const { code, all } = await preview(program);
  expect(all).toContain(`Only ${ADMINS} and ${BILLING} may hold ${AGENT}.`);
  expect(all).toContain(`${VIEWER} is given to 4 groups.`);
  expect(all).not.toMatch(new RegExp(`agents.*${CONTRACTORS}`));
  expect({ code, refused: refused(all) }).toEqual({
    code: 1,
    refused: [
      "few-groups-a-role: test-test",
      "holders-of-roles: agents",
      "no-exclusive-assignment: auditors",
    ],
  });

  const { stdout } = await preview(program, { json: true });
  const reviewed = await review([stdout]);
  expect(reviewed).toMatchObject({ code: 4, json: { failed: true } });
  // The JSON has no policy's name.
  expect(reviewed.stdout).toContain("as when a policy refuses it");
});

test("a delete passes the policies: the review shows it", async () => {
  stack.write(HEAD + assignment("agents", AGENT, [CONTRACTORS]));
  expect((await stack.up()).code).toBe(0);
  const { code, stdout } = await preview("", { json: true });
  expect(code).toBe(0);
  expect((await review([stdout])).json).toMatchObject({
    access: [{ role: AGENT, group: CONTRACTORS, effect: "loses" }],
  });
});

/** Takes a group out of each assignment, and the features from each profile, after the provider's check. */
const REMEDIATION = `const { PolicyPack } = require("@pulumi/policy");
new PolicyPack("remediating", { policies: [{
  name: "less",
  description: "Takes something away.",
  enforcementLevel: "remediate",
  remediateResource: ({ type, props }) => {
    if (type.endsWith("RoleGroupAssignment"))
      return { ...props, groupIds: [...props.groupIds].filter((group) => group !== "${ADMINS}") };
    return type.endsWith("ConnectionProfile") ? { ...props, enabledFeatures: [] } : undefined;
  },
}] });
`;

test.each(["js", "yaml"] as const)(
  "a remediation of what others rely on is refused in the preview and the run; another one is applied: %s",
  async (language) => {
    const pack = join(home, `remediation-${language}`);
    mkdirSync(pack);
    symlinkSync(join(repository, "node_modules"), join(pack, "node_modules"), "junction");
    writeFileSync(
      join(pack, "package.json"),
      JSON.stringify({ name: "remediating", version: "1.0.0", main: "index.js" }),
    );
    writeFileSync(join(pack, "PulumiPolicy.yaml"), "description: Less.\nruntime: nodejs\n");
    writeFileSync(join(pack, "index.js"), REMEDIATION);
    const args = ["--policy-pack", runnerOf(pack)];
    const tenant = await startSimulator();
    const own = await Stack.create({ language, env: environmentOf(tenant) });
    try {
      const program = (groups: string[]) =>
        language === "js"
          ? HEAD +
            assignment("support", AGENT, groups) +
            'new (require("pulumi-identity").ConnectionProfile)("p", { name: "enterprise", enabledFeatures: ["scim"] });'
          : `resources:
  support:
    type: identity:index:RoleGroupAssignment
    properties: { roleId: ${AGENT}, groupIds: [${groups.join(", ")}] }
  p:
    type: identity:index:ConnectionProfile
    properties: { name: enterprise, enabledFeatures: [scim] }
`;
      const held = () => tenant.state().roles.find(({ id }) => id === AGENT)?.groups;
      const before = held();
      own.write(program([ADMINS, BILLING]));
      const created = await own.up({ args });
      expect(created.code).not.toBe(0);
      expect(created.all).toContain(
        "Nothing was sent: after the provider had checked support, something changed its groupIds",
      );
      expect(held()).toEqual(before);

      own.write(program([BILLING]));
      expect((await own.up({ args })).code).toBe(0);
      expect(tenant.state().connection_profiles.find(({ name }) => name === "enterprise")).toMatchObject({
        enabled_features: [],
      });

      own.write(program([ADMINS, BILLING]));
      const previewed = await own.preview({ args });
      expect(previewed.code).not.toBe(0);
      expect(previewed.all).toContain("something changed its groupIds");
    } finally {
      own.remove();
      await tenant.close();
    }
  },
);
