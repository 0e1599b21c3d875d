import { Argument, Command, type Option } from "commander";
import { helpText } from "./terminal";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** Scripts are printed for the command that they are asked of: what it knows is what they complete. */
export function completionCommand(): Command {
  return new Command("completion")
    .description("Prints a script that completes commands, options and their values in a shell.")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .addHelpText(
      "after",
      helpText(
        'Example:\n  eval "$(pulumi-identity completion bash)"',
        "A shell completes by the name of the command: it takes `pulumi-identity` on the PATH, and does nothing behind npx.",
        "Exit codes: 0 fine, 2 wrong usage.",
      ),
    )
    .action((shell: (typeof SHELLS)[number], _options, { parent }: Command) => {
      if (parent !== null) process.stdout.write(shell === "fish" ? fish(parent) : bash(parent, shell));
    });
}

const commandsOf = (program: Command) => [...program.createHelp().visibleCommands(program)];
const visibleOptions = (command: Command) => [...command.createHelp().visibleOptions(command)];
const flagsOf = (command: Command) =>
  visibleOptions(command).flatMap(({ short, long }) => [short ?? [], long ?? []].flat());

/** What stands behind the name of a command, where only some words may. */
const wordsOf = ({ registeredArguments: [first] }: Command) => first?.argChoices ?? [];

/** It takes the functions of bash. */
const ZSH = `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
autoload -Uz bashcompinit && bashcompinit
`;

function bash(program: Command, shell: "bash" | "zsh"): string {
  const name = program.name();
  const offer = (pattern: string, list: readonly string[]) =>
    list.length === 0 ? "" : `    ${pattern}) offered="${list.join(" ")}" ;;\n`;
  const cases = commandsOf(program).flatMap((command) => [
    ...visibleOptions(command)
      .filter(({ argChoices }) => argChoices !== undefined)
      .map(({ long, argChoices = [] }) => offer(`"${command.name()} ${long} "*`, argChoices)),
    offer(`"${command.name()} "*" -"*`, flagsOf(command)),
    offer(`"${command.name()} ${command.name()} "*`, wordsOf(command)),
  ]);
  const first = [...commandsOf(program).map((command) => command.name()), ...flagsOf(program)];
  return `${shell === "zsh" ? ZSH : ""}\
_pulumi_identity() {
  local now="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" offered=""
  # The command, the word before and the word itself.
  case "\${COMP_WORDS[1]} $before $now" in
${cases.join("")}  esac
  if [ "$COMP_CWORD" = 1 ]; then offered="${first.join(" ")}"; fi
  COMPREPLY=($(compgen -W "$offered" -- "$now")) || true
}
# Files, where nothing else may stand.
complete -o default -F _pulumi_identity ${name}
`;
}

function fish(program: Command): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const line = (condition: string, rest: string, description: string) =>
    `complete -c ${program.name()} -n ${quoted(condition)} ${rest} -d ${quoted(description)}\n`;
  const option = (condition: string, { short, long, required, argChoices, description }: Option) => {
    const names = [short && `-s ${short.slice(1)}`, long && `-l ${long.slice(2)}`].filter(Boolean).join(" ");
    const value =
      argChoices === undefined ? (required ? " -r" : "") : ` -x -a ${quoted(argChoices.join(" "))}`;
    return line(condition, names + value, description);
  };
  const commands = commandsOf(program).flatMap((command) => {
    const inside = `__fish_seen_subcommand_from ${command.name()}`;
    const words = wordsOf(command);
    return [
      line("__fish_use_subcommand", `-f -a ${command.name()}`, command.description()),
      ...visibleOptions(command).map((one) => option(inside, one)),
      ...(words.length === 0 ? [] : [line(inside, `-f -a ${quoted(words.join(" "))}`, "")]),
    ];
  });
  return [...visibleOptions(program).map((one) => option("__fish_use_subcommand", one)), ...commands].join(
    "",
  );
}
