import { Buffer } from "node:buffer";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { addressOf, LANDING, PAGES, root } from "./pages.mjs";

export const REPOSITORY = "https://github.com/pulumi-identity/pulumi-identity";

/** Characters. What is longer is prose, and gets a column that can be read. */
const SHORT_CELL = 60;

/**
 * What the pages of the repository, as GitHub shows them, need on the site.
 *
 * @param {import("vitepress").MarkdownRenderer} md
 * @param {Map<string, { light: string, dark: string }>} diagrams
 */
export function adapt(md, diagrams) {
  md.core.ruler.push("pages", ({ tokens, env }) => {
    const page = relative(root, env.realPath ?? env.path);
    // The head of the landing page has the title and the first sentence. The badges are for code hosts.
    if (page === LANDING) tokens.splice(0, 9);
    for (const token of tokens) {
      if (token.type === "html_block") token.content = withTerminals(withBothPictures(token.content));
      for (const child of token.children ?? []) {
        const href = child.type === "link_open" ? child.attrGet("href") : null;
        if (href !== null && !/^(?:[a-z]+:|#|$)/.test(href)) child.attrSet("href", linkFrom(page, href));
      }
    }
  });

  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...more) => {
    const drawn = diagrams.get(tokens[index]?.content ?? "");
    if (drawn === undefined) return fence?.(tokens, index, ...more) ?? "";
    const picture = (/** @type {"light" | "dark"} */ mode) => {
      const svg = drawn[mode];
      // As a picture, it has no width of its own.
      const [, width = ""] = /viewBox="\S+ \S+ (\S+)/.exec(svg) ?? [];
      const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
      return `<img class="diagram ${mode}-only" style="--drawn: ${width}px" alt="Diagram" src="${source}">`;
    };
    return `<div class="scrolls" tabindex="0">${picture("light")}${picture("dark")}</div>`;
  };

  // By the keyboard, only what can have the focus scrolls. On a phone, each row of a table of three columns
  // and more is a block, and each cell names its column.
  md.core.ruler.push("tables", ({ tokens }) => {
    /** @type {string[]} */
    let heads = [];
    let column = 0;
    let table = tokens[0];
    for (const [index, token] of tokens.entries()) {
      if (token.type === "table_open") [heads, table] = [[], token];
      if (token.type === "tr_open") column = 0;
      if (token.type === "th_open") heads.push(textIn(tokens[index + 1]));
      if (token.type === "td_open") token.attrSet("data-column", heads[column++] ?? "");
      if (token.type === "thead_close" && heads.length > 2) table?.attrJoin("class", "stacks");
      if (token.type === "thead_close" && heads.length > 4) table?.attrJoin("class", "many");
    }
  });
  md.renderer.rules.table_open = (tokens, index) => {
    const names = tokens[index]?.attrGet("class") ?? "";
    return `<div class="scrolls" tabindex="0"><table class="${names}">`;
  };
  md.renderer.rules.table_close = () => "</table></div>";
  md.renderer.rules.td_open = (tokens, index, options, _env, renderer) => {
    if ((tokens[index + 1]?.content.length ?? 0) > SHORT_CELL) tokens[index]?.attrJoin("class", "prose");
    return renderer.renderToken(tokens, index, options);
  };
}

/**
 * Without marks, and without the addresses of links.
 *
 * @param {{ children: { content: string }[] | null } | undefined} inline
 */
function textIn(inline) {
  return (inline?.children ?? []).map(({ content }) => content).join("");
}

/**
 * The anchor that GitHub makes of a heading: links must lead to the same there and here.
 *
 * @param {string} heading
 */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * A page leads to a page, and everything else to the repository.
 *
 * @param {string} page
 * @param {string} href
 */
function linkFrom(page, href) {
  const [file = "", anchor] = href.split("#");
  const target = relative(root, join(root, dirname(page), file));
  const kind = existsSync(join(root, target)) && statSync(join(root, target)).isDirectory() ? "tree" : "blob";
  const url = PAGES.includes(target) ? `/${addressOf(target)}` : `${REPOSITORY}/${kind}/main/${target}`;
  return anchor === undefined ? url : `${url}#${anchor}`;
}

/**
 * GitHub takes one of the two by the reader's system; on the site, a switch decides as well.
 *
 * @param {string} html
 */
function withBothPictures(html) {
  return html.replace(
    /<picture>\s*<source[^>]* srcset="([^"]+)"[^>]*>\s*<img ([^>]*)src="([^"]+)"([^>]*)>\s*<\/picture>/g,
    (_, dark, before, light, after) =>
      `<div class="scrolls" tabindex="0"><img class="picture light-only" ${before}src="./${light}"${after}>` +
      `<img class="picture dark-only" ${before}src="./${dark}"${after}></div>`,
  );
}

/** As many lines as a terminal starts with: an empty one looks broken. */
const FIRST_LINES = 20;

/**
 * Plays a recording in place of a comment that names it, line by line. It is text, and after the end it
 * scrolls. scripts/record.ts makes the recordings.
 *
 * @param {string} html
 */
function withTerminals(html) {
  return html.replace(/<!-- recording: (\w+) -->/g, (_, name) => {
    const lines = readFileSync(join(root, "docs/site/recordings", `${name}.txt`), "utf8")
      .trimEnd()
      .split("\n");
    let seconds = 0;
    const shown = lines.map((line, index) => {
      // A reader's eye needs a moment where something new begins.
      if (index >= FIRST_LINES) seconds += /^(?:\$ |\d+\. )/.test(line) ? 1.2 : 0.12;
      const names = /^ *\$ /.test(line) ? "line command" : /^\d+\. /.test(line) ? "line title" : "line";
      const text = line.replace(/[&<>{}]/g, (sign) => `&#${sign.codePointAt(0)};`) || "&#8203;";
      return `<span class="${names}" style="--at: ${seconds.toFixed(2)}s">${text}\n</span>`;
    });
    return (
      `<div class="terminal" tabindex="0" role="region" aria-label="Recording: ${name}">` +
      `<pre v-pre>${shown.join("")}</pre></div>`
    );
  });
}
