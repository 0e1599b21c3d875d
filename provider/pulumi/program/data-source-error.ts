/** What has left already, by its cause and message. */
const left = new WeakMap<Error, Map<string, Error>>();

/**
 * The error as it leaves the program: of the same class and with the same facts, with a message that says
 * which call failed, and with every text cleaned. It is not the original, which calls with other arguments
 * may share. Equal calls that share a failure get one error: Pulumi prints an error once.
 */
export function outgoing(
  error: unknown,
  { before, after, clean }: { before: string; after: string; clean: (text: string) => string },
): Error {
  const original = error instanceof Error ? error : new Error(String(error));
  const message = clean(`${before}: ${original.message} ${after}`);
  const known = left.get(original) ?? new Map<string, Error>();
  left.set(original, known);
  const leaving = known.get(message) ?? copyOf(original, message, clean);
  known.set(message, leaving);
  return leaving;
}

function copyOf(original: Error, message: string, clean: (text: string) => string): Error {
  const copy = new Error(message);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(original) as object);
  Object.assign(copy, cleaned(Object.fromEntries(Object.entries(original)), clean));
  const frames = (original.stack ?? "").split("\n").filter((line) => /^ +at /.test(line));
  copy.stack = [`${copy.name}: ${message}`, ...frames].join("\n");
  return copy;
}

function cleaned<Value>(value: Value, clean: (text: string) => string): Value {
  if (typeof value === "string") return clean(value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => cleaned(item, clean)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]: [string, unknown]) => [name, cleaned(child, clean)]),
  ) as Value;
}

/** By it, copies of this package in one program know each other's listeners, whatever their release. */
const OURS = Symbol.for("pulumi-identity.late-rejections");

/**
 * A program may start a data source and await it only later. When it fails in between, Pulumi has printed the
 * failure by then, and Node.js would add a `PromiseRejectionHandledWarning`, which tells nobody anything.
 * Other rejections are warned of as before. Listening twice changes nothing.
 */
export function keepLateRejectionsQuiet(): void {
  if (!process.listeners("rejectionHandled").some(isOurs)) process.on("rejectionHandled", onHandled);
}

const onHandled = Object.assign(
  (promise: Promise<unknown>): void => {
    promise.catch((error: unknown) => {
      // With a listener Node.js is silent; beside another one it would have been silent anyway.
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

/** By the names of its classes: another copy of the package has classes of its own. */
function isOfThisPackage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  for (let at: unknown = error; at instanceof Error; at = Object.getPrototypeOf(at)) {
    if (at.constructor?.name === "IdentityError") return true;
  }
  return false;
}
