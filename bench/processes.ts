import { readdirSync, readFileSync } from "node:fs";

/** Resources used by a command's processes, according to Linux; 0 elsewhere. */
export interface Use {
  /** Seconds of processor time of the provider hosts, the program, and Pulumi itself. */
  processorSeconds: Record<Role, number>;
  /** Peak memory of a provider host. */
  hostMegabytes: number;
}

type Role = "host" | "program" | "pulumi";

const EVERY_MS = 50;
/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

/**
 * Watches the processes with this home folder until `end` is called; misses the last moments of a process.
 */
export function watchProcesses(home: string): { end(): Use } {
  const seen = new Map<string, { role: Role; seconds: number; megabytes: number }>();
  const others = new Set<string>();
  const look = () => {
    for (const pid of process.platform === "linux" ? readdirSync("/proc") : []) {
      if (!/^\d+$/.test(pid) || others.has(pid)) continue;
      const of = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
      try {
        const commandLine = of("cmdline");
        if (!seen.has(pid) && !of("environ").includes(home)) others.add(pid);
        // A finished process is listed without a command line until its parent has noticed.
        else if (commandLine !== "")
          seen.set(pid, {
            role: roleOf(commandLine),
            seconds: secondsOf(of("stat")),
            megabytes: Number(/VmHWM:\s+(\d+)/.exec(of("status"))?.[1] ?? 0) / 1024,
          });
      } catch {
        // The process has ended.
      }
    }
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    end() {
      clearInterval(timer);
      const processes = [...seen.values()];
      const secondsAs = (role: Role) =>
        processes.filter((one) => one.role === role).reduce((sum, { seconds }) => sum + seconds, 0);
      const hosts = processes.filter(({ role }) => role === "host");
      return {
        processorSeconds: {
          host: secondsAs("host"),
          program: secondsAs("program"),
          pulumi: secondsAs("pulumi"),
        },
        hostMegabytes: Math.max(0, ...hosts.map(({ megabytes }) => megabytes)),
      };
    },
  };
}

/** Seconds of processor time that a process has used so far; Linux only. */
export function processorSeconds(pid: number): number {
  return secondsOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

/** The most memory that a process has had, in MiB; Linux only. */
export function peakMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/** Milliseconds of processor time of all threads, to the microsecond; Linux only. */
export function processorMilliseconds(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

function roleOf(commandLine: string): Role {
  if (/cmd\/dynamic-provider|pulumi-resource-identity/.test(commandLine)) return "host";
  return commandLine.includes("cmd/run") ? "program" : "pulumi";
}

/** The 14th and 15th field, counted after the name, which is in brackets and may hold anything. */
function secondsOf(stat: string): number {
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) / TICKS;
}
