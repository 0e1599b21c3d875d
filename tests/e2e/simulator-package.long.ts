import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { installed, npm } from "./packed";

/*
 * The package pulumi-identity-simulator as a user gets it: packed, installed into an empty project, and used
 * there.
 */

const repository = resolve(__dirname, "../..");
const sources = join(repository, "simulator");
const run = promisify(execFile);

let folder: string;
let project: string;
let packed: string[];
let complaints: string;

const node = (...args: string[]) => run(process.execPath, args, { cwd: project });

beforeAll(async () => {
  ({ folder, project, files: packed, complaints } = await installed(sources, ["@types/node", "typescript"]));
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

test("it holds the build, the documents, and no test", () => {
  const compiled = readdirSync(sources)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .flatMap((name) => ["js", "d.ts"].map((ending) => `dist/${name.replace(/ts$/, ending)}`));
  expect(packed).toEqual(["LICENSE", "README.md", "index.d.ts", "package.json", ...compiled].sort());
});

test("it has the license of the project, and needs the Node.js that the project needs", () => {
  const read = (path: string) => readFileSync(join(repository, path), "utf8");
  expect(read("simulator/LICENSE")).toBe(read("LICENSE"));
  const [own, root] = ["simulator/package.json", "package.json"].map(
    (path) => JSON.parse(read(path)) as Record<string, unknown>,
  );
  for (const key of ["version", "license", "engines"]) expect(own![key]).toEqual(root![key]);
});

// The reason why light-my-request is pinned: newer ones need Node.js 22, for their cookie.
test("no package of it needs a newer Node.js", () => expect(complaints).not.toContain("EBADENGINE"));

test("npx pulumi-identity-simulator shows its options", async () => {
  const { stdout } = await npm(["exec", "--offline", "--", "pulumi-identity-simulator", "--help"], project);
  expect(stdout).toMatch(/^Usage: npx pulumi-identity-simulator \[options\] \[-- command\.\.\.\]$/m);
});

test("its command serves a seed until it is interrupted", async () => {
  writeFileSync(join(project, "seed.json"), `{ "connection_profiles": [{ "name": "from the seed" }] }`);
  const bin = join("node_modules", ".bin", "pulumi-identity-simulator");
  const child = spawn(bin, ["--port", "0", "--seed", "seed.json"], { cwd: project });
  const ended = once(child, "close");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const state = await (await fetch(`${url}/_simulator/state`)).json();
  child.kill("SIGINT");
  expect(state).toMatchObject({ connection_profiles: [{ name: "from the seed" }] });
  expect(await ended).toEqual([0, null]);
});

const use = `
  const simulator = await startSimulator({ seed: { connection_profiles: [{ name: "one" }] } });
  const { connection_profiles } = simulator.state();
  await simulator.close();`;
const print = `console.log(connection_profiles[0].name);`;

test("a CommonJS and an ES module start it", async () => {
  writeFileSync(
    join(project, "required.cjs"),
    `const { startSimulator } = require("pulumi-identity-simulator");
     void (async () => { ${use} ${print} })();`,
  );
  writeFileSync(
    join(project, "imported.mjs"),
    `import { startSimulator } from "pulumi-identity-simulator"; ${use} ${print}`,
  );
  expect((await node("required.cjs")).stdout).toBe("one\n");
  expect((await node("imported.mjs")).stdout).toBe("one\n");
});

test("a test of Jest starts it", async () => {
  writeFileSync(
    join(project, "simulator.test.js"),
    `const { startSimulator } = require("pulumi-identity-simulator");
     test("it starts", async () => { ${use} expect(connection_profiles).toMatchObject([{ name: "one" }]); });`,
  );
  const jest = join(repository, "node_modules", "jest", "bin", "jest.js");
  expect((await node(jest, "--rootDir", project)).stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
});

/** Returns the compiler's output. */
function compile(...args: string[]): Promise<string> {
  return node(
    join("node_modules", "typescript", "bin", "tsc"),
    "--noEmit",
    "--pretty",
    "false",
    ...args,
  ).then(
    () => "",
    (error: Error & { stdout?: string }) => error.stdout ?? error.message,
  );
}

const program = `
  import { DEFAULT_SEED, type Fault, type SeedInput, type Simulator, startSimulator } from "pulumi-identity-simulator";
  const seed: SeedInput = { ...DEFAULT_SEED, connection_profiles: [{ name: "one" }] };
  const fault: Fault = { method: "POST", action: { status: 503 } };
  export async function main(): Promise<string[]> {
    const simulator: Simulator = await startSimulator({ seed, rate: { burst: 2, perSecond: 2 } });
    simulator.fail(fault);
    const names: string[] = simulator.state().connection_profiles.map((profile) => profile.name);
    await simulator.close();
    return names.concat(simulator.log());
  }`;
const wrong = `
  import { startSimulator } from "pulumi-identity-simulator";
  void startSimulator({ sed: {} });`;

test.each([
  ["`pulumi new typescript` makes", ["--module", "commonjs", "--moduleResolution", "node"]],
  ["has the module resolution of Node.js", ["--module", "node16", "--skipLibCheck"]],
])("its types are sound in a project that %s", async (_what, resolution) => {
  for (const [name, text] of Object.entries({ "program.ts": program, "wrong.ts": wrong }))
    writeFileSync(join(project, name), text);
  const options = ["--strict", "--target", "es2020", ...resolution];
  const errors = (await compile(...options, "program.ts", "wrong.ts")).trim().split("\n");
  expect(errors).toEqual([
    expect.stringMatching(/^wrong\.ts.+'sed' does not exist in type 'SimulatorOptions'/),
  ]);
});
