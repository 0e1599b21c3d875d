import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { IdentityError } from "../../../provider/http/errors";
import { handlersOf } from "../../../provider/pulumi/host/lifecycle";
import { type Fields, PartialFailure, type ResourceKind } from "../../../provider/pulumi/resource-kind";

interface Inputs {
  size: number;
  label?: string | undefined;
}

const CONFIG: Record<string, string> = {
  "identity:domain": "http://127.0.0.1:9",
  "identity:accessToken": "given",
};
const TENANT = "127.0.0.1:9";

/** Handlers of a kind that each test defines; no test sends a request. */
function handlers(kind: Partial<ResourceKind<Inputs>> = {}, fields: Partial<Fields<Inputs>> = {}) {
  const made = handlersOf<Inputs>({
    name: "ConnectionProfile",
    fields: {
      schema: z.strictObject({ size: z.number(), label: z.string().optional() }),
      id: z.string(),
      consequence: (name) => (name === "label" ? "replace" : "update"),
      ...fields,
    },
    create: ({ inputs }) => Promise.resolve({ id: "1", inputs }),
    read: ({ prior }) => Promise.resolve({ inputs: prior?.inputs ?? { size: 0 } }),
    update: ({ inputs }) => Promise.resolve({ inputs }),
    delete: () => Promise.resolve(),
    ...kind,
  });
  const values = { get: (key: string) => CONFIG[key], require: (key: string) => CONFIG[key] as string };
  void made.configure?.({ config: values });
  return made as Required<pulumi.dynamic.ResourceProvider>;
}
const state = { size: 1, tenant: TENANT, __provider: "text" };

test("a problem that diff throws doesn't show what was secret in state", async () => {
  const { check, diff } = handlers(
    { effects: () => ({ lines: [], acts: [], problems: ["was s3cret"] }) },
    { consequence: () => "update" },
  );
  const before = { size: 1, label: "s3cret", __secretInputs: ["label"], __name: "a" };
  const news = { size: 2, __name: "a" };
  await check(before, news);
  await expect(diff("1", { ...state, ...before }, news)).rejects.toThrow(/^was \[secret\]/);
});

test("an input that state can't hold is the only problem; the others are taken as they are", async () => {
  const schema = z.strictObject({ size: z.number(), label: z.any().optional() });

  const { failures } = await handlers({}, { schema }).check({}, { size: 1, label: { deep: NaN } });

  expect(failures).toEqual([{ property: "", reason: "label: must hold no number that is not finite." }]);
});

describe("results", () => {
  test("are free of what the engine can't take", async () => {
    const { create } = handlers({
      create: ({ inputs }) =>
        Promise.resolve({
          id: "1",
          inputs: { ...inputs, label: undefined },
          outputs: { when: new Date(0), deep: { none: undefined, list: [undefined] } },
        }),
    });

    const { outs } = (await create({ size: 1 })) as { outs: Record<string, unknown> };

    expect(outs).toStrictEqual({
      size: 1,
      when: "1970-01-01T00:00:00.000Z",
      deep: { list: [null] },
      __written: expect.any(Number) as number,
      tenant: TENANT,
    });
  });
});

afterEach(() => jest.restoreAllMocks());

describe("whatever is thrown", () => {
  test.each<[string, unknown]>([
    ["a text", "went wrong"],
    ["nothing", undefined],
    ["an error without a message", new Error()],
    ["an object without a prototype", Object.create(null)],
  ])("%s becomes an Error with a message and without a stack", async (_what, thrown) => {
    // The test needs a thrown value that is no Error.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const fail = () => Promise.reject(thrown);
    const failing = handlers({ create: fail, read: fail, update: fail, delete: fail });

    for (const run of [
      () => failing.create({ size: 1 }),
      () => failing.read("1", state),
      () => failing.update("1", state, { size: 2 }),
      () => failing.delete("1", state),
    ]) {
      const error = (await run().then(
        () => undefined,
        (caught: unknown) => caught,
      )) as Error;
      expect(error).toBeInstanceOf(IdentityError);
      expect(error.message).not.toBe("");
      expect(error.stack).not.toMatch(/\n|\bat .*:\d/);
    }
  });
});

describe("a partial failure", () => {
  test("does not show secrets in its reasons, which state keeps in clear", async () => {
    const { create } = handlers({
      create: () =>
        Promise.reject(new PartialFailure<Inputs>("1", { inputs: { size: 1 } }, new Error("bad: s3cret"))),
    });

    const error = (await create({ size: 1, label: "s3cret", __secretInputs: ["label"] }).catch(
      (caught: unknown) => caught,
    )) as Error & { reasons: string[] };

    expect(error.message).not.toContain("s3cret");
    expect(error.reasons.join()).not.toContain("s3cret");
  });
});
