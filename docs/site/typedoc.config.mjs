// `npm run docs`: the guides of docs/ and the reference, made of the sources' comments, as one site in site/.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { GROUPS, OTHER_PAGES, OTHERS } from "./pages.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const repository = "https://github.com/pulumi-identity/pulumi-identity";

const listed = Object.values(GROUPS)
  .flat()
  .map((page) => `docs/${page}.md`)
  .filter((path) => existsSync(join(root, path)));
const unlisted = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`)
  .filter((path) => !listed.includes(path))
  .sort();

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "pulumi-identity",
  includeVersion: true,
  entryPoints: [
    "provider/index.ts",
    "provider/pulumi/review-model.ts",
    "provider/pulumi/access-model.ts",
  ].map((path) => join(root, path)),
  tsconfig: join(root, "tsconfig.build.json"),
  // `npm run check` checks types in a step of its own.
  skipErrorChecking: true,
  basePath: root,
  readme: join(root, "README.md"),
  projectDocuments: [...listed, ...unlisted, ...OTHER_PAGES].map((path) => join(root, path)),
  router: "guides",
  plugin: [join(root, "docs/site/plugin.mjs")],
  customCss: join(root, "docs/site/style.css"),
  out: join(root, "site"),

  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableGit: true,
  gitRevision: "main",
  sourceLinkTemplate: `${repository}/blob/{gitRevision}/{path}#L{line}`,
  navigationLinks: { GitHub: repository, npm: "https://www.npmjs.com/package/pulumi-identity" },
  hideGenerator: true,

  navigation: { includeGroups: true },
  groupOrder: [...Object.keys(GROUPS), "Modules", "Classes", "Functions", "*", OTHERS],
  sort: ["kind", "alphabetical-ignoring-documents"],
  searchInComments: true,
  searchInDocuments: true,
  highlightLanguages: ["ts", "js", "json", "yaml", "sh", "diff", "mermaid"],

  // The tests check the links to files.
  validation: { notExported: true, invalidLink: true, invalidPath: false, rewrittenLink: true },
  intentionallyNotExported: ["ByStrategy", "DocumentedField", "SnakeCase"],
  treatWarningsAsErrors: true,
};
