import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from optimising the WebAssembly in which undici parses answers. It would do so at the first
 * answer, for 25 MiB and 0.15 s of processor time, and only hundreds of answers earn that back. Other
 * WebAssembly in this process is optimised milliseconds later.
 */
export function keepWebAssemblyPlain(): void {
  setFlagsFromString("--wasm-tiering-budget=2000000000");
}

/**
 * Keeps V8's space for new objects as small as it is at the start. It would grow to 32 MiB or more, though
 * calls are small. In the SDK's host it has grown before this package is loaded.
 */
export function keepNewSpaceSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
