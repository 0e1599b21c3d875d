import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSimulator } from "../../simulator";
import { ADMINS, AGENT, BILLING, CONTRACTORS, PHONE } from "../../simulator/default-seed";
import {
  EU_ADMINS,
  generateSdk,
  GO_FLAGS,
  goEnvironment,
  linkPackages,
  run,
  startSecondTenant,
} from "./sdks";
import { pulumiCli, Stack, succeeded } from "../../testkit/stack";

/* SDKs that Pulumi's own code generates from schema.json. python.long.ts runs the one for Python. */

const repository = resolve(__dirname, "../..");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-sdk-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

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

/** Its program, whose line a review names. */
interface Language {
  program: string;
  /** Puts the SDK into the copied example, and returns the environment of the program. */
  prepare: () => Promise<Record<string, string>>;
}

const LANGUAGES: Record<string, Language> = {
  go: {
    program: "main.go",
    prepare: async () => {
      await generateSdk("go", join(folder, "sdks/identity"));
      // It may say what it downloads.
      await run("go", ["build", ...GO_FLAGS, "-o", "program", "."], folder);
      const sdk = "github.com/pulumi-identity/pulumi-identity/sdk/go/identity";
      expect(await run("go", ["vet", ...GO_FLAGS, ".", sdk], folder)).toBe("");
      return goEnvironment(folder);
    },
  },
  // Its host generates the SDK itself, which the older one of Go can't.
  java: {
    program: "src/main/java/example/App.java",
    prepare: async () => {
      const { bin, env } = await pulumiCli("--languages");
      await run(bin, ["package", "add", "node_modules/pulumi-identity/schema.json"], folder, env);
      return {};
    },
  },
};

test.each(Object.entries(LANGUAGES))(
  "the example in %s has an SDK, goes up on two tenants, changes and is destroyed",
  async (language, { program, prepare }) => {
    cpSync(join(repository, "examples", language), folder, { recursive: true });
    linkPackages(folder);
    const env = await prepare();
    const simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
    const stack = await Stack.create({ folder, env });
    const writes = () => {
      const log = simulator.log();
      simulator.reset();
      return log.filter((line) => !/^(GET|POST \/oauth)/.test(line)).sort();
    };
    await stack.configure(simulator);
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

test("the SDK for TypeScript has strict types", async () => {
  await generateSdk("nodejs", folder);
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  const tsc = join(repository, "node_modules/typescript/bin/tsc");

  const complaints = await run(process.execPath, [tsc, "--noEmit", "--strict", "-p", folder], folder).then(
    () => "",
    ({ message }: Error) => message,
  );

  // The SDK of this repository is older than the generator's code wants, and has no `existsResource`.
  const ours = complaints.split("\n").filter((line) => /error TS/.test(line) && !/existsResource/.test(line));
  expect(ours).toEqual([]);
});
