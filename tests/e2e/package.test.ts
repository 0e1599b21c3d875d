import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { providerText } from "../../provider/pulumi/hidden-inputs";
import { startSimulator } from "../../simulator";
import { PluginHost } from "../plugin/plugin-host";
import { installed } from "./packed";
import { environmentOf, pulumiCli, Stack } from "./stack";

/** The package as a user gets it: packed, installed into an empty project, and used there. */

const repository = resolve(__dirname, "../..");
let folder: string;
let project: string;
let packed: string[];

const run = promisify(execFile);

beforeAll(async () => {
  const packages = ["@pulumi/pulumi", "typescript", "@types/node", "esbuild"];
  ({ folder, project, files: packed } = await installed(repository, packages));
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Runs a file of the project with this text. */
async function node(name: string, text: string): Promise<unknown> {
  writeFileSync(join(project, name), text);
  const { stdout } = await run(process.execPath, [name], { cwd: project });
  return JSON.parse(stdout);
}

test("it holds the build and its sources, the documents, and nothing else", () => {
  const folders = [
    "provider",
    "cli",
    ...["github", "gitlab", "shell"].map((name) => `examples/pipelines/${name}`),
  ];
  const files = folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(repository, join(parentPath, name))),
  );
  const sources = files.filter((file) => file.endsWith(".ts")).map((file) => file.replace(/\.ts$/, ""));
  expect(packed).toEqual(
    [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "package.json",
      "dist/provider/schema.json",
      ...files,
      ...sources
        .flatMap((source) => ["js", "js.map", "d.ts", "d.ts.map"].map((ending) => `dist/${source}.${ending}`))
        .filter((file) => file !== "dist/provider/zod.js.map"),
    ].sort(),
  );
});

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
      { name: "enterprise", __provider: providerText("ConnectionProfile"), __registration: "1 a/b:it" },
    );
    expect(failures).toEqual([]);
  } finally {
    await host.stop();
  }
});

test("a stack leads to the line of the source, with Node.js' own option", async () => {
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

test("every map leads to a file of the package", () => {
  const installed = join(project, "node_modules", "pulumi-identity");
  const maps = packed.filter((path) => path.endsWith(".map"));
  expect(maps.length).toBeGreaterThan(0);
  for (const map of maps) {
    const { sources } = JSON.parse(readFileSync(join(installed, map), "utf8")) as { sources: string[] };
    const missing = sources.filter((source) => !existsSync(join(installed, dirname(map), source)));
    expect({ map, missing }).toEqual({ map, missing: [] });
  }
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
      "Provider",
      "RoleGroupAssignment",
      "getConnectionProfiles",
      "getConnectionProfilesOutput",
      "getDeviceCredentials",
      "getDeviceCredentialsOutput",
      "getGroup",
      "getGroupOutput",
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

test("the schemas of the commands' answers are exported, and read no answer of another version", async () => {
  const read = await node(
    "schemas.mjs",
    `import { accessSchema } from "pulumi-identity/access";
     import { reviewSchema } from "pulumi-identity/review";
     const version = (schema) => schema.safeParse({ version: 2 }).error.issues.some(({ path }) => path[0] === "version");
     console.log(JSON.stringify([version(accessSchema), version(reviewSchema)]));`,
  );
  expect(read).toEqual([true, true]);
});

test("the schema of rules is exported", async () => {
  const keys = await node(
    "rules.cjs",
    `console.log(JSON.stringify(Object.keys(require("pulumi-identity/rules.schema.json").properties)));`,
  );
  expect(keys).toEqual(["$schema", "default", "allow", "conflicts", "end"]);
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
  const declarations = readFileSync(
    join(project, "node_modules/pulumi-identity/dist/provider/index.d.ts"),
    "utf8",
  );
  const names = [...declarations.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
  expect(names).toEqual(expect.arrayContaining(["getUser", "type User", "Provider", "NotFoundError"]));
  const uses = names.map((name, index) =>
    name.startsWith("type ")
      ? `export type Use${index} = identity.${name.slice("type ".length)};`
      : `export const use${index} = identity.${name};`,
  );
  return ['import * as identity from "pulumi-identity";', ...uses].join("\n");
}

test("its types are sound in a project as `pulumi new typescript` makes it", async () => {
  writeFileSync(join(project, "everything.ts"), everything());
  writeFileSync(join(project, "program.ts"), program);
  const config = { ...PULUMI_NEW, files: ["everything.ts", "program.ts"] };
  writeFileSync(join(project, "pulumi-new.json"), JSON.stringify(config));
  expect(await compile("--project", "pulumi-new.json")).toBe("");
});

test("every entry has its types under the older module resolution, too", async () => {
  const { exports, typesVersions } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    exports: Record<string, string | { types: string }>;
    typesVersions: { "*": Record<string, string[]> };
  };
  const typed = Object.entries(exports).flatMap(([name, entry]) =>
    typeof entry === "string" || name === "." ? [] : [[name.replace("./", ""), [entry.types]] as const],
  );
  expect(typesVersions["*"]).toEqual(Object.fromEntries(typed));
  const text = `
    import { reviewSchema, type ReviewJson } from "pulumi-identity/review";
    import { accessSchema, type AccessJson } from "pulumi-identity/access";
    export const counts = (json: unknown): AccessJson["counts"] => accessSchema.parse(json).counts;
    export const steps = (json: unknown): ReviewJson["access"] => reviewSchema.parse(json).access;
    const wrong: number = counts({}).roles.length;`;
  writeFileSync(join(project, "entries.ts"), text);
  for (const options of [["commonjs", "--moduleResolution", "node"], ["node16"]]) {
    const said = await compile(
      "--strict",
      "--target",
      "es2020",
      "--skipLibCheck",
      "--module",
      ...options,
      "entries.ts",
    );
    expect(said.trim().split("\n")).toEqual([
      expect.stringMatching(/^entries\.ts\(6,\d+\): .*Property 'length' does not exist on type 'number'/),
    ]);
  }
});

test("its types are sound in a strict program, as a CommonJS and as an ES module", async () => {
  for (const name of ["types.cts", "types.mts"]) writeFileSync(join(project, name), program);
  const wrong = `import { ConnectionProfile } from "pulumi-identity"; new ConnectionProfile("p", { nam: "p" });`;
  writeFileSync(join(project, "wrong.mts"), wrong);
  const options = ["--strict", "--skipLibCheck", "false", "--target", "es2022", "--module", "node16"];
  expect(await compile(...options, "types.cts", "types.mts")).toBe("");
  expect(await compile(...options, "wrong.mts")).toContain(
    "'nam' does not exist in type 'ConnectionProfileArgs'",
  );
});

test("its types need no package but @pulumi/pulumi", () => {
  const dist = join(project, "node_modules", "pulumi-identity", "dist/provider");
  const foreign: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    // Ignore imports in examples within comments.
    const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"));
    for (const { fileName: name } of importedFiles) {
      const target = join(dirname(file), name);
      if (!name.startsWith(".")) foreign.push(`${relative(dist, file)}: ${name}`);
      else visit([`${target}.d.ts`, join(target, "index.d.ts")].find((path) => existsSync(path)) ?? target);
    }
  };
  visit(join(dist, "index.d.ts"));
  expect(seen.size).toBeGreaterThan(5);
  expect(foreign.filter((line) => !line.endsWith(": @pulumi/pulumi"))).toEqual([]);
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

test("a TypeScript program that uses it goes up and is destroyed", async () => {
  writeFileSync(join(project, "Pulumi.yaml"), "name: consumer\nruntime: nodejs\n");
  writeFileSync(join(project, "index.ts"), program);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(PULUMI_NEW));
  const simulator = await startSimulator();
  const stack = await Stack.create({
    folder: project,
    env: environmentOf(simulator),
  });
  try {
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await stack.outputs()).toEqual({ id: simulator.state().connection_profiles[0]?.id, count: 3 });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(simulator.state().connection_profiles).toEqual([]);
  } finally {
    stack.remove();
    await simulator.close();
  }
});

test("a project that `pulumi new` makes from the template previews with the installed package", async () => {
  const made = join(folder, "made");
  const { bin, env } = await pulumiCli();
  const options = ["--yes", "--generate-only", "--name", "access", "--dir", made];
  await run(bin, ["new", join(repository, "template"), ...options], {
    cwd: folder,
    env: { ...process.env, ...env, PULUMI_HOME: join(folder, "pulumi"), PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  const files = readdirSync(made);
  expect(files.sort()).toEqual([".gitignore", "Pulumi.yaml", "index.ts", "package.json", "tsconfig.json"]);
  for (const file of files) expect(readFileSync(join(made, file), "utf8")).not.toContain("${");
  expect(JSON.parse(readFileSync(join(made, "package.json"), "utf8"))).toMatchObject({ name: "access" });

  // As `npm install` does it once the package is published.
  symlinkSync(join(project, "node_modules"), join(made, "node_modules"), "junction");
  const stack = await Stack.create({ folder: made });
  try {
    const { code, all } = await stack.preview();
    expect({ code, all }).toMatchObject({
      code: 0,
      all: expect.stringContaining("enterprise create") as string,
    });
  } finally {
    stack.remove();
  }
});
