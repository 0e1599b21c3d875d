import { type RawInputs } from "../review/raw-inputs";
import { type DataSource } from "./data-source-kind";
import { problemsOf } from "./input-problems";

/** `getUser({ userId: "auth0|x" })`, without the program's secrets. */
export function callText(name: string, args: object, secretArgs: readonly string[]): string {
  const given = Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .map(
      ([arg, value]: [string, unknown]) =>
        `${arg}: ${secretArgs.includes(arg) ? "[secret]" : JSON.stringify(value)}`,
    );
  return given.length === 0 ? `${name}({})` : `${name}({ ${given.join(", ")} })`;
}

/** Describes the arguments of a call that break their rules; undefined if none does. */
export function argumentProblem(
  { name, schema }: Pick<DataSource<object, unknown, unknown>, "name" | "schema">,
  args: RawInputs,
  secretArgs: readonly string[],
): string | undefined {
  const problems = problemsOf(schema, args, secretArgs);
  if (problems.length === 0) return undefined;
  return `${name} was called with invalid arguments. ${problems.join(" ")}`;
}
