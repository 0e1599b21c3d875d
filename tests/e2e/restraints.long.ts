import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type RESTRAINT_NAMES } from "../../provider/pulumi/settings";
import { environmentName } from "../../provider/pulumi/settings-table";
import { GROUP_ADMINS, GROUP_BILLING, OTHER_ROLE_ID } from "../../simulator/default-seed";
import { Tenant } from "../../testkit/tenant";
import { type CommandResult, Stack, succeeded } from "../../testkit/stack";

/*
 * A restraint that is set after the last `up`, with the real CLI: which command it holds, by where it is set
 * and through which door. docs/revocations.md has the table.
 */

const tenant = new Tenant();
beforeAll(() => tenant.open());
afterAll(() => tenant.close());

/** Each forbids every revocation. */
const RESTRAINTS = [
  ["maxRevocations", "0"],
  ["requireReview", "true"],
] as const satisfies [(typeof RESTRAINT_NAMES)[number], string][];

type Settings = Readonly<Record<string, string>>;
type Arguments = Readonly<Record<string, string | readonly string[]>>;
const BOTH = [GROUP_ADMINS, GROUP_BILLING];

const ofTenant = () => ({
  domain: tenant.url,
  clientId: tenant.clientId,
  clientSecret: tenant.clientSecret,
});
const javascript = (groups: readonly string[], args?: Arguments) => `
const { Provider, RoleGroupAssignment } = require("pulumi-identity");
const provider = ${args ? `new Provider("eu", ${JSON.stringify({ ...ofTenant(), ...args })})` : "undefined"};
new RoleGroupAssignment("a", ${JSON.stringify({ roleId: OTHER_ROLE_ID, groupIds: groups })}, { provider });
`;
const yaml = (groups: readonly string[], args?: Arguments) => {
  const eu = { type: "pulumi:providers:identity", properties: { ...ofTenant(), ...args } };
  const properties = { roleId: OTHER_ROLE_ID, groupIds: groups };
  const a = { type: "identity:RoleGroupAssignment", properties };
  return `resources: ${JSON.stringify(args ? { eu, a: { ...a, options: { provider: "${eu}" } } } : { a })}\n`;
};

const COMMANDS: Record<string, (stack: Stack, options: { env: Settings }) => Promise<CommandResult>> = {
  "`up`": (stack, { env }) => stack.up({ env }),
  "`destroy`": (stack, { env }) => stack.destroy({ env }),
  "`destroy --run-program`": (stack, { env }) => stack.destroy({ env, args: ["--run-program"] }),
};

/** Returns the places of a restraint that hold each command. */
async function cells(
  language: "js" | "yaml",
  isExplicit: boolean,
  [setting, value]: (typeof RESTRAINTS)[number],
): Promise<string[]> {
  const program = language === "js" ? javascript : yaml;
  const none = isExplicit ? {} : undefined;
  const stack = await Stack.create({ language, program: program(BOTH, none) });
  const holds = async (command: string, place: string): Promise<boolean> => {
    stack.write(program(BOTH, none));
    succeeded(await stack.up());
    const isOfProgram = place !== "environment";
    const args = isExplicit && isOfProgram ? { [setting]: value } : none;
    stack.write(program(command === "`up`" ? [GROUP_ADMINS] : BOTH, args));
    const isConfigured = isOfProgram && !isExplicit;
    if (isConfigured) await stack.config(`identity:${setting}`, value);
    const env: Settings = isOfProgram ? {} : { [environmentName(setting)]: value };
    const { code, all } = (await COMMANDS[command]?.(stack, { env })) as CommandResult;
    if (isConfigured) await stack.unsetConfig(`identity:${setting}`);
    const isHeld = code !== 0;
    expect(tenant.groupsOf(OTHER_ROLE_ID).length === BOTH.length).toBe(isHeld);
    // A run that doesn't see the restraint says what it does see.
    expect(isHeld || all.includes("In this run, revocations have no limit, and no review is required.")).toBe(
      true,
    );
    return isHeld;
  };
  try {
    if (!isExplicit) await stack.configure(tenant);
    const row: string[] = [];
    for (const command of Object.keys(COMMANDS)) {
      const places: string[] = [];
      for (const place of [isExplicit ? "arguments" : "configuration", "environment"])
        if (await holds(command, place)) places.push(place);
      row.push(places.join(", ") || "none");
    }
    return row;
  } finally {
    stack.remove();
  }
}

const page = readFileSync(join(__dirname, "../../docs/revocations.md"), "utf8");

/** The cells of the page's row that begins with this text. */
function rowOf(door: string): string[] {
  const line = page.split("\n").find((each) => each.startsWith(`| ${door} `)) ?? "";
  return line
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());
}

describe.each(RESTRAINTS)("%s=%s", (...restraint) => {
  test.each([
    ["Classes of `pulumi-identity`", "js", false],
    ["The plugin", "yaml", false],
    ["A `Provider`", "js", true],
    ["A `Provider`", "yaml", true],
  ] as const)("%s, %s", async (door, language, isExplicit) => {
    tenant.seed();
    expect(await cells(language, isExplicit, restraint)).toEqual(rowOf(door));
  });
});

test("the table has a column for each command", () => {
  const columns = Object.keys(COMMANDS).map((command) => command.padEnd(26));
  expect(page.replace(/ +/g, " ")).toContain(`| Resources of | ${columns.join(" | ")} |`.replace(/ +/g, " "));
});

describe("a tenant that got another name", () => {
  const stacks = [
    ["js", javascript],
    ["yaml", yaml],
  ] as const;

  test.each(stacks)(
    "%s: the page's commands, and nothing is left of the old name",
    async (language, program) => {
      tenant.seed();
      const stack = await Stack.create({ language, program: program(BOTH) });
      const tenantInState = async () =>
        (await stack.state()).resources.find(({ urn }) => urn.endsWith("::a"))?.outputs?.["tenant"];
      try {
        await stack.configure(tenant);
        succeeded(await stack.up());
        const renamed = tenant.url.replace("127.0.0.1", "localhost");
        await stack.config("identity:domain", renamed);
        const { code, all } = await stack.up();
        expect(code).not.toBe(0);
        expect(all).toContain("run pulumi refresh --run-program");
        await stack.config("identity:formerDomains", tenant.url);
        succeeded(await stack.refresh({ args: ["--run-program"] }));
        expect(await tenantInState()).toBe(new URL(renamed).host);
        await stack.unsetConfig("identity:formerDomains");
        succeeded(await stack.up());
        succeeded(await stack.destroy());
        expect(tenant.groupsOf(OTHER_ROLE_ID)).toEqual([]);
      } finally {
        stack.remove();
      }
    },
  );

  test.each(stacks)("%s: of a Provider", async (language, program) => {
    tenant.seed();
    const stack = await Stack.create({ language, program: program(BOTH, {}) });
    try {
      succeeded(await stack.up());
      const renamed = { domain: tenant.url.replace("127.0.0.1", "localhost") };
      stack.write(program(BOTH, renamed));
      expect((await stack.up()).all).toContain('set formerDomains of the Provider "eu" to ["127.0.0.1');
      stack.write(program(BOTH, { ...renamed, formerDomains: [tenant.url] }));
      succeeded(await stack.refresh({ args: ["--run-program"] }));
      stack.write(program(BOTH, renamed));
      succeeded(await stack.up());
      succeeded(await stack.destroy());
      expect(tenant.groupsOf(OTHER_ROLE_ID)).toEqual([]);
    } finally {
      stack.remove();
    }
  });
});
