import { IdentityError } from "../../http/errors";

/**
 * A program may start a data source and await it only later. When it fails in between, Pulumi has printed the failure by
 * then, and Node.js would add a `PromiseRejectionHandledWarning`, which tells nobody anything. Other rejections are warned
 * of as before. Listening twice changes nothing.
 */
export function keepLateRejectionsQuiet(): void {
  if (!process.listeners("rejectionHandled").includes(onHandled)) process.on("rejectionHandled", onHandled);
}

function onHandled(promise: Promise<unknown>): void {
  promise.catch((error: unknown) => {
    // With a listener Node.js is silent; beside another one it would have been silent anyway.
    if (error instanceof IdentityError || process.listenerCount("rejectionHandled") > 1) return;
    process.emitWarning("Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning");
  });
}
