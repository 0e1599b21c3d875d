// Builds the site, follows every link in it, and uses it as a reader does in a headless Chromium.
// node tests/docs/site.mjs, a step of `npm run check`. Leaves pictures of some pages in site-screenshots/.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, relative } from "node:path";
import { launchChromium } from "../../docs/site/chromium.mjs";
import { addressOf, GROUPS, PAGES, root, titleOf } from "../../docs/site/pages.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const BASE = "/pulumi-identity/";
const site = join(root, "site");
const screenshots = join(root, "site-screenshots");
const DESKTOP = { width: 1440, height: 900 };
/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};
const MODES = ["light", "dark"];
/** Without anything that scrolls, on a desktop and on a phone. */
const WHOLE = ["how-it-works.html", "with-auth0.html"];
const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true };

build();
checkPages();
const server = await serve();
try {
  await useInBrowser();
} finally {
  server.close();
}
console.log(`The site is sound. Its pictures are in ${relative(root, screenshots)}/.`);

function build() {
  rmSync(site, { recursive: true, force: true });
  const vitepress = join(root, "node_modules/vitepress/bin/vitepress.js");
  const { status } = spawnSync(process.execPath, [vitepress, "build", "docs/site"], {
    cwd: root,
    stdio: "inherit",
  });
  assert.equal(status, 0, "The site can't be built.");
}

/**
 * Every page is there and says what it is about; every link to the site leads to a page, and every anchor to
 * an element.
 */
function checkPages() {
  const files = readdirSync(site, { recursive: true, encoding: "utf8" });
  for (const file of ["logo.svg", "card.png"]) assert.ok(files.includes(file), `The site has no ${file}.`);
  const html = new Map(
    files
      .filter((name) => name.endsWith(".html"))
      .map((page) => [page, readFileSync(join(site, page), "utf8")]),
  );
  assert.deepEqual([...html.keys()].sort(), [...PAGES.map(htmlOf), "404.html"].sort());
  const ids = new Map(
    [...html].map(([page, text]) => [
      page,
      new Set([...text.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const broken = [];
  for (const [page, text] of html) {
    const description = /<meta name="description" content="([^"]*)">/.exec(text)?.[1] ?? "";
    assert.ok(
      page === "404.html" || /^.{20,250}$/.test(description),
      `${page} describes itself as: ${description}`,
    );
    const icon = `<link rel="icon" type="image/svg+xml" href="${BASE}logo.svg">`;
    const cards = ["title", "description", "url", "image"].map(
      (name) => `<meta property="og:${name}" content="`,
    );
    for (const tag of [icon, ...cards]) {
      const [, value] = text.split(tag);
      assert.ok(value !== undefined && !value.startsWith('"'), `${page} lacks ${tag}`);
    }
    assert.ok(!text.includes("language-mermaid"), `A diagram on ${page} is not drawn.`);
    for (const [block] of text.matchAll(/<div class="language- [^]*?<\/pre>/g))
      assert.ok(!block.includes("--shiki"), `${page} colours what names no language: ${block}`);
    for (const [, link = ""] of text.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = "", anchor = ""] = decodeURI(link).split("#");
      const file = path.startsWith(BASE) ? path.slice(BASE.length) : join(dirname(page), path);
      const target = path === "" ? page : file === "" ? "index.html" : file;
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
    const { pathname } = new URL(url, "http://site");
    const path = join(site, pathname.slice(BASE.length) || "index.html");
    if (!pathname.startsWith(BASE) || !existsSync(path)) return response.writeHead(404).end();
    // Browsers keep pages and scripts for a while, as those of GitHub's pages.
    const headers = { "content-type": TYPES[extname(path)] ?? "", "cache-control": "max-age=600" };
    response.writeHead(200, headers).end(readFileSync(path));
  });
  return new Promise((done) => files.listen(0, "127.0.0.1", () => done(files)));
}

async function useInBrowser() {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const problems = problemsOf(page);
    await page.setViewport(DESKTOP);
    await readsOn(page);
    const { word, path } = rareWord();
    await finds(page, word, path);
    await finds(
      page,
      "move a group",
      "resources/role-group-assignment.html#move-a-group-to-another-assignment",
    );
    await finds(page, "401", "troubleshooting.html");
    await leadsToSetUp(page);
    await plays(page);
    await showsPictures(page);
    await fits(page);
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
 * From the landing page by its first button, and on by "Next", through all pages in the order of the
 * navigation.
 *
 * @param {Page} page
 */
async function readsOn(page) {
  await open(page, "index.html");
  const titles = Object.values(GROUPS).flat().map(titleOf);
  for (const [index, title] of titles.entries())
    await follow(page, index === 0 ? ".VPHero .action a" : ".pager-link.next", title);
  await follow(page, ".pager-link.prev", titles.at(-2) ?? "");
}

/**
 * Each page opens by its address. It isn't wider than the window, and no table that stacks is cut.
 *
 * @param {Page} page
 */
async function fits(page) {
  for (const path of PAGES.map(htmlOf)) {
    await open(page, path);
    // A page that is emulated as a phone's would be loaded again.
    for (const [name, { width, height }] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      await page.setViewport({ width, height });
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      assert.equal(wide, width, `On a ${name} ${path} is wider than the window.`);
      const whole = WHOLE.includes(path)
        ? ".scrolls"
        : name === "phone"
          ? ".scrolls:has(.stacks)"
          : undefined;
      const cut = whole === undefined ? [] : await cutIn(page, whole);
      assert.deepEqual(cut, [], `On a ${name} something of ${path} is cut.`);
    }
  }
}

/**
 * @param {Page} page
 * @param {string} link
 * @param {string} title
 */
async function follow(page, link, title) {
  await page.waitForSelector(link);
  await page.$eval(link, (element) => /** @type {any} */ (element).click());
  const isThere = `document.querySelector("h1")?.textContent.startsWith(${JSON.stringify(title)})`;
  const heading = page.waitForFunction(isThere, { timeout: 10_000 });
  await heading.catch(() => assert.fail(`${link} does not lead to ${title}, but to ${page.url()}.`));
}

/**
 * @param {Page} page
 * @param {string} words
 * @param {string} path Where one of the answers leads: a page, or a section.
 */
async function finds(page, words, path) {
  await open(page, "index.html");
  await page.click(".DocSearch-Button");
  await page.waitForSelector("#localsearch-input");
  await page.type("#localsearch-input", words);
  const answer = `#localsearch-list a[href^="${BASE}${path}"]`;
  const isFound = await page.waitForSelector(answer, { timeout: 10_000 }).catch(() => undefined);
  const answers = await page.$$eval("#localsearch-list a", (links) => links.map((link) => String(link)));
  assert.ok(isFound, `A search for ${words} finds ${answers.join(", ") || "nothing"}, but not ${path}.`);
}

/** @param {Page} page */
async function leadsToSetUp(page) {
  await open(page, "index.html");
  const links = await page.$$eval(".VPNavBarMenu a", (all) =>
    all.map((link) => [link.textContent?.trim(), link.getAttribute("href")]),
  );
  assert.equal(Object.fromEntries(links).Pipelines, `${BASE}pipelines.html`);
}

/**
 * Recordings show their last line at the end, all of it at once to whoever wants no motion, and the footer
 * stands below on each page.
 *
 * @param {Page} page
 */
async function plays(page) {
  for (const [path, name] of [
    ["index.html", "demo"],
    ["review.html", "review"],
  ]) {
    const recorded = readFileSync(join(root, `docs/site/recordings/${name}.txt`), "utf8");
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await open(page, path ?? "");
    const lines = await page.$$eval(".terminal .line", (all) =>
      all.map((line) => [line.textContent, /** @type {any} */ (line).offsetHeight]),
    );
    assert.equal(lines.map(([text]) => String(text).replace("\u200b", "")).join(""), recorded);
    assert.ok(
      lines.every(([, height]) => Number(height) > 0),
      `Lines of ${name} are hidden.`,
    );
    const footer = await page.$eval(".VPFooter", (element) => /** @type {any} */ (element).offsetHeight);
    assert.ok(footer > 0, `${path} has no footer.`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "no-preference" }]);
    await open(page, path ?? "");
    const first = await page.$$eval(".terminal .line", (all) =>
      all.map((line) => /** @type {any} */ (line).offsetHeight),
    );
    assert.ok(first.includes(0), `${name} does not come line by line.`);
    assert.ok(first[0] > 0, `${name} starts empty.`);
  }
  await page.emulateMediaFeatures([]);
}

/**
 * Each picture and diagram is seen, in the one of its two forms that fits.
 *
 * @param {Page} page
 */
async function showsPictures(page) {
  for (const path of ["index.html", "review.html", "how-it-works.html", "contributing.html"]) {
    await open(page, path);
    for (const mode of MODES) {
      await inMode(page, mode);
      const widths = await page.$$eval(".vp-doc img", (images) =>
        images.flatMap((image) => {
          const { offsetWidth, naturalWidth } = /** @type {any} */ (image);
          return offsetWidth > 0 ? [naturalWidth] : [];
        }),
      );
      assert.ok(
        widths.length > 0 && !widths.includes(0),
        `A picture of ${path} is not there in ${mode} mode.`,
      );
      const scales = await page.$$eval(`.diagram.${mode}-only`, (images) =>
        images.map((image) => {
          const { offsetWidth, style } = /** @type {any} */ (image);
          return offsetWidth / parseFloat(style.getPropertyValue("--drawn"));
        }),
      );
      const isReadable = scales.every((scale) => scale > 0.61 && scale < 1.01);
      assert.ok(isReadable, `${path} shows diagrams at ${scales.join(", ")} of their size.`);
      const other = mode === "dark" ? "light" : "dark";
      const hidden = await page.$$eval(`.${other}-only`, (images) =>
        images.every((image) => /** @type {any} */ (image).offsetWidth === 0),
      );
      assert.ok(hidden, `${path} shows a picture for ${other} mode in ${mode} mode.`);
    }
  }
}

/** A word that one page alone has, so that only its text can have led there. */
function rareWord() {
  const texts = PAGES.filter((name) => name.startsWith("docs/")).map((name) => ({
    name,
    words: new Set(readFileSync(join(root, name), "utf8").match(/(?<=\s)[a-z]{9,}(?=\s)/g)),
  }));
  const found = texts
    .flatMap(({ name, words }) => [...words].map((word) => ({ name, word })))
    .find(({ name, word }) => texts.every((other) => other.name === name || !other.words.has(word)));
  assert.ok(found, "No word stands in one guide alone.");
  return { word: found.word, path: htmlOf(found.name) };
}

/**
 * What is wider than its place, by its first words.
 *
 * @param {Page} page
 * @param {string} selector
 */
function cutIn(page, selector) {
  return page.$$eval(selector, (all) =>
    all
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => `${element.textContent?.trim().slice(0, 40)}: ${element.scrollWidth}`),
  );
}

/** @param {Page} page */
async function photograph(page) {
  mkdirSync(screenshots, { recursive: true });
  for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewport(viewport);
    for (const shown of [
      "index",
      "held",
      "with-auth0",
      "resources/connection-profile",
      "how-it-works",
      "contributing/benchmarks",
    ]) {
      await open(page, `${shown}.html`);
      for (const mode of MODES) {
        await inMode(page, mode);
        const file = `${shown.replace("/", "-")}-${name}-${mode}.png`;
        await page.screenshot({ path: join(screenshots, file), fullPage: true });
      }
    }
  }
}

/**
 * The open page, in light or dark.
 *
 * @param {Page} page
 * @param {string} mode
 */
async function inMode(page, mode) {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: mode }]);
  // An open page changes a moment later.
  await page.waitForFunction(`document.documentElement.classList.contains("dark") === ${mode === "dark"}`);
}

/**
 * @param {Page} page
 * @param {string} path
 */
async function open(page, path) {
  await page.goto(urlOf(path), { waitUntil: "load" });
}

/**
 * The file of a page on the site.
 *
 * @param {string} path
 */
function htmlOf(path) {
  return addressOf(path).replace(/\.md$/, ".html");
}

/** @param {string} path */
function urlOf(path) {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}${BASE}${path}`;
}
