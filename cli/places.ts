import { type Place } from "../provider/sentence";
import { percentDecoded } from "./escape";

/* Lines of the program, as the engine tells them and as the repository has them. */

/** Returns the line of a resource: `positions` are those of the engine, the innermost first. */
export type Locate = (positions: readonly string[], urn: string) => Place | undefined;

/** The project and the repository that places in the program belong to, behind all links. */
export interface Workplace {
  /** The project's file, relative to its folder: `Pulumi.yaml`. */
  projectFile: string;
  /** Finds a place; its file is relative to the project's folder. */
  locate: Locate;
  /** The same place within the repository; undefined if it's outside. */
  inRepository: (place: Place) => Place | undefined;
  /** The lines of a file of the project with this name; undefined if it's another one's, or isn't here. */
  linesOf: (file: string, project: string) => readonly string[] | undefined;
}

/** For states and previews of nobody knows which program. */
export const NO_WORKPLACE: Workplace = {
  projectFile: "Pulumi.yaml",
  locate: (positions) => placeOf(positions),
  inRepository: (place) => place,
  linesOf: () => undefined,
};

export function isOfPackage(path: string): boolean {
  return /(^|[\\/])node_modules[\\/]/.test(path);
}

/** The engine encodes the path, relative to the project's folder: `project:///my%20dir/index.ts#9,3`. */
export function parsePosition(position: string): Place | undefined {
  const [, path = "", line] = /^project:\/\/\/(.+)#(\d+)(?:,\d+)?$/.exec(position) ?? [];
  return line === undefined ? undefined : { file: percentDecoded(path), line: Number(line) };
}

/** Returns the innermost place within the project, skipping calls into packages, by its path alone. */
export function placeOf(positions: readonly string[]): Place | undefined {
  return positions
    .flatMap((position) => parsePosition(position) ?? [])
    .find(({ file }) => !file.startsWith("../") && !isOfPackage(file));
}
