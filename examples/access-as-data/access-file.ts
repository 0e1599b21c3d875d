import { resolve } from "node:path";
import { IdentityError } from "pulumi-identity";
import { isMap, isScalar, LineCounter, type Node, parseDocument } from "yaml";

export const FILE = "access.yaml";
export const PATH = resolve(FILE);

/** A text in the file, and its line. */
export interface Text {
  text: string;
  line: number;
}

/** A role, in the tenant or in an organization. */
export interface Role {
  organization?: Text;
  role: Text;
  groups: Group[];
}

export interface Group {
  group: Text;
  until?: Text;
  why?: Text;
}

/** Reads the file. Throws at the first mistake, with its line. */
export function readAccess(text: string): Role[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const lineAt = (offset = 0) => lines.linePos(offset).line;
  const [error] = document.errors;
  if (error !== undefined) throw refusal(lineAt(error.pos[0]), error.message);

  /** Returns the names below a name. */
  function below(above: Text, node: Node | null): [Text, Node | null][] {
    if (node === null || (isScalar(node) && node.value === null)) return [];
    if (!isMap<Node, Node | null>(node))
      throw refusal(above.line, `Below "${above.text}", end each name with a colon`);
    const known = new Set<string>();
    return node.items.map(({ key, value }) => {
      const line = lineAt(key.range?.[0]);
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== "string") throw refusal(line, "A name must be text: put it in quotes");
      if (known.has(name)) throw refusal(line, `"${above.text}" lists "${name}" twice`);
      known.add(name);
      return [{ text: name, line }, value];
    });
  }

  const rolesIn = (above: Text, node: Node | null, organization?: Text) =>
    below(above, node).map(([role, groups]) => ({ organization, role, groups: groupsOf(role, groups) }));
  const groupsOf = (role: Text, node: Node | null): Group[] =>
    below(role, node).map(([group, details]) => ({
      group,
      ...Object.fromEntries(below(group, details).map(([name, value]) => [name.text, detail(name, value)])),
    }));
  return below({ text: FILE, line: 1 }, document.contents).flatMap(([section, node]) => {
    if (section.text === "tenant") return rolesIn(section, node);
    if (section.text === "organizations")
      return below(section, node).flatMap(([organization, roles]) =>
        rolesIn(organization, roles, organization),
      );
    throw refusal(section.line, `"${section.text}" is neither tenant nor organizations`);
  });
}

/** Returns the value of `until` or `why`. */
function detail({ text: name, line }: Text, node: Node | null): Text {
  const text = isScalar(node) ? node.value : undefined;
  if (name !== "until" && name !== "why") throw refusal(line, `"${name}" is neither until nor why`);
  if (typeof text !== "string") throw refusal(line, `${name} must be text`);
  if (name === "until" && !/^\d{4}-\d\d-\d\d(T.+)?$/.test(text))
    throw refusal(line, "until must be a day, such as 2026-12-31");
  return { text, line };
}

/** Unlike other errors, Pulumi prints it at once, and without a stack. */
export function refusal(line: number, sentence: string): IdentityError {
  return new IdentityError(`${FILE}:${line}: ${sentence.replace(/([^.])$/, "$1.")}`);
}
