import { type ChildProcess, execFile, type ExecFileException, spawn } from "node:child_process";
import { promisify } from "node:util";
import { type Border } from "../provider/border";
import { shellEnvironment } from "./shell-path";
import { Progress } from "./terminal";

/** The reason why the Pulumi CLI gave no answer, and the advice: each a sentence. */
export interface Unanswered {
  unread: string;
  cause: "no pulumi" | "no project" | "no stack" | "other";
  advice: string;
}

const NEWLINE = 10;
const LONGEST_CALL_MS = 60_000;
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024;

export interface StackOfProgram {
  /** Default: the selected stack. */
  stack?: string | undefined;
  /** The program's place: the folder of its Pulumi.yaml, or one below. */
  folder: string;
  environment: NodeJS.ProcessEnv;
}

/** Runs the `pulumi` on the PATH without a shell, and without anybody to answer prompts. */
export async function runPulumi(
  args: readonly string[],
  program: StackOfProgram,
  border: Border,
  longestMs = LONGEST_CALL_MS,
): Promise<{ output: string } | Unanswered> {
  const running = promisify(execFile)("pulumi", [...args, ...optionsFor(program)], {
    env: shellEnvironment(program.environment),
    timeout: longestMs,
    killSignal: "SIGKILL",
    maxBuffer: LONGEST_ANSWER_BYTES,
  });
  running.child.stdin?.end();
  try {
    return { output: (await running).stdout };
  } catch (error) {
    return unanswered(args[0] ?? "", error as ExecFileException, border, longestMs);
  }
}

function optionsFor({ stack, folder }: StackOfProgram): string[] {
  return [...(stack === undefined ? [] : ["--stack", stack]), "--cwd", folder, "--non-interactive"];
}

export interface Collected {
  output: string;
  /** The exit code, or the signal that killed it. */
  ended: number | NodeJS.Signals;
  /** The end of standard error. */
  stderr: string;
}

const LONGEST_STDERR = 64 * 1024;

/** Runs it without a time limit. Collects standard output, and passes standard error on. */
export function collectFromPulumi(
  args: readonly string[],
  program: StackOfProgram,
): Promise<Collected | Unanswered> {
  const progress = new Progress(process.stderr);
  const running = `Running pulumi ${args[0] ?? ""} …`;
  progress.show(running);
  const child = spawn("pulumi", [...args, ...optionsFor(program)], {
    env: shellEnvironment(program.environment),
    stdio: ["ignore", "pipe", "pipe"],
    // A terminal signals the whole process group, so Pulumi would get each signal twice.
    detached: process.platform !== "win32",
  });
  const output: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    progress.clear();
    process.stderr.write(chunk);
    stderr = (stderr + chunk.toString()).slice(-LONGEST_STDERR);
    // Pulumi goes on with a line that it hasn't ended.
    if (chunk.at(-1) === NEWLINE) progress.show(running);
  });
  const endBySignal = cancelFirst(child);
  return new Promise((resolve) => {
    const end = (outcome: Parameters<typeof resolve>[0]) => {
      progress.clear();
      if (!endBySignal()) resolve(outcome);
    };
    child.once("error", ({ code = "" }: NodeJS.ErrnoException) => end(notStarted(code)));
    child.once("close", (code, signal) =>
      end({ output: Buffer.concat(output).toString(), ended: code ?? signal ?? 1, stderr }),
    );
    // Plugins of a killed engine may live on, and keep the pipes open.
    child.once("exit", (code, signal) => {
      if (code === null) end({ output: "", ended: signal ?? 1, stderr });
    });
  });
}

/**
 * Forwards a first signal to Pulumi, so that it can end its plugins: a SIGHUP would leave them. A second one
 * kills it. The returned function ends this process by the signal, if there was one.
 */
function cancelFirst(child: ChildProcess): () => boolean {
  let first: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    child.kill(first === undefined ? "SIGINT" : "SIGKILL");
    first ??= signal;
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  return () => {
    for (const signal of signals) process.off(signal, interrupt);
    return first !== undefined && process.kill(process.pid, first);
  };
}

function notStarted(code: string): Unanswered {
  const advice =
    "Install the Pulumi CLI (https://www.pulumi.com/docs/install/), or add its folder to the PATH.";
  if (code === "ENOENT") return { cause: "no pulumi", unread: "There is no `pulumi` on the PATH.", advice };
  return { cause: "other", unread: `The \`pulumi\` on the PATH could not be started (${code}).`, advice };
}

function unanswered(
  command: string,
  { code, signal, killed, stderr = "" }: ExecFileException,
  border: Border,
  longestMs: number,
): Unanswered {
  if (code === "ENOENT") return notStarted(code);
  if (killed === true) {
    return {
      cause: "other",
      unread: `\`pulumi ${command}\` was ended after ${longestMs / 1000} s without an answer.`,
      advice: "Run it by hand: the state backend may not be reachable.",
    };
  }
  // Notices about newer versions and the like are on other lines. Standard output may have secrets.
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const errors = lines.filter((line) => line.startsWith("error: "));
  const said = border.quote((errors.length > 0 ? errors : lines).join(" ").replaceAll("error: ", ""));
  const what = typeof code === "number" ? `exited with ${code}` : `failed (${code ?? signal})`;
  return {
    ...explanationOf(said, command),
    unread: `\`pulumi ${command}\` ${what}${said && `: ${said}`}`.replace(/[^.?!]$/, "$&."),
  };
}

/** Why Pulumi failed, in its own words, and what to do; undefined if it printed no error of its own. */
export function causeIn(stderr: string, command: string, border: Border): string | undefined {
  const errors = stderr.split("\n").filter((line) => line.startsWith("error: "));
  const said = border.quote(errors.join(" ").replaceAll("error: ", ""));
  if (said === "") return undefined;
  return `${said.replace(/[^.?!]$/, "$&.")} ${explanationOf(said, command).advice}`;
}

function explanationOf(said: string, command: string): Pick<Unanswered, "cause" | "advice"> {
  if (/no Pulumi\.yaml/.test(said))
    return { cause: "no project", advice: "Run this in the folder of the program's Pulumi.yaml." };
  if (/no stack selected/.test(said))
    return {
      cause: "no stack",
      advice:
        "Run `pulumi stack init NAME` or, if it exists, `pulumi stack select NAME`; or add --stack NAME.",
    };
  if (/no stack named/.test(said))
    return { cause: "no stack", advice: "Name one that `pulumi stack ls` lists." };
  const advice = /passphrase/.test(said)
    ? "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase of the stack."
    : /PULUMI_ACCESS_TOKEN|pulumi login/.test(said)
      ? "Run `pulumi login`, or set PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL."
      : `Run \`pulumi ${command}\` by hand in this folder.`;
  return { cause: "other", advice };
}
