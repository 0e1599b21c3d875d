// Installs an archive of the plugin, for the platform that this runs on, and lets a program of YAML run its
// whole life on a simulated tenant: in an empty home, without Node.js on the PATH and without a network.
// node scripts/release/try-archive.mjs ARCHIVE
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { lastWords, run } from "../process.mjs";
import { ensurePulumi } from "../pulumi-cli/index.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const PROGRAM = `name: try
runtime: yaml
variables:
  role: { fn::identity:getRole: { name: billing-viewer } }
  group: { fn::identity:getGroup: { name: directory-admins } }
resources:
  viewers:
    type: identity:RoleGroupAssignment
    properties: { roleId: "\${role.id}", groupIds: ["\${group.id}"] }
`;

const [given = ""] = process.argv.slice(2);
const [, version] = /-v(\d.*?)-(?:linux|darwin|windows)-/.exec(basename(given)) ?? [];
const home = mkdtempSync(join(tmpdir(), "pulumi-identity-try-"));
try {
  if (version === undefined || !existsSync(given))
    throw new Error("Usage: node scripts/release/try-archive.mjs ARCHIVE");
  await tryArchive(resolve(given), version);
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * @param {string} archive
 * @param {string} version
 */
async function tryArchive(archive, version) {
  const { bin } = await ensurePulumi({ log: (sentence) => console.error(sentence) });
  const { startSimulator } = createRequire(import.meta.url)(join(root, "simulator", "dist", "index.js"));
  const simulator = await startSimulator();
  for (const folder of ["state", "program"]) mkdirSync(join(home, folder));
  writeFileSync(join(home, "program", "Pulumi.yaml"), PROGRAM);
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:PULUMI|IDENTITY|npm)_|^PATH$/i.test(name),
  );
  const env = {
    ...Object.fromEntries(kept),
    // What Windows itself needs, and the CLI.
    PATH: [
      dirname(bin),
      ...(process.platform === "win32" ? [`${process.env.SystemRoot}\\System32`] : []),
    ].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
    PULUMI_BACKEND_URL: pathToFileURL(join(home, "state")).href,
    PULUMI_CONFIG_PASSPHRASE: "try",
    PULUMI_HOME: join(home, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    IDENTITY_DOMAIN: simulator.url,
    IDENTITY_CLIENT_ID: simulator.clientId,
    IDENTITY_CLIENT_SECRET: simulator.clientSecret,
  };
  /** @param {string[]} args */
  const pulumi = async (...args) => {
    const { problem, stdout, stderr } = await run(bin, [...args, "--non-interactive"], {
      seconds: 300,
      cwd: join(home, "program"),
      env,
    });
    if (problem !== "")
      throw new Error(`pulumi ${args.join(" ")}: it ${lastWords(problem)}.\n${stdout}${stderr}`.trim());
    console.log(`pulumi ${args.slice(0, 2).join(" ")}`);
  };
  /** @param {number} number */
  const expectGroups = (number) => {
    const { groups } = simulator.state().roles.find(({ name }) => name === "billing-viewer");
    if (groups.length !== number) throw new Error(`The role has ${groups.length} groups, not ${number}.`);
  };
  try {
    await pulumi("plugin", "install", "resource", "identity", version, "--file", archive);
    await pulumi("stack", "init", "try");
    await pulumi("up", "--yes", "--skip-preview");
    expectGroups(1);
    await pulumi("preview", "--refresh", "--expect-no-changes");
    await pulumi("destroy", "--yes", "--skip-preview");
    expectGroups(0);
  } finally {
    await simulator.close();
  }
}
