import {
  cpSync,
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
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, SUPPORT } from "../../simulator/default-seed";
import { environmentOf, useSimulator } from "../../testkit/simulator";
import { type CommandResult, Stack, succeeded } from "../../testkit/stack";
import { type Releases, startReleases } from "./github-releases";
import { buildArchive, pathOf, PLATFORM } from "./plugin-archive";
import { pythonEnvironment } from "./python-environment";
import { goEnvironment, publishForGo, run } from "./sdks";

/*
 * `npm run release:rehearsal`: a release, as far as one machine can have one. Its archive is built, checked,
 * fetched from a stand-in of GitHub and used, in empty homes, without Node.js on the PATH.
 */

const repository = resolve(__dirname, "../..");
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
const TAG = `v${version}`;
const SERVER = "github://api.github.com/pulumi-identity/pulumi-identity";
const RELEASES = "https://api.github.com/repos/pulumi-identity/pulumi-identity/releases";
const ARCHIVE = `pulumi-resource-identity-${TAG}-${PLATFORM}.tar.gz`;
const MODULE = "github.com/pulumi-identity/pulumi-identity/sdk/go";
const CHECK = join(repository, ".ci/check-release.mjs");
const NOWHERE = "http://127.0.0.1:9";

const simulator = useSimulator();
let work: string;
let archive: string;
let releases: Releases;
/** What is there, also if the rest fails. */
const ends: (() => unknown)[] = [];
let environment: Record<string, string>;

/** The program on the page of Pulumi's registry, in each language. */
const page = readFileSync(join(repository, "docs/_index.md"), "utf8");
const programIn = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";
const YAML = programIn("yaml");
const PROGRAMS = {
  yaml: { "Pulumi.yaml": YAML },
  python: {
    "Pulumi.yaml": "name: access\nruntime: { name: python, options: { virtualenv: venv } }\n",
    "__main__.py": programIn("python"),
  },
  go: { "Pulumi.yaml": "name: access\nruntime: go\n", "main.go": programIn("go") },
};
type Language = keyof typeof PROGRAMS;

function mkdir(folder: string): string {
  mkdirSync(folder);
  return folder;
}

/** Packages come from the network here. What runs later has nothing but the release. */
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "pulumi-identity-release-"));
  ends.push(() => rmSync(work, { recursive: true, force: true }));
  archive = await buildArchive();
  const archives = dirname(archive);
  await run(process.execPath, [CHECK, TAG, archives, PLATFORM], repository);
  releases = await startReleases(TAG, archives, work);
  ends.push(() => releases.close());

  for (const [language, files] of Object.entries(PROGRAMS)) {
    const folder = mkdir(join(work, language));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  }
  const python = await pythonEnvironment();
  symlinkSync(python.venv, join(work, "python/venv"));
  const go = { ...(await goEnvironment(work)), ...(await publishForGo(mkdir(join(work, "github")))) };
  for (const args of [
    ["mod", "init", "test"],
    ["get", `${MODULE}/identity@${TAG}`],
    ["mod", "tidy"],
    ["build", "-o", join(work, "program"), "."],
  ])
    await run("go", args, join(work, "go"), go);

  environment = {
    ...go,
    ...releases.env,
    ...environmentOf(simulator),
    GITHUB_TOKEN: "",
    GOPROXY: "off",
    PATH: [python.PATH, await pathOf(work, ["go"])].join(delimiter),
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false",
  };
});

afterAll(async () => {
  for (const end of ends) await end();
});

/** A program and its stack, in an empty home. */
class Newcomer {
  readonly folder = mkdtempSync(join(work, "program-"));
  #stack: Stack | undefined;

  static async create(language: Language): Promise<Newcomer> {
    const newcomer = new Newcomer();
    newcomer.take(language);
    newcomer.#stack = await Stack.create({ folder: newcomer.folder, env: environment });
    created.push(newcomer.stack);
    // A stack of the tests comes with the plugin of the checkout.
    newcomer.forget();
    expect(newcomer.installed()).toEqual([]);
    return newcomer;
  }

  get stack(): Stack {
    if (this.#stack === undefined) throw new Error("The stack is made last.");
    return this.#stack;
  }

  /** Goes on with the program of this language. */
  take(language: Language): void {
    cpSync(join(work, language), this.folder, { recursive: true });
  }

  install(...args: string[]): Promise<CommandResult> {
    return this.stack.shell(`pulumi plugin install resource identity ${args.join(" ")}`);
  }

  /** The versions of the plugin that are installed. */
  installed(): string[] {
    const folder = join(this.stack.home, "pulumi/plugins");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.flatMap((name) => /^resource-identity-v(\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? []).sort();
  }

  /** Removes them. */
  forget(): void {
    rmSync(join(this.stack.home, "pulumi/plugins"), { recursive: true });
  }
}

const created: Stack[] = [];
beforeEach(() => {
  simulator.seed(DEFAULT_SEED);
  simulator.reset();
  asked();
});
afterEach(() => {
  for (const stack of created.splice(0)) stack.remove();
});

/**
 * Takes the requests so far. Pulumi's Go host takes a module of Pulumi's own for a plugin, as its name begins
 * with `pulumi-`, and looks for it in each run.
 */
const asked = () => releases.requests().filter((line) => !line.includes("pulumi-cloud-sdk"));
const DOWNLOAD: unknown[] = [
  `GET ${RELEASES}/tags/${TAG}`,
  expect.stringMatching(`^GET ${RELEASES}/assets/\\d+$`),
  expect.stringMatching("^GET https://release-assets\\.githubusercontent\\.com/assets/\\d+$"),
];
const times = (number: number) => Array.from({ length: number }, () => DOWNLOAD).flat();

const groups = () => [...(simulator.state().roles.find(({ id }) => id === AGENT)?.groups ?? [])].sort();
const writes = () => simulator.log().filter((line) => !/^(?:GET|POST \/oauth)/.test(line));

/** `beforeRefresh`: also tries that the refresh fetches what is gone by then. */
async function live({ stack }: Newcomer, beforeRefresh = () => {}): Promise<void> {
  succeeded(await stack.up());
  expect(groups()).toEqual([ADMINS, BILLING, SUPPORT].sort());
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
  beforeRefresh();
  succeeded(await stack.refresh({ args: ["--expect-no-changes"] }));
  succeeded(await stack.destroy());
  expect(groups()).toEqual([SUPPORT]);
}

test("YAML: the plugin comes by `plugin install`, and a stack has its whole life", async () => {
  const newcomer = await Newcomer.create("yaml");
  succeeded(await newcomer.install(version, "--server", SERVER));
  expect(asked()).toEqual(DOWNLOAD);
  await live(newcomer);
  expect(asked()).toEqual([]);
});

test("YAML: the options of one resource fetch it, too, and without them Pulumi asks for its own", async () => {
  const newcomer = await Newcomer.create("yaml");
  expect((await newcomer.stack.preview()).code).not.toBe(0);
  const own = "GET https://api.github.com/repos/pulumi/pulumi-identity/releases/latest";
  expect(new Set(asked())).toEqual(new Set([own]));

  const options = `    options: { version: ${version}, pluginDownloadURL: "${SERVER}" }\n`;
  writeFileSync(join(newcomer.folder, "Pulumi.yaml"), YAML + options);
  await live(newcomer, () => {
    newcomer.forget();
    expect(asked()).toEqual(DOWNLOAD);
  });
  expect(asked()).toEqual(DOWNLOAD);
});

test("YAML: the declaration on the languages page fetches it", async () => {
  const newcomer = await Newcomer.create("yaml");
  const page = readFileSync(join(repository, "docs/languages.md"), "utf8");
  const [, declaration = ""] = /```yaml\n(packageDeclarationVersion[^`]+)```/.exec(page) ?? [];
  writeFileSync(join(mkdir(join(newcomer.folder, "sdks")), "identity.yaml"), declaration);
  await live(newcomer, () => {
    newcomer.forget();
    expect(asked()).toEqual(DOWNLOAD);
  });
  expect(asked()).toEqual(DOWNLOAD);
});

test.each(["python", "go"] as const)(
  "%s: the SDK fetches the plugin, and a refresh does",
  async (language) => {
    const newcomer = await Newcomer.create(language);
    await live(newcomer, () => {
      newcomer.forget();
      expect(asked()).toEqual(DOWNLOAD);
    });
    expect(asked()).toEqual(DOWNLOAD);
  },
);

test("a stack moves between default providers with the URL and without, and nothing changes", async () => {
  const newcomer = await Newcomer.create("yaml");
  const { stack } = newcomer;
  const provider = async () =>
    (await stack.state()).resources
      .filter(({ type }) => type === "pulumi:providers:identity")
      .map(({ urn }) => urn.split("::").at(-1));
  succeeded(await newcomer.install(version, "--server", SERVER));
  succeeded(await stack.up());
  const providers = [await provider()];
  simulator.reset();
  for (const language of ["python", "yaml", "go"] as const) {
    newcomer.take(language);
    succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
    succeeded(await stack.up({ args: ["--expect-no-changes"] }));
    succeeded(await stack.refresh({ args: ["--expect-no-changes"] }));
    providers.push(await provider());
  }
  expect(writes()).toEqual([]);
  const withUrl = `default_${version.replaceAll(".", "_")}_github_/api.github.com/pulumi-identity/pulumi-identity`;
  expect(providers).toEqual([["default"], [withUrl], ["default"], [withUrl]]);
});

test("`package add` makes an SDK from the plugin that it fetches", async () => {
  const newcomer = await Newcomer.create("yaml");
  const { all } = await newcomer.stack.shell(`pulumi package add identity@${version} --server ${SERVER}`);
  expect(asked()).toEqual(DOWNLOAD);
  // This YAML host is too old to enter it in Pulumi.yaml, so the command fails then.
  expect(all).toContain("Successfully generated an SDK for the identity package");
  expect(readdirSync(join(newcomer.folder, "sdks"))).toEqual(["identity"]);
  expect(newcomer.installed()).toEqual([version]);
});

test("a download that breaks off begins again, and leaves nothing behind when it always does", async () => {
  const newcomer = await Newcomer.create("yaml");
  releases.breakOff(2);
  succeeded(await newcomer.install(version, "--server", SERVER));
  expect(asked()).toEqual(times(3));

  newcomer.forget();
  releases.breakOff(Infinity);
  const broken = await newcomer.install(version, "--server", SERVER);
  releases.breakOff(0);
  expect(broken.code).not.toBe(0);
  expect(broken.all).toContain("failed all 5 attempts");
  expect([asked(), newcomer.installed()]).toEqual([times(5), []]);
});

test("another checksum than the one given, a version that isn't there and a dead proxy install nothing", async () => {
  const newcomer = await Newcomer.create("yaml");
  const wrong = await newcomer.install(version, "--server", SERVER, "--checksum", "0".repeat(64));
  expect(wrong.all).toContain("invalid checksum, expected 0000");
  const missing = await newcomer.install("0.0.1", "--server", SERVER);
  expect(missing.all).toContain(`404 HTTP error fetching plugin from ${RELEASES}/tags/v0.0.1`);
  const { all } = await newcomer.stack.shell(
    `HTTPS_PROXY=${NOWHERE} pulumi plugin install resource identity ${version} --server ${SERVER}`,
  );
  expect(all).toContain("proxyconnect tcp: dial tcp 127.0.0.1:9");
  expect([wrong.code, missing.code, newcomer.installed()]).toEqual([1, 1, []]);

  const sums = readFileSync(join(dirname(archive), "SHA256SUMS"), "utf8");
  const [, sum = ""] = /^(\w+) {2}\S+$/m.exec(sums) ?? [];
  succeeded(await newcomer.install(version, "--server", SERVER, "--checksum", sum));
});

test("without a network, `--file` installs the archive that somebody has brought", async () => {
  const script = join(repository, "scripts/release/try-archive.mjs");
  expect(await run(process.execPath, [script, archive], repository)).toMatch(/\npulumi destroy --yes\n$/);
});

/** An archive of a file that is executable. */
async function packed(name: string, content: string | Buffer): Promise<string> {
  const folder = mkdtempSync(join(work, "packed-"));
  writeFileSync(join(folder, name), content, { mode: 0o755 });
  await run("tar", ["czf", ARCHIVE, name], folder);
  return join(folder, ARCHIVE);
}

const PLUGIN = "pulumi-resource-identity";
const BROKEN = "#!/bin/sh\necho I am broken >&2\nexit 3\n";

/** A program for the processor that this machine hasn't. */
function foreign(): Buffer {
  const program = Buffer.from(readFileSync("/bin/sh"));
  program.writeUInt16LE(process.arch === "x64" ? 183 : 62, 18);
  return program;
}

test.each([
  ["another name of the program", () => packed("pulumi-resource-identities", BROKEN), "PulumiPlugin.yaml"],
  ["a program of another platform", () => packed(PLUGIN, foreign()), "exec format error"],
])(
  "%s is refused by the check; Pulumi installs it in silence, and fails at the preview",
  async (_, pack, says) => {
    const file = await pack();
    await expect(run(process.execPath, [CHECK, TAG, dirname(file), PLATFORM], work)).rejects.toThrow(
      `${ARCHIVE} contains `,
    );
    const newcomer = await Newcomer.create("yaml");
    const { all } = succeeded(await newcomer.install(version, "--file", file));
    expect(all.trim()).toBe(`[resource plugin identity-${version}] installing`);
    const preview = await newcomer.stack.preview();
    expect(preview.code).not.toBe(0);
    expect(preview.all).toContain(says);
  },
);

test("of two versions YAML takes the newest, and an SDK its own, which it fetches", async () => {
  const broken = await packed(PLUGIN, BROKEN);
  const yaml = await Newcomer.create("yaml");
  succeeded(await yaml.install("0.0.9", "--file", broken));
  succeeded(await yaml.install(version, "--file", archive));
  await live(yaml);
  succeeded(await yaml.install("99.0.0", "--file", broken));
  expect((await yaml.stack.preview()).all).toContain("I am broken");

  const newcomer = await Newcomer.create("python");
  succeeded(await newcomer.install("99.0.0", "--file", broken));
  await live(newcomer);
  expect([asked(), newcomer.installed()]).toEqual([DOWNLOAD, [version, "99.0.0"]]);
});
