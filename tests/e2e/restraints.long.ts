import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RESTRAINT_NAMES } from "../../provider/pulumi/settings";
import { environmentName } from "../../provider/pulumi/settings-table";
import { ADMINS, BILLING, VIEWER } from "../../simulator/default-seed";
import { recordsOf } from "../../simulator";
import { NEW_SEED } from "../../testkit/properties";
import { Tenant } from "../../testkit/tenant";
import { type CommandResult, type Deployment, environmentOf, Stack, succeeded } from "../../testkit/stack";

/*
 * A restraint that is set after the last `up`, with the real CLI: which command it holds, by where it is set
 * and through which door. docs/revocations.md has the table.
 */

const tenant = new Tenant();
beforeAll(() => tenant.open());
afterAll(() => tenant.close());

type Restraint = readonly [setting: (typeof RESTRAINT_NAMES)[number], value: string];

/** Each forbids every revocation. */
const RESTRAINTS: readonly Restraint[] = [
  ["maxRevocations", "0"],
  ["requireReview", "true"],
];

type Settings = Readonly<Record<string, string>>;
type Arguments = Readonly<Record<string, string | readonly string[]>>;
const BOTH = [ADMINS, BILLING];

const ofTenant = () => ({
  domain: tenant.url,
  clientId: tenant.clientId,
  clientSecret: tenant.clientSecret,
});
const javascript = (groups: readonly string[], args?: Arguments) => `
const { Provider, RoleGroupAssignment } = require("pulumi-identity");
const provider = ${args ? `new Provider("eu", ${JSON.stringify({ ...ofTenant(), ...args })})` : "undefined"};
new RoleGroupAssignment("a", ${JSON.stringify({ roleId: VIEWER, groupIds: groups })}, { provider });
`;
const yaml = (groups: readonly string[], args?: Arguments) => {
  const eu = { type: "pulumi:providers:identity", properties: { ...ofTenant(), ...args } };
  const properties = { roleId: VIEWER, groupIds: groups };
  const a = { type: "identity:RoleGroupAssignment", properties };
  return `resources: ${JSON.stringify(args ? { eu, a: { ...a, options: { provider: "${eu}" } } } : { a })}\n`;
};

interface Command {
  run: (stack: Stack, options: { env: Settings }) => Promise<CommandResult>;
  /** The groups that the program lists when the command runs: none without the assignment. Default: both. */
  groups?: readonly string[];
}

const COMMANDS: Record<string, Command> = {
  "`up`": { run: (stack, { env }) => stack.up({ env }), groups: [ADMINS] },
  "`up --refresh`": {
    run: (stack, { env }) => stack.up({ env, args: ["--refresh"] }),
    groups: [ADMINS],
  },
  "`up` of a program without resources": { run: (stack, { env }) => stack.up({ env }), groups: [] },
  "`destroy`": { run: (stack, { env }) => stack.destroy({ env }) },
  "`destroy --refresh`": { run: (stack, { env }) => stack.destroy({ env, args: ["--refresh"] }) },
  "`destroy --run-program`": { run: (stack, { env }) => stack.destroy({ env, args: ["--run-program"] }) },
};

/** Returns the places of a restraint that hold each command. */
async function cells(language: "js" | "yaml", isExplicit: boolean): Promise<string[]> {
  const program = language === "js" ? javascript : yaml;
  const none = isExplicit ? {} : undefined;
  const stack = await Stack.create({ language, program: program(BOTH, none) });
  const settings = join(stack.folder, "Pulumi.test.yaml");
  const state = join(stack.home, "state/.pulumi/stacks/test/test.json");
  try {
    if (!isExplicit) await stack.configure(tenant);
    succeeded(await stack.up());
    const left = [settings, state]
      .filter((file) => existsSync(file))
      .map((file) => [file, readFileSync(file, "utf8")] as const);
    const records = recordsOf(tenant.simulator.state());

    const holds = async (command: Command, place: string, [setting, value]: Restraint) => {
      for (const [file, text] of left) writeFileSync(file, text);
      tenant.seed(records);
      const { run, groups = BOTH } = command;
      const isOfProgram = place !== "environment";
      const args = isExplicit && isOfProgram ? { [setting]: value } : none;
      stack.write(groups.length === 0 ? EMPTY[language] : program(groups, args));
      if (isOfProgram && !isExplicit) appendFileSync(settings, `  identity:${setting}: "${value}"\n`);
      const env: Settings = isOfProgram ? {} : { [environmentName(setting)]: value };
      const { code, all } = await run(stack, { env });
      const isHeld = code !== 0;
      expect(tenant.groupsOf(VIEWER).length === BOTH.length).toBe(isHeld);
      // A run that doesn't see the restraint says what it does see.
      if (!isHeld)
        expect(all).toContain("In this run, revocations have no limit, and no review is required.");
      return isHeld;
    };
    const column: string[] = [];
    for (const [row, command] of Object.values(COMMANDS).entries()) {
      const places: string[] = [];
      for (const [index, place] of [isExplicit ? "arguments" : "configuration", "environment"].entries())
        if (await holds(command, place, restraintOf(row + index))) places.push(place);
      column.push(places.join(", ") || "none");
    }
    return column;
  } finally {
    stack.remove();
  }
}

/**
 * The provider reads both restraints alike: so each command, place and door meets both, and the cells of the
 * table one each. An odd seed swaps them.
 */
function restraintOf(cell: number): Restraint {
  return RESTRAINTS[(cell + NEW_SEED) % RESTRAINTS.length] as Restraint;
}

const EMPTY = { js: "", yaml: "resources: {}\n" };

const page = readFileSync(join(__dirname, "../../docs/revocations.md"), "utf8");

const table = page.split("\n").filter((line) => line.startsWith("|"));
const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const [doors = [], , ...rows] = table.map(cellsOf);

test.each([
  ["Classes of `pulumi-identity`", "js", false],
  ["The plugin", "yaml", false],
  ["A `Provider`", "js", true],
  ["A `Provider`", "yaml", true],
] as const)("%s, %s", async (door, language, isExplicit) => {
  tenant.seed();
  const column = rows.map((row) => row[doors.indexOf(door)]);
  expect(await cells(language, isExplicit)).toEqual(column);
});

test("the table has a row for each command", () => {
  expect(rows.map(([command]) => command)).toEqual(Object.keys(COMMANDS));
});

test("classes: a destroy says nothing of restraints that nobody has set", async () => {
  tenant.seed();
  const stack = await Stack.create({ program: javascript(BOTH) });
  try {
    await stack.configure(tenant);
    await stack.config("test:colour", "blue");
    succeeded(await stack.up());
    expect(succeeded(await stack.destroy()).all).not.toContain("In this run");
  } finally {
    stack.remove();
  }
});

test("the plugin, without any setting today: a digest that an older release has left in state", async () => {
  tenant.seed();
  const env = environmentOf(tenant);
  const stack = await Stack.create({ language: "yaml", program: yaml(BOTH) });
  const exported = join(stack.folder, "state.json");
  try {
    succeeded(await stack.up({ env }));
    succeeded(await stack.shell(`pulumi stack export --file ${exported}`));
    const { version, deployment } = JSON.parse(readFileSync(exported, "utf8")) as {
      version: number;
      deployment: Deployment;
    };
    const requireReview = "a".repeat(64);
    const resources = deployment.resources.map((resource) =>
      resource.type === "pulumi:providers:identity"
        ? {
            ...resource,
            inputs: { ...resource.inputs, requireReview },
            outputs: { ...resource.outputs, requireReview },
          }
        : resource,
    );
    writeFileSync(exported, JSON.stringify({ version, deployment: { ...deployment, resources } }));
    succeeded(await stack.shell(`pulumi stack import --file ${exported}`));
    // It counts, though it is no setting any more, and a run without the program can't be told a new name.
    const held = await stack.destroy({ env });
    expect(held.code).not.toBe(0);
    expect(held.all).toContain("and a review is required.");
    expect(held.all).toContain("Nothing is sent without a review");
    succeeded(await stack.refresh({ env }));
    succeeded(await stack.destroy({ env: { ...env, IDENTITY_REQUIRE_REVIEW: "false" } }));
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
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
        expect(tenant.groupsOf(VIEWER)).toEqual([]);
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
      expect(tenant.groupsOf(VIEWER)).toEqual([]);
    } finally {
      stack.remove();
    }
  });
});
