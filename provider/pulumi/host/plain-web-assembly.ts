import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from optimising the WebAssembly in which undici parses answers. It would at the first of them: that
 * takes 25 MiB and 0.15 s of processor time, and only hundreds of answers earn it back. Other WebAssembly of
 * this process is optimised milliseconds later.
 */
export function keepWebAssemblyPlain(): void {
  setFlagsFromString("--wasm-tiering-budget=2000000000");
}
