/** Copies of this package that one program loads know each other's listeners by it, as they do those of later releases. */
const OURS = Symbol.for("pulumi-identity.late-rejections");

/**
 * A program may start a data source and await it only later. When it fails in between, Pulumi has printed the failure by
 * then, and Node.js would add a `PromiseRejectionHandledWarning`, which tells nobody anything. Other rejections are warned
 * of as before. Listening twice changes nothing.
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
