import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/* examples/: each folder works as a copy, and `npm start` runs it. */

const root = resolve(__dirname, "../..");
const examples = readdirSync(join(root, "examples")).filter((name) =>
  existsSync(join(root, "examples", name, "package.json")),
);
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = (path: string) =>
  JSON.parse(read(path)) as {
    version: string;
    scripts?: Record<string, string>;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
const { version } = manifest("package.json");

const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
const locked = examples.filter((name) => !workspaces.includes(`!examples/${name}`));

test.each(locked)("%s is in the lock file, or no fresh clone can be installed", (name) => {
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, object> };
  const { dependencies, devDependencies } = manifest(`examples/${name}/package.json`);
  expect(packages[`examples/${name}`]).toMatchObject({
    ...(dependencies && { dependencies }),
    ...(devDependencies && { devDependencies }),
  });
});

test.each(examples)("%s takes this release, by its version, and what its lines name", (name) => {
  const { scripts = {}, dependencies = {}, devDependencies = {} } = manifest(`examples/${name}/package.json`);
  const all = { ...dependencies, ...devDependencies };
  for (const [dependency, range] of Object.entries(all)) {
    if (dependency.startsWith("pulumi-identity"))
      expect([dependency, range]).toEqual([dependency, `^${version}`]);
    else expect(range).toMatch(/^\^?\d/);
  }
  const { start = "" } = scripts;
  if (start.includes("pulumi-identity-simulator"))
    expect(Object.keys(all)).toContain("pulumi-identity-simulator");
  if (start.includes("tsx")) expect(Object.keys(all)).toContain("tsx");
  if (existsSync(join(root, "examples", name, "seed.json"))) expect(start).toContain("--seed seed.json");
  // Another package's plugin can't use a simulated tenant.
  const isSimulated = !("@pulumi/auth0" in dependencies);
  if (existsSync(join(root, "examples", name, "Pulumi.yaml")))
    expect(start).toMatch(isSimulated ? / -- pulumi up$/ : /^pulumi up$/);
});

test("all have the same tsconfig.json", () => {
  const paths = examples
    .map((name) => `examples/${name}/tsconfig.json`)
    .filter((path) => existsSync(join(root, path)));
  expect(paths.length).toBeGreaterThan(10);
  expect(new Set(paths.map(read)).size).toBe(1);
});

test("the page of examples has each of them", () => {
  const folders = readdirSync(join(root, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const linked = [...read("docs/examples.md").matchAll(/\.\.\/examples\/([\w-]+)\//g)].map(
    ([, name]) => name,
  );
  expect([...new Set(linked)].sort()).toEqual(folders.sort());
});

test("`npm start` runs the Pulumi CLI on the PATH: `npm ci` leaves no link to npm's", () => {
  expect(manifest("package.json").scripts).toMatchObject({ dependencies: "node scripts/unlink-pulumi.mjs" });
  // npm asks whoever installs the package to allow these.
  expect(Object.keys(manifest("package.json").scripts ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(prepare|(pre|post)?install)$/)]),
  );
  const clone = mkdtempSync(join(tmpdir(), "pulumi-identity-clone-"));
  try {
    const bin = join(clone, "node_modules", ".bin");
    for (const folder of ["scripts", "node_modules/.bin"])
      mkdirSync(join(clone, folder), { recursive: true });
    for (const name of ["pulumi", "pulumi.cmd", "tsx"]) writeFileSync(join(bin, name), "");
    const script = join(clone, "scripts", "unlink-pulumi.mjs");
    copyFileSync(join(root, "scripts", "unlink-pulumi.mjs"), script);
    execFileSync(process.execPath, [script]);
    expect(readdirSync(bin)).toEqual(["tsx"]);
  } finally {
    rmSync(clone, { recursive: true });
  }
});
