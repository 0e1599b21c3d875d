import MarkdownIt from "markdown-it";
import { inAddress, inMarkdown, markdownRow } from "../../cli/escape";
import fc from "../../testkit/properties";

const markdown = new MarkdownIt({ html: true, linkify: true });

/** Everything that has an effect outside of a code span. */
const HOSTILE = [
  "`",
  "``",
  "a`b``c",
  "` `",
  "|",
  "a|b",
  "\\|",
  "\\",
  "line\nbreak",
  "\r\n\r\n# heading",
  "<b>",
  "</code>",
  "<!-- pulumi-identity review x 0 -->",
  "-->",
  "<img src=x onerror=alert(1)>",
  "@example/admins",
  "#1",
  "!1",
  "[a](https://example.com)",
  "![a](https://example.com/x.png)",
  "https://example.com",
  "www.example.com",
  "**bold**",
  "_x_",
  "~~x~~",
  "&#64;team",
  "&lt;",
  ":smile:",
  "$x$",
  "\u202egnp.exe",
  "\u200b",
  "",
  " ",
  "  x  ",
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string()), { maxLength: 6 })
  .map((all) => all.join(""));

/** Returns the contents of a rendered text's code spans, and the text without them. */
function rendered(html: string): { spans: string[]; rest: string } {
  const spans = [...html.matchAll(/<code>([^<]*)<\/code>/g)].map(([, text = ""]) => text);
  return { spans, rest: html.replace(/<code>[^<]*<\/code>/g, "·") };
}

test("in a heading, too, a value is one code span, and a bar stays as it is", () => {
  fc.assert(
    fc.property(hostile, (value) => {
      const { rest } = rendered(markdown.render(`### What ${inMarkdown(value)} may do\n\n| a |\n| --- |\n`));
      expect(rest).toBe(
        "<h3>What · may do</h3>\n<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table>\n",
      );
    }),
  );
  expect(inMarkdown("auth0|1")).toBe("`auth0|1`");
});

test("a value is one code span and nothing else: in a list, in a table, beside other values", () => {
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      const list = rendered(markdown.render(`- ${inMarkdown(one)}: ${inMarkdown(other)}\n`));
      expect(list.rest).toBe("<ul>\n<li>·: ·</li>\n</ul>\n");
      const row = `| a | b |\n| --- | --- |\n${markdownRow([inMarkdown(one), `**${inMarkdown(other)}**`])}\n`;
      const table = rendered(markdown.render(row));
      const cells = [...table.rest.matchAll(/<td>(.*)<\/td>/g)].map(([, cell]) => cell);
      expect(cells).toEqual(["·", "<strong>·</strong>"]);
      expect(table.spans).toEqual(list.spans.map((span) => span.replaceAll("|", "\\u007c")));
    }),
    { numRuns: 500 },
  );
});

test("what is hidden is shown, and what is long is cut", () => {
  expect(inMarkdown("\u202egnp.exe\u200b")).toBe("`\\u202egnp.exe\\u200b`");
  expect(markdownRow([inMarkdown("a|b"), "c"])).toBe("| `a\\u007cb` | c |");
  expect(inMarkdown("a`b``c")).toBe("```a`b``c```");
  expect(inMarkdown("`a`")).toBe("`` `a` ``");
  expect(inMarkdown("")).toBe('`""`');
  expect(inMarkdown("x".repeat(2_000)).length).toBeLessThan(600);
});

test("an address ends neither its link nor its cell", () => {
  fc.assert(
    fc.property(hostile, (path) => {
      const address = inAddress("https://git.example.com/blob/1/", path);
      const html = markdown.render(`| a |\n| --- |\n| [x](${address}#L1) |\n`);
      expect(html).toMatch(/<td><a href="https:\/\/git\.example\.com\/blob\/1\/[^"]*#L1">x<\/a><\/td>/);
    }),
  );
});
