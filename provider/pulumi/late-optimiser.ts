import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 optimise a function later than it would. The plugin and the commands live for seconds, and most of
 * what V8 optimises doesn't run long enough after that to earn it back: that is an eighth of the processor
 * time of a refresh, and up to two fifths of a review's. Long loops are still optimised, after some
 * milliseconds more. The SDK's host may run other providers as well, so it stays as it is.
 */
export function optimiseLate(): void {
  const [major = 0] = process.versions.node.split(".").map(Number);
  // V8 complains about flags that it doesn't know.
  setFlagsFromString(major < 22 ? "--interrupt-budget=1000000" : "--invocation-count-for-turbofan=45000");
}
