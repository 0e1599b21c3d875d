import { type Values } from "../hosts/host";

/*
 * `ignoreChanges`, as the engine applies it: to the program's inputs, before `check`, path by path. A list
 * keeps its length: an element takes the place of the one at the same index, whatever the list means.
 */

/** Returns the inputs with the values in state at these paths. What only our classes add stays. */
export function withIgnored(paths: readonly string[], inputs: Values, olds: Values): Values {
  const hidden = ([name]: [string, unknown]) => name.startsWith("__");
  const visible = (values: Values) =>
    Object.fromEntries(Object.entries(values).filter((entry) => !hidden(entry)));
  const reset = copyOf(visible(inputs));
  for (const path of paths) put(stepsOf(path), reset, visible(olds));
  return { ...Object.fromEntries(Object.entries(inputs).filter(hidden)), ...reset };
}

/** `structuredClone` makes objects that Jest's comparisons take for others. */
function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function stepsOf(path: string): string[] {
  return [...path.matchAll(/\["([^"]+)"\]|[^.[\]]+/g)].map(([step, quoted]) => quoted ?? step);
}

function put([step = "", ...rest]: string[], to: unknown, from: unknown): void {
  if (!isComposed(to) || !isComposed(from) || Array.isArray(to) !== Array.isArray(from)) return;
  for (const key of step === "*" ? new Set([...Object.keys(to), ...Object.keys(from)]) : [step]) {
    if (rest.length > 0) put(rest, to[key], from[key]);
    else if (Array.isArray(to)) {
      if (key in to && key in from) to[Number(key)] = (from as unknown as unknown[])[Number(key)];
    } else if (key in from) to[key] = copyOf(from[key]);
    else delete to[key];
  }
}

function isComposed(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
