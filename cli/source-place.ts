import { type Place } from "../provider/pulumi/sentence";

export type Fields = Readonly<Record<string, unknown>>;

/** Where a resource was declared, the innermost place first; what is in another form is left out. */
export function sourcePositionsOf({ stackTrace, sourcePosition }: Fields): string[] {
  const frames: unknown[] = Array.isArray(stackTrace) ? stackTrace : [];
  const positions = frames.map((frame) =>
    typeof frame === "object" && frame !== null && "sourcePosition" in frame
      ? frame.sourcePosition
      : undefined,
  );
  return [...positions, sourcePosition].filter((position) => typeof position === "string");
}

/** The innermost place within the project: calls into packages are of no interest. */
export function placeOf(sourcePositions: readonly string[]): Place | undefined {
  const positions = sourcePositions.map((position) => /^project:\/\/\/(.+)#(\d+)(?:,\d+)?$/.exec(position));
  const own = positions.find(
    (match) => match !== null && !/^\.\.\/|(^|\/)node_modules\//.test(match[1] ?? ""),
  );
  return own === null || own === undefined ? undefined : { file: own[1] ?? "", line: Number(own[2]) };
}
