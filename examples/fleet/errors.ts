/** An error among Pulumi's diagnostics, which may go on in lines that are indented as far. */
const PULUMI_ERROR = /^ *error: (.+(?:\n(?!\s*$|\s*error: |\S| {1,2}\S).+)*)/gm;

/** What the Automation API puts before the output. */
const FIRST_LINE = /^ stderr: (.+)$/m;

/** What to tell of an error on a terminal. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  const { code, address, port } = error as { code?: string; address?: string; port?: number };
  if (message.includes("spawn pulumi ENOENT"))
    return "The Pulumi CLI is not on the PATH: https://www.pulumi.com/docs/install/";
  if (message.includes("client password must be a string"))
    return "Set PGPASSWORD: the database asks for a password.";
  if (code === "ENOTFOUND") return `The host of PULUMI_BACKEND_URL is not known: ${message}`;
  if (code === "ECONNREFUSED")
    return `No database answers at ${address}:${port}, which PULUMI_BACKEND_URL names.`;
  return pulumiErrors(message) || FIRST_LINE.exec(message)?.[1] || message || (code ?? error.name);
}

/** An error of the Automation API holds all that Pulumi has printed. */
function pulumiErrors(output: string): string {
  const found = [...output.matchAll(PULUMI_ERROR)].map(([, text = ""]) =>
    text.replace(/\s*\n\s*/g, " ").trim(),
  );
  // The stack fails because a resource has.
  const causes = found.filter((text) => text !== "update failed");
  return [...new Set(causes.length > 0 ? causes : found)].join(" ");
}
