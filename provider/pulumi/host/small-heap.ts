import { setFlagsFromString } from "node:v8";

/**
 * Keeps the process small. V8 would optimise the WebAssembly in which undici parses answers at the first one,
 * for 25 MiB and 0.15 s of processor time, and only hundreds of answers earn that back. Other WebAssembly in
 * this process is optimised milliseconds later. And it would let its space for new objects grow to 32 MiB or
 * more, though a host's calls are small: as large as it is now, it takes no more processor time.
 */
export function keepSmall(): void {
  for (const flag of ["--wasm-tiering-budget=2000000000", "--semi-space-growth-factor=1"])
    setFlagsFromString(flag);
}
