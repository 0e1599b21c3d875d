import { deepEqual, match, ok } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isThere, manifest, read, root, rule } from "./rule";

/* examples/: each folder works as a copy, and `npm start` runs it. */

const folders = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const examples = folders.filter((name) => isThere(`examples/${name}/package.json`));
const { version, workspaces, scripts } = manifest("package.json");
const { packages } = JSON.parse(read("package-lock.json")) as {
  packages: Record<string, { dependencies?: object; devDependencies?: object }>;
};

for (const name of examples) {
  const { scripts = {}, dependencies, devDependencies } = manifest(`examples/${name}/package.json`);
  const all = { ...dependencies, ...devDependencies };

  if (!workspaces.includes(`!examples/${name}`))
    rule(`examples/${name} is in the lock file, or no fresh clone can be installed`, () => {
      const locked = packages[`examples/${name}`];
      deepEqual([locked?.dependencies, locked?.devDependencies], [dependencies, devDependencies]);
    });

  rule(`examples/${name} takes this release, by its version, and what its lines name`, () => {
    for (const [dependency, range] of Object.entries(all)) {
      if (dependency.startsWith("pulumi-identity"))
        deepEqual([dependency, range], [dependency, `^${version}`]);
      else match(range, /^\^?\d/);
    }
    const { start = "" } = scripts;
    for (const [word, needed] of [
      ["pulumi-identity-simulator", "pulumi-identity-simulator"],
      ["tsx", "tsx"],
    ] as const)
      ok(!start.includes(word) || needed in all, `${needed} isn't installed.`);
    if (isThere(`examples/${name}/seed.json`)) match(start, /--seed seed\.json/);
    // Another package's plugin can't use a simulated tenant.
    const isSimulated = !("@pulumi/auth0" in all);
    if (isThere(`examples/${name}/Pulumi.yaml`)) match(start, isSimulated ? / -- pulumi up$/ : /^pulumi up$/);
  });
}

rule("the examples in Python and Go take the SDKs of this release", () => {
  const lines = (path: string) => read(path).split(/\n\t?/);
  ok(lines("examples/python/requirements.txt").includes(`pulumi_identity==${version}`));
  const required = `github.com/pulumi-identity/pulumi-identity/sdk/go v${version}`;
  ok(lines("examples/go/go.mod").includes(required));
});

rule("all examples have the same tsconfig.json", () => {
  const paths = examples.map((name) => `examples/${name}/tsconfig.json`).filter(isThere);
  ok(paths.length > 10);
  deepEqual(new Set(paths.map(read)).size, 1);
});

rule("examples/README.md has each example", () => {
  const linked = [...read("examples/README.md").matchAll(/\]\(([\w-]+)\//g)].map(([, name]) => name);
  deepEqual([...new Set(linked)].sort(), folders.sort());
});

rule(
  "`npm ci` leaves no link to npm's Pulumi CLI, by a script that no user of the package is asked to allow",
  () => {
    deepEqual(scripts?.["dependencies"], "node scripts/unlink-pulumi.mjs");
    deepEqual(
      Object.keys(scripts ?? {}).filter((name) => /^(prepare|(pre|post)?install)$/.test(name)),
      [],
    );
  },
);

rule("`npm run build` links the commands that npm couldn't link when it installed", () => {
  match(scripts?.["build"] ?? "", / && node scripts\/link-commands\.mjs$/);
});
