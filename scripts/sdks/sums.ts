import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** The SDKs are made from these. */
const SOURCES = ["LICENSE", "schema.json", "scripts/sdks"];

/** As in their .gitignore: building and running a package leaves these. */
const LEFT = /(^|\/)(__pycache__|\.mypy_cache|build|dist|[^/]+\.egg-info)\/|\.pyc$/;

/**
 * The list in sdk/SHA256SUMS, which `sha256sum --check` reads: hashes of the SDKs and of what they are made
 * from. By it a rule knows that they belong together without making them.
 *
 * @param folder Where the SDKs are.
 */
export function sumsOf(folder: string): string {
  const sources = SOURCES.flatMap((path) => filesIn(join(root, path), path));
  const made = ["go", "python"].flatMap((language) => filesIn(join(folder, language), `sdk/${language}`));
  const lines = [...sources, ...made].map(
    ({ file, name }) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${name}\n`,
  );
  return lines.join("");
}

/** A file or the files of a folder, by the names they have in the list. */
function filesIn(place: string, name: string): { file: string; name: string }[] {
  try {
    return readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => ({ file, name: `${name}${file.slice(place.length).replaceAll("\\", "/")}` }))
      .filter((one) => !LEFT.test(one.name))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [{ file: place, name }];
    throw error;
  }
}
