import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/* The README, a newcomer's first minute. pages.test.ts checks everything else in docs/. */

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readme = read("README.md");

/** Once it is on npm: `npm install pulumi-identity @pulumi/pulumi`. The test names the pages to change. */
const INSTALL = `npm install ./pulumi-identity-${version()}.tgz @pulumi/pulumi`;
const PAGES = [
  "README.md",
  "docs/start.md",
  "docs/adopt.md",
  "docs/languages.md",
  "docs/language-guides.md",
  "docs/examples.md",
];

function version(): string {
  return (JSON.parse(read("package.json")) as { version: string }).version;
}

test("the quickstart in the README is the program that the tests run", () => {
  expect(readme).toContain(`\`\`\`ts\n${read("examples/quickstart/index.ts")}\`\`\`\n`);
});

test("the README fits on a few screens", () => {
  expect(readme.split("\n").length).toBeLessThanOrEqual(170);
});

test("the README says whose names its program has, and where to find one's own", () => {
  expect(readme).toMatch(/\*\*your own names and ids\*\*.*\n.*docs\/on-your-tenant\.md/);
});

test("the README shows a review first and an audit later, and the two commands to try", () => {
  const pictures = [...readme.matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source);
  expect(pictures).toEqual(["docs/review-small.png", "docs/page.png"]);
  for (const command of ["npm run demo", "npm test"]) expect(readme).toContain(`\n${command} `);
});

test("the badges say what package.json says", () => {
  const { license, engines } = JSON.parse(read("package.json")) as {
    license: string;
    engines: { node: string };
  };
  const said = ["license", "node"].map((name) => {
    expect(readme).toContain(`(docs/badges/${name}.svg)`);
    return /<title>.+?: (.+)<\/title>/.exec(read(`docs/badges/${name}.svg`))?.[1]?.replace("&gt;", ">");
  });
  expect(said).toEqual([license, engines.node]);
});

test("pages install the package as it can be had today", () => {
  for (const page of ["README.md", "docs/start.md"]) expect(read(page)).toContain(`\n${INSTALL}\n`);
  for (const page of PAGES) {
    const lines = read(page).match(/^ *npm (?:install|i) .*pulumi-identity.*$/gm) ?? [];
    expect([page, lines.filter((line) => !line.includes(".tgz"))]).toEqual([page, []]);
  }
});

test("until the names are ours on npm, pages let npx run only what is installed", () => {
  const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "simulator/README.md"].concat(
    ["docs", "examples"].flatMap((folder) =>
      (readdirSync(join(root, folder), { recursive: true }) as string[])
        .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
        .map((name) => `${folder}/${name}`),
    ),
  );
  const lines = pages.flatMap((page) => read(page).match(/npx .*pulumi-(?:identity|resource).*/g) ?? []);
  expect(lines.length).toBeGreaterThan(30);
  // Without a command behind it, npx takes what follows as the value of --no, and the options for its own.
  const wanted = /^npx --no (?:-- pulumi-identity-simulator|pulumi-identity(?:`| [a-z]))/;
  expect(lines.filter((line) => !wanted.test(line))).toEqual([]);
});

test("the official client that is measured is the one that is compared", () => {
  const { version } = JSON.parse(read("node_modules/auth0/package.json")) as { version: string };
  for (const page of ["comparison", "contributing/benchmarks"])
    expect(read(`docs/${page}.md`)).toMatch(new RegExp(`npm package (?:\\[)?\`auth0\`\\S* ${version}`));
});
