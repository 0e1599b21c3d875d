import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { launchChromium } from "./chromium.mjs";

const MERMAID = createRequire(import.meta.url).resolve("@mermaid-js/tiny/dist/mermaid.tiny.js");
const FENCE = /^```mermaid\n([^]*?)^```$/gm;

/** The site's colours. */
const LIGHT = colours({
  text: "#3c3c43",
  line: "#67676c",
  box: "#eef2ff",
  edge: "#5672cd",
  group: "#f6f6f7",
  groupEdge: "#c2c2c4",
  page: "#ffffff",
  note: "#fcf4dc",
  noteEdge: "#b98a1d",
});
const DARK = colours({
  text: "#dfdfd6",
  line: "#98989f",
  box: "#262b44",
  edge: "#7f95ea",
  group: "#202127",
  groupEdge: "#3c3f44",
  page: "#1b1b1f",
  note: "#39311a",
  noteEdge: "#c9a13b",
});

/**
 * @param {Record<string, string>} of By part: text, line, box, edge, group, groupEdge, page, note, noteEdge.
 */
function colours({ text, line, box, edge, group, groupEdge, page, note, noteEdge }) {
  return {
    ...{ textColor: text, titleColor: text, lineColor: line, edgeLabelBackground: page },
    ...{ primaryColor: box, primaryBorderColor: edge, primaryTextColor: text, nodeTextColor: text },
    ...{ clusterBkg: group, clusterBorder: groupEdge, arrowheadColor: line },
    ...{ actorBkg: box, actorBorder: edge, actorTextColor: text, actorLineColor: groupEdge },
    ...{ signalColor: line, signalTextColor: text },
    ...{ noteBkgColor: note, noteBorderColor: noteEdge, noteTextColor: text },
  };
}

/**
 * Draws the diagrams in texts of Markdown, each for light and for dark, so that readers load no script that
 * draws.
 *
 * @param {string[]} texts
 * @returns {Promise<Map<string, { light: string, dark: string }>>} SVG by the text of the diagram.
 */
export async function drawDiagrams(texts) {
  const diagrams = texts.flatMap((text) => [...text.matchAll(FENCE)].map(([, diagram = ""]) => diagram));
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.evaluate(readFileSync(MERMAID, "utf8"));
    const drawn = new Map();
    for (const diagram of diagrams) {
      const [light, dark] = [await draw(page, diagram, LIGHT), await draw(page, diagram, DARK)];
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
 * @param {ReturnType<typeof colours>} themeVariables
 * @returns {Promise<string>}
 */
function draw(page, diagram, themeVariables) {
  const settings = {
    theme: "base",
    themeVariables,
    look: "classic",
    // An SVG that is shown as a picture has no HTML in it, and the fonts of its reader.
    htmlLabels: false,
    fontFamily: "sans-serif",
    flowchart: { wrappingWidth: 300, padding: 10, subGraphTitleMargin: { top: 4, bottom: 6 } },
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
