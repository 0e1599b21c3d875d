import { Option } from "commander";

export interface AdoptOptions {
  out?: string;
  force?: true;
  role: string[];
  allRoles?: true;
  only?: string;
  unmanaged?: true;
  state: string[];
  stack?: string;
}

export const ADOPT_OPTIONS: readonly Option[] = [
  new Option("--out <file>", "where to write the program; default: standard output"),
  new Option("--force", "write the file even if it is there already"),
  new Option("--role <id>", "also the groups of this role; may be repeated")
    .argParser(added)
    .default([], "none"),
  new Option("--all-roles", "also the groups of every role that has any"),
  new Option("--only <pattern>", "only profiles of matching names: * any characters, ? one"),
  new Option("--unmanaged", "only what no state given by --state knows"),
  new Option("--state <file>", "output of `pulumi stack export`, - for standard input; may be repeated")
    .argParser(added)
    .default([], "none"),
  new Option("--stack <name>", "whose configuration names the tenant; default: the selected stack"),
];

function added(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
