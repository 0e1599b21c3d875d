import { type Command, InvalidArgumentError, Option } from "commander";
import { isPathId, PATH_ID_RULE } from "../provider/http/call";

/*
 * Parsers of what options are given. `before`: the values of the same option so far, which commander does not
 * type.
 */

/** Of an option that may be repeated: each value once. */
export function addedOnce(value: string, before: unknown): string[] {
  return [...new Set([...(before as string[]), value])];
}

/** An option with a list of values: none by default, which help doesn't say. */
export class ListOption extends Option {}

/** A list with one value for each time that the option is given. */
export function repeatable(flags: string, description: string): ListOption {
  return new ListOption(flags, `${description}; may be repeated`).argParser(addedOnce);
}

/** A list of some of these names, separated by commas. */
export function listOf(flags: string, description: string, allowed: readonly string[]): ListOption {
  return new ListOption(flags, `${description}: ${allowed.join(", ")}`).argParser(addedNames(allowed));
}

export function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of options) {
    command.addOption(option);
    // As a default of the option, help would show it.
    if (option instanceof ListOption) command.setOptionValueWithSource(option.attributeName(), [], "default");
  }
  return command;
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
