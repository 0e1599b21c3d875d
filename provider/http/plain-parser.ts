import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from optimising the WebAssembly in which undici parses answers. It would do so within the first
 * answers, for up to 30 MiB and 0.15 s of processor time, and 20,000 answers don't earn that back. V8 decides
 * when it compiles them, so call the result after the first one: other WebAssembly is optimised as ever.
 */
export function parsePlainly(): () => void {
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
  return () => setFlagsFromString("--wasm-dynamic-tiering");
}
