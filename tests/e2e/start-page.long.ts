import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import MarkdownIt from "markdown-it";
import { startSimulator, type Simulator } from "../../simulator";
import { npm } from "./packed";
import { endSession, pulumiCli } from "./stack";

/*
 * A user's first page, docs/start.md: its shell blocks unchanged, in one bash and an empty folder.
 */

const repository = resolve(__dirname, "../..");
const page = readFileSync(join(repository, "docs/start.md"), "utf8");
/** The last section is about a real tenant. */
const [simulated = ""] = page.split("\n## Your own tenant\n");
const blocks = (language: string) =>
  new MarkdownIt()
    .parse(simulated, {})
    .filter(({ type, info }) => type === "fence" && info === language)
    .map(({ content }) => content);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-start-"));
  for (const name of ["home", "project"]) mkdirSync(join(folder, name));
  // The page's clone, already built.
  symlinkSync(repository, join(folder, "pulumi-identity"), "junction");
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

test("the page takes an empty folder to a first up, a change with its review, and back to nothing", async () => {
  await expectFree(8000);
  const { code, output } = await bash(blocks("sh").join("\n"));
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });

  const shown = blocks("");
  expect(shown.length).toBeGreaterThan(0);
  for (const text of shown) expect(output).toContain(text);

  const fresh = await startSimulator();
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
}, 260_000);

/** The simulator ends with the page, so read the tenant's contents just before. */
const LOOK_BEFORE_THE_END = `
  kill() {
    [ "$1" = -0 ] || node -e '
      fetch("http://127.0.0.1:8000/_simulator/state")
        .then((answer) => answer.text())
        .then((state) => require("node:fs").writeFileSync("../tenant.json", state))'
    builtin kill "$@"
  }
`;

async function bash(script: string): Promise<{ code: number | null; output: string }> {
  const { env: cli } = await pulumiCli();
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|IDENTITY|JEST|npm)_/i.test(name) && name !== "NODE_ENV",
  );
  const child = spawn("bash", ["-euo", "pipefail", "-c", LOOK_BEFORE_THE_END + script], {
    cwd: join(folder, "project"),
    env: {
      ...Object.fromEntries(inherited),
      ...cli,
      HOME: join(folder, "home"),
      NO_COLOR: "1",
      PULUMI_HOME: join(folder, "pulumi"),
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      npm_config_registry: await npmSetting("registry"),
      // Don't download again what other tests have installed.
      npm_config_cache: await npmSetting("cache"),
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const limit = setTimeout(() => endSession(child), 240_000);
  child.once("exit", () => endSession(child));
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(limit);
  return { code, output };
}

async function npmSetting(name: string): Promise<string> {
  const { stdout } = await npm(["config", "get", name]);
  return stdout.trim();
}

async function expectFree(port: number): Promise<void> {
  const server = createServer();
  await once(server.listen(port, "127.0.0.1"), "listening").catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `docs/start.md uses port ${port}, which can't be listened on here: ${error.code}. End what uses it, and run the test again.`,
    );
  });
  await new Promise((closed) => server.close(closed));
}
