// Measures the page of a large tenant in a headless Chromium, and prints JSON.
// node --import tsx bench/page.mjs SHARE, of the cells that hold a grant.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launchChromium } from "../docs/site/chromium.mjs";
import { accessPage, largeTenant } from "../testkit/cli/pages.ts";

const share = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-bench-"));
const file = join(folder, "page.html");
const json = largeTenant({ roles: 200, groups: 60, people: 5_000, share });
writeFileSync(file, accessPage(json));
const browser = await launchChromium();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(pathToFileURL(file).href);
  // After the first frame, since the beginning of the navigation.
  const ready = await page.evaluate(`new Promise((done) =>
    requestAnimationFrame(() => setTimeout(() => done(performance.now()))))`);
  const filters = [];
  for (const text of ["billing", "billing-team", "prod", "nothing at all", ""])
    filters.push(
      await page.evaluate(`new Promise((done) => {
        const input = document.querySelector(".search");
        const begin = performance.now();
        input.value = ${JSON.stringify(text)};
        input.dispatchEvent(new Event("input", { bubbles: true }));
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
      })`),
    );
  const elements = await page.evaluate("document.querySelectorAll('*').length");
  const grants = json.counts.grants + json.counts.drift;
  console.log(
    JSON.stringify({ bytes: statSync(file).size, grants, elements, ready, filter: Math.max(...filters) }),
  );
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
