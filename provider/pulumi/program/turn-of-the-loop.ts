import { MessageChannel } from "node:worker_threads";

/**
 * Settles when all that is ready to run has run: by then a program has declared whatever it declares without waiting. Unlike
 * `setImmediate`, a message comes under fake timers, too.
 */
export function turnOfTheLoop(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.once("message", () => {
      port1.close();
      resolve();
    });
    port2.postMessage(undefined);
  });
}
