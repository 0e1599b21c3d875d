import type * as errors from "../../../provider/http/errors";
import { IdentityError } from "../../../provider/http/errors";
import type * as lateRejections from "../../../provider/pulumi/program/data-source-error";
import { keepLateRejectionsQuiet } from "../../../provider/pulumi/program/data-source-error";

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

/** Acts like Node.js when a reported rejection gets a handler. */
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

describe("beside another copy of this package", () => {
  const copy = () => {
    let other: { keepQuiet: typeof keepLateRejectionsQuiet; OtherError: typeof IdentityError } | undefined;
    jest.isolateModules(() => {
      other = {
        keepQuiet: jest.requireActual<typeof lateRejections>(
          "../../../provider/pulumi/program/data-source-error",
        ).keepLateRejectionsQuiet,
        OtherError: jest.requireActual<typeof errors>("../../../provider/http/errors").ConfigurationError,
      };
    });
    return other!;
  };

  test("rejections of the program are warned of, once", async () => {
    const { keepQuiet } = copy();
    expect(keepQuiet).not.toBe(keepLateRejectionsQuiet);
    keepQuiet();
    await handleLate(new Error("of the program"));
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test("those of either copy are not", async () => {
    const { keepQuiet, OtherError } = copy();
    keepQuiet();
    const error = new OtherError("told already");
    expect(error).not.toBeInstanceOf(IdentityError);
    await handleLate(error);
    await handleLate(new IdentityError("told already"));
    expect(warned).not.toHaveBeenCalled();
  });

  test.each([undefined, Object.create(null) as object, { constructor: null }])(
    "%p is warned of, as without this package",
    async (thrown) => {
      await handleLate(thrown as Error);
      expect(warned).toHaveBeenCalledTimes(1);
    },
  );
});
