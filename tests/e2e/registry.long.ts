import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { stringify } from "yaml";
import { startSimulator } from "../../simulator";
import { ADMINS, AGENT, BILLING, SUPPORT } from "../../simulator/default-seed";
import { Stack, succeeded } from "../../testkit/stack";
import { buildArchive, installPlugin } from "./plugin-archive";
import { run } from "./sdks";

/*
 * The programs on the page of Pulumi's registry, each in a project of its own with the plugin's archive.
 * release.long.ts runs those in Python and Go, as they fetch the plugin themselves.
 */

const repository = resolve(__dirname, "../..");
const example = (path: string) => join(repository, "examples", path);
const page = readFileSync(join(repository, "docs/_index.md"), "utf8");
const installation = readFileSync(join(repository, "docs/installation-configuration.md"), "utf8");
const programs = new Map(
  [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = "", text = ""]) => [language, text]),
);

let folder: string;
let archive: string;

beforeAll(async () => {
  archive = await buildArchive();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-registry-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Project {
  /** Where the program goes. */
  file: string;
  runtime: string | object;
  /** Installs what the program imports, and returns its environment. */
  prepare?: () => Promise<Record<string, string>>;
  /** A command of the page that goes on, with the plugin installed. */
  command?: RegExp;
}

const PROJECTS: Record<string, Project> = {
  typescript: {
    file: "index.ts",
    runtime: "nodejs",
    prepare: async () => {
      symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
      const options = { strict: true, module: "node16", target: "es2022", types: [] };
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files: ["index.ts"] }),
      );
      const tsc = join(repository, "node_modules/typescript/bin/tsc");
      expect(await run(process.execPath, [tsc, "--noEmit", "-p", folder], folder)).toBe("");
      return {};
    },
  },
  java: {
    file: "src/main/java/example/App.java",
    runtime: "java",
    prepare: () => {
      cpSync(example("java/pom.xml"), join(folder, "pom.xml"));
      return Promise.resolve({});
    },
    command: /^pulumi package add .*$/m,
  },
  yaml: { file: "Pulumi.yaml", runtime: "yaml" },
};

test("the page has a program for each language", () => {
  expect([...programs.keys()].sort()).toEqual([...Object.keys(PROJECTS), "go", "python"].sort());
});

test.each(Object.entries(PROJECTS))(
  "the program in %s assigns the role, changes nothing when it runs again, and is destroyed",
  async (language, { file, runtime, prepare, command }) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, "Pulumi.yaml"), stringify({ name: "access", runtime }));
    writeFileSync(join(folder, file), programs.get(language) ?? "");
    const env = (await prepare?.()) ?? {};
    const simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
    const groups = () => [...(simulator.state().roles.find(({ id }) => id === AGENT)?.groups ?? [])].sort();
    const before = groups();
    const stack = await Stack.create({ folder, env });
    try {
      await installPlugin(stack, archive);
      const [added = ""] = command?.exec(installation) ?? [];
      expect(added !== "").toBe(command !== undefined);
      succeeded(await stack.shell(added));
      await stack.configure(simulator);
      succeeded(await stack.up());
      expect(groups()).toEqual([...before, ADMINS, BILLING].sort());
      succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
      succeeded(await stack.destroy());
      expect(groups()).toEqual(before);
      expect(before).toEqual([SUPPORT]);
    } finally {
      stack.remove();
      await simulator.close();
    }
  },
);
