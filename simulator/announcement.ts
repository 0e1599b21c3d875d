import { type Simulator } from "./types";

type Access = Pick<Simulator, "url" | "clientId" | "clientSecret">;

/** What a program needs in its environment. */
export function environmentOf({ url, clientId, clientSecret }: Access): Record<string, string> {
  return {
    IDENTITY_DOMAIN: url,
    IDENTITY_CLIENT_ID: clientId,
    IDENTITY_CLIENT_SECRET: clientSecret,
  };
}

/** What is printed when the simulator listens: lines to copy for a person, one line of JSON for a program. */
export function announcement(access: Access, isTerminal: boolean): string {
  const { url, clientId, clientSecret } = access;
  if (!isTerminal) return `${JSON.stringify({ url, clientId, clientSecret })}\n`;
  const lines = Object.entries(environmentOf(access)).map(
    ([name, value]) => `export ${name}=${quoted(value)}`,
  );
  return `${url} listens. In another terminal:\n\n${lines.join("\n")}\n\nCtrl-C ends it.\n`;
}

/** As a word of a shell. */
function quoted(value: string): string {
  return /^[\w.:/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
