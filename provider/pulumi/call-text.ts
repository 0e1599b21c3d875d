/** `getUser({ userId: "auth0|x" })`, with what the program keeps secret left out. */
export function callText(name: string, args: object, secretArgs: readonly string[]): string {
  const given = Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .map(
      ([arg, value]: [string, unknown]) =>
        `${arg}: ${secretArgs.includes(arg) ? "[secret]" : JSON.stringify(value)}`,
    );
  return given.length === 0 ? `${name}({})` : `${name}({ ${given.join(", ")} })`;
}
