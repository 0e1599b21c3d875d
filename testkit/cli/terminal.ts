/**
 * Calls something as on a terminal, and returns what it writes to the streams, by default standard error
 * alone.
 */
export async function shownOnTerminal(
  call: () => Promise<unknown>,
  {
    streams = [process.stderr],
    columns = process.stderr.columns,
  }: { streams?: NodeJS.WriteStream[]; columns?: number } = {},
): Promise<string> {
  let shown = "";
  const spies = streams.map((stream) =>
    jest.spyOn(stream, "write").mockImplementation((text) => {
      shown += String(text);
      return true;
    }),
  );
  const { isTTY, columns: before } = process.stderr;
  Object.assign(process.stderr, { isTTY: true, columns });
  try {
    await call();
  } finally {
    Object.assign(process.stderr, { isTTY, columns: before });
    for (const spy of spies) spy.mockRestore();
  }
  return shown;
}
