import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { providerText } from "../../provider/pulumi/hidden-inputs";
import { PluginHost } from "../../testkit/hosts/plugin-host";
import { installed } from "./packed";

/* The package as a user gets it: packed, installed into an empty project, and used there. */

const repository = resolve(__dirname, "../..");
let folder: string;
let project: string;

const run = promisify(execFile);

beforeAll(async () => {
  const packages = ["@pulumi/pulumi", "typescript", "@types/node", "esbuild"];
  ({ folder, project } = await installed(repository, packages));
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Runs a file of the project with this text. */
async function node(name: string, text: string): Promise<unknown> {
  writeFileSync(join(project, name), text);
  const { stdout } = await run(process.execPath, [name], { cwd: project });
  return JSON.parse(stdout);
}

test("its plugin is a command, and serves a program with nothing but @pulumi/pulumi beside it", async () => {
  const { bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { bin: object };
  expect(Object.keys(bin)).toEqual(["pulumi-identity", "pulumi-resource-identity"]);
  const host = await PluginHost.start({
    plugin: join(project, "node_modules", ".bin", "pulumi-resource-identity"),
  });
  try {
    await host.configure({});
    const { failures } = await host.check(
      {},
      { name: "enterprise", __provider: providerText("ConnectionProfile"), __registration: "a/b  it" },
    );
    expect(failures).toEqual([]);
  } finally {
    await host.stop();
  }
});

test("a stack leads to the line of the source in the repository, with Node.js' own option", async () => {
  const main = "new (require('pulumi-identity').DeviceCredentialRemoval)('a', undefined)";
  const { stderr } = await run(
    process.execPath,
    ["--enable-source-maps", "-e", `try { ${main} } catch (e) { console.error(e.stack) }`],
    {
      cwd: project,
    },
  );
  expect(stderr).toMatch(/pulumi-identity\/provider\/[\w/-]+\.ts:\d+:\d+/);
});

test("require and import give the same names", async () => {
  const required = await node(
    "required.cjs",
    `console.log(JSON.stringify(Object.keys(require("pulumi-identity")).sort()));`,
  );
  expect(required).toEqual(
    expect.arrayContaining([
      "ConnectionProfile",
      "DeviceCredentialRemoval",
      "OrganizationRoleGroupAssignment",
      "Provider",
      "RoleGroupAssignment",
      "UserSignOut",
      "getConnectionProfiles",
      "getConnectionProfilesOutput",
      "getDeviceCredentials",
      "getDeviceCredentialsOutput",
      "getGroup",
      "getGroupOutput",
      "getOrganization",
      "getOrganizationOutput",
      "getRole",
      "getRoleGroups",
      "getRoleGroupsOutput",
      "getRoleOutput",
      "getUser",
      "getUserOutput",
      "getUserPermissions",
      "getUserPermissionsOutput",
    ]),
  );
  const imported = await node(
    "imported.mjs",
    `import * as all from "pulumi-identity";
     const names = Object.keys(all).filter((name) => !["default", "module.exports", "__esModule"].includes(name));
     console.log(JSON.stringify(names.sort()));`,
  );
  expect(imported).toEqual((required as string[]).filter((name) => name !== "__esModule"));
});

const program = `
  import { ConnectionProfile, type ConnectionProfileArgs, getUserPermissionsOutput } from "pulumi-identity";
  const args: ConnectionProfileArgs = { name: "enterprise", enabledFeatures: ["scim"] };
  const enterprise = new ConnectionProfile("enterprise", args);
  const access = getUserPermissionsOutput({ userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d" }, { dependsOn: enterprise });
  export const id = enterprise.id;
  export const count = access.permissions.apply((permissions) => permissions.length);
`;

test("the JSON Schemas are exported, and entries with types only are no trouble where an import of them stays", async () => {
  const titles = await node(
    "schemas.cjs",
    `require("pulumi-identity/review");
     require("pulumi-identity/access");
     const names = ["review", "access", "rules"];
     console.log(JSON.stringify(names.map((name) => require(\`pulumi-identity/\${name}.schema.json\`).title)));`,
  );
  expect(titles).toEqual([
    "Review of pulumi-identity",
    "Access of pulumi-identity",
    "Rules of pulumi-identity",
  ]);
});

/** The tsconfig.json of `pulumi new typescript`: neither `esModuleInterop` nor `skipLibCheck`. */
const PULUMI_NEW = {
  compilerOptions: {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
    sourceMap: true,
    experimentalDecorators: true,
    pretty: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
  },
  files: ["index.ts"],
};

/** Returns the compiler's output. */
async function compile(...args: string[]): Promise<string> {
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  return run(process.execPath, [tsc, "--noEmit", "--pretty", "false", ...args], {
    cwd: project,
  }).then(
    () => "",
    (error: Error & { stdout?: string }) => error.stdout ?? error.message,
  );
}

/** A program that names all exports of the package, values and types. */
function everything(): string {
  const file = join(project, "node_modules/pulumi-identity/dist/provider/index.d.ts");
  const types = ts.createProgram([file], { module: ts.ModuleKind.Node16, skipLibCheck: true });
  const checker = types.getTypeChecker();
  const source = types.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const names = (module === undefined ? [] : checker.getExportsOfModule(module)).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (target.flags & ts.SymbolFlags.Value) return symbol.name;
    const [declaration] = target.declarations ?? [];
    const parameters =
      declaration && ts.isTypeAliasDeclaration(declaration) ? declaration.typeParameters : [];
    return `type ${symbol.name}${parameters?.some((one) => one.default === undefined) ? "<unknown>" : ""}`;
  });
  expect(names).toEqual(
    expect.arrayContaining(["getUser", "type GetUserResult", "Provider", "NotFoundError"]),
  );
  const uses = names.map((name, index) =>
    name.startsWith("type ")
      ? `export type Use${index} = identity.${name.slice("type ".length)};`
      : `export const use${index} = identity.${name};`,
  );
  return ['import * as identity from "pulumi-identity";', ...uses].join("\n");
}

/** The entries of package.json, with a mistake in the last line. */
const ENTRIES = `
  import { type ReviewJson } from "pulumi-identity/review";
  import { type AccessJson } from "pulumi-identity/access";
  export const counts = (json: unknown): AccessJson["counts"] => (json as AccessJson).counts;
  export const steps = (json: unknown): ReviewJson["access"] => (json as ReviewJson).access;
  const wrong: number = counts({}).roles.length;`;
const WRONG = `import { ConnectionProfile } from "pulumi-identity"; new ConnectionProfile("p", { nam: "p" });`;

const IN_ENTRIES = expect.stringMatching(
  /^entries\.mts\(6,\d+\): .*Property 'length' does not exist on type 'number'/,
) as string;
const IN_WRONG = expect.stringMatching(
  /^wrong\.m?ts.*'nam' does not exist in type 'ConnectionProfileArgs'/,
) as string;

test("its types are sound in a project as `pulumi new typescript` makes it", async () => {
  const texts = { "everything.ts": everything(), "program.ts": program, "wrong.ts": WRONG };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(project, name), text);
  writeFileSync(
    join(project, "pulumi-new.json"),
    JSON.stringify({ ...PULUMI_NEW, files: Object.keys(texts) }),
  );
  expect((await compile("--project", "pulumi-new.json")).trim().split("\n")).toEqual([IN_WRONG]);
});

test("a strict CommonJS and a strict ES module find the types of every entry", async () => {
  const texts = {
    "program.cts": program,
    "program.mts": program,
    "entries.mts": ENTRIES,
    "wrong.mts": WRONG,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(project, name), text);
  const options = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "node16"];
  const said = await compile(...options, ...Object.keys(texts));
  expect(said.trim().split("\n").sort()).toEqual([IN_ENTRIES, IN_WRONG]);
});

test("the older module resolution finds the types of every entry, too", () => {
  const { exports } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    exports: Record<string, string | { types: string }>;
  };
  const found = Object.entries(exports).flatMap(([name, entry]) => {
    if (typeof entry === "string") return [];
    const options = { moduleResolution: ts.ModuleResolutionKind.Node10 };
    const module = join("pulumi-identity", name).replaceAll("\\", "/");
    const { resolvedModule } = ts.resolveModuleName(module, join(project, "a.ts"), options, ts.sys);
    return [[resolvedModule?.resolvedFileName, join(project, "node_modules/pulumi-identity", entry.types)]];
  });
  expect(found.length).toBeGreaterThan(3);
  for (const [file, types] of found) expect(file).toBe(types);
});

test("a program that is bundled into one file imports and runs it", async () => {
  const text = `
    import * as pulumi from "@pulumi/pulumi";
    import { ConnectionProfile, getUserPermissionsOutput } from "pulumi-identity";
    void pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name + "-id", state: inputs }),
      call: ({ inputs }) => ({ userId: inputs.userId, permissions: [{ permissionName: "read:tickets" }] }),
    });
    const enterprise = new ConnectionProfile("enterprise", { name: "enterprise" });
    const access = getUserPermissionsOutput({ userId: "auth0|x" }, { dependsOn: enterprise });
    pulumi
      .all([enterprise.id, enterprise.name, access.permissions])
      .apply((values) => console.log(JSON.stringify(values)));`;
  writeFileSync(join(project, "bundled.ts"), text);
  // In a folder without installed packages.
  const bundle = join(folder, "bundle", "index.js");
  const options = ["--bundle", "--platform=node", "--log-level=error", `--outfile=${bundle}`];
  await run(join("node_modules", ".bin", "esbuild"), ["bundled.ts", ...options], { cwd: project });
  const { stdout } = await run(process.execPath, [basename(bundle)], { cwd: dirname(bundle) });
  expect(JSON.parse(stdout)).toEqual(["enterprise-id", "enterprise", [{ permissionName: "read:tickets" }]]);
});
