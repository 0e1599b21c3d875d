/** A promise that is rejected as soon as the signal is given, to be raced with others; none without a signal. */
export function aborted(signal: AbortSignal | undefined): Promise<never>[] {
  if (signal === undefined) return [];
  const promise = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  promise.catch(() => undefined);
  return [promise];
}
