import { setFlagsFromString } from "node:v8";

/**
 * Lets V8 work for a process that lives for seconds, and of which a program has one for each tenant. Call it
 * after the port is told: settings that differ from those of the code cache make loading slower.
 */
export function expectShortLife(): void {
  const [major = 0] = process.versions.node.split(".").map(Number);
  const settings = [
    // Optimising the parser of answers takes 30 MiB, and 20,000 answers don't earn its time back.
    "--no-wasm-tier-up",
    "--no-wasm-dynamic-tiering",
    // Most functions don't run long enough once they are optimised. V8 complains about unknown names.
    major < 22 ? "--interrupt-budget=1000000" : "--invocation-count-for-turbofan=45000",
    // The space for new objects would grow to 32 MiB, though calls are small.
    "--semi-space-growth-factor=1",
  ];
  for (const setting of settings) setFlagsFromString(setting);
}
