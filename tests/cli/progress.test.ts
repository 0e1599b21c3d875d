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

function shown(isTTY: boolean): string {
  const { shown: all, progress } = terminal(isTTY);
  progress.show("Reading … 10");
  progress.show("Reading … 20");
  progress.tell(["Read: 20."]);
  progress.clear();
  return all.text;
}

test("on a terminal one line is replaced again and again, and gone in the end", () => {
  expect(shown(true)).toBe(`${LINE}Reading … 10${LINE}Reading … 20${LINE}Read: 20.\n`);
  expect(jest.getTimerCount()).toBe(0);
});

test("elsewhere nothing is shown, but for notices", () => {
  expect(shown(false)).toBe("");
  const { shown: all, progress } = terminal(false);
  progress.show("Reading …");
  progress.notice("The tenant is slow.");
  expect(all.text).toBe("The tenant is slow.\n");
});

test("a notice stands above the line, which goes on", () => {
  const { shown: all, progress } = terminal();
  const tick = progress.counting("Reading members", 3);
  tick();
  progress.notice("The tenant is slow.");
  tick();
  progress.clear();
  expect(all.text).toBe(
    `${LINE}Reading members 0 of 3 …${LINE}Reading members 1 of 3 …${LINE}The tenant is slow.\n` +
      `${LINE}Reading members 1 of 3 …${LINE}Reading members 2 of 3 …${LINE}`,
  );
});

test("from ten seconds on it says how long it has taken, also while nothing else happens", () => {
  const { shown: all, progress } = terminal();
  progress.show("Reading the roles …");
  jest.advanceTimersByTime(9_000);
  expect(all.text).not.toContain(" s");
  jest.advanceTimersByTime(3_000);
  expect(all.text).toMatch(/Reading the roles … 12 s$/);
  progress.show("Reading the groups …");
  expect(all.text).toMatch(/Reading the groups … 12 s$/);
});

test("what is longer than the terminal is cut, so that it never wraps", () => {
  const { shown: all, progress } = terminal(true, 20);
  progress.show("Reading the groups of a thousand roles …");
  expect(all.text).toBe(`${LINE}Reading the groups…`);
  expect(all.text.length - LINE.length).toBeLessThan(20);
});

test("a terminal that doesn't know its width gets the whole text", () => {
  const { shown: all, progress } = terminal(true, 0);
  progress.show("Reading the roles …");
  expect(all.text).toBe(`${LINE}Reading the roles …`);
  progress.clear();
});
