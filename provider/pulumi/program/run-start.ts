import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isInline, ProgramMemory } from "./program-run";

/*
 * `pulumi up` runs a program twice, for its preview and for the update, which somebody may confirm much later. What the preview
 * has shown holds for the update, too: the moment of both is the start of the command. It has started the language host, which
 * has started this process.
 */

const MOMENT = new ProgramMemory("moment/1", () => ({ moment: startOfCommand() ?? Date.now() }));

/** When the run began of which this program is a part: the same for each copy of this package. */
export function momentOfProgram(): number {
  return MOMENT.recall()?.moment ?? Date.now();
}

/** Undefined where it can't be known. */
function startOfCommand(): number | undefined {
  if (isInline() || process.env["PULUMI_NODEJS_ENGINE"] === undefined) return undefined;
  const ask = process.platform === "linux" ? askLinux : process.platform === "darwin" ? askMac : undefined;
  try {
    const { name, start } = ask?.(process.ppid) ?? {};
    // Others that run a program may live for days.
    const isCommand = name !== undefined && /(^|\/)pulumi$/.test(name);
    return isCommand && start !== undefined && start <= Date.now() ? start : undefined;
  } catch {
    return undefined;
  }
}

interface Process {
  name: string;
  start: number;
}

/** Linux counts in hundredths of a second since its own start. */
const TICK_MS = 10;

/** The parent of a process. */
function askLinux(child: number): Process {
  const command = statOf(Number(statOf(child).fields[1]));
  const [, boot] = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8")) ?? [];
  return { name: command.name, start: Number(boot) * 1000 + Number(command.fields[19]) * TICK_MS };
}

/** The fields behind the name, which may hold spaces and brackets itself: the state, the parent and so on. */
function statOf(process: number): { name: string; fields: string[] } {
  const text = readFileSync(`/proc/${process}/stat`, "utf8");
  const end = text.lastIndexOf(")");
  return { name: text.slice(text.indexOf("(") + 1, end), fields: text.slice(end + 2).split(" ") };
}

function askMac(child: number): Process {
  const ask = (what: string, process: number) =>
    execFileSync("/bin/ps", ["-o", `${what}=`, "-p", String(process)], {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const command = Number(ask("ppid", child));
  return { name: ask("comm", command), start: Date.parse(`${ask("lstart", command)} UTC`) };
}
