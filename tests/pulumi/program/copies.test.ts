import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { AGENT } from "../../../simulator/default-seed";

/** A program and its component library, each with a copy of the built package. */

const repository = resolve(__dirname, "../../..");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-copies-"));
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
  const copy = join(folder, "library", "node_modules", "pulumi-identity");
  mkdirSync(copy, { recursive: true });
  for (const name of ["dist", "package.json"])
    cpSync(join(repository, name), join(copy, name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program under mocks, and returns its result or failure. */
async function run(program: string): Promise<{ result?: unknown; failure?: string }> {
  const script = `
    const { createRequire } = require("node:module");
    const { join } = require("node:path");
    const pulumi = require("@pulumi/pulumi");
    const own = require("pulumi-identity");
    const library = createRequire(join(process.cwd(), "library", "index.js"))("pulumi-identity");
    if (own.Provider === library.Provider) throw new Error("There is one copy only.");
    const output = {};
    process.on("unhandledRejection", (error) => (output.failure ??= error.message));
    (async () => {
      const newResource = ({ name, inputs }) => ({ id: inputs.adopt || name, state: inputs });
      const call = ({ token, provider }) => ({ groups: [{ group_id: token, name: provider }] });
      await pulumi.runtime.setMocks({ newResource, call });
      await pulumi.runtime.runInPulumiStack(async () => { output.result = await (async () => {${program}})(); return {}; })
        .catch((error) => (output.failure ??= error.message));
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log(JSON.stringify(output));
    })();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { cwd: folder });
  return JSON.parse(stdout) as Awaited<ReturnType<typeof run>>;
}

test("a Provider of one copy is one for the data sources of the other", async () => {
  const { result, failure } = await run(`
    const provider = new library.Provider("eu", { domain: "eu.example.com", accessToken: "x" });
    return own.getRoleGroups({ roleId: "${AGENT}" }, { provider });`);
  expect(failure).toBeUndefined();
  expect(JSON.stringify(result)).toContain("getRoleGroups");
});
