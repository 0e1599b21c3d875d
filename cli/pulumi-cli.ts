import { execFile } from "node:child_process";
import { type Border } from "../provider/border";

/** Why the Pulumi CLI gave no answer, and what to do about it: each a sentence. */
export interface Unanswered {
  unread: string;
  cause: "no pulumi" | "no project" | "no stack" | "other";
  advice: string;
}

export const LONGEST_CALL_MS = 60_000;
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024;

/** The Pulumi CLI on the PATH, asked about the program of a folder. */
export class PulumiCli {
  constructor(
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly border: Border,
    private readonly longestMs = LONGEST_CALL_MS,
  ) {}

  /** Runs it without a shell, and without anybody to answer its questions. */
  run(...args: readonly string[]): Promise<{ output: string } | Unanswered> {
    return new Promise((resolve) => {
      const child = execFile(
        "pulumi",
        [...args, "--cwd", this.folder, "--non-interactive"],
        {
          env: this.environment,
          timeout: this.longestMs,
          killSignal: "SIGKILL",
          maxBuffer: LONGEST_ANSWER_BYTES,
        },
        (error, stdout, stderr) =>
          resolve(
            error === null ? { output: stdout } : this.#explain(args[0] ?? "", error, stderr || stdout),
          ),
      );
      child.stdin?.end();
    });
  }

  #explain(
    command: string,
    error: { code?: string | number | null; killed?: boolean },
    printed: string,
  ): Unanswered {
    if (error.code === "ENOENT") {
      return {
        cause: "no pulumi",
        unread: "There is no `pulumi` on the PATH.",
        advice:
          "Install the Pulumi CLI (https://www.pulumi.com/docs/install/), or add its folder to the PATH.",
      };
    }
    if (error.killed === true) {
      return {
        cause: "other",
        unread: `\`pulumi ${command}\` was ended after ${this.longestMs / 1000} s without an answer.`,
        advice: "Run it by hand: the state backend may not be reachable.",
      };
    }
    // Notes on newer versions and the like stand on other lines.
    const lines = printed.split("\n").filter((line) => line.trim() !== "");
    const errors = lines.filter((line) => line.startsWith("error: "));
    const said = this.border.quote((errors.length > 0 ? errors : lines).join(" ").replaceAll("error: ", ""));
    const what = typeof error.code === "number" ? `exited with ${error.code}` : `failed (${error.code})`;
    return {
      ...explanationOf(said, command),
      unread: `\`pulumi ${command}\` ${what}${said && `: ${said}`}`.replace(/[^.?!]$/, "$&."),
    };
  }
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
