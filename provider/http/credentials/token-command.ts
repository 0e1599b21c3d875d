import { type ChildProcessByStdio, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { type Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { type Border } from "../../border";
import { ConfigurationError } from "../errors";
import { unlessAborted } from "../retry";
import { parseJson } from "../shape";
import { HEADER_TEXT } from "./credentials";

const LONGEST_RUN_MS = 30_000;
/** No token comes near this. */
const MOST_PRINTED = 16 * 1024;
/** Shorter words, such as `read`, stand in many an error. */
const SHORTEST_VALUE = 8;
/** What is kept of the errors that a command prints: its last line is quoted. */
const MOST_ERRORS = 4 * 1024;
/** A process that the command leaves behind may keep its output open for ever. */
const GRACE_MS = 500;
/** Longer, it may be a token that was pasted by mistake. */
const LONGEST_COMMAND_NAME = 40;

/** The words of a command: a JSON list of them, or words between blanks. A problem is the broken rule. */
export function parseCommand(text: string): { command: readonly string[] } | { problem: string } {
  const words = text.trim().startsWith("[") ? jsonList(text) : text.trim().split(/\s+/);
  const sample = 'such as ["vault", "read", "-field=token", "secret/tenant"]';
  if (words === undefined) return { problem: `begins as a JSON list, but is no list of texts, ${sample}` };
  const [name = ""] = words;
  if (name.trim() === "") return { problem: `names no command: it must be a list of words, ${sample}` };
  if (words.some((word) => word.includes("\0")))
    return { problem: "holds a character that no command takes" };
  if (name.startsWith("~"))
    return { problem: 'begins with "~", which is not expanded: give the absolute path' };
  if (/[\\/]/.test(name) && !isAbsolute(name)) {
    return {
      problem:
        "must begin with the name of a command on the PATH, or with an absolute path: a program can run in any folder",
    };
  }
  return { command: words };
}

function jsonList(text: string): string[] | undefined {
  const words = parseJson(text);
  return Array.isArray(words) && words.every((word) => typeof word === "string") ? words : undefined;
}

interface TokenCommandOptions {
  setting: string;
  border: Border;
  /** Ends the command; rejects with its reason. */
  cancelled?: AbortSignal | undefined;
  /** Milliseconds until the command is ended. Default: 30 s. */
  longestMs?: number;
}

/**
 * Runs a command, without a shell, and takes what it prints for a token, which the border learns. Throws a
 * `ConfigurationError` with how the command ended and the last line of its errors. What it printed is never
 * shown.
 */
export async function tokenFromCommand(
  command: readonly string[],
  { setting, border, cancelled, longestMs = LONGEST_RUN_MS }: TokenCommandOptions,
): Promise<string> {
  const { end, printed, lastError } = await run(command, longestMs, cancelled);
  const token = printed.trim();
  if (end === DONE && isToken(token)) {
    border.secrets.renew(token);
    return token;
  }
  // A command that traces itself repeats what it prints; one that complains, what it was given.
  const values = secretWords(command).filter(({ length }) => length <= lastError.length);
  const said = border.quote(border.clean(lastError, [token, ...token.split(/\s+/), ...values]));
  const problem = end === DONE ? printedProblem(token) : `${end}${said === "" ? "" : `: ${said}`}`;
  throw new ConfigurationError(`${setting}: ${commandName(command)} ${problem}.${hint(command)}`);
}

/** What may be secret in a command: its words and what they set, but for option names and short texts. */
function secretWords([, ...words]: readonly string[]): string[] {
  const values = words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]);
  return values.filter((value) => value.length >= SHORTEST_VALUE && !value.startsWith("-"));
}

function isToken(text: string): boolean {
  return HEADER_TEXT.test(text) && !/^[[{"]/.test(text);
}

function printedProblem(printed: string): string {
  if (printed === "") return "printed nothing: it must print the token";
  return "did not print a token: it must print one token, without quotes or JSON, and nothing else";
}

function commandName([name = ""]: readonly string[]): string {
  return isShown(name) ? `the command ${JSON.stringify(name)}` : "the command";
}

/** Whether the first word of a command may be shown. */
export function isShown(name: string): boolean {
  return name.length <= LONGEST_COMMAND_NAME || isAbsolute(name);
}

function hint(command: readonly string[]): string {
  if (!command.some((word) => /^["'`|&;<>]|^\$[({\w]/.test(word))) return "";
  return " It runs without a shell, so that quotes, $ and | stand for themselves: put them into a script.";
}

const DONE = "ended with code 0";
const TOO_MUCH = `printed more than ${MOST_PRINTED / 1024} KiB`;

interface Ended {
  /** What the command did, as the predicate of a sentence. */
  end: string;
  printed: string;
  /** Empty when nothing was said, or too much to tell where the line begins. */
  lastError: string;
}

async function run(
  [name = "", ...args]: readonly string[],
  longestMs: number,
  cancelled: AbortSignal | undefined,
): Promise<Ended> {
  cancelled?.throwIfAborted();
  let child: Running;
  try {
    // In a process group of its own, whose members can be ended together.
    child = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"], detached: true, windowsHide: true });
  } catch (error) {
    return { end: whyNotStarted(name, error), printed: "", lastError: "" };
  }
  const output = { printed: "", errors: "" };
  try {
    const ends = [
      tooMuch(child, output),
      exitOf(child, name),
      setTimeout(longestMs, `gave no token within ${longestMs / 1000} s, and was ended`, { ref: false }),
    ];
    const end = await unlessAborted(Promise.race(ends), cancelled);
    // Nobody knows what that is: none of it is looked at, nor what the errors repeat of it.
    if (output.printed.length > MOST_PRINTED) return { end: TOO_MUCH, printed: "", lastError: "" };
    return { end, printed: output.printed, lastError: lastLine(output.errors) };
  } finally {
    kill(child);
  }
}

type Running = ChildProcessByStdio<null, Readable, Readable>;

/** Collects what a command prints; settles when that is too much for a token. */
function tooMuch(child: Running, output: { printed: string; errors: string }): Promise<string> {
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.errors = (output.errors + text).slice(-MOST_ERRORS);
  });
  return new Promise((resolve) =>
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.printed = (output.printed + text).slice(0, MOST_PRINTED + 1);
      if (output.printed.length > MOST_PRINTED) resolve(TOO_MUCH);
    }),
  );
}

function exitOf(child: Running, name: string): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(whyNotStarted(name, error)));
    child.once("exit", (code, signal) => {
      const end = code === 0 ? DONE : signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
      child.once("close", () => resolve(end));
      void setTimeout(GRACE_MS, end, { ref: false }).then(resolve);
    });
  });
}

function kill(child: Running): void {
  child.stdout.destroy();
  child.stderr.destroy();
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

function whyNotStarted(name: string, error: unknown): string {
  const { code = "no reason given" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return isAbsolute(name) ? "does not exist" : "was not found on the PATH";
  if (code === "EACCES") return "may not be run by the user who runs this";
  return `could not be started (${code})`;
}

function lastLine(errors: string): string {
  const lines = errors.trimEnd().split(/[\r\n]+/);
  // The beginning of the first line may be cut off, and with it that of a secret.
  return lines.length === 1 && errors.length === MOST_ERRORS ? "" : (lines.at(-1) ?? "");
}
