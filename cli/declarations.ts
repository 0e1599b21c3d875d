import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Place } from "../provider/sentence";

/** A language whose host tells the engine no lines, and what declares a resource in its sources. */
interface Language {
  /** In the program's folder. */
  folders: readonly string[];
  /** Also in the folders below. */
  isDeep: boolean;
  ending: string;
  /** Its groups are the kind of resource and the name. */
  declaration: RegExp;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  hcl: {
    folders: ["."],
    isDeep: false,
    ending: ".tf",
    declaration: /^[ \t]*resource[ \t]+"?identity_(\w+)"?[ \t]+"?([\w-]+)"?/gm,
  },
  java: {
    folders: ["src", "app/src"],
    isDeep: true,
    ending: ".java",
    declaration: /\bnew\s+(?:[\w.]+\.)?(\w+)\s*\(\s*"([^"\\\n]+)"/g,
  },
};

/** Where a program declares its resources, by its sources' text. */
export class Declarations {
  readonly #places = new Map<string, Place[]>();

  constructor(runtime: string, folder: string) {
    const language = LANGUAGES[runtime];
    if (language === undefined) return;
    for (const file of filesOf(language, folder)) this.#read(file, language.declaration);
  }

  /** Returns the one place that declares a resource; undefined if there is none, or more than one. */
  find(type: string, name: string): Place | undefined {
    // HCL's count and for_each make `team["a"]` of `team`.
    const keys = [name, name.replace(/\[.*\]$/s, "")].map((one) => keyOf(type, one));
    const [place, other] = keys.map((key) => this.#places.get(key)).find((found) => found) ?? [];
    return other === undefined ? place : undefined;
  }

  #read(file: string, declaration: RegExp): void {
    const text = readFileSync(file, "utf8");
    for (const { 1: kind = "", 2: name = "", index } of text.matchAll(declaration)) {
      const key = keyOf(kind, name);
      const line = text.slice(0, index).split("\n").length;
      this.#places.set(key, [...(this.#places.get(key) ?? []), { file, line }]);
    }
  }
}

/** `identity:index:RoleGroupAssignment`, `RoleGroupAssignment` and `role_group_assignment` are one. */
function keyOf(type: string, name: string): string {
  const kind = type.slice(type.lastIndexOf(":") + 1);
  return `${kind.replaceAll("_", "").toLowerCase()} ${name}`;
}

function filesOf({ folders, isDeep, ending }: Language, root: string): string[] {
  return folders.flatMap((folder) => {
    const path = join(root, folder);
    try {
      const names = readdirSync(path, { recursive: isDeep, encoding: "utf8" });
      return names.filter((name) => name.endsWith(ending)).map((name) => join(path, name));
    } catch {
      return [];
    }
  });
}
