import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSimulator } from "../../simulator";
import { ADMINS, AGENT, BILLING, CONTRACTORS, PHONE } from "../../simulator/default-seed";
import { generateSdk, GO_FLAGS, goEnvironment, linkPackages, run } from "./sdks";
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

test("the example in Go builds with its SDK, vet is silent, and it goes up, changes and is destroyed", async () => {
  cpSync(join(repository, "examples/go"), folder, { recursive: true });
  await generateSdk("go", join(folder, "sdks/identity"));
  // It may say what it downloads.
  await run("go", ["build", ...GO_FLAGS, "-o", "program", "."], folder);
  const sdk = "github.com/pulumi-identity/pulumi-identity/sdk/go/identity";
  expect(await run("go", ["vet", ...GO_FLAGS, ".", sdk], folder)).toBe("");

  linkPackages(folder);
  const simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  const stack = await Stack.create({ folder, env: await goEnvironment(folder) });
  const writes = () => {
    const log = simulator.log();
    simulator.reset();
    return log.filter((line) => !/^(GET|POST \/oauth)/.test(line)).sort();
  };
  try {
    await stack.configure(simulator);
    const { all } = succeeded(await stack.up());
    expect(all).toContain(`support: role ${AGENT}: + ${BILLING}, ${ADMINS}`);
    expect(writes()).toEqual([
      `DELETE /api/v2/device-credentials/${PHONE} 204`,
      "POST /api/v2/connection-profiles 201",
      `POST /api/v2/roles/${AGENT}/groups 204`,
    ]);
    succeeded(await stack.preview({ args: ["--expect-no-changes"] }));

    const program = readFileSync(join(folder, "main.go"), "utf8");
    writeFileSync(join(folder, "main.go"), program.replace("billing-team", "contractors"));
    const review = succeeded(await stack.review({ args: ["--no-read", "--format", "text"] }));
    expect(review.stdout).toContain(`gains  ${CONTRACTORS}  support (main.go:`);
    expect(review.stdout).toContain(`loses  ${BILLING}  support (main.go:`);
    succeeded(await stack.destroy());
    expect(writes()).toEqual([
      expect.stringMatching(/^DELETE \/api\/v2\/connection-profiles\/cop_\w+ 204$/),
      `DELETE /api/v2/roles/${AGENT}/groups 204`,
    ]);
  } finally {
    stack.remove();
    await simulator.close();
  }
});

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
