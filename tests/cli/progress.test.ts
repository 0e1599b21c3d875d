import { Progress } from "../../cli/terminal";

function shown(isTTY: boolean): string {
  let text = "";
  const write = (more: string | Uint8Array) => {
    text += String(more);
    return true;
  };
  const progress = new Progress({ isTTY, write });
  progress.show("Reading … 10");
  progress.show("Reading … 20");
  progress.tell(["Read: 20."]);
  progress.clear();
  return text;
}

test("on a terminal one line is replaced again and again, and gone in the end", () => {
  expect(shown(true)).toBe("\r\u001b[KReading … 10\r\u001b[KReading … 20\r\u001b[KRead: 20.\n");
});

test("elsewhere nothing is shown", () => {
  expect(shown(false)).toBe("");
});
