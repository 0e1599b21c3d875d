import * as estree from "prettier/plugins/estree";
import * as typescript from "prettier/plugins/typescript";
import { format } from "prettier/standalone";

/** A program as Prettier formats it by default. Its main entry loads ES modules, which Jest can't. */
export function formatted(program: string): Promise<string> {
  return format(program, { parser: "typescript", plugins: [estree, typescript] });
}
