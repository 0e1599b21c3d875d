// Draws docs/review.png and docs/review-small.png: reviews, as GitHub shows them; and docs/review-dark.png
// and so on, as GitHub shows them in dark mode. See CONTRIBUTING.md.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import twemoji from "@discordapp/twemoji";
import chromium from "@sparticuz/chromium";
import markdownIt from "markdown-it";
import puppeteer from "puppeteer-core";
import sharp from "sharp";

const folder = fileURLToPath(new URL(".", import.meta.url));
/** Pictures in docs/, with the files of golden/ they show. */
const PICTURES = { "review.png": "everything.md", "review-small.png": "small.md" };

/** GitHub's own colours for a comment's frame. */
const MODES = {
  light: { suffix: "", page: "#ffffff", line: "#d1d9e0", head: "#f6f8fa", text: "#59636e", name: "#1f2328" },
  dark: {
    suffix: "-dark",
    page: "#0d1117",
    line: "#3d444d",
    head: "#151b23",
    text: "#9198a1",
    name: "#f0f6fc",
  },
};

/** Replaces the names that tests use for stack, program and objects. */
const NAMES = {
  "test/test": "access/prod",
  "index.js": "index.ts",
  cop_enterprise111111111111: "cop_2GjRf8mYd5LcVt7K9sPmZa",
  cop_legacy1111111111111111: "cop_8kWq9ZpHs2VdXnTb4yRcLm",
  cop_kept111111111111111111: "cop_6NvXeJw4uQhC3fGtKzLp7y",
  rol_hidden1hidden1: "rol_6YcGn2LsQk9dXwTp",
};

function asOfATeam(review) {
  return Object.entries(NAMES).reduce((text, [of, by]) => text.replaceAll(of, by), review);
}

const CAUTION =
  '<svg class="octicon" width="16" height="16" viewBox="0 0 16 16"><path d="M4.47.22A.75.75 0 0 1 5 0h6c.2 0 .39.08.53.22l4.25 ' +
  "4.25c.14.14.22.33.22.53v6a.75.75 0 0 1-.22.53l-4.25 4.25A.75.75 0 0 1 11 16H5a.75.75 0 0 1-.53-.22L.22 11.53A.75.75 0 0 1 0 " +
  "11V5c0-.2.08-.39.22-.53Zm.84 1.28L1.5 5.31v5.38l3.81 3.81h5.38l3.81-3.81V5.31L10.69 1.5ZM8 4a.75.75 0 0 1 .75.75v3.5a.75.75 0 " +
  '0 1-1.5 0v-3.5A.75.75 0 0 1 8 4Zm0 8a1 1 0 1 1 0-2 1 1 0 0 1 0 2Z"></path></svg>';

function bodyOf(review) {
  // GitHub's alerts aren't Markdown: a quote that begins with [!CAUTION].
  const html = markdownIt({ html: true })
    .render(review)
    .replace(
      /<blockquote>\n<p>\[!CAUTION\]\n?([\s\S]*?)<\/blockquote>/g,
      `<div class="markdown-alert markdown-alert-caution"><p class="markdown-alert-title">${CAUTION}Caution</p><p>$1</div>`,
    );
  // A machine without a screen has no emoji font. And a picture could be separated from its word, unlike a
  // character.
  return twemoji.parse(html.replace(/[➕➖]\u00a0[^<]*/g, '<span class="whole">$&</span>'), {
    base: "node_modules/@discordapp/twemoji/dist/",
    folder: "svg",
    ext: ".svg",
  });
}

const styles = (mode) =>
  [
    `github-markdown-css/github-markdown-${mode}.css`,
    "@fontsource/noto-sans/latin-400.css",
    "@fontsource/noto-sans/latin-600.css",
    "@fontsource/noto-sans-mono/latin-400.css",
  ].map((name) => `<link rel="stylesheet" href="node_modules/${name}">`);

const pageOf = (text, mode) => `<!doctype html><meta charset="utf-8">${styles(mode).join("")}
<style>
  body { margin: 0; padding: 12px; width: 912px; background: ${MODES[mode].page}; }
  .comment { border: 1px solid ${MODES[mode].line}; border-radius: 6px; }
  .head { padding: 8px 16px; border-bottom: 1px solid ${MODES[mode].line}; border-radius: 6px 6px 0 0; }
  .head { background: ${MODES[mode].head}; color: ${MODES[mode].text}; }
  .head, .markdown-body { font: 14px/1.5 "Noto Sans", sans-serif; }
  .head b { color: ${MODES[mode].name}; }
  .markdown-body { padding: 16px; border-radius: 6px; }
  .whole { white-space: nowrap; }
  .octicon { margin-right: 8px; fill: currentColor; }
  .markdown-body .emoji { width: 1em; height: 1em; vertical-align: -0.1em; background: none; }
  ${mode === "dark" ? '.markdown-body .emoji:is([alt="➕"], [alt="➖"]) { filter: invert(1); }' : ""}
  .markdown-body code { font-family: "Noto Sans Mono", monospace; }
</style>
<div class="comment">
  <div class="head"><b>github-actions</b> (bot) commented</div>
  <div class="markdown-body">${bodyOf(text)}</div>
</div>`;

const file = join(folder, "page.html");
const browser = await puppeteer.launch({
  args: chromium.args,
  executablePath: await chromium.executablePath(),
  headless: "shell",
});
try {
  for (const [picture, golden] of Object.entries(PICTURES)) {
    const text = asOfATeam(readFileSync(join(folder, "../golden", golden), "utf8"));
    for (const [mode, { suffix }] of Object.entries(MODES)) {
      writeFileSync(file, pageOf(text, mode));
      const tab = await browser.newPage();
      await tab.setViewport({ width: 936, height: 100, deviceScaleFactor: 1.5 });
      await tab.goto(pathToFileURL(file).href, { waitUntil: "networkidle0" });
      await tab.evaluate("document.fonts.ready");
      const screen = await tab.screenshot({ fullPage: true });
      await sharp(screen)
        .png({ palette: true, colours: 64 })
        .toFile(join(folder, "../../../../docs", picture.replace(".png", `${suffix}.png`)));
      await tab.close();
    }
  }
} finally {
  await browser.close();
  rmSync(file, { force: true });
}
