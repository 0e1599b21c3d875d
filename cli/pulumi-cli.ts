import { execFile, type ExecFileException } from "node:child_process";
import { promisify } from "node:util";
import { type Border } from "../provider/border";

/** Why the Pulumi CLI gave no answer, and what to do about it: each a sentence. */
export interface Unanswered {
  unread: string;
  cause: "no pulumi" | "no project" | "no stack" | "other";
  advice: string;
}

const LONGEST_CALL_MS = 60_000;
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024;

export interface StackOfProgram {
  /** Default: the selected one. */
  stack?: string | undefined;
  /** Where the program is: the folder of its Pulumi.yaml, or one below. */
  folder: string;
  environment: NodeJS.ProcessEnv;
}

/** Runs the `pulumi` on the PATH without a shell, and without anybody to answer its questions. */
export async function runPulumi(
  args: readonly string[],
  { stack, folder, environment }: StackOfProgram,
  border: Border,
  longestMs = LONGEST_CALL_MS,
): Promise<{ output: string } | Unanswered> {
  const ofStack = stack === undefined ? [] : ["--stack", stack];
  const running = promisify(execFile)("pulumi", [...args, ...ofStack, "--cwd", folder, "--non-interactive"], {
    env: environment,
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

function unanswered(
  command: string,
  { code, killed, stdout = "", stderr }: ExecFileException,
  border: Border,
  longestMs: number,
): Unanswered {
  if (code === "ENOENT") {
    return {
      cause: "no pulumi",
      unread: "There is no `pulumi` on the PATH.",
      advice: "Install the Pulumi CLI (https://www.pulumi.com/docs/install/), or add its folder to the PATH.",
    };
  }
  if (killed === true) {
    return {
      cause: "other",
      unread: `\`pulumi ${command}\` was ended after ${longestMs / 1000} s without an answer.`,
      advice: "Run it by hand: the state backend may not be reachable.",
    };
  }
  // Notes on newer versions and the like stand on other lines.
  const lines = (stderr || stdout).split("\n").filter((line) => line.trim() !== "");
  const errors = lines.filter((line) => line.startsWith("error: "));
  const said = border.quote((errors.length > 0 ? errors : lines).join(" ").replaceAll("error: ", ""));
  const what = typeof code === "number" ? `exited with ${code}` : `failed (${code})`;
  return {
    ...explanationOf(said, command),
    unread: `\`pulumi ${command}\` ${what}${said && `: ${said}`}`.replace(/[^.?!]$/, "$&."),
  };
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
