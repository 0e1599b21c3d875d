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
/** Linux goes through all pages of a process for it. */
const MEMORY_EVERY_MS = 250;
/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

/**
 * Watches the processes with this home folder until `end` is called; misses the last moments of a process.
 */
export function watchProcesses(home: string): { end(): Use } {
  const seen = new Map<string, { role: Role; seconds: number; megabytes: number }>();
  const look = looker(home);
  const timer = setInterval(() => {
    look(({ pid, role, of }) =>
      seen.set(pid, { role, seconds: secondsOf(of("stat")), megabytes: megabytesIn(of("status"), "VmHWM") }),
    );
  }, EVERY_MS);
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

/** Memory of a command's processes, in MiB. */
export interface Memory {
  /** Command lines of the provider hosts, when these had most together. */
  hosts: string[];
  /** The most that each role had: of files, what one process has of them, since all share it. */
  megabytes: Record<Role, number>;
  /** The part of the hosts' that belongs to one of them alone, for all together. */
  ownOfHosts: number;
}

/** Watches the processes with this home folder until `end` is called. */
export function watchMemory(home: string): { end(): Memory } {
  const most: Memory = { hosts: [], megabytes: { host: 0, program: 0, pulumi: 0 }, ownOfHosts: 0 };
  const look = looker(home);
  const timer = setInterval(() => {
    const own = { host: 0, program: 0, pulumi: 0 };
    const shared = { host: 0, program: 0, pulumi: 0 };
    const hosts: string[] = [];
    look(({ role, commandLine, of }) => {
      const text = of("smaps_rollup");
      const anonymous = megabytesIn(text, "Anonymous");
      own[role] += anonymous;
      shared[role] = Math.max(shared[role], megabytesIn(text, "Rss") - anonymous);
      if (role === "host") hosts.push(commandLine);
    });
    for (const role of ["program", "pulumi"] as const)
      most.megabytes[role] = Math.max(most.megabytes[role], own[role] + shared[role]);
    if (own.host + shared.host <= most.megabytes.host) return;
    most.megabytes.host = own.host + shared.host;
    Object.assign(most, { hosts, ownOfHosts: own.host });
  }, MEMORY_EVERY_MS);
  return {
    end() {
      clearInterval(timer);
      return most;
    },
  };
}

interface Seen {
  pid: string;
  role: Role;
  commandLine: string;
  /** Reads a file of the process. */
  of: (file: string) => string;
}

/** Returns a function that visits the processes with this home folder that run when it is called. */
function looker(home: string): (visit: (process: Seen) => void) => void {
  const own = new Set<string>();
  const others = new Set<string>();
  return (visit) => {
    for (const pid of process.platform === "linux" ? readdirSync("/proc") : []) {
      if (!/^\d+$/.test(pid) || others.has(pid)) continue;
      const of = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
      try {
        const commandLine = of("cmdline");
        if (!own.has(pid) && !of("environ").includes(home)) {
          others.add(pid);
          continue;
        }
        own.add(pid);
        // A finished process is listed without a command line until its parent has noticed.
        if (commandLine !== "") visit({ pid, role: roleOf(commandLine), commandLine, of });
      } catch {
        // The process has ended.
      }
    }
  };
}

/** The most memory that a process has had, in MiB; Linux only. */
export function peakMegabytes(pid: number): number {
  return megabytesIn(readFileSync(`/proc/${pid}/status`, "utf8"), "VmHWM");
}

/** Milliseconds of processor time of all threads, to the microsecond; Linux only. */
export function processorMilliseconds(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** A line of Linux, such as `Pss:   8500 kB`. */
function megabytesIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) / 1024;
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
