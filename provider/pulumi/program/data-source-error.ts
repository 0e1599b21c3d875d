import { join } from "node:path";
import { type Border, type Clean } from "../../border";

/** Errors that have already left, by cause and message. */
const left = new WeakMap<Error, Map<string, Error>>();

/**
 * Returns the error as it leaves the program: same class, same facts, cleaned texts, and a message that names
 * the failed call. It's a copy, because calls with other arguments may share the original. Equal calls share
 * one, because Pulumi prints each error once.
 */
export function outgoing(
  error: unknown,
  { before, after, border }: { before: string; after: string; border: Border },
): Error {
  const original = error instanceof Error ? error : new Error(String(error));
  const message = border.clean(`${before}: ${original.message} ${after}`);
  const known = left.get(original) ?? new Map<string, Error>();
  left.set(original, known);
  const leaving = known.get(message) ?? copyOf(original, message, border);
  known.set(message, leaving);
  return leaving;
}

function copyOf(original: Error, message: Clean, border: Border): Error {
  const copy = new Error(message);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(original) as object);
  Object.assign(copy, cleaned(Object.fromEntries(Object.entries(original)), border));
  const frames = (original.stack ?? "").split("\n").filter(isOfProgram);
  copy.stack = [`${copy.name}: ${message}`, ...frames].join("\n");
  return copy;
}

/** The package's own folder, whether it runs as built or not. */
const FOLDER = __filename.replace(/([\\/]dist)?[\\/]provider[\\/].*$/, "");

/** Only the program's own lines help: Pulumi prints the whole stack of an Output's error. */
function isOfProgram(line: string): boolean {
  const isOfPackage = ["provider", "dist"].some((name) => line.includes(join(FOLDER, name)));
  return /^ +at /.test(line) && !isOfPackage && !/[\\/]node_modules[\\/]|\bnode:|\(<anonymous>\)/.test(line);
}

function cleaned<Value>(value: Value, border: Border): Value {
  if (typeof value === "string") return border.clean(value) as string as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => cleaned(item, border)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]: [string, unknown]) => [name, cleaned(child, border)]),
  ) as Value;
}

/** Copies of this package in one program, of any release, recognise each other's listeners by this. */
const OURS = Symbol.for("pulumi-identity.late-rejections");

/**
 * Silences `PromiseRejectionHandledWarning` for data sources that a program starts now and awaits later. If
 * one fails in between, Pulumi has already printed the failure, and the warning would add nothing. Other
 * rejections still cause a warning. A second call changes nothing.
 */
export function keepLateRejectionsQuiet(): void {
  if (!process.listeners("rejectionHandled").some(isOurs)) process.on("rejectionHandled", onHandled);
}

const onHandled = Object.assign(
  (promise: Promise<unknown>): void => {
    promise.catch((error: unknown) => {
      // With a listener Node.js is silent; next to another listener it would have been silent anyway.
      const isHeard = !process.listeners("rejectionHandled").every(isOurs);
      if (isHeard || isOfThisPackage(error)) return;
      process.emitWarning("Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning");
    });
  },
  { [OURS]: true },
);

function isOurs(listener: object): boolean {
  return OURS in listener;
}

/** Compares class names, because another copy of the package has its own classes. */
function isOfThisPackage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  for (let at: unknown = error; at instanceof Error; at = Object.getPrototypeOf(at)) {
    if (at.constructor?.name === "IdentityError") return true;
  }
  return false;
}
