// `npm run docs`: the pages of the repository as one site in site/.
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { drawDiagrams } from "../diagrams.mjs";
import { adapt, anchorOf, REPOSITORY } from "../markdown.mjs";
import { addressOf, descriptionOf, GROUPS, LANDING, PAGES, root, textOf, titleOf } from "../pages.mjs";

const base = "/pulumi-identity/";
const home = `https://pulumi-identity.github.io${base}`;
const CARD = `${home}card.png`;
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
    "{bench,cli,provider,scripts,sdk,simulator,site,template,testkit,tests}/**",
    "examples/!(pipelines|access-as-data|README.md)/**",
    // Pulumi's registry shows these.
    "docs/{_index,installation-configuration}.md",
  ],
  rewrites: (path) => (PAGES.includes(path) ? addressOf(path) : path),
  outDir: join(root, "site"),
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  sitemap: { hostname: home },
  vite: { publicDir: join(root, "docs/site/public") },
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${base}logo.svg` }],
    ["meta", { property: "og:type", content: "website" }],
    ["meta", { property: "og:site_name", content: "pulumi-identity" }],
    ["meta", { property: "og:image", content: CARD }],
    ["meta", { property: "og:image:width", content: "1200" }],
    ["meta", { property: "og:image:height", content: "630" }],
    ["meta", { name: "twitter:card", content: "summary_large_image" }],
  ],
  transformHead: ({ pageData: { relativePath }, title, description }) => [
    ["meta", { property: "og:title", content: title }],
    ["meta", { property: "og:description", content: description }],
    ["meta", { property: "og:url", content: home + relativePath.replace(/(?:index)?\.md$/, "") }],
  ],
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
    logo: { src: "/logo.svg", alt: "" },
    sidebar: Object.entries(GROUPS).map(([text, pages]) => ({
      text,
      items: pages.map((page) => ({ text: titleOf(page), link: `/${addressOf(page)}` })),
    })),
    nav: [
      { text: "Start", link: "/start" },
      { text: "Review", link: "/review" },
      { text: "Pipelines", link: "/pipelines" },
      { text: "Resources", link: "/resources/connection-profile" },
      { text: "Messages", link: "/troubleshooting" },
    ],
    outline: [2, 3],
    search: { provider: "local" },
    footer: {
      message: `Apache-2.0 · <a href="${base}security.html">Security</a> · <a href="${REPOSITORY}/issues/new/choose">Ask a question</a>`,
      copyright: "Not affiliated with Auth0, Okta or Pulumi.",
    },
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path`, text: "Edit this page" },
  },
});
