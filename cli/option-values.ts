import { type Command, InvalidArgumentError, Option } from "commander";
import { isPathId, PATH_ID_RULE } from "../provider/http/call";

/*
 * Parsers for option values. `before`: earlier values of the same option, which commander doesn't type.
 */

/** For an option that may be repeated: keeps each value once. */
export function addedOnce(value: string, before: unknown): string[] {
  return [...new Set([...(before as string[]), value])];
}

/** An option with a list of values. The default is none, and help doesn't print that. */
export class ListOption extends Option {}

/** Returns an option that adds a value to a list each time it's given. */
export function repeatable(flags: string, description: string): ListOption {
  return new ListOption(flags, `${description}; may be repeated`).argParser(addedOnce);
}

/** Returns an option with a list of these names, separated by commas. */
export function listOf(flags: string, description: string, allowed: readonly string[]): ListOption {
  return new ListOption(flags, `${description}: ${allowed.join(", ")}`).argParser(addedNames(allowed));
}

/** The stack of a command that asks one tenant. */
export function tenantStack(): Option {
  return new Option(
    "--stack <name>",
    "stack whose configuration names the tenant; default: the selected one",
  );
}

export function exportedStates(): ListOption {
  return repeatable("--state <file>", "output of `pulumi stack export`; - for standard input");
}

export function outputFile(): Option {
  return new Option("--output <file>", "file to write; default: standard output");
}

export function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of options) {
    command.addOption(option);
    // Not as the option's own default, because help would print that.
    if (option instanceof ListOption) command.setOptionValueWithSource(option.attributeName(), [], "default");
  }
  return command;
}

/** For an option that takes some of these names, separated by commas, and may be repeated. */
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
