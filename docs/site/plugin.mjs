import { dirname, extname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Converter, KindRouter } from "typedoc";
import { GROUPS, OTHERS } from "./pages.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.renderer.defineRouter("guides", GuideRouter);
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page) => placeInNavigation(page));
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const repository = app.options.getValue("sourceLinkTemplate").replace("#L{line}", "");
    const urlOf = (/** @type {string} */ path) =>
      repository.replace("{gitRevision}", app.options.getValue("gitRevision")).replace("{path}", path);
    for (const page of project.documents ?? []) linkToRepository(page.content, pathOf(page), project, urlOf);
    linkToRepository(project.readme ?? [], "README.md", project, urlOf);
    // The theme writes the name of the project above it.
    const [first] = project.readme ?? [];
    if (first !== undefined) first.text = first.text.replace(/^\s*# .+\n/, "");
  });
}

/** Guides keep the names of their files: those of TypeDoc would change with every heading. */
class GuideRouter extends KindRouter {
  /** @param {import("typedoc").Reflection} reflection */
  getIdealBaseName(reflection) {
    return reflection.isDocument()
      ? `guides/${pathOf(reflection)
          .replace(/^docs\//, "")
          .replace(/\.md$/, "")
          .toLowerCase()}`
      : super.getIdealBaseName(reflection);
  }
}

/** @param {import("typedoc").DocumentReflection} page */
function placeInNavigation(page) {
  const [first] = page.content;
  const title = /^\s*# (.+)$/m.exec(first?.text ?? "")?.[1];
  if (title === undefined)
    throw new Error(`${pathOf(page)} must begin with a heading: its title is made of it.`);
  page.name = title.replaceAll("`", "");
  const name = pathOf(page).replace(/^docs\/(.+)\.md$/, "$1");
  const [group = OTHERS] = Object.entries(GROUPS).find(([, names]) => names.includes(name)) ?? [];
  page.frontmatter["group"] = group;
}

/**
 * Leads links to what is no page of the site, such as a source or a folder, to the repository. Pictures stay.
 *
 * @param {import("typedoc").CommentDisplayPart[]} content
 * @param {string} path
 * @param {import("typedoc").ProjectReflection} project
 * @param {(path: string) => string} urlOf
 */
function linkToRepository(content, path, project, urlOf) {
  for (const part of content) {
    if (part.kind !== "relative-link" || extname(part.text) === ".png") continue;
    const target = part.target === undefined ? undefined : project.files.resolve(part.target, project);
    if (typeof target === "object") continue;
    const [file = "", anchor] = part.text.split("#");
    const url = urlOf(relative(root, resolve(root, dirname(path), file)));
    Object.assign(part, { kind: "text", text: anchor === undefined ? url : `${url}#${anchor}` });
  }
}

/** @param {import("typedoc").Reflection} page */
function pathOf(page) {
  return relative(root, page.project.files.getReflectionPath(page) ?? "");
}
