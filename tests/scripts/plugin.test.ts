import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { useFolder } from "../../testkit/folder";

const root = resolve(__dirname, "../..");
const folder = useFolder();

test("an unknown target is refused with those that there are, before anything is built", () => {
  const output = join(folder, "archives");
  const args = ["--target", "linux-amd64", "--target", "linux-x64", "--output", output];
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/plugin/index.mjs"), ...args], {
    encoding: "utf8",
  });
  expect(stderr).toBe(
    "There is no plugin for linux-x64. Name one of these: linux-amd64, linux-arm64, darwin-amd64, darwin-arm64, " +
      "windows-amd64, windows-arm64.\n",
  );
  expect(status).toBe(1);
  expect(existsSync(output)).toBe(false);
});

describe("the bundle", () => {
  /** Bundles a program that imports the SDK and a package of its own. */
  function bundle(options: object): { stderr: string; outfile: string } {
    const held = join(folder, "node_modules", "held");
    mkdirSync(held, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { undici: "*" } }));
    writeFileSync(join(held, "index.js"), `exports.text = ${JSON.stringify("a".repeat(5000))};`);
    const entry = join(folder, "entry.js");
    writeFileSync(
      entry,
      'exports.all = () => [require("@pulumi/pulumi"), require("undici"), require("held")];',
    );
    const outfile = join(folder, "plugin.js");
    const all = { root: folder, entry, outfile, isWhole: false, packages: ["held"], ...options };
    const module = pathToFileURL(join(root, "scripts/plugin/bundle.mjs")).href;
    const program = `const { bundlePlugin } = await import("${module}"); await bundlePlugin(${JSON.stringify(all)});`;
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    return { stderr, outfile };
  }

  test("holds what it may, and neither the SDK nor what npm installs", () => {
    const { stderr, outfile } = bundle({});
    expect(stderr).toBe("");
    const { all } = jest.requireActual<{ all: unknown }>(outfile);
    expect(String(all)).toMatch(/require\("@pulumi\/pulumi"\).*require\("undici"\).*require_held/s);
  });

  test("with a package that isn't on its list fails the build", () => {
    const { stderr, outfile } = bundle({ packages: [] });
    expect(stderr).toContain("The plugin would hold held: remove what imports it, or add it to PACKAGES");
    expect(existsSync(outfile)).toBe(false);
  });

  test("of too many bytes fails the build", () => {
    const { stderr, outfile } = bundle({ mostBytes: 5000 });
    expect(stderr).toMatch(/The plugin would have 5\d{3} bytes, more than 5000: find what it holds\./);
    expect(existsSync(outfile)).toBe(false);
  });
});
