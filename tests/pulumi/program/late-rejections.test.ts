import { IdentityError } from "../../../provider/http/errors";
import { keepLateRejectionsQuiet } from "../../../provider/pulumi/program/late-rejections";

let warned: jest.SpyInstance;
let before: NodeJS.RejectionHandledListener[];

beforeEach(() => {
  before = process.listeners("rejectionHandled");
  process.removeAllListeners("rejectionHandled");
  warned = jest.spyOn(process, "emitWarning").mockImplementation();
  keepLateRejectionsQuiet();
});

afterEach(() => {
  warned.mockRestore();
  process.removeAllListeners("rejectionHandled");
  for (const listener of before) process.on("rejectionHandled", listener);
});

/** As Node.js does when a rejection that it has reported gets a handler. */
async function handleLate(error: Error): Promise<void> {
  const rejected = Promise.reject<never>(error);
  process.emit("rejectionHandled", rejected);
  await rejected.catch(() => undefined);
}

test("errors of this package are not warned of", async () => {
  await handleLate(new IdentityError("told already"));
  expect(warned).not.toHaveBeenCalled();
});

test("others are, as without this package, and once however often it is called", async () => {
  keepLateRejectionsQuiet();
  await handleLate(new Error("of the program"));
  expect(warned.mock.calls).toEqual([
    ["Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning"],
  ]);
});

test("a program that listens itself is not warned, as without this package", async () => {
  process.on("rejectionHandled", () => undefined);
  await handleLate(new Error("of the program"));
  expect(warned).not.toHaveBeenCalled();
});
