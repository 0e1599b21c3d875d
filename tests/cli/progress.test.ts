import { Progress } from "../../cli/terminal";

const LINE = "\r\u001b[K";

function terminal(isTTY = true, columns = 80) {
  const shown = { text: "" };
  const write = (more: string | Uint8Array) => {
    shown.text += String(more);
    return true;
  };
  return { shown, progress: new Progress({ isTTY, write, columns }) };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test("one line is replaced again and again below notices and results, and gone in the end", () => {
  const { shown, progress } = terminal();
  const tick = progress.counting("Reading members", 3);
  tick();
  progress.notice("The tenant is slow.");
  tick();
  progress.tell(["Read: 2."]);
  progress.clear();
  expect(shown.text).toBe(
    `${LINE}Reading members 0 of 3 …${LINE}Reading members 1 of 3 …${LINE}The tenant is slow.\n` +
      `${LINE}Reading members 1 of 3 …${LINE}Reading members 2 of 3 …${LINE}Read: 2.\n`,
  );
  expect(jest.getTimerCount()).toBe(0);
});

test("where there is no terminal, only notices are shown", () => {
  const { shown, progress } = terminal(false);
  progress.show("Reading …");
  progress.notice("The tenant is slow.");
  progress.tell(["Read: 20."]);
  progress.clear();
  expect(shown.text).toBe("The tenant is slow.\n");
});

test("from ten seconds on it says how long it has taken, also while nothing else happens", () => {
  const { shown, progress } = terminal();
  progress.show("Reading the roles …");
  jest.advanceTimersByTime(9_000);
  expect(shown.text).not.toContain(" s");
  jest.advanceTimersByTime(3_000);
  expect(shown.text).toMatch(/Reading the roles … 12 s$/);
  progress.show("Reading the groups …");
  expect(shown.text).toMatch(/Reading the groups … 12 s$/);
});

test.each([
  ["is cut to a terminal's width, so that it never wraps", 20, "Reading the groups…"],
  ["is whole where the width isn't known", 0, "Reading the groups of a thousand roles …"],
])("the line %s", (_, columns, text) => {
  const { shown, progress } = terminal(true, columns);
  progress.show("Reading the groups of a thousand roles …");
  expect(shown.text).toBe(LINE + text);
  progress.clear();
});
