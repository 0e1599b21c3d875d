import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { PACKAGE_VERSION } from "../../../provider/http/package-version";
import { PLUGIN_URL } from "../../../provider/pulumi/plugin-source";
import { useFolder } from "../../../testkit/folder";
import { installPlugin, writePlugin } from "./plugin-files";
import { reported } from "./set-up";

/* The plugin that the engine would start. tests/e2e/doctor.long.ts has the engine's own answers. */

const folder = useFolder();
const home = join(folder, "home");
const plugins = join(home, "plugins");
const bin = join(folder, "bin");
const installOf = (version: string) =>
  `pulumi plugin install resource identity ${version} --server ${PLUGIN_URL}`;
const INSTALL = installOf(PACKAGE_VERSION);

interface Case {
  /** Of Pulumi.yaml. */
  text?: string;
  environment?: { PATH?: string; [name: string]: string | undefined };
  /** Versions of the plugin that have made the stack's resources; none: the stack has none of them. */
  state?: readonly string[];
  /** Version of the package beside the program. */
  installed?: string;
}

/** Of the doctor's report on a program: what it says of the plugin. */
async function found({ text = "runtime: yaml", ...given }: Case = {}): Promise<string[]> {
  writeFileSync(join(programFolder(given), "Pulumi.yaml"), `name: test\n${text}`);
  return saidOf("program.plugin", given);
}

/** What isn't found is remembered by its path: so a program with the package has a folder of its own. */
function programFolder({ installed }: Case): string {
  const at = installed === undefined ? folder : join(folder, "with-package");
  mkdirSync(at, { recursive: true });
  return at;
}

async function saidOf(finding: string, given: Case): Promise<string[]> {
  const { environment = {}, state, installed } = given;
  const program = programFolder(given);
  const ofPulumi = join(folder, ".pulumi-cli");
  mkdirSync(ofPulumi, { recursive: true });
  writeFileSync(join(ofPulumi, "pulumi"), pulumi(state), { mode: 0o755 });
  if (installed !== undefined) {
    const beside = join(program, "node_modules/pulumi-identity");
    mkdirSync(beside, { recursive: true });
    writeFileSync(join(beside, "package.json"), JSON.stringify({ version: installed }));
  }
  const { PATH = "", ...others } = environment;
  const env = { PULUMI_HOME: home, ...others, PATH: [PATH, ofPulumi].join(delimiter) };
  const { findings } = await reported(program, env, ["--no-read"]);
  return findings
    .filter(({ id }) => id === finding)
    .map((one) => `${one.status}: ${one.says}${one.do === undefined ? "" : ` -> ${one.do}`}`)
    .map((line) => line.replaceAll(folder, "~").replaceAll(INSTALL, "INSTALL"));
}

/** A Pulumi CLI whose stack has resources that these versions of the plugin made; or that has no stack. */
function pulumi(versions: readonly string[] | undefined): string {
  const resources = (versions ?? []).flatMap((version, index) => {
    const provider = `urn:pulumi:dev::test::pulumi:providers:identity::p${index}`;
    const type = "identity:index:ConnectionProfile";
    const urn = `urn:pulumi:dev::test::${type}::r${index}`;
    return [
      { urn: provider, type: "pulumi:providers:identity", id: `id${index}`, inputs: { version } },
      { urn, type, id: `cop_${index}`, provider: `${provider}::id${index}`, outputs: { name: "a" } },
    ];
  });
  const state = JSON.stringify({ version: 3, deployment: { resources } });
  return `#!/bin/sh
case "$1" in
  version) echo v3.257.0;;
  stack) ${versions === undefined ? "exit 1" : `if [ "$2" = export ]; then echo '${state}'; else echo dev; fi`};;
  *) ${versions === undefined ? "exit 1" : "echo '{}'"};;
esac
`;
}

const declare = (text: string) => {
  mkdirSync(join(folder, "sdks/identity"), { recursive: true });
  writeFileSync(
    join(folder, "sdks/identity/identity.yaml"),
    `packageDeclarationVersion: 1\nname: identity\n${text}`,
  );
};
const inPlugins = (version: string) => `~/home/plugins/resource-identity-v${version}`;
const entry = (...entries: string[]) =>
  `runtime: yaml\nplugins: {providers: [{name: other, path: x}, ${entries.map((one) => `{name: identity, ${one}}`).join(", ")}]}`;

const NOWHERE = `pulumi-resource-identity isn't in ~/home/plugins`;
const NOT_OURS = "and Pulumi would ask github.com/pulumi/pulumi-identity, which isn't ours -> Run: INSTALL";

describe("where a plugin is needed", () => {
  test.each([
    ["runtime: yaml", [`error: ${NOWHERE}, ${NOT_OURS}`]],
    ["runtime: hcl", [`error: ${NOWHERE}, ${NOT_OURS}`]],
    ["runtime: {options: {compiler: cue}, name: yaml}", [`error: ${NOWHERE}, ${NOT_OURS}`]],
    [
      "runtime: yaml\nplugins:\n  analyzers:\n    - {name: identity, path: bin}",
      [`error: ${NOWHERE}, ${NOT_OURS}`],
    ],
    [
      "runtime: yaml # nodejs\n# plugins: {providers: [{name: identity}]}",
      [`error: ${NOWHERE}, ${NOT_OURS}`],
    ],
    ["runtime: python", [`unchecked: ${NOWHERE}: Pulumi fetches the version that the SDK names`]],
    ["runtime: nodejs", []],
    ["description: 'a: b, runtime: yaml'\nruntime: nodejs", []],
    [
      "runtime: yaml\nplugins:\n- x\n",
      ["error: Pulumi.yaml can't be read as a project -> Correct it: `pulumi preview` prints the line."],
    ],
  ])("%j: %j", async (text, says) => {
    expect(await found({ text })).toEqual(says);
  });

  const fetched = [
    `ok: pulumi-resource-identity 0.3.0 isn't in ~/home/plugins: Pulumi fetches it from ${PLUGIN_URL}`,
  ];

  test("in TypeScript by the import of its classes, or the state", async () => {
    const program = { text: "runtime: nodejs", installed: "0.3.0" };
    expect(await found({ ...program, state: ["0.1.0"] })).toEqual(fetched);
    expect(await found({ ...program, state: [] })).toEqual([]);

    for (const [name, isProgram] of [
      ["node_modules/a/index.js", false],
      ["src/access.mts", true],
    ] as const) {
      const file = join(programFolder(program), name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'import { Provider } from "pulumi-identity/plugin";');
      expect(await found(program)).toEqual(isProgram ? fetched : []);
    }
  });

  test("in YAML, a declaration of the package or its address brings it", async () => {
    declare(`version: 0.3.0\ndownloadUrl: ${PLUGIN_URL}\n`);
    expect(await found()).toEqual(fetched);
    const environment = { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "TRUE" };
    expect(await found({ environment })).toEqual([
      "error: pulumi-resource-identity 0.3.0 isn't in ~/home/plugins, and PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION keeps Pulumi from fetching it" +
        ` -> Run: ${installOf("0.3.0")}`,
    ]);
    declare("version: 0.3.0\n");
    expect(await found()).toEqual([expect.stringMatching(/^error: .*which isn't ours/)]);
    rmSync(join(folder, "sdks"), { recursive: true });
    const text = `runtime: yaml\nresources: {a: {type: "identity:ConnectionProfile", options: {pluginDownloadURL: "${PLUGIN_URL}"}}}`;
    expect(await found({ text })).toEqual([`ok: ${NOWHERE}: Pulumi fetches it from ${PLUGIN_URL}`]);
    const comment = `runtime: yaml # ${PLUGIN_URL}`;
    expect(await found({ text: comment })).toEqual([expect.stringMatching(/^error: .*which isn't ours/)]);
  });

  test("another address isn't ours", async () => {
    declare("version: 0.3.0\ndownloadUrl: github://api.github.com/another/identity\n");
    expect(await found()).toEqual([
      "warning: pulumi-resource-identity 0.3.0 isn't in ~/home/plugins: Pulumi fetches it from github://api.github.com/another/identity, which isn't ours" +
        ` -> It gets the tenant's credentials. Unless you know it, name this address: ${PLUGIN_URL}`,
    ]);
  });

  test("files that aren't texts, and folders that can't be read, are no programs", async () => {
    writeFileSync(join(folder, "old.js"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    symlinkSync(join(folder, "nowhere"), join(folder, "broken.js"));
    mkdirSync(join(folder, "private"), { mode: 0o000 });
    expect(await found({ text: "runtime: nodejs" })).toEqual([]);
  });
});

describe("the engine's order", () => {
  beforeEach(() => {
    writePlugin(bin, { version: "0.2.0" });
    installPlugin(home, "0.1.0");
  });
  const onPath = { PATH: `${join("no", "folder")}:${bin}` };

  test("an entry of the project, then the PATH, then an installed one", async () => {
    writePlugin(join(folder, "entry"), { version: "0.4.0" });
    expect(await found({ text: entry("path: entry"), environment: onPath })).toEqual([
      "ok: pulumi-resource-identity 0.4.0, from the plugins entry in ~/entry",
    ]);
    expect(await found({ environment: onPath })).toEqual([
      "warning: pulumi-resource-identity 0.2.0, from the PATH in ~/bin: Pulumi takes it before an installed one" +
        " -> To run an installed one, take its folder off the PATH, or set PULUMI_IGNORE_AMBIENT_PLUGINS=true.",
    ]);
    const ignored = { ...onPath, PULUMI_IGNORE_AMBIENT_PLUGINS: "1" };
    const installed = [`ok: pulumi-resource-identity 0.1.0, installed in ${inPlugins("0.1.0")}`];
    expect(await found({ environment: ignored })).toEqual(installed);
    expect(await found()).toEqual(installed);
  });

  test("of entries, the first whose version is the one that is asked for", async () => {
    writePlugin(join(folder, "entry"), { version: "0.4.0" });
    const text = entry("path: elsewhere, version: 9.9.9", "path: entry");
    declare("version: 0.4.0\n");
    expect(await found({ text })).toEqual([
      "ok: pulumi-resource-identity 0.4.0, from the plugins entry in ~/entry",
    ]);
    rmSync(join(folder, "sdks"), { recursive: true });
    expect(await found({ text })).toEqual([
      "error: ~/elsewhere has no pulumi-resource-identity -> In Pulumi.yaml, remove the entry of identity under `plugins`. Run: INSTALL",
    ]);
  });

  test("what can't be started is passed over on the PATH, and so is what only npx has put there", async () => {
    const installed = [`ok: pulumi-resource-identity 0.1.0, installed in ${inPlugins("0.1.0")}`];
    writePlugin(bin, { version: "0.2.0", mode: 0o644 });
    expect(await found({ environment: onPath })).toEqual(installed);
    const ofNpm = join(folder, "node_modules/.bin");
    writePlugin(ofNpm, { version: "0.2.0" });
    expect(await found({ environment: { PATH: ofNpm, npm_command: "exec" } })).toEqual(installed);
    expect(await found({ environment: { PATH: ofNpm, npm_command: "run" } })).toEqual([
      expect.stringContaining("from the PATH in ~/node_modules/.bin"),
    ]);
  });

  test("of installed ones, the version that the program names, or else the newest that is no prerelease", async () => {
    for (const version of ["0.9.0", "0.10.0", "1.0.0-rc.1"]) installPlugin(home, version);
    installPlugin(home, "0.11.0");
    writeFileSync(join(plugins, "resource-identity-v0.11.0.partial"), "");
    expect(await found()).toEqual([
      `warning: pulumi-resource-identity 0.10.0, installed in ${inPlugins("0.10.0")}; also installed: 0.1.0, 0.9.0, 1.0.0-rc.1. The program names no version -> Run: ` +
        ["0.1.0", "0.9.0", "1.0.0-rc.1"].map((one) => `pulumi plugin rm resource identity ${one}`).join("; "),
    ]);
    declare("version: 0.9.0\n");
    expect(await found()).toEqual([`ok: pulumi-resource-identity 0.9.0, installed in ${inPlugins("0.9.0")}`]);
    declare(`version: 0.12.0\ndownloadUrl: ${PLUGIN_URL}\n`);
    expect(await found()).toEqual([
      `ok: pulumi-resource-identity 0.12.0 isn't in ~/home/plugins, only 0.1.0, 0.9.0, 0.10.0, 1.0.0-rc.1: Pulumi fetches it from ${PLUGIN_URL}`,
    ]);
    const state = ["0.1.0", "0.9.0"];
    expect(await found({ text: "runtime: python", state })).toEqual([
      `ok: pulumi-resource-identity 0.9.0, installed in ${inPlugins("0.9.0")}`,
    ]);
  });
});

describe("its file", () => {
  const here = process.platform === "darwin" ? "darwin-arm64" : "linux-amd64";

  test("somebody else's is named, and not run", async () => {
    const file = installPlugin(home, "0.1.0", {});
    const ran = join(folder, "ran");
    writeFileSync(file, `#!/bin/sh\ntouch ${ran}\necho 0.1.0\n`, { mode: 0o755 });
    expect(await found()).toEqual([
      `warning: pulumi-resource-identity 0.1.0, installed in ${inPlugins("0.1.0")}, isn't the plugin of pulumi-identity` +
        " -> It gets the tenant's credentials. Unless you know it: `pulumi plugin rm resource identity 0.1.0`, then `INSTALL`.",
    ]);
    expect(() => rmSync(ran)).toThrow("ENOENT");
  });

  test("one of another version than its folder's", async () => {
    installPlugin(home, "0.4.0", { version: "0.3.0" });
    expect(await found()).toEqual([
      `warning: pulumi-resource-identity 0.3.0, installed in ${inPlugins("0.4.0")}, is installed as 0.4.0` +
        ` -> Run: \`pulumi plugin rm resource identity 0.4.0\`, then \`${installOf("0.4.0")}\`.`,
    ]);
  });

  test("one that can't be started, and an installed folder without any", async () => {
    const file = installPlugin(home, "0.3.0", { version: "0.3.0", mode: 0o644 });
    const shown = `${inPlugins("0.3.0")}/pulumi-resource-identity`;
    expect(await found()).toEqual([`error: ${shown} isn't executable -> Run: chmod +x "${shown}"`]);
    rmSync(file);
    expect(await found()).toEqual([
      `error: ${inPlugins("0.3.0")} has no pulumi-resource-identity -> Install it again: ${installOf("0.3.0")} --reinstall`,
    ]);
  });

  test("one of another platform", async () => {
    installPlugin(home, "0.1.0", { version: "0.1.0", platform: "windows-amd64" });
    expect(await found()).toEqual([
      expect.stringMatching(
        /^error: .* is for windows-amd64, and this is (linux|darwin)-\w+ -> For the one for .*, run: `pulumi plugin rm resource identity 0\.1\.0`, then `INSTALL`\.$/,
      ),
    ]);
  });

  test("one that is older than the state", async () => {
    installPlugin(home, "0.9.0");
    const state = ["0.9.0", "0.10.0"];
    expect(await found({ state })).toEqual([
      `warning: pulumi-resource-identity 0.9.0, installed in ${inPlugins("0.9.0")}, is older than 0.10.0, which made the stack's resources` +
        ` -> Run: ${installOf("0.10.0")}`,
    ]);
    expect(await found({ state: ["0.9.0"] })).toHaveLength(1);
  });

  test.each(["linux-amd64", "linux-arm64", "darwin-arm64", "windows-amd64"] as const)(
    "of %s: its platform and release are found wherever they stand in the file",
    async (platform) => {
      writePlugin(bin, { version: "0.1.0-rc.1", platform });
      const [said] = await found({ environment: { PATH: bin } });
      expect(said).toMatch(
        platform === here ? "pulumi-resource-identity 0.1.0-rc.1, from" : `is for ${platform}`,
      );
    },
  );

  test.each([
    ["pnpm's", '#!/bin/sh\nexec node  "$basedir/../lib/plugin.js" "$@"\n'],
    ["npm's on Windows", '@ECHO off\r\n"%_prog%"  "%dp0%\\..\\lib\\plugin.js" %*\r\n'],
    ["npm's in a folder with a space", `#!/bin/sh\nexec node "${join(folder, "my lib/plugin.js")}" "$@"\n`],
    ["one with the whole path", `#!/bin/sh\nexec node ${join(folder, "lib/plugin.js")} "$@"\n`],
  ])("a shim is followed: %s", async (_, shim) => {
    const file = writePlugin(bin);
    for (const lib of ["lib", "my lib"]) {
      mkdirSync(join(folder, lib));
      writeFileSync(join(folder, lib, "plugin.js"), "/*! pulumi-resource-identity 0.5.0 */");
    }
    writeFileSync(file, shim);
    expect(await found({ environment: { PATH: bin } })).toEqual([
      expect.stringContaining("pulumi-resource-identity 0.5.0, from the PATH"),
    ]);
  });

  test("an executable needs no Node.js, npm's script does", async () => {
    const said = [];
    for (const platform of [here, undefined] as const) {
      installPlugin(home, "0.1.0", { version: "0.1.0", ...(platform && { platform }) });
      writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nruntime: yaml\n");
      said.push(await saidOf("program.node", {}));
    }
    expect(said).toEqual([
      [],
      [expect.stringContaining("no `node` on the PATH, and npm's plugin runs on it")],
    ]);
  });
});

test("Pulumi.json, indented by tabs", async () => {
  writePlugin(bin, { version: "0.1.0" });
  const text = {
    name: "test",
    runtime: "python",
    plugins: { providers: [{ name: "identity", path: "bin" }] },
  };
  writeFileSync(join(folder, "Pulumi.json"), JSON.stringify(text, null, "\t"));
  expect(await saidOf("program.plugin", {})).toEqual([
    "ok: pulumi-resource-identity 0.1.0, from the plugins entry in ~/bin",
  ]);
});
