import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packed } from "./packed";

/** The command whose JSON a page shows. */
export type PageName = "access" | "review";

/**
 * Returns one file that shows a command's JSON in a browser, and loads nothing. The build makes it from
 * page/; its policy runs the script and uses the style that are in it, and nothing else.
 */
export function htmlPage(page: PageName, title: string, json: unknown): string {
  const file = join(
    dirname(require.resolve("pulumi-identity/package.json")),
    "dist",
    "cli",
    "html",
    "page.html",
  );
  const [before = "", between = "", after = ""] = readFileSync(file, "utf8").split("<!--here-->");
  const data = `<script type="application/json" id="${page}">${inScript(packed(json))}</script>`;
  return [before, inHtml(title), between, data, after].join("");
}

/** Nothing in it can end the script. */
function inScript(json: unknown): string {
  return JSON.stringify(json).replaceAll("<", "\\u003c");
}

function inHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
