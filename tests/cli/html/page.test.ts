import { createHash } from "node:crypto";
import { htmlPage } from "../../../cli/html/page";
import { HOSTILE_NAMES, hostileTenant, pageJson } from "../../../testkit/cli/pages";

/* tests/page/browser.mjs uses the page. */

const page = htmlPage("access", HOSTILE_NAMES[1], hostileTenant());
const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

test("its policy allows the script and the style in it, and nothing else", () => {
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  const [, script = ""] = /<script>([^]*?)<\/script>/.exec(page) ?? [];
  expect(script.length).toBeGreaterThan(10_000);
  expect(policy).toBe(
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`,
  );
  // Before anything that it is about.
  expect(page.indexOf("<meta http-equiv")).toBeLessThan(page.search(/<(?:style|script|title)/));
});

test("it names no address to load from, and no style outside of its sheet", () => {
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  expect(style).not.toMatch(/url\(|@import|@font-face/);
  const tags = page.replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, "").match(/<[^>]+>/g) ?? [];
  expect(tags.filter((tag) => /\s(?:style|src|href|on\w+)=/.test(tag))).toEqual([]);
});

test("its data is the document, whatever is in it", () => {
  const [, data = ""] = /<script type="application\/json" id="access">([^]*?)<\/script>/.exec(page) ?? [];
  expect(data).not.toContain("<");
  expect(JSON.stringify(pageJson(page))).toBe(JSON.stringify(hostileTenant()));
  expect(page.match(/<script/g)).toHaveLength(2);
});

test("a title is text", () => {
  expect(page).toContain(
    "<title>&#60;/script&#62;&#60;script&#62;window.hacked = 1&#60;/script&#62;</title>",
  );
});
