import {
  ApiError,
  ConfigurationError,
  InsufficientScopeError,
  NetworkError,
  NotFoundError,
} from "../../../provider/http/errors";
import { lookAhead } from "../../../provider/pulumi/host/look-ahead";
import { type LookAhead } from "../../../provider/pulumi/resource-kind";
import { Run } from "../../../provider/pulumi/run";

const call = { method: "GET", path: "/things" };
const newRun = () => new Run({ domain: "tenant.example.com" }, { from: "stack" });
const asking = (ask: (signal: AbortSignal) => Promise<string[]>) => ({
  notAsked: (reason: string) => `what changes could not be read (${reason})`,
  ask: async (signal: AbortSignal) => ({ lines: await ask(signal), acts: [] }),
});
const failing = (error: Error) => asking(() => Promise.reject(error));
const look = (question: LookAhead, run: Run) =>
  lookAhead({ lines: ["known"], acts: [], lookAhead: question }, run);
const NOTHING = { lines: ["known"], acts: [], problems: [] };
const answered = asking(() => Promise.resolve(["a line"]));

test("adds the lines of the answer", async () => {
  expect(await look(answered, newRun())).toEqual({ ...NOTHING, lines: ["known", "a line"] });
});

test("an object that is gone is a problem of the inputs", async () => {
  const error = new NotFoundError(call, { status: 404 });

  expect(await look(failing(error), newRun())).toEqual({
    ...NOTHING,
    problems: [
      "GET /things answered 404. Check the ids: what one of them names is not on the tenant (any more).",
    ],
  });
});

test.each([
  ["needs read:things", new InsufficientScopeError(call, { status: 403 }, ["read:things"]), "goes on"],
  ["403", new ApiError(call, { status: 403 }), "goes on"],
  ["429", new ApiError(call, { status: 429 }), "ends"],
  ["503", new ApiError(call, { status: 503 }), "ends"],
  ["no answer", new NetworkError("The connection broke."), "ends"],
  ["the connection is not configured", new ConfigurationError("There is no domain."), "ends"],
])("says why it could not ask: %s; looking ahead then %s", async (reason, error, then) => {
  const run = newRun();

  expect(await look(failing(error), run)).toEqual({
    ...NOTHING,
    lines: ["known", `what changes could not be read (${reason})`],
  });

  const next = then === "ends" ? `what changes could not be read (${reason})` : "a line";
  expect((await look(answered, run)).lines).toEqual(["known", next]);
});
