// Builds the site, follows every link in it, and uses it as a reader does in a headless Chromium.
// node tests/docs/site.mjs, a step of `npm run check`. Leaves pictures of a guide in site-screenshots/.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { chromium, CHROMIUM_FLAGS } from "./chromium.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const site = join(root, "site");
const screenshots = join(root, "site-screenshots");
const DESKTOP = { width: 1280, height: 900 };
/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};
const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true };

build();
checkLinks();
const server = await serve();
try {
  await useInBrowser();
} finally {
  server.close();
}
console.log(`The site is sound. Its pictures are in ${relative(root, screenshots)}/.`);

function build() {
  const typedoc = join(root, "node_modules/typedoc/bin/typedoc");
  const args = ["--options", join(root, "docs/site/typedoc.config.mjs")];
  const { status } = spawnSync(process.execPath, [typedoc, ...args], { cwd: root, stdio: "inherit" });
  assert.equal(status, 0, "The site can't be built.");
}

/** Every link to a page of the site leads to a page, and every anchor to an element of it. */
function checkLinks() {
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".html"),
  );
  const html = new Map(pages.map((page) => [page, readFileSync(join(site, page), "utf8")]));
  const ids = new Map(
    [...html].map(([page, text]) => [
      page,
      new Set([...text.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const broken = [];
  for (const [page, text] of html) {
    for (const [, link = ""] of text.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = "", anchor = ""] = decodeURI(link).split("#");
      const target = path === "" ? page : join(dirname(page), path.split("?")[0] ?? "");
      const found = ids.get(target);
      const holds = found === undefined ? existsSync(join(site, target)) : anchor === "" || found.has(anchor);
      if (!holds) broken.push(`${page}: ${link}`);
    }
  }
  assert.deepEqual([...new Set(broken)], [], "Links that lead nowhere.");
}

/** @returns {Promise<import("node:http").Server>} */
function serve() {
  const files = createServer(({ url = "" }, response) => {
    const path = join(site, new URL(url, "http://site").pathname);
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "" }).end(readFileSync(path));
  });
  return new Promise((done) => files.listen(0, "127.0.0.1", () => done(files)));
}

async function useInBrowser() {
  const browser = await puppeteer.launch({
    executablePath: await chromium(),
    headless: "shell",
    args: CHROMIUM_FLAGS,
  });
  try {
    const page = await browser.newPage();
    const problems = problemsOf(page);
    await page.setViewport(DESKTOP);
    await navigatesTo(page, "guides/");
    await navigatesTo(page, "classes/");
    const { word, path } = rareWord();
    await finds(page, word, path);
    await finds(page, "ConnectionProfile", "classes/");
    await photograph(page);
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
  }
}

/**
 * Filled as the page is used: errors on the console, and requests that fail or leave the site.
 *
 * @param {Page} page
 */
function problemsOf(page) {
  /** @type {string[]} */
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`on the console: ${message.text()}`);
  });
  page.on("pageerror", (error) => void problems.push(`in a script: ${String(error)}`));
  page.on("requestfailed", (request) => void problems.push(`not loaded: ${request.url()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(urlOf("")) && !/^(?:data|blob):/.test(request.url()))
      problems.push(`from elsewhere: ${request.url()}`);
  });
  return problems;
}

/**
 * The first entry of this kind in the navigation leads to the page whose heading it is.
 *
 * @param {Page} page
 * @param {string} folder
 */
async function navigatesTo(page, folder) {
  await open(page, "index.html");
  const entry = `#tsd-nav-container a[href*="${folder}"]`;
  await page.waitForSelector(entry);
  const title = await page.$eval(entry, (link) => link.textContent?.trim());
  await Promise.all([
    page.waitForNavigation(),
    page.$eval(entry, (link) => /** @type {any} */ (link).click()),
  ]);
  const heading = await page.$eval("h1", (element) => element.textContent?.trim());
  assert.ok(page.url().includes(folder), `${title} leads to ${page.url()}.`);
  assert.ok(heading?.includes(title ?? ""), `${title} leads to a page with the heading ${heading}.`);
}

/**
 * @param {Page} page
 * @param {string} words
 * @param {string} path Where one of the answers leads.
 */
async function finds(page, words, path) {
  await open(page, "index.html");
  await page.click("#tsd-search-trigger");
  await page.type("#tsd-search-input", words);
  await page.waitForSelector("#tsd-search-results a", { timeout: 10_000 }).catch(() => undefined);
  const answers = await page.$$eval("#tsd-search-results a", (links) => links.map((link) => String(link)));
  assert.ok(
    answers.some((url) => url.startsWith(`${urlOf("")}${path}`)),
    `A search for ${words} finds ${answers.join(", ") || "nothing"}, but not ${path}.`,
  );
}

/** A word that one guide alone has, so that only its text can have led there. */
function rareWord() {
  const texts = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({
      name,
      words: new Set(readFileSync(join(root, "docs", name), "utf8").match(/\b[a-z]{9,}\b/g)),
    }));
  const found = texts
    .flatMap(({ name, words }) => [...words].map((word) => ({ name, word })))
    .find(({ name, word }) => texts.every((other) => other.name === name || !other.words.has(word)));
  assert.ok(found, "No word stands in one guide alone.");
  return { word: found.word, path: `guides/${found.name.replace(/\.md$/, ".html").toLowerCase()}` };
}

/** @param {Page} page */
async function photograph(page) {
  mkdirSync(screenshots, { recursive: true });
  for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewport(viewport);
    await open(page, "guides/recovery.html");
    const width = await page.evaluate("document.documentElement.scrollWidth");
    assert.equal(width, viewport.width, `On a ${name} the page is wider than the window.`);
    await page.screenshot({ path: join(screenshots, `${name}.png`) });
  }
}

/**
 * @param {Page} page
 * @param {string} path
 */
async function open(page, path) {
  await page.goto(urlOf(path), { waitUntil: "load" });
}

/** @param {string} path */
function urlOf(path) {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}/${path}`;
}
