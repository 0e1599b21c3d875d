import { setTimeout as sleep } from "node:timers/promises";
import { UndiciTransport } from "../../provider/http/transport";
import { settingsOf } from "../../testkit/client";

declare const WebAssembly: {
  Module: new (bytes: Buffer) => object;
  Instance: new (module: object) => { exports: { f: (rounds: number) => number } };
};

/** A module with `f(n)`: a loop of so many rounds. */
const LOOP = "AGFzbQEAAAABBgFgAX8BfwMCAQAHBQEBZgAACiEBHwEBfwNAIAEgAHNBAWohASAAQQFrIgBBAEoNAAsgAQs=";
/** The size of `f`. */
export const LOOP_BYTES = 31;

/**
 * Gets many answers from the given origin, and then keeps other WebAssembly busy, in its own process: V8
 * prints what it compiles, with a flag that counts from the start.
 */
async function main(origin: string): Promise<void> {
  const transport = new UndiciTransport(settingsOf(origin), true);
  for (let answers = 0; answers < 100; answers++)
    await transport.send({ method: "GET", path: "/", headers: {} });
  await sleep(1_000);
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(LOOP, "base64"))).exports;
  for (let rounds = 0; rounds < 1_000; rounds++) f(100_000);
  // Until V8 has printed that, and the test ends this process.
  await sleep(60_000);
}

if (require.main === module) void main(process.argv[2] ?? "");
