import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The files of provider/ that each section of the guide changes. */
const CHANGED = {
  "A new resource": [
    "provider/service/users.ts",
    "provider/resources/user-block/kind.ts",
    "provider/resources/user-block/index.ts",
    "provider/index.ts",
    "provider/runtime.ts",
    "provider/plugin.ts",
    "provider/plugin-classes.ts",
  ],
  "A new setting": ["provider/pulumi/settings-table.ts", "provider/pulumi/program/provider.ts"],
};

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

test("with what the guide changes and nothing else, the package builds, keeps its layers, and has the resource and the setting", () => {
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
    for (const [section, files] of Object.entries(CHANGED)) {
      const changed = walkThrough(section);
      expect([...changed.keys()].filter((path) => path.startsWith("provider/"))).toEqual(files);
      for (const [path, text] of changed) {
        mkdirSync(dirname(join(tree, path)), { recursive: true });
        writeFileSync(join(tree, path), text);
      }
    }
    // It checks the types.
    run("scripts/compile.mjs");
    run("node_modules/dependency-cruiser/bin/dependency-cruise.mjs", "provider", "cli");
    const { resources, provider } = JSON.parse(readFileSync(join(tree, "schema.json"), "utf8")) as {
      resources: Record<string, { inputProperties: object }>;
      provider: { inputProperties: object };
    };
    expect(provider.inputProperties).toMatchObject({ maxAttempts: { type: "integer" } });
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
