import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import MarkdownIt from "markdown-it";
import { startSimulator, type Simulator } from "../../simulator";
import { PLAYGROUND_SEED } from "../../simulator/playground";
import { npm } from "./packed";
import { buildArchive } from "./plugin-archive";
import { endSession, pulumiCli, shellPath } from "../../testkit/stack";

/*
 * A user's first pages, the README and docs/start.md: their shell blocks unchanged, in one bash and an empty
 * folder.
 */

const repository = resolve(__dirname, "../..");
const blocksOf = (text: string, language: string) =>
  new MarkdownIt()
    .parse(text, {})
    .filter(({ type, info }) => type === "fence" && info === language)
    .map(({ content }) => content);

let folder: string;
/** The built clone of the pages, and its npm: packages come from here, and so does the plugin's archive. */
const clone = (archive = "") => `
  clone() { mkdir pulumi-identity; ln -s "${repository}"/* pulumi-identity; }
  npm() {
    case "$*" in
      *"--silent plugin") echo "${archive}" ;;
      ci | run*) ;;
      pack*) command npm pack --silent "${repository}" "${repository}/simulator" ;;
      *) command npm "$@" ;;
    esac
  }
`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-start-"));
  for (const name of ["home", "project", "state"]) mkdirSync(join(folder, name));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** The README's quickstart, by heading. */
function quickstart(): Record<string, string> {
  const text = readFileSync(join(repository, "README.md"), "utf8");
  const [, section = ""] = /\n## Quickstart\n([\s\S]+?)\n## /.exec(text) ?? [];
  const [top = "", ...parts] = section.split("\n### ");
  const named = parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n"))]);
  return { top, ...(Object.fromEntries(named) as Record<string, string>) };
}

test("docs/start.md takes an empty folder to a first up, a change with its review, and back to nothing", async () => {
  await expectFree(8000);
  // The last section is about a real tenant.
  const [page = ""] = readFileSync(join(repository, "docs/start.md"), "utf8").split("\n## Your own tenant\n");
  const { code, output } = await bash(
    blocksOf(page, "sh").join("\n"),
    `${clone()}${LOOK_BEFORE_THE_END}\n(cd .. && clone)\n`,
  );
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });

  const shown = blocksOf(page, "");
  expect(shown.length).toBeGreaterThan(0);
  for (const text of shown) expect(output).toContain(text);

  const fresh = await startSimulator({ seed: PLAYGROUND_SEED });
  await fresh.close();
  const left = JSON.parse(readFileSync(join(folder, "tenant.json"), "utf8")) as ReturnType<
    Simulator["state"]
  >;
  expect(left.connection_profiles).toEqual(fresh.state().connection_profiles);
  expect(left.roles).toEqual(fresh.state().roles);

  // The page quotes the simulator's output, and with it the simulated client's secret, once.
  expect(output.split(fresh.clientSecret)).toHaveLength(2);
  expect(left.access_tokens.length).toBeGreaterThan(0);
  for (const token of left.access_tokens) expect(output).not.toContain(token);
});

/** What `pulumi new` makes from the template. Its program goes up after the README's. */
const MADE = [".gitignore", "Pulumi.yaml", "index.ts", "package.json", "tsconfig.json"];
const KEEP_WHAT_IS_MADE = `mkdir ../made && cp ${MADE.join(" ")} ../made`;

test.each(["In TypeScript", "In YAML"])(
  "%s, the README's quickstart goes up as printed",
  async (language) => {
    await expectFree(8000);
    const { top = "", [language]: program = "", "Connect it": connect = "" } = quickstart();
    const [code = ""] = blocksOf(program, "ts");
    const save = `${KEEP_WHAT_IS_MADE}\ncat > index.ts <<'END OF THE PROGRAM'\n${code}END OF THE PROGRAM\n`;
    // TypeScript: a project, then its program. In YAML, the shell copies the program.
    const steps = [...blocksOf(program, "sh"), language === "In YAML" ? "" : save];
    const [simulated = "", , all = ""] = blocksOf(connect, "sh");
    const check = language === "In YAML" ? all.replace(/^npx .*\n/gm, "") : all;
    const log =
      "node -e 'fetch(\"http://127.0.0.1:8000/_simulator/state\").then((r) => r.text()).then(console.log)'";
    const result = await bash(
      [
        `${clone(language === "In YAML" ? await buildArchive() : "")}git() { clone; }`,
        // The review has checked the program's types.
        'pulumi() { [ "$1" != up ] || export PULUMI_NODEJS_TRANSPILE_ONLY=true; command pulumi "$@"; }',
        `export PULUMI_BACKEND_URL="file://${join(folder, "state")}" PULUMI_CONFIG_PASSPHRASE=x PULUMI_SKIP_CONFIRMATIONS=true`,
        ...blocksOf(top, "sh"),
        "node ../pulumi-identity/simulator/dist/main.js > ../simulator.json & simulator=$!",
        "while [ ! -s ../simulator.json ] && kill -0 $simulator; do sleep 0.2; done",
        ...steps,
        simulated,
        check,
        log,
        language === "In YAML" ? "" : `cp ../made/index.ts . && pulumi up && ${log}`,
        "kill $simulator",
      ].join("\n"),
      "",
    );
    expect({ code: result.code, output: result.code === 0 ? "" : result.output }).toEqual({
      code: 0,
      output: "",
    });
    expect(result.output).toContain('"name":"enterprise"');
    // A quickstart deletes nothing.
    expect(result.output).toContain('"id":"dcr_6XnTb4kWq9ZpHs2V"');
    if (language === "In YAML") return;
    expect(result.output).toContain("The set-up is ok.");
    expect(result.output).toMatch(/2 grants.*1 profile created/);
    for (const file of MADE)
      expect(readFileSync(join(folder, "project/made", file), "utf8")).not.toContain("${");
    const manifest = readFileSync(join(folder, "project/made/package.json"), "utf8");
    expect(JSON.parse(manifest)).toMatchObject({ name: "access" });
    expect(result.output).toContain('"connection_name_prefix_template":"con-{org_id}"');
  },
);

/**
 * The simulator ends with the page, so read the tenant's contents just before. The first preview checks the
 * program's types, which takes two seconds of processor time.
 */
const LOOK_BEFORE_THE_END = `
  pulumi() { command pulumi "$@"; [ "$1" != preview ] || export PULUMI_NODEJS_TRANSPILE_ONLY=true; }
  kill() {
    [ "$1" = -0 ] || node -e '
      fetch("http://127.0.0.1:8000/_simulator/state")
        .then((answer) => answer.text())
        .then((state) => require("node:fs").writeFileSync("../tenant.json", state))'
    builtin kill "$@"
  }
`;

async function bash(script: string, first: string): Promise<{ code: number | null; output: string }> {
  const { env: cli } = await pulumiCli();
  npmSettings ??= Promise.all([npmSetting("registry"), npmSetting("cache")]);
  const [registry, cache] = await npmSettings;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|IDENTITY|JEST|npm)_/i.test(name) && name !== "NODE_ENV",
  );
  const child = spawn("bash", ["-euo", "pipefail", "-c", first + script], {
    cwd: join(folder, "project"),
    env: {
      ...Object.fromEntries(inherited),
      ...cli,
      PATH: shellPath(cli.PATH),
      HOME: join(folder, "home"),
      NO_COLOR: "1",
      PULUMI_HOME: join(folder, "pulumi"),
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      npm_config_registry: registry,
      // Don't download again what other tests have installed.
      npm_config_cache: cache,
      npm_config_prefer_offline: "true",
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  // Before the test's own limit, so that what hangs tells what it has printed.
  const limit = setTimeout(() => endSession(child), 30 * 60_000);
  child.once("exit", () => endSession(child));
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(limit);
  return { code, output };
}

let npmSettings: Promise<[string, string]> | undefined;

async function npmSetting(name: string): Promise<string> {
  const { stdout } = await npm(["config", "get", name]);
  return stdout.trim();
}

async function expectFree(port: number): Promise<void> {
  const server = createServer();
  await once(server.listen(port, "127.0.0.1"), "listening").catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `The first pages use port ${port}, which can't be listened on here: ${error.code}. End what uses it, and run the test again.`,
    );
  });
  await new Promise((closed) => server.close(closed));
}
