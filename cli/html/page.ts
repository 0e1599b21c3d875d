import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PageData } from "../output/document";
import { packed } from "./packed";

/** The command whose answer a page shows. */
export type PageName = "access" | "review";

/**
 * Returns one file that shows a command's answer in a browser, and loads nothing. The build makes it from
 * page/; its policy runs the script and uses the style that are in it, and nothing else.
 */
export function htmlPage(page: PageName, shown: PageData): string {
  const file = join(
    dirname(require.resolve("pulumi-identity/package.json")),
    "dist",
    "cli",
    "html",
    "page.html",
  );
  const [before = "", between = "", after = ""] = readFileSync(file, "utf8").split("<!--here-->");
  const data = `<script type="application/json" id="${page}">${inScript(packed(shown))}</script>`;
  const title = shown.documents.map((document) => document.title.toString()).join("; ");
  return [before, inHtml(title), between, data, after].join("");
}

/** Nothing in it can end the script. */
function inScript(json: unknown): string {
  return JSON.stringify(json).replaceAll("<", "\\u003c");
}

function inHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
