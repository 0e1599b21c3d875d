import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";
import { chromium, CHROMIUM_FLAGS } from "./chromium.mjs";

const MERMAID = createRequire(import.meta.url).resolve("@mermaid-js/tiny/dist/mermaid.tiny.js");
const FENCE = /^```mermaid\n([^]*?)^```$/gm;

/**
 * Draws the diagrams in texts of Markdown, each for light and for dark, so that readers load no script that
 * draws.
 *
 * @param {string[]} texts
 * @returns {Promise<Map<string, { light: string, dark: string }>>} SVG by the text of the diagram.
 */
export async function drawDiagrams(texts) {
  const diagrams = texts.flatMap((text) => [...text.matchAll(FENCE)].map(([, diagram = ""]) => diagram));
  const browser = await puppeteer.launch({
    executablePath: await chromium(),
    headless: "shell",
    args: CHROMIUM_FLAGS,
  });
  try {
    const page = await browser.newPage();
    await page.evaluate(readFileSync(MERMAID, "utf8"));
    const drawn = new Map();
    for (const diagram of diagrams) {
      const [light, dark] = [await draw(page, diagram, "neutral"), await draw(page, diagram, "dark")];
      drawn.set(diagram, { light, dark });
    }
    return drawn;
  } finally {
    await browser.close();
  }
}

/**
 * @param {import("puppeteer-core").Page} page
 * @param {string} diagram
 * @param {string} theme
 * @returns {Promise<string>}
 */
function draw(page, diagram, theme) {
  const settings = {
    theme,
    look: "classic",
    // An SVG that is shown as a picture has no HTML in it, and the fonts of its reader.
    htmlLabels: false,
    fontFamily: "sans-serif",
    flowchart: { wrappingWidth: 300, padding: 10 },
    sequence: {
      actorMargin: 8,
      width: 80,
      height: 44,
      messageMargin: 28,
      noteMargin: 6,
      wrapPadding: 4,
      diagramMarginX: 4,
    },
    // No line shows through a word.
    themeCSS: ".edgeLabel rect { opacity: 1; }",
  };
  const call = `mermaid.initialize(${JSON.stringify({ startOnLoad: false, ...settings })});
    mermaid.render("diagram", ${JSON.stringify(diagram)}).then(({ svg }) => svg)`;
  return /** @type {Promise<string>} */ (page.evaluate(call));
}
