import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { useFolder } from "../../testkit/folder";
import type { PulumiCli } from "../../scripts/pulumi-cli/index.mjs" with { "resolution-mode": "import" };

const root = resolve(__dirname, "../..");
const moduleUrl = pathToFileURL(join(root, "scripts/pulumi-cli/index.mjs")).href;
const goMod = readFileSync(join(root, "scripts/pulumi-cli/engine/go.mod"), "utf8");
const VERSION = /^require \S+\/pkg\/v3 v(\S+)/m.exec(goMod)?.[1] ?? "";
const home = useFolder();
const versions = join(home, ".pulumi", "versions");

beforeEach(() => {
  // Fake commands are shell scripts, so sh must be on an otherwise empty PATH.
  mkdirSync(join(home, "sh-only"));
  for (const command of ["sh", "chmod"]) {
    const real = ["/bin", "/usr/bin"].map((place) => join(place, command)).find((file) => existsSync(file));
    symlinkSync(real ?? command, join(home, "sh-only", command));
  }
});

/** Writes an executable with this text, relative to `home`. */
function script(path: string, text: string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** Replaces the `run.js` of Pulumi's npm package, which downloads into `$PULUMI_HOME`. */
function downloader(text: string): string {
  const file = join(home, "run.cjs");
  writeFileSync(file, `const fs = require("fs");\n${text}\n`);
  return file;
}

const working = `
  const bin = process.env.PULUMI_HOME + "/versions/" + process.env.PULUMI_VERSION + "/bin";
  fs.mkdirSync(bin, { recursive: true });
  for (const program of ["pulumi", "pulumi-language-nodejs", "pulumi-language-yaml"])
    fs.writeFileSync(bin + "/" + program, "#!/bin/sh\\n", { mode: 0o755 });
`;
const offline = `console.error("pulumi: fetch failed"); process.exit(1);`;

interface Outcome {
  cli?: PulumiCli;
  error?: string;
  log: string[];
}

/**
 * Calls ensurePulumi in its own process: Jest can't load ES modules, and signal handlers stay out of Jest.
 */
function ensure(
  download: string,
  path: string[] = [],
  env: Record<string, string> = {},
  languages = false,
): Outcome {
  const program = `
    import { ensurePulumi } from ${JSON.stringify(moduleUrl)};
    const log = [];
    const options = { log: (sentence) => log.push(sentence), downloader: ${JSON.stringify(downloader(download))}, languages: ${languages} };
    const outcome = await ensurePulumi(options).then((cli) => ({ cli }), (error) => ({ error: error.message }));
    console.log(JSON.stringify({ ...outcome, log }));
  `;
  const PATH = [...path, "sh-only"].map((place) => join(home, place)).join(delimiter);
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: { PATH, HOME: home, TMPDIR: home, ...env },
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Outcome;
}

/** A `go` that writes its arguments instead of a program. */
const workingGo = `
  if [ "$1" = env ]; then echo go1.25.11; exit; fi
  if [ "$1" = list ]; then exit; fi
  while [ "$1" != -o ]; do shift; done
  echo "$GOPROXY $GOTOOLCHAIN $CGO_ENABLED" > "$2"; chmod +x "$2"
`;

test("downloads once, whatever is on the PATH or was left behind by a killed download, and takes that from then on", () => {
  script("there/pulumi", "echo v3.200.0");
  mkdirSync(join(versions, `${VERSION}.part-1`), { recursive: true });
  mkdirSync(join(versions, VERSION, "bin"), { recursive: true });
  const { cli, log } = ensure(working, ["there"]);
  expect(cli?.bin).toBe(join(versions, VERSION, "bin/pulumi"));
  expect(cli?.env.PATH.split(delimiter)[0]).toBe(dirname(cli?.bin ?? ""));
  expect(log).toEqual([
    `Downloading Pulumi ${VERSION} …`,
    `Pulumi ${VERSION} is kept in ${join(versions, VERSION)}.`,
  ]);
  expect(readdirSync(versions)).toEqual([VERSION]);
  expect(ensure(offline, ["there"])).toEqual({ cli, log: [] });
});

test("builds with Go when the download fails, without network while it builds, and keeps the result", () => {
  script("go/go", workingGo);
  const { cli, log } = ensure(offline, ["go"]);
  const bin = dirname(cli?.bin ?? "");
  expect(bin).toBe(join(versions, VERSION, "bin"));
  expect(readdirSync(bin).sort()).toEqual([
    "pulumi",
    "pulumi-language-nodejs",
    "pulumi-language-yaml",
    "pulumi-resource-pulumi-nodejs",
  ]);
  expect(readFileSync(join(bin, "pulumi"), "utf8")).toBe("off auto 0\n");
  expect(log[1]).toBe(
    `Downloading Pulumi ${VERSION} ended with code 1: pulumi: fetch failed; trying to build it with Go.`,
  );
  expect(ensure(offline, ["go"])).toEqual({ cli, log: [] });
});

test("builds only what an earlier build has left out", () => {
  const bin = join(versions, VERSION, "bin");
  script(join(".pulumi/versions", VERSION, "bin/pulumi"), "kept");
  script("go/go", workingGo);
  ensure(offline, ["go"]);
  expect(readFileSync(join(bin, "pulumi"), "utf8")).toBe("#!/bin/sh\nkept\n");
  expect(readFileSync(join(bin, "pulumi-language-yaml"), "utf8")).toBe("off auto 0\n");
});

test("builds the hosts of Go, Java and Python for a command that needs them, with their scripts, and keeps them for others", () => {
  const bin = join(versions, VERSION, "bin");
  const sources = join(home, "module/pulumi-language-python");
  script("module/pulumi-language-python-exec", "runs a program");
  script("go/go", `if [ "$1" = list ]; then echo /dependency; echo ${sources}; exit; fi\n${workingGo}`);
  ensure(offline, ["go"]);
  expect(readdirSync(bin)).not.toContain("pulumi-language-python");

  const { cli } = ensure(offline, ["go"], {}, true);
  expect(readFileSync(join(bin, "pulumi-language-python-exec"), "utf8")).toContain("runs a program");
  for (const name of ["pulumi-language-go", "pulumi-language-java", "pulumi-language-python"])
    expect(readFileSync(join(bin, name), "utf8")).toBe("off auto 0\n");
  expect(ensure(offline, ["go"], {}, true)).toEqual({ cli, log: [] });
  expect(ensure(offline, ["go"])).toEqual({ cli, log: [] });
});

test("builds the host that a download lacks, and downloads nothing again for it", () => {
  const bin = join(versions, VERSION, "bin");
  ensure(working, ["go"]);
  for (const language of ["go", "python"])
    script(join(".pulumi/versions", VERSION, `bin/pulumi-language-${language}`), "downloaded");
  expect(ensure(offline, [], {}, true).error).toBe(
    "Could not get Pulumi's Java language host: go is not on the PATH. " +
      "It takes Go 1.21.0 or newer (https://go.dev/dl/) and its module proxy: with both, run the command again.",
  );
  script("go/go", workingGo);
  expect(ensure(offline, ["go"], {}, true).log.join()).not.toContain("Downloading");
  expect(readFileSync(join(bin, "pulumi-language-go"), "utf8")).toContain("downloaded");
  expect(readFileSync(join(bin, "pulumi-language-java"), "utf8")).toBe("off auto 0\n");
});

test.each([
  ["Go is missing", undefined, "go is not on the PATH"],
  ["Go is too old", `echo go1.20.3`, "go is 1.20.3, older than 1.21.0"],
  [
    "modules can't be fetched",
    `[ "$1" = env ] && echo go1.25.11 || { echo dial tcp: i/o timeout >&2; exit 1; }`,
    `fetching the Go modules of the Pulumi CLI ${VERSION} ended with code 1: dial tcp: i/o timeout`,
  ],
  [
    "the build fails",
    `case $1 in env) echo go1.25.11;; build) echo no space left on device >&2; exit 1;; esac`,
    `building the Pulumi CLI ${VERSION} with Go ended with code 1: no space left on device`,
  ],
])("says all that was tried and what to do when %s", (_, go, reason) => {
  if (go !== undefined) script("go/go", go);
  const { error } = ensure(offline, ["go"]);
  expect(error).toContain(
    `Could not get the Pulumi CLI ${VERSION}: downloading Pulumi ${VERSION} ended with code 1: pulumi: fetch failed, and `,
  );
  expect(error).toContain(reason);
  expect(error).toMatch(
    /\. Let this machine reach .+, or install Go 1\.21\.0 or newer \(.+\), then run the command again\.$/,
  );
  expect(readdirSync(versions)).toEqual([]);
});

test("keeps the CLI in PULUMI_HOME, where there is one", () => {
  const PULUMI_HOME = join(home, "elsewhere");
  expect(ensure(working, [], { PULUMI_HOME }).cli?.bin).toBe(
    join(PULUMI_HOME, "versions", VERSION, "bin/pulumi"),
  );
});
