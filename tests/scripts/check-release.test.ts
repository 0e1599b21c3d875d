import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { useFolder } from "../../testkit/folder";

const root = resolve(__dirname, "../..");
const checked = useFolder();

/** `args`: of Node.js. */
function run(...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stderr };
}

/** Of a page. */
const COMMANDS = `Since 1.0.0:
pulumi plugin install resource identity 1.2.3 --server …
pulumi package add identity@1.2.3 --server …
go get example.com/sdk/go@v1.2.3
npm install ./pulumi-identity-1.2.3.tgz @pulumi/pulumi@3.216.0
`;

describe("sources are checked", () => {
  beforeEach(() => {
    cpSync(join(root, ".ci/check-release.mjs"), join(checked, ".ci/check-release.mjs"));
    const json = JSON.stringify({ name: "identity", version: "1.2.3" }, undefined, 2);
    for (const file of [
      "package.json",
      "simulator/package.json",
      "schema.json",
      "sdk/python/pulumi_identity/pulumi-plugin.json",
      "sdk/go/identity/pulumi-plugin.json",
    ])
      write(file, json);
    write("docs/guides/start.md", COMMANDS);
    write("sdk/python/pyproject.toml", '[project]\n  name = "pulumi_identity"\n  version = "1.2.3"\n');
    write("template/package.json", '{ "dependencies": { "pulumi-identity": "^1.2.3" } }');
    write(
      "CHANGELOG.md",
      "# Changelog\n\n## [1.2.3]\n\nA change.\n\n## [1.2.2]\n\nOnce not published yet.\n",
    );
  });

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(checked, file)), { recursive: true });
    writeFileSync(join(checked, file), text);
  }
  const checkSources = (tag: string) => run(join(checked, ".ci/check-release.mjs"), tag);

  const VERSIONED = [
    "simulator/package.json",
    "schema.json",
    "sdk/python/pyproject.toml",
    "sdk/python/pulumi_identity/pulumi-plugin.json",
    "sdk/go/identity/pulumi-plugin.json",
  ];
  const problems = (tag = "v1.2.3") => {
    const { status, stderr } = checkSources(tag);
    const lines = stderr.split("\n").filter((line) => line !== "");
    expect(status).toBe(lines.length === 0 ? 0 : 1);
    return lines;
  };

  test("and pass with their tag, whatever form the template takes", () => {
    expect(problems()).toEqual([]);
    write(
      "template/package.json",
      '{ "dependencies": { "pulumi-identity": "file:pulumi-identity-1.2.3.tgz" } }',
    );
    expect(problems()).toEqual([]);
  });

  test.each(["1.2.3", "v1.2.4", ""])("against the tag %j", (tag) => {
    expect(problems(tag)).toEqual([
      `The tag ${JSON.stringify(tag)} is not v1.2.3, the version in package.json.`,
    ]);
  });

  test("against another version in any file, and on any page", () => {
    for (const file of VERSIONED)
      write(file, readFileSync(join(checked, file), "utf8").replace("1.2.3", "1.2.2"));
    write("template/package.json", JSON.stringify({ dependencies: { "pulumi-identity": "^1.2.2" } }));
    write("CHANGELOG.md", "# Changelog\n\n## [1.2.3]\n\nNot there, and not published yet.\n");
    const says = [
      ["resource identity 1.2.2", '"resource identity 1.2.2", not 1.2.3'],
      ["identity@1.2.2", '"identity@1.2.2", not 1.2.3'],
      ["sdk/go@v1.2.2", '"sdk/go@v1.2.2", not 1.2.3'],
      ["pulumi-identity-1.2.2", '"pulumi-identity-1.2.2", not 1.2.3'],
      ["identity@1.2.3-rc.1", '"identity@1.2.3-rc.1", not 1.2.3'],
      ["name: identity\nversion: 1.2.2", '"name: identity version: 1.2.2", not 1.2.3'],
      ["Not published, and not on npm yet", '"not on npm yet"'],
      ["It isn't published yet", '"n\'t published yet"'],
      ["until we publish it", '"until we publish"'],
      ["Once it's published", '"Once it\'s published"'],
    ] as const;
    for (const [i, [text]] of says.entries()) write(`docs/guides/page-${i}.md`, COMMANDS + text);
    expect(problems()).toEqual([
      ...VERSIONED.map((file) => `${file} has the version 1.2.2, and package.json 1.2.3.`),
      "template/package.json takes ^1.2.2 of pulumi-identity, not 1.2.3.",
      "CHANGELOG.md says that 1.2.3 is not published yet.",
      ...says.map(([, said], i) => `docs/guides/page-${i}.md says ${said}.`),
    ]);
  });

  test("against no version in any file", () => {
    for (const file of VERSIONED) rmSync(join(checked, file));
    write("template/package.json", '{ "dependencies": {} }');
    write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [1.2.30]\n");
    expect(problems()).toEqual([
      ...VERSIONED.map((file) => `${file} has no version, and package.json 1.2.3.`),
      "template/package.json takes no version of pulumi-identity, not 1.2.3.",
      'CHANGELOG.md has no section "## [1.2.3]".',
    ]);
  });

  test("against a prerelease", () => {
    write("package.json", '{ "version": "1.2.3-rc.1" }');
    expect(problems("v1.2.3-rc.1")[0]).toMatch(/^1\.2\.3-rc\.1 is a prerelease, which npm and GitHub/);
  });
});

describe("archives are checked", () => {
  const NAME = "pulumi-resource-identity-v1.2.3";
  const PROGRAM = "pulumi-resource-identity";
  /** Nothing can be run on it. */
  const ELSEWHERE = [
    "--import",
    'data:text/javascript,Object.defineProperty(process,"arch",{value:"riscv64"})',
  ];
  const { platform: system, arch } = process;
  const own = `${system === "win32" ? "windows" : system}-${arch === "x64" ? "amd64" : arch}`;

  type Machine = [write: "writeUInt16LE" | "writeUInt32LE", at: number, value: number];
  const MACHINES: Record<string, Machine> = {
    "linux-amd64": ["writeUInt16LE", 18, 62],
    "linux-arm64": ["writeUInt16LE", 18, 183],
    "darwin-amd64": ["writeUInt32LE", 4, 0x0100_0007],
    "darwin-arm64": ["writeUInt32LE", 4, 0x0100_000c],
    "windows-amd64": ["writeUInt16LE", 132, 0x8664],
    "windows-arm64": ["writeUInt16LE", 132, 0xaa64],
  };

  /** The beginning of a program. */
  function programFor(platform: string): Buffer {
    const program = Buffer.alloc(200);
    if (platform.startsWith("linux")) program.write("\x7fELF", "latin1");
    else if (platform.startsWith("darwin")) program.writeUInt32LE(0xfeed_facf);
    else {
      program.write("MZ", "latin1");
      program.writeUInt32LE(128, 60);
      program.write("PE\0\0", 128, "latin1");
    }
    const [write, at, value] = MACHINES[platform] ?? (["writeUInt16LE", 0, 0] as Machine);
    program[write](value, at);
    return program;
  }

  interface Entry {
    content?: Buffer;
    mode?: number;
    type?: string;
  }
  type Entries = Record<string, Entry>;

  function tar(entries: Entries): Buffer {
    const blocks = Object.entries(entries).flatMap(
      ([name, { content = Buffer.from("text"), mode = 0o644, type = "0" }]) => {
        const header = Buffer.alloc(512);
        header.write(name);
        header.write(mode.toString(8).padStart(7, "0"), 100);
        header.write(content.length.toString(8).padStart(11, "0"), 124);
        header.write(type, 156);
        return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
      },
    );
    return Buffer.concat([...blocks, Buffer.alloc(1024)]);
  }

  const entriesOf = (platform: string): Entries => ({
    [platform.startsWith("windows") ? `${PROGRAM}.exe` : PROGRAM]: {
      content: programFor(platform),
      mode: 0o755,
    },
    LICENSE: {},
    "NOTICES.txt": {},
  });
  const archive = (platform: string, version = "1.2.3") => `${PROGRAM}-v${version}-${platform}.tar.gz`;

  /** Also its line in SHA256SUMS. */
  function put(name: string, packed: Buffer): void {
    writeFileSync(join(checked, name), packed);
    sums.set(name, createHash("sha256").update(packed).digest("hex"));
    writeSums();
  }
  function writeSums(): void {
    const lines = [...sums].map(([name, sum]) => `${sum}  ${name}\n`);
    writeFileSync(join(checked, "SHA256SUMS"), lines.join(""));
  }
  let sums: Map<string, string>;
  beforeEach(() => {
    sums = new Map();
    for (const platform of Object.keys(MACHINES)) put(archive(platform), gzipSync(tar(entriesOf(platform))));
  });

  const script = join(root, ".ci/check-release.mjs");
  function problems(...platform: string[]): string[] {
    const { status, stderr } = run(...ELSEWHERE, script, "v1.2.3", checked, ...platform);
    const lines = stderr.split("\n").filter((line) => line !== "");
    expect(status).toBe(lines.length === 0 ? 0 : 1);
    return lines;
  }

  test("and pass", () => expect(problems()).toEqual([]));

  test("against one that is missing, and those of another release", () => {
    rmSync(join(checked, archive("darwin-arm64")));
    put(archive("linux-amd64", "1.2.2"), gzipSync(tar(entriesOf("linux-amd64"))));
    expect(problems()).toEqual([
      `${NAME}-darwin-arm64.tar.gz is missing.`,
      `${PROGRAM}-v1.2.2-linux-amd64.tar.gz is no part of v1.2.3.`,
    ]);
    expect(problems("linux-amd64")).toEqual([]);
  });

  test("against their checksums", () => {
    sums.delete(archive("linux-amd64"));
    sums.set(archive("linux-arm64"), "0".repeat(64));
    writeSums();
    expect(problems()).toEqual([
      `${NAME}-linux-amd64.tar.gz is not in SHA256SUMS.`,
      `${NAME}-linux-arm64.tar.gz has another checksum than SHA256SUMS says.`,
    ]);
    rmSync(join(checked, "SHA256SUMS"));
    expect(problems()).toHaveLength(6);
  });

  test("against what is wrong in any of them", () => {
    const { [PROGRAM]: linux = {}, ...texts } = entriesOf("linux-amd64");
    const { [`${PROGRAM}.exe`]: windows = {} } = entriesOf("windows-amd64");
    const script = Buffer.from(`#!/usr/bin/env node\n${" ".repeat(100)}`);
    const packed = gzipSync(tar({ [PROGRAM]: linux, ...texts }));
    const wanted = (program = PROGRAM) => `not LICENSE, NOTICES.txt, ${program}.`;
    const rounds: Record<string, [packed: Entries | Buffer, problem: string]>[] = [
      {
        "linux-amd64": [
          { "pulumi-resource-identities": linux, ...texts },
          `contains LICENSE, NOTICES.txt, pulumi-resource-identities, ${wanted()}`,
        ],
        "linux-arm64": [
          { [`bin/${PROGRAM}`]: linux, ...texts },
          `contains LICENSE, NOTICES.txt, bin/${PROGRAM}, ${wanted()}`,
        ],
        "darwin-amd64": [
          { ...entriesOf("darwin-amd64"), ".env": {} },
          `contains .env, LICENSE, NOTICES.txt, ${PROGRAM}, ${wanted()}`,
        ],
        "darwin-arm64": [
          { [PROGRAM]: linux, "NOTICES.txt": {} },
          `contains NOTICES.txt, ${PROGRAM}, ${wanted()}`,
        ],
        "windows-amd64": [
          { [`${PROGRAM}.exe`]: windows, ...texts, LICENSE: { type: "2" } },
          `contains LICENSE (no file), NOTICES.txt, ${PROGRAM}.exe, ${wanted(`${PROGRAM}.exe`)}`,
        ],
        "windows-arm64": [
          packed.subarray(0, packed.length / 2),
          "is not a whole archive: unexpected end of file.",
        ],
      },
      {
        "linux-amd64": [
          { [PROGRAM]: { ...linux, mode: 0o644 }, ...texts },
          `contains a ${PROGRAM} that is not executable.`,
        ],
        "linux-arm64": [
          gzipSync(tar(entriesOf("linux-arm64")).subarray(0, 700)),
          "is not a whole archive: it breaks off.",
        ],
        "darwin-amd64": [
          { [PROGRAM]: { ...linux, content: programFor("darwin-arm64") }, ...texts },
          "contains a program for darwin-arm64.",
        ],
        "darwin-arm64": [{ [PROGRAM]: linux, ...texts }, "contains a program for linux-amd64."],
        "windows-amd64": [
          { [`${PROGRAM}.exe`]: { ...windows, content: script }, ...texts },
          "contains a program of no known platform.",
        ],
      },
    ];
    for (const wrong of rounds) {
      for (const platform of Object.keys(MACHINES))
        put(archive(platform), gzipSync(tar(entriesOf(platform))));
      for (const [platform, [contents]] of Object.entries(wrong))
        put(archive(platform), Buffer.isBuffer(contents) ? contents : gzipSync(tar(contents)));
      expect(problems()).toEqual(
        Object.entries(wrong).map(([platform, [, problem]]) => `${NAME}-${platform}.tar.gz ${problem}`),
      );
    }
  });

  test("against the version of the program, where it runs", () => {
    const node = { content: readFileSync(process.execPath), mode: 0o755 };
    const [name = ""] = Object.keys(entriesOf(own));
    put(archive(own), gzipSync(tar({ ...entriesOf(own), [name]: node }), { level: 0 }));
    expect(run(script, "v1.2.3", checked, own)).toEqual({
      status: 1,
      stderr: `${NAME}-${own}.tar.gz contains a program that gives its version as ${process.version}.\n`,
    });
  });
});
