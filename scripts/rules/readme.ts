import { deepEqual, match, ok } from "node:assert/strict";
import { filesIn, manifest, read, rule } from "./rule";

/* The README, a newcomer's first minute, and what pages say of installing the package. */

const readme = read("README.md");
const { version, license, engines } = manifest("package.json");

rule("the quickstart in the README is the program that the tests run", () =>
  ok(readme.includes(`\`\`\`ts\n${read("examples/quickstart/index.ts")}\`\`\`\n`)),
);

rule("the README says whose names its program has, and where to find one's own", () =>
  match(readme, /\*\*your own names\*\*.*\n.*docs\/start\.md/),
);

rule("the quickstart deletes nothing and takes nothing away, in any language that the README shows", () => {
  for (const path of ["examples/quickstart/index.ts", "examples/yaml/Pulumi.yaml", "template/index.ts"])
    deepEqual(/DeviceCredentialRemoval|UserSignOut|exclusive/.exec(read(path)), null, path);
});

rule("the first pages say of times only what docs/times.json has", () => {
  const time =
    /\b(?:(?:\d+|few|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+ty) (?:s|seconds|minutes|hours)|an? (?:minute|hour))\b/;
  for (const path of ["README.md", "CONTRIBUTING.md", "docs/start.md"]) {
    const byHand = read(path).replace(/<!-- measured: \w+ -->.*?<!-- \/measured -->/g, "");
    deepEqual(time.exec(byHand)?.[0], undefined, path);
  }
});

rule("the README shows a review first and an audit later, and the two commands to try", () => {
  const pictures = [...readme.matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source);
  deepEqual(pictures, ["docs/review-small.png", "docs/page.png"]);
  for (const command of ["npm run demo", "npm test"]) ok(readme.includes(`\n${command} `), command);
});

rule("the badges say what package.json says", () => {
  const said = ["license", "node"].map((name) => {
    ok(readme.includes(`(docs/badges/${name}.svg)`), name);
    return /<title>.+?: (.+)<\/title>/.exec(read(`docs/badges/${name}.svg`))?.[1]?.replace("&gt;", ">");
  });
  deepEqual(said, [license, engines.node]);
});

rule("pages install the package as it can be had today", () => {
  // Once it is on npm: `npm install pulumi-identity @pulumi/pulumi`. The rule names the pages to change.
  const install = `\nnpm install ./pulumi-identity-${version}.tgz @pulumi/pulumi\n`;
  ok(read("docs/start.md").includes(install));
  // Once it has a release: with --server in place of --file.
  const plugin = `\npulumi plugin install resource identity ${version} --file "$(npm --prefix ../pulumi-identity run --silent plugin)"\n`;
  for (const page of ["README.md", "docs/languages.md"]) ok(read(page).includes(plugin), page);
  const wrong = ["README.md", "docs/start.md", "docs/adopt.md", "docs/languages.md", "examples/README.md"]
    .flatMap((page) => read(page).match(/^ *npm (?:install|i) .*pulumi-identity.*$/gm) ?? [])
    .filter((line) => !line.includes(".tgz"));
  deepEqual(wrong, []);
});

rule("until the names are ours on npm, pages let npx run only what is installed", () => {
  const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "simulator/README.md"];
  const lines = [...pages, ...filesIn(["docs", "examples"], ".md")].flatMap(
    (page) => read(page).match(/npx .*pulumi-(?:identity|resource).*/g) ?? [],
  );
  ok(lines.length > 30);
  // Without a command behind it, npx takes what follows as the value of --no, and the options for its own.
  const wanted = /^npx --no (?:-- pulumi-identity-simulator|pulumi-identity(?:`| [a-z]))/;
  deepEqual(
    lines.filter((line) => !wanted.test(line)),
    [],
  );
});

rule("the official client that is measured is the one that is compared", () => {
  const client = manifest("node_modules/auth0/package.json").version;
  for (const page of ["with-auth0", "contributing/benchmarks"])
    match(read(`docs/${page}.md`), new RegExp(`npm package (?:\\[)?\`auth0\`\\S* ${client}`));
});
