// Makes sdk/python and sdk/go from schema.json, with Pulumi's own code generation. Needs Go, and the network
// the first time. npm run sdks [-- --output FOLDER]
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sumsOf } from "./sums";

const root = resolve(__dirname, "../..");
const generator = join(__dirname, "generator");
const {
  values: { output },
} = parseArgs({ options: { output: { type: "string", default: join(root, "sdk") } } });

// Git would turn its line ends into these.
const licence = readFileSync(join(root, "LICENSE"), "utf8").replaceAll("\r\n", "\n");
const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-sdks-"));
try {
  const made = join(folder, "sdk");
  const program = join(folder, "generate");
  go(["build", "-trimpath", "-buildvcs=false", "-o", program, "."], generator);
  for (const language of ["go", "python"]) {
    execFileSync(program, [join(root, "schema.json"), language, join(made, language)], { stdio: "inherit" });
    writeFileSync(join(made, language, "LICENSE"), licence);
  }
  completeGo(join(made, "go"));
  completePython(join(made, "python"));
  writeFileSync(join(made, "SHA256SUMS"), sumsOf(made));
  if (existsSync(output) && readdirSync(output).length > 0 && !existsSync(join(output, "SHA256SUMS")))
    throw new Error(`${output} has something else in it: name an empty folder.`);
  rmSync(output, { recursive: true, force: true });
  cpSync(made, output, { recursive: true });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Adds the versions and sums of what the module needs, with the Pulumi SDK that belongs to the generator. */
function completeGo(module: string): void {
  const versions = readFileSync(join(generator, "go.mod"), "utf8");
  const [, sdk] = /\bgithub\.com\/pulumi\/pulumi\/sdk\/v3 (\S+)/.exec(versions) ?? [];
  if (sdk === undefined) throw new Error("scripts/sdks/generator/go.mod names no version of the Pulumi SDK.");
  go(["mod", "edit", `-require=github.com/pulumi/pulumi/sdk/v3@${sdk}`], module);
  go(["mod", "tidy"], module);
}

/** Adds the page for PyPI, and changes the licence to the form that setuptools goes on taking. */
function completePython(project: string): void {
  cpSync(join(__dirname, "python", "README.md"), join(project, "README.md"));
  const file = join(project, "pyproject.toml");
  let text = readFileSync(file, "utf8");
  for (const [before, after] of [
    ['  [project.license]\n    text = "Apache-2.0"\n', ""],
    ["  keywords = ", '  license = "Apache-2.0"\n  keywords = '],
    ['"setuptools>=61.0"', '"setuptools>=77"'],
  ] as const) {
    if (!text.includes(before))
      throw new Error(`The pyproject.toml that Pulumi generates has no \`${before.trim()}\`.`);
    text = text.replace(before, after);
  }
  writeFileSync(file, text);
}

function go(args: string[], cwd: string): void {
  // A container's image may set GOTOOLCHAIN to "local", and its Go may be older than go.mod wants.
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOTOOLCHAIN: "auto", GOWORK: "off" };
  try {
    execFileSync("go", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  } catch (error) {
    const { code, stderr = "" } = error as NodeJS.ErrnoException & { stderr?: string };
    const problem =
      code === "ENOENT"
        ? "npm run sdks needs Go 1.21 or newer (https://go.dev/dl/) on the PATH."
        : `go ${args.join(" ")} in ${cwd} failed: ${stderr.trim()}`;
    throw new Error(problem, { cause: error });
  }
}
