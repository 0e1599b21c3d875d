import { createHash } from "node:crypto";
import { accessPage, accessShown, hostileTenant, inPage, pageData } from "../../../testkit/cli/pages";

/* tests/page/browser.mjs uses the page. */

const page = accessPage(hostileTenant());
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

test("its data is the answer, whatever is in it", () => {
  const [, data = ""] = /<script type="application\/json" id="access">([^]*?)<\/script>/.exec(page) ?? [];
  expect(data).not.toContain("<");
  expect(JSON.stringify(pageData(page))).toBe(JSON.stringify(inPage(accessShown(hostileTenant()))));
  expect(page.match(/<script/g)).toHaveLength(2);
});

test("a title is text", () => {
  expect(page).toContain("<title>Access on &#60;script&#62;window.hacked = 1&#60;/script&#62;, as of ");
});
