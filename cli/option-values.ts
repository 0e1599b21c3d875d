import { InvalidArgumentError, Option } from "commander";
import { isPathId, PATH_ID_RULE } from "../provider/http/call";

/*
 * Parsers of what options are given. `before`: the values of the same option so far, which commander does not
 * type.
 */

/** Of an option that may be repeated: each value once. */
export function addedOnce(value: string, before: unknown): string[] {
  return [...new Set([...(before as string[]), value])];
}

/** An option that may be repeated. `absent`: what the help says it is without it. */
export function repeatable(flags: string, description: string, absent = "none"): Option {
  return new Option(flags, description).argParser(addedOnce).default([], absent);
}

/** Of an option that takes some of these names, parted by commas, and may be repeated. */
export function addedNames<Name extends string>(
  allowed: readonly Name[],
): (text: string, before: unknown) => Name[] {
  return (text, before) => {
    const names = text.split(",").map((name) => name.trim());
    const wrong = names.find((name) => !(allowed as readonly string[]).includes(name));
    if (wrong !== undefined)
      throw new InvalidArgumentError(`${JSON.stringify(wrong)} is none of ${allowed.join(", ")}.`);
    return [...new Set([...(before as Name[]), ...(names as Name[])])];
  };
}

export function userId(id: string): string {
  if (!isPathId(id)) throw new InvalidArgumentError(`It ${PATH_ID_RULE}.`);
  return id;
}
