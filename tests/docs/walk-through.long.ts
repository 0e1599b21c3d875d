import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { previewText, step } from "../../testkit/cli/previews";

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The files that each section of the guide changes. */
const CHANGED = {
  "A new resource": [
    "provider/kinds.ts",
    "provider/service/users.ts",
    "provider/service/scopes.ts",
    "provider/resources/user-block/kind.ts",
    "cli/review/kinds/user-blocks.ts",
    "provider/resources/user-block/index.ts",
    "provider/index.ts",
    "provider/runtime.ts",
    "provider/contents.ts",
    "cli/review/review.ts",
    "provider/plugin-classes.ts",
    "simulator/routes.ts",
    "simulator/default-seed.ts",
  ],
  "A new setting": ["provider/pulumi/settings-table.ts", "provider/pulumi/program/provider.ts"],
};

/** The life of a block in the built package, through both doors, and what commands know of its kind. */
const LIFE = `
const { startSimulator } = require("./simulator/dist");
const { userBlock } = require("./dist/provider/runtime.js");
const { PluginHost } = require(${JSON.stringify(join(root, "testkit/hosts/plugin-host.ts"))});
const { usualScopesOf } = require("./dist/cli/doctor/callers.js");
const { readStackExport } = require("./dist/cli/stack-export.js");
const { pendingSentence } = require("./dist/provider/review/pending.js");
const { writeFileSync } = require("node:fs");

const userId = "auth0|64c1f0a2b7d83e5f9a1b2c3d";

async function dynamic(settings) {
  await userBlock.configure({ config: { get: (key) => settings[key] } });
  const { inputs, failures } = await userBlock.check({}, { userId });
  const { id, outs } = await userBlock.create(inputs);
  const there = await userBlock.read(id, outs);
  await userBlock.delete(id, outs);
  return { failures, id, there: there.id };
}

async function plugin(settings) {
  const host = await PluginHost.start({ plugin: require.resolve("./dist/provider/plugin.js") });
  await host.configure(settings);
  const __provider = "exports.handler=()=>require('pulumi-identity/runtime').userBlock";
  const { inputs, failures } = await host.check({}, { __provider, userId });
  const { id, properties } = await host.create(inputs);
  const there = await host.read(id, properties);
  await host.delete(id, properties);
  await host.stop();
  return { failures, id, there: there.id };
}

function commands() {
  const one = (name) => ({ urn: \`urn:pulumi:prod::access::identity:index:UserBlock::\${name}\`, type: "identity:index:UserBlock" });
  const deployment = {
    resources: [{ ...one("carol"), id: userId, outputs: { userId } }],
    pending_operations: [{ type: "creating", resource: one("dave") }],
  };
  const { resources, pending } = readStackExport({ file: "state.json", text: JSON.stringify({ deployment }) }, "--state");
  return {
    scopes: usualScopesOf("UserBlock"),
    inState: resources.map(({ kind, id }) => [kind, id]),
    pending: pendingSentence(pending[0]).toString(),
  };
}

(async () => {
  const simulator = await startSimulator();
  const { url, clientId, clientSecret } = simulator;
  const settings = { "identity:domain": url, "identity:clientId": clientId, "identity:clientSecret": clientSecret };
  const ways = [];
  for (const way of [dynamic, plugin]) {
    const before = simulator.log().length;
    ways.push({ ...(await way(settings)), log: simulator.log().slice(before) });
  }
  writeFileSync("life.json", JSON.stringify({ ways, ...commands() }));
  process.exit();
})();
`;

/** A new block, one of another user, one that goes, and one that stays. */
const BLOCKS = [
  step({ kind: "UserBlock", name: "carol", after: { userId: "auth0|carol" } }),
  step({
    kind: "UserBlock",
    name: "dave",
    op: "replace",
    id: "auth0|dave",
    before: { userId: "auth0|dave" },
    after: { userId: "auth0|erin" },
  }),
  step({ kind: "UserBlock", name: "frank", id: "auth0|frank", before: { userId: "auth0|frank" } }),
  step({
    kind: "UserBlock",
    name: "grace",
    op: "same",
    id: "auth0|grace",
    before: { userId: "auth0|grace" },
  }),
];

test("with what the guide changes and nothing else, the package builds, keeps its layers, and has the resource, which its commands know, and the setting", () => {
  const tree = mkdtempSync(join(tmpdir(), "walk-through-"));
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: tree, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    const sources = [
      ".dependency-cruiser.cjs",
      "tests/imports.cjs",
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
      expect([...changed.keys()]).toEqual(files);
      for (const [path, text] of changed) {
        mkdirSync(dirname(join(tree, path)), { recursive: true });
        writeFileSync(join(tree, path), text);
        if (path === "provider/kinds.ts") expect(lacksIn(tree)).toEqual(["UserBlock", "UserBlock", "blocks"]);
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
    run("--import", "tsx", "life.cjs");
    const user = "/api/v2/users/auth0%7C64c1f0a2b7d83e5f9a1b2c3d";
    const way = {
      failures: [],
      id: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
      there: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
      log: [
        "POST /oauth/token 200",
        `PATCH ${user} 200`,
        `GET ${user}?fields=blocked 200`,
        `PATCH ${user} 200`,
      ],
    };
    expect(JSON.parse(readFileSync(join(tree, "life.json"), "utf8"))).toEqual({
      ways: [way, way],
      scopes: ["update:users", "read:users"],
      inState: [["UserBlock", "auth0|64c1f0a2b7d83e5f9a1b2c3d"]],
      pending:
        "the block dave may be on the tenant already: the run that created it was killed, and the next `pulumi up` creates it again",
    });
    writeFileSync(join(tree, "preview.json"), previewText(BLOCKS));
    expect(run("dist/cli/index.js", "review", "preview.json", "--no-read", "--format", "text")).toContain(
      [
        "Not reviewable:",
        "  - carol: auth0|carol can't log in any more",
        "  - dave: auth0|dave may log in again",
        "  - dave: auth0|erin can't log in any more",
        "  - frank: auth0|frank may log in again",
        "",
      ].join("\n"),
    );
  } finally {
    rmSync(tree, { recursive: true });
  }
});

/** The tables of kinds and of what they manage. */
const TABLES = ["provider/contents.ts", "provider/service/scopes.ts", "cli/review/review.ts"];

/** Returns the names of the entries that the compiler finds missing in the tables. */
function lacksIn(tree: string): string[] {
  const { config } = ts.readConfigFile(join(tree, "tsconfig.build.json"), (path) =>
    ts.sys.readFile(path),
  ) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, tree);
  const files = TABLES.map((path) => join(tree, path));
  const program = ts.createProgram(files, options);
  return files
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))
    .map((message) => /Property '(\w+)' is missing/.exec(message)?.[1] ?? message);
}

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
    const path = [...text.matchAll(/`((?:provider|cli|simulator)\/[\w/.-]+\.ts)`/g)].at(-1)?.[1] ?? "";
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
