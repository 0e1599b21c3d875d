#!/usr/bin/env node
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { announcement, environmentOf } from "./announcement";
import { CLIENT_ID, CLIENT_SECRET } from "./default-seed";
import { DEFAULT_RATE, type Simulator, startSimulator, type SimulatorOptions } from "./index";
import { InvalidInputError, parseInput } from "./input";
import { PLAYGROUND_SEED } from "./playground";
import { seedOrStateSchema } from "./seed";
import { type SeedInput } from "./types";

/** The README's port; `startSimulator` takes a free one, because tests need that. */
const DEFAULT_PORT = 8000;

const USAGE = `Usage: npx pulumi-identity-simulator [options] [-- command...]

Starts a simulated identity tenant on 127.0.0.1. Nothing is stored.

With a command it runs this, with the settings of the tenant in its environment,
and ends with it. Without one, Ctrl-C ends it. Then it says when it listens, on
a terminal with the settings as lines to copy, else with one line of JSON:
{"url": "http://127.0.0.1:${DEFAULT_PORT}", "clientId": "…", "clientSecret": "…"}

Options:
  --seed FILE              JSON file with the tenant's records, or what
                           GET /_simulator/state has answered.
                           Default: a tenant to try things on.
  --port N                 Port; 0 for a free one. Default: ${DEFAULT_PORT}, or with a
                           command, a free one if that is taken.
  --rate BURST,PER_SECOND  Rate limit: size of the bucket, tokens per second.
                           Default: ${DEFAULT_RATE.burst},${DEFAULT_RATE.perSecond}.
  --latency MS             Milliseconds that each request waits. Default: 0.
  --help, -h               This text.

Examples:
  # The Pulumi program of this folder, on a tenant with these records:
  npx pulumi-identity-simulator --seed seed.json -- pulumi preview

  # A tenant on the smallest plan (2 requests, 2 more each second), 80 ms away:
  npx pulumi-identity-simulator --rate 2,2 --latency 80

  # In another terminal; a seed without "clients" has this client, too:
  export IDENTITY_DOMAIN=http://127.0.0.1:${DEFAULT_PORT}
  export IDENTITY_CLIENT_ID=${CLIENT_ID}
  export IDENTITY_CLIENT_SECRET=${CLIENT_SECRET}
  pulumi up

  # What it was asked, what it can do, and how to make it fail:
  curl http://127.0.0.1:${DEFAULT_PORT}/_simulator/requests
  curl http://127.0.0.1:${DEFAULT_PORT}/_simulator
  curl http://127.0.0.1:${DEFAULT_PORT}/_simulator/faults \\
    --json '{"method": "POST", "action": {"status": 503}}'
`;

class UsageError extends Error {}

/** Parses the command line; undefined if it only asks for the usage. */
function optionsOf(args: string[]): SimulatorOptions | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  return {
    port: values.port === undefined ? DEFAULT_PORT : integer("--port", values.port, 65_535),
    latency: values.latency === undefined ? 0 : integer("--latency", values.latency, 3_600_000),
    ...(values.rate === undefined ? {} : { rate: rate(values.rate) }),
    seed: values.seed === undefined ? PLAYGROUND_SEED : seed(values.seed),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: "string" },
        rate: { type: "string" },
        latency: { type: "string" },
        seed: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function integer(option: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max)
    throw new UsageError(`${option} must be a whole number from 0 to ${max}, not "${text}".`);
  return value;
}

function rate(text: string): { burst: number; perSecond: number } {
  const [, burst, perSecond] = /^(\d+),(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const parsed = { burst: Number(burst), perSecond: Number(perSecond) };
  if (!(parsed.burst >= 1 && parsed.perSecond > 0))
    throw new UsageError(`--rate must be BURST,PER_SECOND, such as 50,16 or 10,2.5, not "${text}".`);
  return parsed;
}

function seed(file: string): SeedInput {
  return parseInput(`The seed ${file}`, seedOrStateSchema, contentOf(file));
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`The seed ${file} can't be read: ${(error as Error).message}`);
  }
}

async function main(): Promise<void> {
  // A reader such as `head` may leave early.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const args = process.argv.slice(2);
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const [command, ...words] = args.slice(end + 1);
  if (end < args.length && command === undefined) throw new UsageError("Behind -- there must be a command.");
  const options = optionsOf(args.slice(0, end));
  if (options === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const simulator = await startSimulator(options).catch((error: NodeJS.ErrnoException) => {
    // A command learns the address, so any port will do unless the user chose one.
    const isAsked = args.slice(0, end).some((word) => /^--port(=|$)/.test(word));
    if (command === undefined || error.code !== "EADDRINUSE" || isAsked) throw error;
    return startSimulator({ ...options, port: 0 });
  });
  if (command !== undefined) {
    process.exitCode = await run(command, words, simulator).finally(() => simulator.close());
    return;
  }
  process.stdout.write(announcement(simulator, process.stdout.isTTY));
  const stop = () => void simulator.close();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

/** Returns the command's exit code, as a shell would. */
async function run(command: string, words: readonly string[], simulator: Simulator): Promise<number> {
  const child = spawn(command, words, {
    stdio: "inherit",
    env: { ...process.env, ...environmentOf(simulator) },
    // On Windows, npm's commands are scripts.
    shell: process.platform === "win32",
  });
  // A terminal also sends it to the command, which decides what to do.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + constants.signals[signal ?? "SIGKILL"];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(`${JSON.stringify(command)} can't be run (${code}).\n`);
    return code === "ENOENT" ? 127 : 126;
  }
}

main().catch((error: unknown) => {
  if (error instanceof UsageError || error instanceof InvalidInputError) {
    process.stderr.write(`${error.message}\nRun it with --help for the options.\n`);
    process.exitCode = 2;
    return;
  }
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  process.stderr.write(
    code === "EADDRINUSE"
      ? `Port ${port} is in use. Choose another one with --port N, or let --port 0 take a free one.\n`
      : `The simulator can't start: ${message}\n`,
  );
  process.exitCode = 1;
});
