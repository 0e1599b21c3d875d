import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { environmentName } from "../../provider/pulumi/settings-table";
import { ADMINS, AGENT, BILLING, VIEWER } from "../../simulator/default-seed";
import { recordsOf } from "../../simulator";
import { NEW_SEED } from "../../testkit/properties";
import { Tenant } from "../../testkit/tenant";
import { type CommandResult, Stack, succeeded } from "../../testkit/stack";

/*
 * A restraint that is set after the last `up`, with the real CLI: which command it holds, by where it is set
 * and through which door. docs/held.md says it.
 */

const tenant = new Tenant();
beforeAll(() => tenant.open());
afterAll(() => tenant.close());

type Restraint = readonly [setting: "maxRevocations" | "requireReview", value: string];

/** Each forbids every revocation. */
const RESTRAINTS: readonly Restraint[] = [
  ["maxRevocations", "0"],
  ["requireReview", "true"],
];

type Settings = Readonly<Record<string, string>>;
type Arguments = Readonly<Record<string, string | readonly string[]>>;
const BOTH = [ADMINS, BILLING];

/** Who each assignment of a program is under, and its role. */
const ROLES = { own: VIEWER, provider: AGENT };
type Door = keyof typeof ROLES;
const DOORS = Object.keys(ROLES) as Door[];
/** The groups of each assignment; and the arguments of the `Provider`, beside its tenant's. */
type Program = (groups: readonly string[], args?: Arguments) => string;

const ofTenant = () => ({
  domain: tenant.url,
  clientId: tenant.clientId,
  clientSecret: tenant.clientSecret,
});
const javascript: Program = (groups, args) => `
const { Provider, RoleGroupAssignment } = require("pulumi-identity");
const provider = new Provider("eu", ${JSON.stringify({ ...ofTenant(), ...args })});
const groupIds = ${JSON.stringify(groups)};
new RoleGroupAssignment("own", { roleId: "${ROLES.own}", groupIds });
new RoleGroupAssignment("provider", { roleId: "${ROLES.provider}", groupIds }, { provider });
`;
const yaml: Program = (groups, args) => {
  const type = "identity:RoleGroupAssignment";
  const resources = {
    eu: { type: "pulumi:providers:identity", properties: { ...ofTenant(), ...args } },
    own: { type, properties: { roleId: ROLES.own, groupIds: groups } },
    provider: {
      type,
      properties: { roleId: ROLES.provider, groupIds: groups },
      options: { provider: "${eu}" },
    },
  };
  return `resources: ${JSON.stringify(resources)}\n`;
};

interface Command {
  run: (stack: Stack, options: { env: Settings }) => Promise<CommandResult>;
  /** The groups that the program lists when the command runs: none without the assignment. Default: both. */
  groups?: readonly string[];
  /** It runs the program and finds the `Provider` there. */
  seesArguments?: true;
}

/** What one assignment is refused doesn't keep the other one from being tried. */
const GO_ON = "--continue-on-error";
const COMMANDS: Record<string, Command> = {
  "`up`": {
    run: (stack, { env }) => stack.up({ env, args: [GO_ON] }),
    groups: [ADMINS],
    seesArguments: true,
  },
  "`up` of a program without resources": {
    run: (stack, { env }) => stack.up({ env, args: [GO_ON] }),
    groups: [],
  },
  "`destroy`": { run: (stack, { env }) => stack.destroy({ env, args: [GO_ON] }) },
  "`destroy --refresh`": { run: (stack, { env }) => stack.destroy({ env, args: [GO_ON, "--refresh"] }) },
  "`destroy --run-program`": {
    run: (stack, { env }) => stack.destroy({ env, args: [GO_ON, "--run-program"] }),
    seesArguments: true,
  },
};

/** Returns the places of a restraint that hold each command, by what the assignment is under. */
async function cells(language: "js" | "yaml"): Promise<Record<Door, string[]>> {
  const program = language === "js" ? javascript : yaml;
  const stack = await Stack.create({ language, program: program(BOTH) });
  const settings = join(stack.folder, "Pulumi.test.yaml");
  const state = join(stack.home, "state/.pulumi/stacks/test/test.json");
  try {
    await stack.configure(tenant);
    succeeded(await stack.up());
    const left = [settings, state].map((file) => [file, readFileSync(file, "utf8")] as const);
    const records = recordsOf(tenant.simulator.state());

    const held = async (command: Command, isOfProgram: boolean, [setting, value]: Restraint) => {
      for (const [file, text] of left) writeFileSync(file, text);
      tenant.seed(records);
      const { run, groups = BOTH } = command;
      const args = isOfProgram ? { [setting]: value } : undefined;
      stack.write(groups.length === 0 ? EMPTY[language] : program(groups, args));
      if (isOfProgram) appendFileSync(settings, `  identity:${setting}: "${value}"\n`);
      const env: Settings = isOfProgram ? {} : { [environmentName(setting)]: value };
      const { code, all } = await run(stack, { env });
      const doors = DOORS.filter((door) => tenant.groupsOf(ROLES[door]).includes(BILLING));
      expect(code !== 0).toBe(doors.length > 0);
      // A run that doesn't see the restraint says what it does see.
      if (doors.length < DOORS.length)
        expect(all).toContain("In this run, revocations have no limit, and no review is required.");
      return doors;
    };
    const columns: Record<Door, string[]> = { own: [], provider: [] };
    for (const [row, command] of Object.values(COMMANDS).entries()) {
      const ofProgram = await held(command, true, restraintOf(row));
      const ofEnvironment = await held(command, false, restraintOf(row + 1));
      for (const door of DOORS) {
        const places = [
          ...(ofProgram.includes(door) ? [door === "own" ? "configuration" : "arguments"] : []),
          ...(ofEnvironment.includes(door) ? ["environment"] : []),
        ];
        columns[door].push(places.join(", ") || "none");
      }
    }
    return columns;
  } finally {
    stack.remove();
  }
}

/**
 * The provider reads both restraints alike: so each command, place and door meets both, and each cell meets
 * one. An odd seed swaps them.
 */
function restraintOf(cell: number): Restraint {
  return RESTRAINTS[(cell + NEW_SEED) % RESTRAINTS.length] as Restraint;
}

const EMPTY = { js: "", yaml: "resources: {}\n" };

/** What docs/held.md says of each command: a `Provider` without a program is as the last `up` left it. */
const HELD: Record<Door, string[]> = {
  own: Object.keys(COMMANDS).map(() => "configuration, environment"),
  provider: Object.values(COMMANDS).map(({ seesArguments }) =>
    seesArguments ? "arguments, environment" : "environment",
  ),
};

test.each([
  ["the classes", "js"],
  ["the plugin", "yaml"],
] as const)("%s, and a `Provider` beside them", async (_, language) => {
  tenant.seed();
  expect(await cells(language)).toEqual(HELD);
});

test("classes: a destroy says nothing of restraints that nobody has set", async () => {
  tenant.seed();
  const assignment = JSON.stringify({ roleId: VIEWER, groupIds: BOTH });
  const program = `new (require("pulumi-identity").RoleGroupAssignment)("a", ${assignment});`;
  const stack = await Stack.create({ program });
  try {
    await stack.configure(tenant);
    await stack.config("test:colour", "blue");
    succeeded(await stack.up());
    expect(succeeded(await stack.destroy()).all).not.toContain("In this run");
  } finally {
    stack.remove();
  }
});

test("classes: nothing in a destroy names the file of --config-file", async () => {
  const seen = join(tmpdir(), `host-${process.pid}.json`);
  const program = `
const { dynamic } = require("@pulumi/pulumi");
const provider = {
  create: async () => ({ id: "x", outs: {} }),
  delete: async () => require("fs").writeFileSync(${JSON.stringify(seen)}, JSON.stringify([process.env, process.argv])),
};
new (class extends dynamic.Resource {})(provider, "x", {});
`;
  const stack = await Stack.create({ program });
  try {
    const file = join(stack.folder, "other.yaml");
    writeFileSync(file, "config:\n  identity:maxRevocations: 0\n");
    succeeded(await stack.up({ args: ["--config-file", file] }));
    succeeded(await stack.destroy({ args: ["--config-file", file] }));
    const text = readFileSync(seen, "utf8");
    expect(text).toContain('"PULUMI_CONFIG":"{}"');
    expect(text).not.toContain("other.yaml");
  } finally {
    rmSync(seen, { force: true });
    stack.remove();
  }
});

/** The resources of each door are run alone: a program in YAML ends once one fails. */
const AFTER_A_NEW_NAME: Record<Door, readonly [targets: readonly string[], advice: string]> = {
  own: [["own"], "run pulumi refresh --run-program"],
  provider: [["eu", "provider"], 'set formerDomains of the Provider "eu" to ["127.0.0.1'],
};

test.each([
  ["js", javascript],
  ["yaml", yaml],
] as const)(
  "a tenant that got another name, %s: the page's commands, and nothing is left of the old name",
  async (language, program) => {
    tenant.seed();
    const stack = await Stack.create({ language, program: program(BOTH) });
    const tenantsInState = async () =>
      (await stack.state()).resources
        .filter(({ urn }) => /::(?:own|provider)$/.test(urn))
        .map(({ outputs }) => outputs?.["tenant"]);
    try {
      await stack.configure(tenant);
      succeeded(await stack.up());
      const domain = tenant.url.replace("127.0.0.1", "localhost");
      await stack.config("identity:domain", domain);
      stack.write(program(BOTH, { domain }));
      for (const [door, [targets, advice]] of Object.entries(AFTER_A_NEW_NAME)) {
        const { code, all } = await stack.up({
          args: targets.flatMap((name) => ["--target", `**::${name}`]),
        });
        expect([door, code]).not.toEqual([door, 0]);
        expect(all).toContain(advice);
      }
      await stack.config("identity:formerDomains", tenant.url);
      stack.write(program(BOTH, { domain, formerDomains: [tenant.url] }));
      succeeded(await stack.refresh({ args: ["--run-program"] }));
      expect(await tenantsInState()).toEqual([new URL(domain).host, new URL(domain).host]);
      await stack.unsetConfig("identity:formerDomains");
      stack.write(program(BOTH, { domain }));
      succeeded(await stack.up());
      succeeded(await stack.destroy());
      for (const door of DOORS) expect(tenant.groupsOf(ROLES[door])).not.toContain(BILLING);
    } finally {
      stack.remove();
    }
  },
);
