import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from optimising the WebAssembly in which undici parses answers. It would do so at the first
 * answer, for 25 MiB and 0.15 s of processor time, and only hundreds of answers earn that back. Other
 * WebAssembly in this process is optimised milliseconds later.
 */
export function keepWebAssemblyPlain(): void {
  setFlagsFromString("--wasm-tiering-budget=2000000000");
}
