// `npm run docs`: the pages of the repository as one site in site/.
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { drawDiagrams } from "../diagrams.mjs";
import { adapt, anchorOf, REPOSITORY } from "../markdown.mjs";
import { addressOf, descriptionOf, GROUPS, LANDING, PAGES, root, textOf, titleOf } from "../pages.mjs";

const base = "/pulumi-identity/";
const LANDING_HEAD = {
  layout: "home",
  title: "Manage Auth0 access from Pulumi",
  hero: {
    name: "pulumi-identity",
    text: "Manage Auth0 access from Pulumi",
    tagline:
      "Assign roles to groups, configure connection profiles, and revoke device credentials. Every pull request shows who gains and who loses access.",
    actions: [
      { theme: "brand", text: "Start", link: "/start" },
      { theme: "alt", text: "See a review", link: "/review" },
      { theme: "alt", text: "Adopt an existing tenant", link: "/adopt" },
    ],
  },
};
const diagrams = await drawDiagrams(PAGES.map(textOf));

export default defineConfig({
  title: "pulumi-identity",
  lang: "en",
  base,
  srcDir: root,
  srcExclude: [
    "{bench,cli,findings,provider,scripts,simulator,site,template,tests}/**",
    "examples/!(pipelines)/**",
  ],
  rewrites: (path) => (PAGES.includes(path) ? addressOf(path) : path),
  outDir: join(root, "site"),
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  sitemap: { hostname: `https://pulumi-identity.github.io${base}` },
  // The tests check all links, and anchors too.
  ignoreDeadLinks: true,
  markdown: { anchor: { slugify: anchorOf }, config: (md) => adapt(md, diagrams) },

  transformPageData(page) {
    if (!PAGES.includes(page.filePath))
      throw new Error(`docs/site/pages.mjs does not place ${page.filePath}.`);
    page.description = descriptionOf(page.filePath);
    if (page.filePath === LANDING) page.frontmatter = LANDING_HEAD;
  },

  themeConfig: {
    sidebar: Object.entries(GROUPS).map(([text, pages]) => ({
      text,
      items: pages.map((page) => ({ text: titleOf(page), link: `/${addressOf(page)}` })),
    })),
    nav: [
      { text: "Start", link: "/start" },
      { text: "Review", link: "/review" },
      { text: "Pipelines", link: "/set-up-a-pipeline" },
      { text: "Resources", link: "/resources/connection-profile" },
      { text: "Messages", link: "/messages" },
    ],
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path`, text: "Edit this page" },
  },
});
