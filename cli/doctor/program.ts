import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Border } from "../../provider/border";
import { PACKAGE_VERSION } from "../../provider/http/package-version";
import { type Project, projectOf } from "../project";
import { runPulumi } from "../pulumi-cli";
import { type StackState } from "../stack-export";
import { examinePlugin, languageOf, OF_NODE } from "./plugin";
import { type Finding, ok, unchecked, warning, failure } from "./report";

/** The package's requirements; the tests compare `package.json` with them. */
export const SUPPORTED = { node: ">=20.19", sdk: "^3.216.0", pulumi: ">=3.200.0" } as const;

interface ProgramSurroundings {
  folder: string;
  environment: NodeJS.ProcessEnv;
  border: Border;
  /** Undefined if it can't be read. */
  state: StackState | undefined;
  /** True if nothing works without a project. */
  isProjectNeeded: boolean;
}

export async function programFindings(surroundings: ProgramSurroundings): Promise<Finding[]> {
  const { folder, environment, isProjectNeeded, state } = surroundings;
  const project = projectOf(folder);
  const pulumi = await pulumiFinding(surroundings);
  const place = folderFinding(project, isProjectNeeded);
  if (project === undefined) return [pulumi, place, ...NO_PROJECT];
  const isOfNode = OF_NODE.includes((await languageOf(project.file)) ?? "");
  const installed = packageManifest("pulumi-identity", project.folder)?.version;
  const plugin = await examinePlugin(project, environment, { state, installed });
  const use = isOfNode ? "the program runs on it" : "npm's plugin runs on it";
  return [
    ...(isOfNode || plugin.isScript ? [await nodeFinding(environment, use)] : []),
    pulumi,
    place,
    ...(isOfNode
      ? [sdkFinding(project), ...(await typescriptFindings(project)), packageFinding(project)]
      : []),
    ...plugin.findings,
  ];
}

const NO_PROJECT: readonly Finding[] = [
  unchecked("program.sdk", "that takes the program's folder"),
  unchecked("program.package", "that takes the program's folder"),
];

/** Pulumi takes the `node` on the PATH, which may not be the doctor's own. */
async function nodeFinding(environment: NodeJS.ProcessEnv, use: string): Promise<Finding> {
  const id = "program.node";
  let answer: string;
  try {
    answer = (await promisify(execFile)("node", ["--version"], { env: environment })).stdout;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const says = isMissing
      ? `there is no \`node\` on the PATH, and ${use}`
      : "the `node` on the PATH can't be started";
    return failure(id, says, "Add the folder of Node.js to the PATH, also where `pulumi` runs.");
  }
  const says = `Node.js ${answer.trim().replace(/^v/, "")}; supported: ${SUPPORTED.node}`;
  if (isInRange(answer, SUPPORTED.node) !== false) return ok(id, says);
  return failure(id, says, "Install a newer Node.js, also where `pulumi` runs.");
}

async function pulumiFinding({ border, folder, environment }: ProgramSurroundings): Promise<Finding> {
  const id = "program.pulumi";
  const answer = await runPulumi(["version"], { folder, environment }, border);
  if ("unread" in answer) return failure(id, answer.unread, answer.advice);
  const says = `Pulumi CLI ${answer.output.trim().replace(/^v/, "")}; supported: ${SUPPORTED.pulumi}`;
  if (isInRange(answer.output, SUPPORTED.pulumi) !== false) return ok(id, says);
  return warning(id, says, "Install a newer one: https://www.pulumi.com/docs/install/.");
}

function folderFinding(project: Project | undefined, isNeeded: boolean): Finding {
  if (project !== undefined) return ok("program.folder", project.folder);
  const found = (isNeeded ? failure : warning)("program.folder", "no Pulumi.yaml here or in a folder above");
  return { ...found, do: "Run this in the folder of the program's Pulumi.yaml." };
}

function sdkFinding({ folder }: Project): Finding {
  const id = "program.sdk";
  const manifest = packageManifest("@pulumi/pulumi", folder);
  if (manifest === undefined) {
    const advice = `Run \`npm install @pulumi/pulumi\` in ${folder}.`;
    return failure(id, `@pulumi/pulumi can't be resolved from ${folder}`, advice);
  }
  const { version, engines } = manifest;
  const says = `@pulumi/pulumi ${version}; supported: ${SUPPORTED.sdk}`;
  const { node } = process.versions;
  if (engines?.node !== undefined && isInRange(node, engines.node) === false) {
    const wants = `@pulumi/pulumi ${version} wants Node.js ${engines.node}, and this is ${node}`;
    return warning(id, wants, "Install a newer Node.js, or an older @pulumi/pulumi.");
  }
  if (isInRange(version, SUPPORTED.sdk) !== false) return ok(id, says);
  return warning(id, says, `Run \`npm install @pulumi/pulumi@${SUPPORTED.sdk}\`.`);
}

/** The SDK compiles a program with the TypeScript beside it, by an interface that version 7 has no more. */
async function typescriptFindings({ file, folder }: Project): Promise<Finding[]> {
  const manifest = packageManifest("typescript", folder);
  if (manifest === undefined || parseInt(manifest.version) < 7) return [];
  if ((await languageOf(file)) !== "nodejs") return [];
  const says = `typescript ${manifest.version} stops every program before its first line`;
  return [
    failure("program.typescript", says, "Keep TypeScript 5 or 6: `npm install --save-dev typescript@5`."),
  ];
}

/** State names `pulumi-identity/runtime`, which the provider host resolves from the program's folder. */
function packageFinding({ folder }: Project): Finding {
  const id = "program.package";
  if (resolved("pulumi-identity/runtime", folder) === undefined) {
    const advice = `Run \`npm install pulumi-identity\` in ${folder}: it must be a direct dependency of the program.`;
    return failure(id, `pulumi-identity can't be resolved from ${folder}`, advice);
  }
  const version = packageManifest("pulumi-identity", folder)?.version ?? "of an unknown version";
  if (version === PACKAGE_VERSION) return ok(id, `pulumi-identity ${version}`);
  const says = `the program has pulumi-identity ${version}, and this is the doctor of ${PACKAGE_VERSION}`;
  return warning(id, says, "Run the program's own: `npx --no-install pulumi-identity doctor` in its folder.");
}

interface Manifest {
  version: string;
  engines?: { node?: string };
}

function packageManifest(name: string, folder: string): Manifest | undefined {
  const file = resolved(`${name}/package.json`, folder);
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, "utf8")) as Manifest);
}

function resolved(name: string, folder: string): string | undefined {
  try {
    return createRequire(join(folder, "program.js")).resolve(name);
  } catch {
    return undefined;
  }
}

/** Knows ranges of the forms `>=20.19` and `^3.216.0`; undefined for any other form. */
function isInRange(version: string, range: string): boolean | undefined {
  const [, operator, least] = /^(>=|\^)\s*(\d[\d.]*)$/.exec(range.trim()) ?? [];
  const [, found] = /^v?(\d+\.\d+\.\d+)(?:[-+].*)?$/.exec(version.trim()) ?? [];
  if (least === undefined || found === undefined) return undefined;
  if (operator === "^" && parseInt(found) !== parseInt(least)) return false;
  return found.localeCompare(least, "en", { numeric: true }) >= 0;
}
