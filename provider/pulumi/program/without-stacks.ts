import type * as pulumi from "@pulumi/pulumi";

/**
 * Turns stacks off while the SDK goes through the inputs of a resource, from the first to the last.
 *
 * For each input it captures four stacks, and looks their lines up in source maps, only to show them if
 * `PULUMI_DEBUG_PROMISE_LEAKS` is set. With them a preview of 500 profiles takes 1.41 times as long, and one
 * of 50 takes 1.08 times (SDK 3.248.0, Node.js 20; medians of 8 and 20 pairs).
 */
export function withoutStacks(inputs: pulumi.Inputs): pulumi.Inputs {
  const names = Object.keys(inputs);
  const [first, last] = [names[0], names.at(-1)];
  if (process.env.PULUMI_DEBUG_PROMISE_LEAKS || first === undefined || last === undefined || first === last)
    return inputs;
  let end: () => void = () => undefined;
  onFirstRead(inputs, first, () => (end = begin()));
  onFirstRead(inputs, last, () => end());
  return inputs;
}

/** Returns a function that restores the limit. */
function begin(): () => void {
  const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
  // A program may have frozen it. If it's missing or not a number, there are no stacks anyway.
  if (limit?.writable !== true || typeof limit.value !== "number") return () => undefined;
  Error.stackTraceLimit = 0;
  let isOver = false;
  const end = () => {
    if (!isOver) Error.stackTraceLimit = limit.value as number;
    isOver = true;
  };
  // In case the SDK stops halfway.
  queueMicrotask(end);
  return end;
}

/** After the first read, the property is an ordinary value again. */
function onFirstRead(inputs: pulumi.Inputs, name: string, act: () => void): void {
  const value: unknown = inputs[name];
  const options = { configurable: true, enumerable: true };
  Object.defineProperty(inputs, name, {
    ...options,
    get: () => {
      Object.defineProperty(inputs, name, { ...options, value, writable: true });
      act();
      return value;
    },
  });
}
