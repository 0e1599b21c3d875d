#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CLIENT_ID, CLIENT_SECRET } from "./default-seed";
import { DEFAULT_RATE, startSimulator, type SeedInput, type SimulatorOptions } from "./index";
import { InvalidInputError, parseInput } from "./input";
import { seedSchema } from "./seed";

/** The port of the README; `startSimulator` takes a free one, as tests need it. */
const DEFAULT_PORT = 8000;

const USAGE = `Usage: npx pulumi-identity-simulator [options]

Starts a simulated identity tenant on 127.0.0.1 and prints one line of JSON when it listens:
{"url": "http://127.0.0.1:${DEFAULT_PORT}", "clientId": "…", "clientSecret": "…"}
Ctrl-C ends it. Nothing is stored.

Options:
  --seed FILE              JSON file with the tenant's records.
                           Default: a small tenant. GET /_simulator/state shows it.
  --port N                 Port; 0 for a free one. Default: ${DEFAULT_PORT}.
  --rate BURST,PER_SECOND  Rate limit: size of the token bucket and tokens per second.
                           Default: ${DEFAULT_RATE.burst},${DEFAULT_RATE.perSecond}.
  --latency MS             Milliseconds each request waits before it is answered. Default: 0.
  --help, -h               This text.

Examples:
  # A tenant on the smallest plan (burst 2, 2 requests per second), 80 ms away:
  npx pulumi-identity-simulator --rate 2,2 --latency 80

  # Point a Pulumi program at it. A seed without "clients" has the same client as no seed:
  export IDENTITY_DOMAIN=http://127.0.0.1:${DEFAULT_PORT}
  export IDENTITY_CLIENT_ID=${CLIENT_ID}
  export IDENTITY_CLIENT_SECRET=${CLIENT_SECRET}
  pulumi up

  # What it was asked, what it can do, and how to make it fail:
  curl http://127.0.0.1:${DEFAULT_PORT}/_simulator/requests
  curl http://127.0.0.1:${DEFAULT_PORT}/_simulator
  curl http://127.0.0.1:${DEFAULT_PORT}/_simulator/faults --json '{"method": "POST", "action": {"status": 503}}'
`;

class UsageError extends Error {}

/** The options of the command line; undefined if only the usage is asked for. */
function optionsOf(args: string[]): SimulatorOptions | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  return {
    port: values.port === undefined ? DEFAULT_PORT : integer("--port", values.port, 65_535),
    latency: values.latency === undefined ? 0 : integer("--latency", values.latency, 3_600_000),
    ...(values.rate === undefined ? {} : { rate: rate(values.rate) }),
    ...(values.seed === undefined ? {} : { seed: seed(values.seed) }),
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
  return parseInput(`The seed ${file}`, seedSchema, contentOf(file));
}

function contentOf(file: string): SeedInput {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as SeedInput;
  } catch (error) {
    throw new UsageError(`The seed ${file} can't be read: ${(error as Error).message}`);
  }
}

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  if (options === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const simulator = await startSimulator(options);
  const { url, clientId, clientSecret } = simulator;
  process.stdout.write(`${JSON.stringify({ url, clientId, clientSecret })}\n`);
  const stop = () => void simulator.close();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
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
