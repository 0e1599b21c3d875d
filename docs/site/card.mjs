// Draws docs/site/public/card.png, which chats and feeds show beside a link to the site:
// node docs/site/card.mjs
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launchChromium } from "./chromium.mjs";
import { root } from "./pages.mjs";

const folder = join(root, "docs/site/public");
const logo = readFileSync(join(folder, "logo.svg"), "utf8");
const page = `<!doctype html><meta charset="utf-8">
<style>
  body { margin: 0; padding: 72px 80px; width: 1040px; height: 486px; background: #f8fafc; color: #1e293b; }
  body { display: flex; flex-direction: column; justify-content: space-between; font-family: sans-serif; }
  header { display: flex; gap: 28px; align-items: center; font-size: 56px; font-weight: 700; }
  svg { width: 84px; }
  h1 { margin: 0; font-size: 60px; line-height: 1.15; }
  table { border-spacing: 0; font: 26px/1.6 monospace; }
  td { padding-right: 32px; }
</style>
<header>${logo}pulumi-identity</header>
<h1>Manage Auth0 access from Pulumi, and see who gains and who loses it</h1>
<table>
  <tr><td>support-agent</td><td style="color: #15803d">+ gains</td><td>contractors, 2 people</td></tr>
  <tr><td>support-agent</td><td style="color: #b91c1c">− loses</td><td>billing-team, 4 people</td></tr>
</table>`;

const browser = await launchChromium();
try {
  const tab = await browser.newPage();
  await tab.setViewport({ width: 1200, height: 630 });
  await tab.setContent(page);
  await tab.screenshot({ path: join(folder, "card.png") });
} finally {
  await browser.close();
}
