// Opens the pages of `--format html` from disk in a headless Chromium, and uses them as a reader does.
// node --import tsx tests/page/browser.mjs, a step of `npm run check`. Leaves pictures in site-screenshots/.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { launchChromium } from "../../docs/site/chromium.mjs";
import {
  accessPage,
  everything,
  HOSTILE_NAMES,
  hostileReview,
  hostileTenant,
  idOf,
  largeTenant,
  organizations,
  reviewPage,
  reviewShown,
} from "../../testkit/cli/pages.ts";
import { htmlPage } from "../../cli/html/page.ts";
import { Sentence } from "../../provider/sentence.ts";

/** @typedef {import("puppeteer-core").Page} Page */

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const screenshots = join(root, "site-screenshots");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const review = JSON.parse(readFileSync(join(root, "tests/e2e/review/golden/everything.json"), "utf8"));
const DESKTOP = { width: 1440, height: 900 };
const TABLET = { width: 820, height: 1180 };
const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true };
const MODES = ["light", "dark"];
const large = largeTenant({ roles: 60, groups: 40, people: 500, share: 0.25 });

const [auditor] = everything().roles;
const decisions = {
  ...{ file: "access.csv", counts: { confirmed: 1, revoked: 0, otherTenants: 0 }, decided: [] },
  findings: [
    { kind: "new", role: auditor?.id, group: idOf("grp", "directory-admins"), reason: "It is new." },
  ],
};
const shown = reviewShown({ ...review, counts: { ...review.counts, others: 3 } });
const [document] = shown.documents;
const [what, news] = ["What is new", "A sentence about it."].map((text) => new Sentence([text]));
const sections = [
  ...(document?.sections ?? []),
  {
    id: "news",
    title: what,
    place: "after",
    kind: "plain",
    head: ["What"],
    rows: [{ cells: [news], rank: 0 }],
  },
];

/** @type {Record<string, string>} */
const PAGES = {
  access: accessPage(everything()),
  large: accessPage(large),
  review: reviewPage(review),
  organizations: accessPage(organizations()),
  decisions: accessPage(/** @type {any} */ ({ ...everything(), decisions })),
  sections: htmlPage("review", /** @type {any} */ ({ ...shown, documents: [{ ...document, sections }] })),
  stacks: reviewPage(review, { ...review, stack: "test/other" }),
  "hostile-access": accessPage(hostileTenant()),
  "hostile-review": reviewPage(hostileReview(review)),
  nothing: accessPage({ ...everything(), roles: [], rules: undefined }),
};

const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-page-"));
const browser = await launchChromium();
try {
  for (const [name, html] of Object.entries(PAGES)) writeFileSync(join(folder, `${name}.html`), html);
  const page = await browser.newPage();
  const problems = problemsOf(page);
  await page.setViewport(DESKTOP);
  await loadsNothing(page);
  const refused = problems.splice(0);
  assert.deepEqual(
    refused.filter((line) => !line.includes("Content Security Policy")),
    [],
  );
  await filters(page);
  await opensCells(page);
  await goesByKeys(page);
  await namesCells(page);
  await printsWhole(page);
  await showsChanges(page);
  await showsSections(page);
  await staysText(page);
  await saysNothing(page);
  await isAccessible(page);
  await photograph(page);
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`The pages are sound. Their pictures are in ${relative(root, screenshots)}/.`);

/**
 * Filled as the pages are used: what is on the console, and each request but that of the page.
 *
 * @param {Page} page
 */
function problemsOf(page) {
  /** @type {string[]} */
  const problems = [];
  page.on("console", (message) => void problems.push(`on the console: ${message.text()}`));
  page.on("pageerror", (error) => void problems.push(`in a script: ${String(error)}`));
  page.on("dialog", (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(pathToFileURL(folder).href)) problems.push(`loaded: ${request.url()}`);
  });
  return problems;
}

/**
 * @param {Page} page
 * @param {string} name
 */
async function open(page, name) {
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href, { waitUntil: "load" });
  await page.waitForSelector("h1");
}

/**
 * @param {Page} page
 * @param {string} selector
 * @returns {Promise<string[]>} The texts of what is seen.
 */
async function seen(page, selector) {
  // Rows that come into sight are drawn in the next frame.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return page.$$eval(selector, (all) =>
    all
      .filter((one) => /** @type {any} */ (one).checkVisibility())
      .map((one) => /** @type {any} */ (one).innerText.trim()),
  );
}

/** @param {Page} page */
async function loadsNothing(page) {
  await open(page, "access");
  const outcome = await page.evaluate(`(async () => {
    const refused = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.ran = 1";
    const button = document.createElement("button");
    button.setAttribute("onclick", "window.ran = 2");
    document.body.append(script, button);
    button.click();
    const answer = await fetch("data:,x").catch(() => "none");
    await new Promise((done) => setTimeout(done, 50));
    return { ran: window.ran ?? null, answer, refused, styles: document.querySelectorAll("[style]").length };
  })()`);
  assert.deepEqual(outcome, {
    ran: null,
    answer: "none",
    refused: ["script-src-elem", "script-src-attr", "connect-src"],
    styles: 0,
  });
}

/** @param {Page} page */
function rowsOf(page) {
  return seen(page, "tbody tr:not(.off) th .name");
}

/** @param {Page} page */
function cellsOf(page) {
  return page.$$eval(
    "tbody td.on:not(.dim)",
    (all) => all.filter((one) => /** @type {any} */ (one).checkVisibility()).length,
  );
}

/** @param {Page} page */
async function filters(page) {
  await open(page, "access");
  const whole = await cellsOf(page);
  assert.deepEqual(await rowsOf(page), ["admin", "billing-viewer", "support-agent", "auditor"]);
  await page.type(".search", "AUDIT");
  assert.deepEqual(
    await rowsOf(page),
    ["support-agent", "auditor"],
    "By a resource, and by a role that nobody has.",
  );
  assert.equal(await cellsOf(page), 1);
  await page.$eval(".search", (input) => {
    const element = /** @type {any} */ (input);
    element.value = "";
    element.dispatchEvent(new element.ownerDocument.defaultView.Event("input", { bubbles: true }));
  });
  await page.click(".chip.k-unmanaged");
  assert.deepEqual(await rowsOf(page), ["support-agent"]);
  await page.click(".chip.k-soon");
  assert.deepEqual(await rowsOf(page), ["billing-viewer", "support-agent"]);
  await page.click(".found .quiet");
  assert.equal(await cellsOf(page), whole);
  await page.click(".tile:nth-child(5) button");
  const doubtful = await page.$$eval("td.on:not(.dim, .off)", (all) => all.map(({ className }) => className));
  assert.deepEqual(
    doubtful.filter((name) => !/k-(?:unmanaged|drift|unknown)/.test(name)),
    [],
    "A tile shows only what it counts.",
  );
  assert.ok((await cellsOf(page)) > 0);
  await page.click(".tile:nth-child(5) button");
  assert.equal(await cellsOf(page), whole);
  await page.select("select[aria-label=Stack]", "access/dev");
  assert.deepEqual(await rowsOf(page), ["billing-viewer"]);
  await page.select("select[aria-label=Stack]", "");
  await page.select("select[aria-label=Group]", "4");
  const [name] = await seen(page, "thead th:not(.corner, .off) .name");
  assert.deepEqual([name, await rowsOf(page)], ["support-desk", ["billing-viewer", "support-agent"]]);
  await page.select("select[aria-label=Role]", "1");
  assert.deepEqual(await rowsOf(page), ["billing-viewer"]);
  await page.type(".search", "nothing like it");
  assert.deepEqual(await seen(page, "[role=status]"), ["Nothing matches."]);
  await page.click(".found .quiet");
  await page.select("select[aria-label=Order]", "most");
  assert.deepEqual((await rowsOf(page))[0], "support-agent");
  assert.deepEqual((await seen(page, "thead th .name")).slice(0, 2), ["people", "billing-team"]);

  await open(page, "organizations");
  assert.deepEqual(await seen(page, "tbody th small"), ["in acme", "in globex, not on the tenant"]);
  await page.select("select[aria-label=Organization]", idOf("org", "acme"));
  assert.deepEqual(await seen(page, "tbody tr:not(.off) th small"), ["in acme"]);
  await page.click("td.m-broken button");
  const [inAcme = ""] = await seen(page, ".panel");
  for (const part of ["contractors → support-agent in acme", idOf("org", "acme")])
    assert.ok(inAcme.includes(part), `The panel lacks ${part}: ${inAcme}`);
  await page.keyboard.press("Escape");

  await open(page, "large");
  const [person = ""] = large.members?.[3]?.people?.ids ?? [];
  await page.type(".person", person.toUpperCase());
  const columns = await seen(page, "thead th:not(.corner, .off) .name");
  assert.deepEqual(columns, [
    large.roles.flatMap(({ groups }) => groups).find(({ id }) => id.endsWith("03"))?.name,
  ]);
  // Few columns have room for words.
  await page.waitForFunction(
    "[...document.querySelectorAll('td.on:not(.off, .dim) .text')].some((text) => text.checkVisibility())",
  );
  const [reason] = await page.$$eval("tr:not(.off) td.on:not(.off, .dim) .why", (all) =>
    all.map((why) => /** @type {any} */ (why).getBoundingClientRect().width),
  );
  assert.ok(Number(reason) > 50, "One column has room for reasons, too.");
  assert.deepEqual(await seen(page, ".id"), [], "Ids are shown on demand.");
  await page.click(".check input");
  assert.ok((await seen(page, ".id")).length > 0);

  await open(page, "large");
  await page.type(".search", "access/dev");
  const rowsOutOfSight = `[...document.querySelectorAll("tbody tr:not(.off) td.on:not(.off, .dim)")].length`;
  const [found = ""] = await seen(page, "[role=status]");
  await page.waitForFunction(`${rowsOutOfSight} === ${Number.parseInt(found, 10)}`, { timeout: 5_000 });
  const dim = await page.$("td.dim");
  await dim?.hover();
  assert.equal((await seen(page, "thead .at")).length, 1, "The head of the column is marked.");
}

/** @param {Page} page */
async function opensCells(page) {
  await open(page, "access");
  await page.click("td.m-broken button");
  const [text = ""] = await seen(page, ".panel");
  for (const part of [
    "contractors → support-agent",
    "breaks a rule",
    "which rules.yaml:2 doesn't allow",
    "audit in access/prod",
    "audit.ts:4",
    "until 2026-11-20: expired, the next run takes it away",
    "close:tickets",
    idOf("grp", "contractors"),
    idOf("rol", "support-agent"),
  ])
    assert.ok(text.includes(part), `The panel lacks ${part}: ${text}`);
  await page.keyboard.press("Escape");
  assert.deepEqual(await seen(page, ".panel"), []);
}

/** @param {Page} page */
async function goesByKeys(page) {
  await open(page, "access");
  await page.keyboard.press("/");
  const focused = () =>
    page.evaluate(`(() => {
      const active = document.activeElement;
      const column = active.querySelector(".who")?.textContent;
      return column === undefined ? active.className : column + ", " + active.closest("tr").querySelector(".name").innerText;
    })()`);
  assert.equal(await focused(), "search");
  await page.focus(".scroller");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "people, admin");
  for (const [key, where] of [
    ["ArrowRight", "directory-admins, admin"],
    ["ArrowRight", "billing-team, billing-viewer"],
    ["ArrowDown", "billing-team, support-agent"],
    ["ArrowLeft", "people, support-agent"],
    ["ArrowUp", "people, admin"],
    ["End", `${idOf("grp", "nameless")}, support-agent`],
  ]) {
    await page.keyboard.press(/** @type {any} */ (key));
    assert.equal(await focused(), where, `After ${key}.`);
  }
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  assert.equal((await seen(page, ".panel")).length, 1);
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "people, admin", "The focus comes back.");
}

/**
 * A cell without room for words has them as its name all the same.
 *
 * @param {Page} page
 */
async function namesCells(page) {
  await open(page, "large");
  const button = await page.$("td.on button");
  const { name = "", description = "" } =
    (await page.accessibility.snapshot({ root: button ?? undefined })) ?? {};
  const [row] = large.roles;
  const [held] = [...(row?.groups ?? [])].sort((one, other) =>
    (one.name ?? "") < (other.name ?? "") ? -1 : 1,
  );
  assert.ok(name.startsWith(`${held?.name} managed `), name);
  assert.equal(description, row?.name);
  assert.deepEqual(await seen(page, "td.on .text"), []);
}

/** @param {Page} page */
async function printsWhole(page) {
  await open(page, "large");
  await page.emulateMediaType("print");
  const grants = large.roles.flatMap(({ groups }) => groups);
  await page.waitForSelector(".list");
  assert.equal((await seen(page, "td.on .why")).length, grants.length);
  assert.deepEqual(await seen(page, ".tools select, .quiet"), []);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(Number(width) <= DESKTOP.width);
  await page.emulateMediaType("screen");
  await page.waitForSelector(".matrix");
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10_000);
}

/** @param {Page} page */
async function showsChanges(page) {
  await open(page, "review");
  const [first = ""] = await seen(page, ".card h2");
  assert.ok(first.startsWith("This can't be undone"), first);
  const statuses = await page.$$eval("tbody td.on", (all) => all.map(({ className }) => className).sort());
  assert.ok(statuses.includes("on k-gains m-broken") && statuses.includes("on k-loses"), statuses.join(", "));
  await page.click("tbody tr:last-child td.k-loses button");
  const [text = ""] = await seen(page, ".panel");
  assert.ok(text.includes("5 people, 1 of them keeps it through support-desk"), text);
  await open(page, "stacks");
  assert.deepEqual(
    await seen(page, "h1"),
    ["test/test", "test/other"].map((stack) => `Access review of ${stack}, tenant tenant.example.com`),
  );
}

/** @param {Page} page */
async function showsSections(page) {
  await open(page, "sections");
  const titles = await seen(page, ".card h2");
  assert.deepEqual(
    titles.map((title) => title.split("\n")[0]),
    [
      ...[
        "This can't be undone",
        "Breaks a rule",
        "Not reviewable",
        "Needs an approval before it is applied",
      ],
      ...["Rules", "Who gains and who loses access", "What the roles allow", "Connection profiles"],
      ...["Broke a rule before", "For the record", "Other packages", "What is new"],
    ],
  );
  assert.deepEqual(await seen(page, "[aria-label='What is new'] [role=cell]"), ["A sentence about it."]);
  const [total = ""] = await seen(page, "[aria-label='Who gains and who loses access'] .note");
  assert.ok(total.startsWith("In all: 5 people in groups that gain a role"), total);
  await open(page, "decisions");
  const [notes = ""] = await seen(page, "[aria-label=Notes]");
  assert.ok(notes.includes("A sign-off is no signature: commit access.csv"), notes);
  await page.click("[aria-label='Open in access.csv'] .quiet");
  const [panel = ""] = await seen(page, ".panel .decision");
  assert.equal(panel, "It is new.");
}

/** @param {Page} page */
async function staysText(page) {
  for (const name of ["hostile-access", "hostile-review"]) {
    await open(page, name);
    const found = await page.evaluate(`({
      hacked: window.hacked ?? null,
      scripts: document.scripts.length,
      foreign: document.querySelectorAll("img, svg, iframe, object, embed, link, a").length,
      text: document.body.innerText,
    })`);
    const { text, ...rest } = /** @type {any} */ (found);
    assert.deepEqual(rest, { hacked: null, scripts: 2, foreign: 0 });
    for (const hostile of HOSTILE_NAMES.slice(0, 6))
      assert.ok(text.includes(hostile), `${name} lacks ${hostile}`);
    for (const button of (await page.$$("td.on button")).slice(0, 3)) {
      await button.click();
      await page.keyboard.press("Escape");
    }
    assert.equal(await page.evaluate("window.hacked"), undefined);
    assert.ok((await page.title()).includes(HOSTILE_NAMES[0]), await page.title());
  }
}

/** @param {Page} page */
async function saysNothing(page) {
  await open(page, "nothing");
  assert.deepEqual(await seen(page, ".empty"), ["tenant.example.com has no roles."]);
  await open(page, "access");
  const [gaps = ""] = await seen(page, ".gaps");
  assert.ok(gaps.includes("read:role_members is missing"), gaps);
}

/**
 * No finding that axe calls serious or critical, in both modes, as a matrix, as a list and with a cell open.
 *
 * @param {Page} page
 */
async function isAccessible(page) {
  for (const name of ["access", "review", "large"])
    for (const mode of MODES) {
      await inMode(page, mode);
      await open(page, name);
      await page.evaluate(axe);
      const check = async (/** @type {string} */ where) => {
        const found =
          await page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
          violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) =>
            id + ": " + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 150) + failureSummary).join(" | ")))`);
        assert.deepEqual(found, [], `${name}, ${mode}, ${where}`);
      };
      await check("matrix");
      await page.click(".switch button:last-child");
      await check("list");
      await page.$eval("td.on button", (button) => /** @type {any} */ (button).click());
      await check("panel");
    }
}

/** @param {Page} page */
async function photograph(page) {
  mkdirSync(screenshots, { recursive: true });
  for (const [device, viewport] of Object.entries({ desktop: DESKTOP, tablet: TABLET, phone: PHONE })) {
    await page.setViewport(viewport);
    for (const name of ["access", "large", "organizations", "review"]) {
      await open(page, name);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      assert.equal(width, viewport.width, `On a ${device} ${name} is wider than the window.`);
      await page.click(".switch button:first-child");
      const uneven = await page.evaluate(`(() => {
        const left = (cell) => Math.round(cell.getBoundingClientRect().left);
        const [head, ...rows] = [...document.querySelectorAll("tr")].map((row) => [...row.cells].map(left).join(" "));
        return rows.filter((row) => row !== head);
      })()`);
      assert.deepEqual(uneven, [], `On a ${device}, columns of ${name} are uneven.`);
      await open(page, name);
      const take = async (/** @type {string} */ what) => {
        for (const mode of MODES) {
          await inMode(page, mode);
          await page.screenshot({ path: join(screenshots, `page-${name}${what}-${device}-${mode}.png`) });
        }
      };
      await take("");
      const cell = (await page.$("td.on.m-broken button")) ?? (await page.$("td.on button"));
      await cell?.evaluate((button) => /** @type {any} */ (button).click());
      await page.waitForSelector(".panel[open]");
      await take("-panel");
    }
  }
}

/**
 * @param {Page} page
 * @param {string} mode
 */
async function inMode(page, mode) {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: mode }]);
}
