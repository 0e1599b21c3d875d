import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { accessCommand } from "../../cli/access/command";
import { adoptCommand } from "../../cli/adopt/command";
import { completionCommand } from "../../cli/completion";
import { doctorCommand } from "../../cli/doctor/command";
import { reviewCommand } from "../../cli/review/command";

/* What a shell offers is what the help shows. */

const root = resolve(__dirname, "../..");
const pulumiIdentity = (...args: string[]) =>
  execFileSync(process.execPath, ["--import", "tsx", join(root, "cli/index.ts"), ...args], {
    cwd: root,
    encoding: "utf8",
  });

const scripts = { bash: "", zsh: "", fish: "" };
beforeAll(() => {
  for (const shell of ["bash", "zsh", "fish"] as const) scripts[shell] = pulumiIdentity("completion", shell);
});

/** What bash offers for the last of some words. */
function offered(...words: string[]): string[] {
  const script = `${scripts.bash}
    COMP_WORDS=(pulumi-identity "$@"); COMP_CWORD=$#
    _pulumi_identity
    printf "%s\\n" "\${COMPREPLY[@]}"`;
  const printed = execFileSync("bash", ["--norc", "-ec", script, "bash", ...words], { encoding: "utf8" });
  return printed.split("\n").filter((word) => word !== "");
}

const commands = [reviewCommand(), adoptCommand(), accessCommand(), doctorCommand(), completionCommand()];
const flagsInHelp = (help: string) =>
  [...help.matchAll(/^ {2}(-\w)?(?:, )?(--[\w-]+)?/gm)].flatMap(([, ...flags]) =>
    flags.filter((flag) => flag !== undefined),
  );

test("bash offers the commands first, and those that fit", () => {
  const names = commands.map((command) => command.name());
  expect(offered("")).toEqual([...names, "help", "-V", "--version", "-h", "--help"]);
  expect(offered("a")).toEqual(["adopt", "access"]);
  expect(offered("--v")).toEqual(["--version"]);
});

test.each(commands.map((command) => [command.name(), command]))(
  "bash offers the options of %s that its help shows, wherever one may stand",
  (name, command) => {
    const flags = flagsInHelp(command.helpInformation());
    expect(flags).toContain("--help");
    expect(offered(name, "-")).toEqual(flags);
    expect(offered(name, "file.json", "--")).toEqual(flags.filter((flag) => flag.startsWith("--")));
    // A value, or a file: the shell offers files where nothing is offered.
    expect(offered(name, "--stack", "")).toEqual([]);
  },
);

test("bash offers the values of an option and of an argument that has some", () => {
  expect(offered("access", "--format", "")).toEqual(["text", "markdown", "csv", "json"]);
  expect(offered("review", "--format", "m")).toEqual(["markdown"]);
  expect(offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(offered("review", "")).toEqual([]);
  expect(offered("nothing", "-")).toEqual([]);
});

test("bash completes the command by its name, with files where nothing else may stand", () => {
  const registered = execFileSync("bash", ["--norc", "-ec", `${scripts.bash}\ncomplete -p pulumi-identity`], {
    encoding: "utf8",
  });
  expect(registered).toBe("complete -o default -F _pulumi_identity pulumi-identity\n");
});

test("zsh takes the functions of bash", () => {
  expect(scripts.zsh.endsWith(scripts.bash)).toBe(true);
  expect(scripts.zsh.slice(0, -scripts.bash.length)).toBe(
    "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\nautoload -Uz bashcompinit && bashcompinit\n",
  );
});

test("fish is given each command and each option with what the help says of it", () => {
  for (const command of commands) {
    const name = command.name();
    expect(scripts.fish).toContain(`-n '__fish_use_subcommand' -f -a ${name} -d '`);
    const lines = scripts.fish.split("\n").filter((line) => line.includes(`_from ${name}'`));
    const flags = flagsInHelp(command.helpInformation()).filter((flag) => flag.startsWith("--"));
    expect(lines.flatMap((line) => / -l ([\w-]+)/.exec(line)?.[1] ?? []).map((long) => `--${long}`)).toEqual(
      flags,
    );
  }
  expect(scripts.fish).toContain("-l format -x -a 'text markdown csv json' -d");
  expect(scripts.fish).toContain("_from completion' -f -a 'bash zsh fish' -d ''");
  expect(scripts.fish).toContain("-l output -r -d 'where to write the review; default: standard output'");
  expect(scripts.fish).toContain("who loses it, what can\\'t be undone.'");
});

test("a shell that has no script is wrong usage, and so is none", () => {
  for (const args of [["tcsh"], []]) {
    const command = completionCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    new Command("pulumi-identity").addCommand(command);
    expect(() => command.parse(args, { from: "user" })).toThrow(/tcsh|missing required argument/);
  }
});
