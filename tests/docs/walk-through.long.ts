import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test.each([
  [
    "A new resource",
    [
      "provider/service/users.ts",
      "provider/resources/user-block/kind.ts",
      "provider/resources/user-block/index.ts",
      "provider/index.ts",
      "provider/runtime.ts",
      "provider/plugin.ts",
      "provider/plugin-classes.ts",
    ],
  ],
  ["A new setting", ["provider/pulumi/settings-table.ts", "provider/pulumi/program/provider.ts"]],
])("what the guide changes for %s fits the sources", (section, files) => {
  const changed = walkThrough(section);
  expect([...changed.keys()].filter((path) => path.startsWith("provider/"))).toEqual(files);
  // Proves that a type error is found. It runs along with the blocks, because each check takes seconds.
  changed.set("provider/wrong.ts", 'export const label: number = "";\n');
  expect(problemsOf(changed)).toEqual([
    "provider/wrong.ts: Type 'string' is not assignable to type 'number'.",
  ]);
});

/** The life of a block, through the handlers of the built package. */
const LIFE = `
const { startSimulator } = require("./simulator/dist");
const { userBlock } = require("./dist/provider/runtime.js");
(async () => {
  const simulator = await startSimulator();
  const settings = { domain: simulator.url, clientId: simulator.clientId, clientSecret: simulator.clientSecret };
  await userBlock.configure({ config: { get: (key) => settings[key.replace("identity:", "")] } });
  const { inputs, failures } = await userBlock.check({}, { userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d" });
  const { id, outs } = await userBlock.create(inputs);
  const there = await userBlock.read(id, outs);
  await userBlock.delete(id, outs);
  console.log(JSON.stringify({ failures, id, there: there.id, log: simulator.log() }));
  process.exit();
})();
`;

test("with what the guide changes and nothing else, the package builds, keeps its layers, and has the resource", () => {
  const tree = mkdtempSync(join(tmpdir(), "walk-through-"));
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: tree, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    const sources = [
      ".dependency-cruiser.cjs",
      "cli",
      "package.json",
      "page",
      "provider",
      "scripts",
      "simulator",
    ];
    for (const name of [...sources, "tsconfig.build.json", "tsconfig.json"])
      cpSync(join(root, name), join(tree, name), {
        recursive: true,
        filter: (path) => !/\/(dist|node_modules)$/.test(path),
      });
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
    for (const [path, text] of walkThrough("A new resource")) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    run("scripts/compile.mjs");
    run("node_modules/dependency-cruiser/bin/dependency-cruise.mjs", "provider", "cli");
    const { resources } = JSON.parse(readFileSync(join(tree, "schema.json"), "utf8")) as {
      resources: Record<string, { inputProperties: object }>;
    };
    expect(resources["identity:index:UserBlock"]?.inputProperties).toEqual({
      userId: expect.objectContaining({ type: "string", willReplaceOnChanges: true }) as unknown,
    });
    writeFileSync(join(tree, "life.cjs"), LIFE);
    const user = "/api/v2/users/auth0%7C64c1f0a2b7d83e5f9a1b2c3d";
    expect(JSON.parse(run("life.cjs"))).toEqual({
      failures: [],
      id: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
      there: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
      log: [
        "POST /oauth/token 200",
        `PATCH ${user} 200`,
        `GET ${user}?fields=blocked 200`,
        `PATCH ${user} 200`,
      ],
    });
  } finally {
    rmSync(tree, { recursive: true });
  }
});

/**
 * Returns the files that the blocks of code create or change. A file's path is the last one in the text
 * before its block.
 */
function walkThrough(title: string): Map<string, string> {
  const [, section = ""] =
    new RegExp(`\\n## ${title}\\n([\\s\\S]+?)(?:\\n## |$)`).exec(read("docs/contributing/new-resource.md")) ??
    [];
  const files = new Map<string, string>();
  for (const [, text = "", language, block = ""] of section.matchAll(
    /([\s\S]*?)```(ts|diff)\n([\s\S]*?)```/g,
  )) {
    const path =
      [...text.matchAll(/`((?:provider|simulator|testkit|tests)\/[\w/.-]+\.ts)`/g)].at(-1)?.[1] ?? "";
    files.set(path, language === "ts" ? block : patched(files.get(path) ?? read(path), block));
  }
  return files;
}

function patched(source: string, block: string): string {
  const lines = source.split("\n");
  let place = block.startsWith("+") ? lines.length - 1 : 0;
  for (const line of block.trimEnd().split("\n")) {
    if (line.startsWith("+")) {
      lines.splice(place++, 0, line.slice(1));
      continue;
    }
    const found = lines.indexOf(line.slice(1), place);
    expect({ line, isInFile: found >= 0 }).toEqual({ line, isInFile: true });
    place = found + 1;
  }
  return lines.join("\n");
}

/** Returns type errors in the changed files of provider/, laid over those on disk. */
function problemsOf(changed: ReadonlyMap<string, string>): string[] {
  const overlay = new Map([...changed].map(([path, text]) => [join(root, path), text]));
  const directories = new Set([...overlay.keys()].map(dirname));
  const config = ts.parseJsonConfigFileContent(
    {
      ...(ts.readConfigFile(join(root, "tsconfig.build.json"), (path) => ts.sys.readFile(path))
        .config as object),
      include: [],
    },
    ts.sys,
    root,
  );
  const options = { ...config.options, noEmit: true, skipLibCheck: true };
  const host = ts.createCompilerHost(options);
  const readFile = (path: string) => overlay.get(path) ?? ts.sys.readFile(path);
  Object.assign(host, {
    readFile,
    fileExists: (path: string) => overlay.has(path) || existsSync(path),
    directoryExists: (path: string) => directories.has(path) || ts.sys.directoryExists(path),
    getSourceFile: (path: string, language: ts.CreateSourceFileOptions) => {
      const text = readFile(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, language);
    },
  } satisfies Partial<ts.CompilerHost>);
  const checked = [...overlay.keys()].filter((path) => path.startsWith(join(root, "provider/")));
  const program = ts.createProgram(checked, options, host);
  return checked.flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) =>
        `${path.slice(root.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
}
