import { type Simulator } from "./types";

type Access = Pick<Simulator, "url" | "clientId" | "clientSecret">;

/** Returns the environment variables that a program needs. */
export function environmentOf({ url, clientId, clientSecret }: Access): Record<string, string> {
  return {
    IDENTITY_DOMAIN: url,
    IDENTITY_CLIENT_ID: clientId,
    IDENTITY_CLIENT_SECRET: clientSecret,
  };
}

/**
 * Returns the text printed once the simulator listens: lines to copy for a person, one line of JSON for a
 * program.
 */
export function announcement(access: Access, isTerminal: boolean): string {
  const { url, clientId, clientSecret } = access;
  if (!isTerminal) return `${JSON.stringify({ url, clientId, clientSecret })}\n`;
  const lines = Object.entries(environmentOf(access)).map(
    ([name, value]) => `export ${name}=${quoted(value)}`,
  );
  return `${url} listens. In another terminal:\n\n${lines.join("\n")}\n\nCtrl-C ends it.\n`;
}

/** Quotes a value for a shell. */
function quoted(value: string): string {
  return /^[\w.:/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
