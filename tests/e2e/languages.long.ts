import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { PACKAGE_VERSION } from "../../provider/http/package-version";
import { PLUGIN_URL } from "../../provider/pulumi/plugin-source";
import { environmentOf, pulumiCli, succeeded } from "../../testkit/stack";
import { usePluginStacks } from "./plugin-stacks";
import { startSecondTenant } from "./sdks";

/* What programs through the plugin can do besides: languages.test.ts has the whole life of a stack. */

const { simulator, create, start, requests, writes } = usePluginStacks();

test("YAML has members of settings in camel case, in paths of options too; misspelt ones, and keys of the configuration, are named", async () => {
  const program = (key: string, button: string, ignored = "") => `
resources:
  enterprise:
    type: identity:ConnectionProfile
    properties:
      name: enterprise
      organization: { ${key}: ${button} }
      crossAppAccessResourceApp: { status: { defaultValue: disabled } }
    options: { ignoreChanges: [${ignored}] }
`;
  const stack = await start(program("show_as_button", "optional"));
  const refused = await stack.preview();
  expect(refused.code).not.toBe(0);
  expect(refused.all).toContain("Existing properties are: showAsButton, assignMembershipOnLogin");
  // Its JSON has no error: only a line by the host.
  const review = await stack.review({ args: ["--no-read", "--format", "text"] });
  expect(review.code).toBe(4);
  expect(review.stdout).toMatch(/The preview failed: .*\n +- .*show_as_button/);

  stack.write(program("showAsButton", "optional"));
  succeeded(await stack.up());
  expect(simulator.state().connection_profiles).toMatchObject([
    {
      organization: { show_as_button: "optional" },
      cross_app_access_resource_app: { status: { default_value: "disabled" } },
    },
  ]);
  stack.write(program("showAsButton", "none", "organization.showAsButton"));
  succeeded(await stack.preview({ args: ["--refresh", "--expect-no-changes"] }));

  await stack.config("identity:clientID", "x");
  const misspelt = await stack.preview();
  expect(misspelt.code).not.toBe(0);
  expect(misspelt.all).toContain("identity:clientID is no setting: did you mean identity:clientId?");
});

test("the plugin's classes import, and get reads all groups of a role whenever it is refreshed", async () => {
  const stack = await start("");
  stack.rewrite(
    "js",
    `
const { RoleGroupAssignment } = require("pulumi-identity/plugin");
new RoleGroupAssignment("agents", { roleId: "${AGENT}", groupIds: ["${SUPPORT}"] }, { import: "${AGENT}" });
exports.groups = RoleGroupAssignment.get("viewers", "${VIEWER}").groupIds;
`,
  );
  const viewers = (...groups: string[]) =>
    simulator.seed({
      ...DEFAULT_SEED,
      roles: [
        { id: AGENT, name: "support-agent", groups: [SUPPORT] },
        { id: VIEWER, name: "billing-viewer", groups },
      ],
    });
  viewers(BILLING);

  succeeded(await stack.up());
  expect(writes()).toEqual([]);
  expect(await stack.outputs()).toEqual({ groups: [BILLING] });
  // Where the plugin isn't installed, Pulumi fetches it by these.
  const provider = (await stack.state()).resources.find(({ type }) => type === "pulumi:providers:identity");
  expect(provider?.inputs).toMatchObject({
    version: PACKAGE_VERSION,
    __internal: { pluginDownloadURL: PLUGIN_URL },
  });

  viewers(ADMINS, BILLING);
  succeeded(await stack.refresh());
  const { resources } = await stack.state();
  expect(resources.find(({ id }) => id === VIEWER)?.outputs?.["groupIds"]).toEqual([ADMINS, BILLING].sort());

  stack.rewrite(
    "js",
    `
const { getGroupOutput, RoleGroupAssignment } = require("pulumi-identity/plugin");
const { id } = getGroupOutput({ name: "billing-team" });
new RoleGroupAssignment("agents", { roleId: "${AGENT}", groupIds: ["${SUPPORT}", id] }, { import: "${AGENT}" });
`,
  );
  expect(succeeded(await stack.preview()).all).toContain(`agents: ${BILLING} is "billing-team"`);
});

test("two providers: assignments of one group are refused in the preview, and a shared role is warned of", async () => {
  const provider = (name: string, group: string) => `
  ${name}:
    type: pulumi:providers:identity
    properties: { domain: "${simulator.url}", clientId: ${simulator.clientId}, clientSecret: ${simulator.clientSecret} }
  of-${name}:
    type: identity:RoleGroupAssignment
    properties: { roleId: ${VIEWER}, groupIds: [${group}] }
    options: { provider: "\${${name}}" }`;
  const stack = await start(`resources:${provider("one", ADMINS)}${provider("two", ADMINS)}\n`);

  const refused = await stack.preview();
  stack.write(`resources:${provider("one", ADMINS)}${provider("two", BILLING)}\n`);
  const shared = succeeded(await stack.preview()).stdout;

  expect(refused.code).not.toBe(0);
  expect(refused.all).toMatch(/"of-one" and "of-two"/);
  expect(shared).toMatch(
    /of-(one|two): role rol_\w+: is also assigned by of-(one|two), under another provider\. .*put all assignments of a role under one provider/,
  );
  expect(requests()).toEqual([]);
});

test("the second tenant of the page gets its resource and answers its function", async () => {
  const page = readFileSync(resolve(__dirname, "../../docs/languages.md"), "utf8");
  const [, program = ""] = /```yaml\n(config:\n[^`]+)```/.exec(page) ?? [];
  const role = { id: VIEWER, name: "support-agent" };
  const groups = [{ id: ADMINS, name: "directory-admins" }];
  const stack = await start(program);
  const eu = await startSecondTenant(stack, { roles: [role], groups });
  try {
    succeeded(await stack.up());

    expect(eu.state().roles).toMatchObject([{ id: VIEWER, groups: [ADMINS] }]);
    expect(requests()).toEqual([]);
    expect(JSON.stringify(await stack.state())).not.toContain(eu.clientSecret);
  } finally {
    await eu.close();
  }
});

test("`pulumi do` asks the plugin, by the command of the page", async () => {
  const page = readFileSync(resolve(__dirname, "../../docs/languages.md"), "utf8");
  const [, command = ""] = /^pulumi (do .+)$/m.exec(page) ?? [];
  const stack = await create({ program: "", language: "yaml" });
  const { bin, env } = await pulumiCli();

  const { stdout } = await promisify(execFile)(bin, command.split(" "), {
    cwd: stack.home,
    env: { ...env, PULUMI_HOME: join(stack.home, "pulumi"), ...environmentOf(simulator) },
  });

  expect(JSON.parse(stdout)).toMatchObject({ id: AGENT, name: "support-agent" });
});
