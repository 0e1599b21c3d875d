import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { startSimulator } from "../../simulator";
import { ADMINS, AGENT, BILLING, CONTRACTORS, PHONE } from "../../simulator/default-seed";
import { EU_ADMINS, GO_FLAGS, goEnvironment, publishForGo, run, startSecondTenant } from "./sdks";
import { buildArchive, installPlugin, pathOf } from "./plugin-archive";
import { pulumiCli, Stack, succeeded } from "../../testkit/stack";

/* The SDKs of sdk/, and that which Pulumi generates for Java. python.long.ts runs the one for Python. */

const repository = resolve(__dirname, "../..");
const MODULE = "github.com/pulumi-identity/pulumi-identity/sdk/go";
let archive: string;
let folder: string;
let github: string;

beforeAll(async () => {
  archive = await buildArchive();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-sdk-"));
  github = mkdtempSync(join(tmpdir(), "pulumi-identity-github-"));
});
afterEach(() => {
  for (const one of [folder, github]) rmSync(one, { recursive: true });
});

test("the CLI finds nothing wrong with the schema, and gets it from the plugin", async () => {
  const { bin } = await pulumiCli("--languages");
  const file = join(repository, "schema.json");
  expect(await run(bin, ["schema", "check", file], folder)).toBe("");

  const plugin = join(repository, "node_modules/.bin/pulumi-resource-identity");
  const served = await run(bin, ["package", "get-schema", plugin], folder);
  expect(Object.keys(JSON.parse(served) as object)).toEqual(
    expect.arrayContaining(["resources", "functions", "types"]),
  );
});

test("Pulumi's code generation makes what is committed, byte for byte", async () => {
  await run(process.execPath, ["--import", "tsx", "scripts/sdks/index.ts", "--output", folder], repository);

  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const filesOf = (place: string) => names.map((name) => [name, readFileSync(join(place, name), "utf8")]);
  expect(names.length).toBeGreaterThan(50);
  expect(filesOf(join(repository, "sdk"))).toEqual(filesOf(folder));
});

test("in a clone, the example in Go compiles with sdk/", async () => {
  const example = join(repository, "examples/go");
  expect(await run("go", ["vet", ...GO_FLAGS, "./..."], example, { GOWORK: "" })).toBe("");
  expect(await run("go", ["list", "-m", "-f", "{{.Replace.Dir}}", MODULE], example, { GOWORK: "" })).toBe(
    `${join(repository, "sdk/go")}\n`,
  );
});

/** Its program, whose line a review names. */
interface Language {
  program: string;
  /** Puts the SDK into the copied example, and returns the environment of the program. */
  prepare: () => Promise<Record<string, string>>;
}

const LANGUAGES: Record<string, Language> = {
  // Gets it as from GitHub, by its tag, and runs without Node.js.
  go: {
    program: "main.go",
    prepare: async () => {
      const env = { ...(await goEnvironment(folder)), ...(await publishForGo(github)) };
      const published = readFileSync(join(folder, "go.mod"), "utf8");
      await run("go", ["mod", "edit", `-droprequire=${MODULE}`], folder, env);
      // They may say what they download.
      await run("go", ["get", `${MODULE}/identity`], folder, env);
      await run("go", ["mod", "tidy"], folder, env);
      expect(readFileSync(join(folder, "go.mod"), "utf8")).toBe(published);
      await run("go", ["build", "-o", "program", "."], folder, env);
      expect(await run("go", ["vet", ".", `${MODULE}/identity`], folder, env)).toBe("");
      return { ...env, PATH: await pathOf(github, ["sh", "go"]) };
    },
  },
  java: {
    program: "src/main/java/example/App.java",
    prepare: async () => {
      const { bin, env } = await pulumiCli("--languages");
      await run(bin, ["package", "add", join(repository, "schema.json")], folder, env);
      return {};
    },
  },
};

test.each(Object.entries(LANGUAGES))(
  "the example in %s has an SDK, goes up on two tenants, changes and is destroyed",
  async (language, { program, prepare }) => {
    cpSync(join(repository, "examples", language), folder, { recursive: true });
    const env = await prepare();
    const simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
    const stack = await Stack.create({ folder, env });
    await installPlugin(stack, archive);
    const writes = () => {
      const log = simulator.log();
      simulator.reset();
      return log.filter((line) => !/^(GET|POST \/oauth)/.test(line)).sort();
    };
    await stack.configure(simulator);
    await stack.config("lostPhone", PHONE);
    const eu = await startSecondTenant(stack);
    const groupsOfEu = () => eu.state().roles.flatMap(({ groups }) => groups);
    try {
      const { all } = succeeded(await stack.up());
      expect(all).toContain(`support: role ${AGENT}: + ${BILLING}, ${ADMINS}`);
      expect(writes()).toEqual([
        `DELETE /api/v2/device-credentials/${PHONE} 204`,
        "POST /api/v2/connection-profiles 201",
        `POST /api/v2/roles/${AGENT}/groups 204`,
      ]);
      expect(groupsOfEu()).toEqual([EU_ADMINS]);
      expect(JSON.stringify(await stack.state())).not.toContain(eu.clientSecret);
      succeeded(await stack.preview({ args: ["--expect-no-changes"] }));

      const file = join(folder, program);
      writeFileSync(file, readFileSync(file, "utf8").replace("billing-team", "contractors"));
      const review = succeeded(await stack.review({ args: ["--no-read", "--format", "text"] }));
      expect(review.stdout).toContain(`gains  ${CONTRACTORS}  support (${program}:`);
      expect(review.stdout).toContain(`loses  ${BILLING}  support (${program}:`);
      succeeded(await stack.destroy());
      expect(writes()).toEqual([
        expect.stringMatching(/^DELETE \/api\/v2\/connection-profiles\/cop_\w+ 204$/),
        `DELETE /api/v2/roles/${AGENT}/groups 204`,
      ]);
      expect(groupsOfEu()).toEqual([]);
    } finally {
      stack.remove();
      await simulator.close();
      await eu.close();
    }
  },
);
