import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { generateSdk, GO_FLAGS, run } from "./sdks";
import { pulumiCli } from "../../testkit/stack";

/* SDKs that Pulumi's own code generates from schema.json. python.long.ts runs the one for Python. */

const repository = resolve(__dirname, "../..");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-sdk-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the CLI finds nothing wrong with the schema, and gets it from the plugin", async () => {
  const { bin } = await pulumiCli();
  const file = join(repository, "schema.json");
  expect(await run(bin, ["schema", "check", file], folder)).toBe("");

  const plugin = join(repository, "node_modules/.bin/pulumi-resource-identity");
  const served = await run(bin, ["package", "get-schema", plugin], folder);
  expect(Object.keys(JSON.parse(served) as object)).toEqual(
    expect.arrayContaining(["resources", "functions", "types"]),
  );
});

test("the example in Go builds with its SDK, and vet is silent", async () => {
  cpSync(join(repository, "examples/go"), folder, { recursive: true });
  await generateSdk("go", join(folder, "sdks/identity"));

  await run("go", ["build", ...GO_FLAGS, "-o", "program", "."], folder);
  const sdk = "github.com/pulumi-identity/pulumi-identity/sdk/go/identity";
  expect(await run("go", ["vet", ...GO_FLAGS, ".", sdk], folder)).toBe("");
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
