import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PulumiCli } from "../../scripts/pulumi-cli/index.mjs" with { "resolution-mode": "import" };

jest.setTimeout(30_000);

const moduleUrl = pathToFileURL(resolve(__dirname, "../../scripts/pulumi-cli/index.mjs")).href;
let home: string;
let cache: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pulumi-cli-test-"));
  cache = join(home, "cache");
  // Fake commands are shell scripts, and sh must be found while nothing else is.
  mkdirSync(join(home, "sh-only"));
  for (const command of ["sh", "chmod"]) {
    const real = ["/bin", "/usr/bin"].map((place) => join(place, command)).find((file) => existsSync(file));
    symlinkSync(real ?? command, join(home, "sh-only", command));
  }
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Writes an executable of that text, relative to `home`. */
function script(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Stands for the SDK's installer: a Node.js program that is called with version and folder. */
function installer(text: string): string {
  const file = join(home, "installer.cjs");
  writeFileSync(file, `const [version, root] = process.argv.slice(2);\nconst fs = require("fs");\n${text}\n`);
  return file;
}

const workingInstaller = `
  fs.writeFileSync(root + "/bin/pulumi", "#!/bin/sh\\n");
  fs.chmodSync(root + "/bin/pulumi", 0o755);
`;
const offlineInstaller = `console.error("Failed to download the installer: fetch failed"); process.exit(1);`;

interface Outcome {
  cli?: PulumiCli;
  error?: string;
  log: string[];
}

/** Calls ensurePulumi in a process of its own: Jest can't load ES modules, and signal handlers stay out of Jest. */
function ensure(installerText: string, path: string[], env: Record<string, string> = {}): Outcome {
  const program = `
    import { ensurePulumi } from ${JSON.stringify(moduleUrl)};
    const log = [];
    const options = { log: (sentence) => log.push(sentence), installer: ${JSON.stringify(installer(installerText))} };
    const outcome = await ensurePulumi(options).then((cli) => ({ cli }), (error) => ({ error: error.message }));
    console.log(JSON.stringify({ ...outcome, log }));
  `;
  const PATH = [...path, "sh-only"].map((place) => join(home, place)).join(delimiter);
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: { PATH, HOME: home, PULUMI_IDENTITY_CACHE: cache, TMPDIR: home, ...env },
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Outcome;
}

/** A `go` that writes, instead of a program, what it was called with. */
const workingGo = `
  if [ "$1" = env ]; then echo go1.25.11; exit; fi
  if [ "$1" = list ]; then exit; fi
  while [ "$1" != -o ]; do shift; done
  echo "$GOPROXY $GOTOOLCHAIN $CGO_ENABLED" > "$2"; chmod +x "$2"
`;

test("takes a new enough pulumi from the PATH and says nothing", () => {
  const bin = script("there/pulumi", "echo v3.200.0-dev.0");
  script("there/pulumi-language-nodejs", "");
  const { cli, log } = ensure(offlineInstaller, ["there"]);
  expect(cli).toMatchObject({ bin, version: "3.200.0", source: "path" });
  expect(cli?.env.PATH.split(delimiter)[0]).toBe(join(home, "there"));
  expect(log).toEqual([]);
  expect(existsSync(cache)).toBe(false);
});

test("finds the language host beside the file that a link on the PATH leads to", () => {
  const bin = script("opt/bin/pulumi", "echo v3.257.0");
  script("opt/bin/pulumi-language-nodejs", "");
  mkdirSync(join(home, "links"));
  symlinkSync(bin, join(home, "links/pulumi"));
  expect(ensure(offlineInstaller, ["links"]).cli).toMatchObject({ source: "path" });
});

test.each([
  ["too old", "echo v3.199.9", "is 3.199.9, older than 3.200.0"],
  ["broken", "echo no such library >&2; exit 127", "version ended with code 127: no such library"],
  ["not Pulumi", "echo hello", 'version answered "hello"'],
  [
    "without language host",
    "echo v3.257.0",
    "(3.257.0) has no pulumi-language-nodejs beside it or on the PATH",
  ],
])("passes over a pulumi that is %s", (_, text, reason) => {
  const bin = script("there/pulumi", text);
  const { cli, log } = ensure(workingInstaller, ["there"]);
  expect(log[0]).toBe(`No Pulumi CLI yet: ${bin} ${reason}.`);
  expect(cli).toMatchObject({ source: "installer", version: "3.257.0" });
  expect(cli?.env.PATH.split(delimiter)[0]).toBe(dirname(cli?.bin ?? ""));
});

test("downloads once, and takes it from the cache after that", () => {
  const first = ensure(workingInstaller, []);
  expect(first.cli?.bin).toBe(
    join(cache, `pulumi-3.257.0-${process.platform}-${process.arch}`, "bin/pulumi"),
  );
  expect(first.log).toEqual([
    "No Pulumi CLI yet: pulumi is not on the PATH.",
    "Downloading Pulumi 3.257.0 with Pulumi's installer …",
    `Pulumi 3.257.0 is kept in ${dirname(dirname(first.cli?.bin ?? ""))}.`,
  ]);
  expect(ensure(offlineInstaller, [])).toEqual({ cli: first.cli, log: [] });
});

test("builds with Go when the download fails, without network while it builds, and keeps the result", () => {
  script("go/go", workingGo);
  const { cli, log } = ensure(offlineInstaller, ["go"]);
  expect(cli).toMatchObject({ source: "go" });
  const bin = dirname(cli?.bin ?? "");
  expect(readdirSync(bin).sort()).toEqual([
    "pulumi",
    "pulumi-language-nodejs",
    "pulumi-resource-pulumi-nodejs",
  ]);
  expect(readFileSync(join(bin, "pulumi"), "utf8")).toBe("off auto 0\n");
  expect(log[2]).toBe(
    "Pulumi's installer ended with code 1: Failed to download the installer: fetch failed; trying to build it with Go.",
  );
  expect(ensure(offlineInstaller, [])).toEqual({
    cli: { ...cli, env: { PATH: cli?.env.PATH.replace(`${join(home, "go")}${delimiter}`, "") } },
    log: [],
  });
});

test.each([
  ["Go is missing", undefined, "go is not on the PATH"],
  ["Go is too old", `echo go1.20.3`, "go is 1.20.3, older than 1.21.0"],
  [
    "modules can't be fetched",
    `[ "$1" = env ] && echo go1.25.11 || { echo dial tcp: i/o timeout >&2; exit 1; }`,
    "fetching the Go modules of the Pulumi CLI 3.257.0 ended with code 1: dial tcp: i/o timeout",
  ],
  [
    "the build fails",
    `case $1 in env) echo go1.25.11;; build) echo no space left on device >&2; exit 1;; esac`,
    "building the Pulumi CLI 3.257.0 with Go ended with code 1: no space left on device",
  ],
])("says all that was tried and what to do when %s", (_, go, reason) => {
  if (go !== undefined) script("go/go", go);
  const { error } = ensure(offlineInstaller, ["go"]);
  expect(error).toContain(
    "There is no Pulumi CLI to run: pulumi is not on the PATH, " +
      "Pulumi's installer ended with code 1: Failed to download the installer: fetch failed and ",
  );
  expect(error).toContain(reason);
  expect(error).toMatch(
    /\. Install Pulumi 3\.200\.0 or newer \(.+\) or Go 1\.21\.0 or newer \(.+\), then run the command again\.$/,
  );
  expect(readdirSync(cache)).toEqual([]);
});

test("the default cache folder follows XDG_CACHE_HOME, then HOME", () => {
  const unset = { PULUMI_IDENTITY_CACHE: "" };
  const xdg = ensure(workingInstaller, [], { ...unset, XDG_CACHE_HOME: join(home, "xdg") });
  expect(xdg.cli?.bin).toContain(join(home, "xdg/pulumi-identity/pulumi-3.257.0-"));
  expect(ensure(workingInstaller, [], unset).cli?.bin).toContain(join(home, ".cache/pulumi-identity/"));
});

test("what a killed download left behind is removed", () => {
  mkdirSync(join(cache, `pulumi-3.257.0-${process.platform}-${process.arch}.part-1`), { recursive: true });
  ensure(workingInstaller, []);
  expect(readdirSync(cache)).toEqual([`pulumi-3.257.0-${process.platform}-${process.arch}`]);
});
