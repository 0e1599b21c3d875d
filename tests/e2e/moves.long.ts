import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Tenant, TOKEN } from "../../testkit/tenant";
import { ADMINS, AGENT, BILLING, CONTRACTORS, VIEWER } from "../../simulator/default-seed";
import { review } from "../../testkit/cli/review";
import { environmentOf, Stack, succeeded } from "../../testkit/stack";

/*
 * Moves of groups where only the real engine and CLI show what happens: hosts and copies of the package that
 * know each other by a file, and what a preview prints. tests/contract/role-group-assignment has refreshes,
 * failures and all the others, and tests/truth random ones.
 */

const [MOVES, STAYS, OTHER] = [ADMINS, BILLING, CONTRACTORS];
const tenant = new Tenant();
let stack: Stack;
let stateFile: string;
/** The stack's file before anything was created. */
let empty: string;
/** The stack and the role after `START`. */
let started: { state: string; groups: string[] };

interface Assignment {
  groupIds: string[];
  roleId?: string;
  /** Name of the `Provider`. */
  provider?: string;
  /** Of Pulumi's own output, with `hideDiffs`. */
  isHidden?: boolean;
  /** Declared by a component library with its own copy of the package. */
  isOfLibrary?: boolean;
}
type Program = Record<string, Assignment>;

const c: Assignment = { groupIds: [OTHER] };
const START: Program = { a: { groupIds: [MOVES, STAYS] }, c };

function write(program: Program, more = ""): void {
  const providers = [...new Set(Object.values(program).flatMap(({ provider = [] }) => provider))];
  const domain = { domain: tenant.url, clientId: tenant.clientId, clientSecret: tenant.clientSecret };
  stack.write(`
    const { ConnectionProfile, Provider, RoleGroupAssignment } = require("pulumi-identity");
    const library = () => require("./library/node_modules/pulumi-identity");
    ${providers.map((name) => `const ${name} = new Provider("${name}", ${JSON.stringify(domain)});`).join("\n")}
    ${Object.entries(program)
      .map(([name, { provider, roleId = AGENT, groupIds, isHidden = false, isOfLibrary = false }]) => {
        const args = JSON.stringify({ roleId, groupIds });
        const owner = isOfLibrary ? "(library().RoleGroupAssignment)" : "RoleGroupAssignment";
        return `new ${owner}("${name}", ${args}, { provider: ${provider}, hideDiffs: ${isHidden ? '["groupIds"]' : undefined} });`;
      })
      .join("\n")}
    ${more}`);
}

beforeAll(async () => {
  await tenant.open();
  stack = await Stack.create({ env: environmentOf(tenant) });
  stateFile = join(stack.home, "state", ".pulumi", "stacks", "test", "test.json");
  empty = readFileSync(stateFile, "utf8");
  tenant.seed({ roles: [{ id: AGENT, name: "moving" }] });
  write(START);
  succeeded(await stack.up());
  started = { state: readFileSync(stateFile, "utf8"), groups: tenant.groupsOf(AGENT) };
});

afterAll(async () => {
  stack.remove();
  await tenant.close();
});

beforeEach(() => {
  tenant.seed({
    roles: [
      { id: AGENT, name: "moving", groups: started.groups },
      { id: VIEWER, name: "other" },
    ],
  });
  writeFileSync(stateFile, started.state);
});

const nameOf = (urn: string) => urn.slice(urn.lastIndexOf(":") + 1);

/** The groups that each assignment has. */
async function state(): Promise<Record<string, unknown>> {
  const { resources } = await stack.state();
  return Object.fromEntries<unknown>(
    resources
      .filter(({ type }) => type.endsWith(":RoleGroupAssignment"))
      .map(({ urn, outputs: { groupIds } = {} }) => [nameOf(urn), groupIds]),
  );
}

const assigned = (groups: string[]) =>
  `POST /roles/${AGENT}/groups ${JSON.stringify({ groups: [...groups].sort() })} 204`;

test("from the default provider to an explicit one, under another name", async () => {
  write({ b: { groupIds: [MOVES, STAYS], provider: "one" }, c });
  const { all } = succeeded(await stack.up());
  expect(all).toMatch(/keeps grp_\w+, grp_\w+, listed by b/);
  expect(tenant.sent()).toEqual([TOKEN, assigned([MOVES, STAYS])]);
  expect(await state()).toEqual({ b: [MOVES, STAYS].sort(), c: [OTHER] });
  expect(tenant.groupsOf(AGENT)).toEqual([MOVES, STAYS, OTHER].sort());
});

test("a destroy that runs the program spares nothing, whatever that lists by now", async () => {
  write({ b: { groupIds: [MOVES, STAYS] }, c });
  succeeded(await stack.destroy({ args: ["--run-program"] }));
  expect(tenant.groupsOf(AGENT)).toEqual([]);
  expect(await state()).toEqual({});
});

test("between two copies of the package, there and back", async () => {
  const repository = resolve(__dirname, "../..");
  for (const name of ["dist", "package.json"]) {
    const copy = join(stack.folder, "library", "node_modules", "pulumi-identity", name);
    cpSync(join(repository, name), copy, { recursive: true });
  }
  const a = { groupIds: [STAYS] };
  const b = { groupIds: [MOVES], isOfLibrary: true };
  write({ a, c, b });
  succeeded(await stack.up());
  expect(tenant.sent()).toEqual([TOKEN, assigned([MOVES])]);
  expect(await state()).toMatchObject({ b: [MOVES], c: [OTHER] });

  write(START);
  succeeded(await stack.up());
  expect(tenant.sent()).toEqual([TOKEN, assigned([MOVES])]);
  expect(await state()).toEqual({ a: [MOVES, STAYS].sort(), c: [OTHER] });
  expect(tenant.groupsOf(AGENT)).toEqual([MOVES, STAYS, OTHER].sort());
});

test("from JavaScript's own classes to the plugin's without a change, and back without a request", async () => {
  /** Under a component's own Provider, and the default one. `isBack`: aliases name the plugin's types. */
  const byClass = (from: string, a: string[], b: string[], isBack = false) =>
    stack.write(`
      const pulumi = require("@pulumi/pulumi");
      const { ConnectionProfile, getRole, Provider, RoleGroupAssignment } = require("${from}");
      const aliases = (type) => (${isBack} ? [{ type: "identity:index:" + type }] : []);
      const eu = new Provider("eu", ${JSON.stringify({ domain: tenant.url, clientId: tenant.clientId, clientSecret: tenant.clientSecret })});
      const parent = new pulumi.ComponentResource("acme:index:Access", "access", {}, { providers: [eu] });
      const found = getRole({ name: "moving" }, { parent }).then(({ id }) => id);
      const options = { parent, aliases: aliases("RoleGroupAssignment") };
      new RoleGroupAssignment("a", { roleId: found, groupIds: ${JSON.stringify(a)} }, options);
      new RoleGroupAssignment("b", { roleId: "${AGENT}", groupIds: ${JSON.stringify(b)} }, options);
      new ConnectionProfile("profile", { name: "enterprise" }, { aliases: aliases("ConnectionProfile") });`);
  const writes = () => tenant.sent().filter((line) => !/^(GET|token)/.test(line));
  tenant.seed({ roles: [{ id: AGENT, name: "moving" }] });
  writeFileSync(stateFile, empty);
  byClass("pulumi-identity", [MOVES, STAYS], [OTHER]);
  succeeded(await stack.up());
  expect(writes()).toHaveLength(3);

  byClass("pulumi-identity/plugin", [MOVES, STAYS], [OTHER]);
  expect(succeeded(await stack.up()).all).not.toMatch(/updated|replaced/);
  expect(writes()).toEqual([]);

  byClass("pulumi-identity/plugin", [STAYS], [MOVES, OTHER]);
  succeeded(await stack.up());
  expect(writes()).toEqual([assigned([MOVES])]);

  byClass("pulumi-identity", [STAYS], [MOVES, OTHER], true);
  expect(succeeded(await stack.up()).all).toContain("2 updated");
  expect(writes()).toEqual([]);
  expect(tenant.groupsOf(AGENT)).toEqual([MOVES, STAYS, OTHER].sort());
});

describe("a preview", () => {
  const program: Program = {
    a: { groupIds: [STAYS] },
    b: { groupIds: [MOVES] },
    c: { ...c, roleId: VIEWER },
  };
  const lines = [
    `a: role ${AGENT}: hands over ${MOVES}`,
    `b: role ${AGENT}: + ${MOVES}`,
    `c: role ${AGENT}: − ${OTHER}, once what it replaces is deleted`,
    `c: role ${VIEWER}: + ${OTHER}`,
  ];
  const linesIn = (text: string) =>
    text
      .match(/\b\w+: role rol_[^"\\\n{]*/g)
      ?.map((line) => line.trim())
      .sort();
  /** Inputs that the program sends along for the handlers. */
  const hidden = /__(registration|sets|listedElsewhere)/;

  test("--diff shows each change once, by the name of the resource", async () => {
    write(program);
    const { all } = succeeded(await stack.preview({ args: ["--diff"] }));
    // Pulumi's progress comes before, and repeats each line as it arrives.
    expect(linesIn(all.split("Diagnostics:").at(-1) ?? "")).toEqual(lines);
    expect(all).not.toMatch(hidden);
    expect(tenant.sent()).toEqual([]);
  });

  test("--json has the same lines, as diagnostics, and hideDiffs hides nothing from them and from the review", async () => {
    write({ ...program, a: { groupIds: [STAYS], isHidden: true } });
    const { stdout } = succeeded(await stack.preview({ json: true }));
    expect((await review([stdout])).stdout).toContain(`keeps | \`${MOVES}\` | \`a\` `);
    const { diagnostics, steps } = JSON.parse(stdout) as {
      diagnostics: { message: string }[];
      steps: unknown[];
    };
    expect(linesIn(diagnostics.map(({ message }) => message).join("\n"))).toEqual(lines);
    // Dependencies of inputs are listed by name, for hidden ones too.
    const shown = (key: string, value: unknown) => (key === "propertyDependencies" ? undefined : value);
    expect(JSON.stringify(steps)).toMatch(hidden);
    expect(JSON.stringify(steps, shown)).not.toMatch(hidden);
    expect(JSON.stringify(await stack.state(), shown)).not.toMatch(hidden);
  });
});
