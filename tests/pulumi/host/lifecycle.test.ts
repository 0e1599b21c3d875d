import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { IdentityError, NotFoundError } from "../../../provider/http/errors";
import { handlersOf } from "../../../provider/pulumi/host/lifecycle";
import { PartialFailure, type ResourceKind } from "../../../provider/pulumi/resource-kind";

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
function handlers(kind: Partial<ResourceKind<Inputs>> = {}, config = CONFIG) {
  const made = handlersOf<Inputs>({
    name: "Thing",
    schema: z.strictObject({ size: z.number(), label: z.string().optional() }),
    id: z.string(),
    consequence: ({ name }) => (name === "label" ? "replace" : "update"),
    create: (_context, inputs) => Promise.resolve({ id: "1", inputs }),
    read: (_context, _id, prior) => Promise.resolve({ inputs: prior?.inputs ?? { size: 0 } }),
    update: (_context, _id, _prior, inputs) => Promise.resolve({ inputs }),
    delete: () => Promise.resolve(),
    ...kind,
  });
  const values = { get: (key: string) => config[key], require: (key: string) => config[key] as string };
  void made.configure?.({ config: values });
  return made as Required<pulumi.dynamic.ResourceProvider>;
}

const notFound = new NotFoundError({ method: "GET", path: "/things/1" }, { status: 404 });
const state = { size: 1, tenant: TENANT, __provider: "text" };

test("an input that state can't hold is the only problem; the others are taken as they are", async () => {
  const schema = z.strictObject({ size: z.number(), label: z.any().optional() });

  const { failures } = await handlers({ schema }).check({}, { size: 1, label: { deep: NaN } });

  expect(failures).toEqual([{ property: "", reason: "label: must hold no number that is not finite." }]);
});

describe("results", () => {
  test("are free of what the engine can't take", async () => {
    const { create } = handlers({
      create: (_context, inputs) =>
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

  test("of create, update and read hold inputs, outputs, the tenant and when it was written", async () => {
    const NOW = Math.floor(Date.now() / 1000);
    jest.spyOn(Date, "now").mockReturnValue(NOW * 1000);
    const { create, update, read } = handlers();

    expect(await create({ size: 2, __provider: "text" })).toEqual({
      id: "1",
      outs: { size: 2, __written: NOW, tenant: TENANT },
    });
    expect(await update("1", state, { size: 3, __provider: "text" })).toEqual({
      outs: { size: 3, __written: NOW, tenant: TENANT },
    });
    expect(await read("1", { ...state, __written: 7 })).toEqual({
      id: "1",
      props: { size: 1, __written: 7, tenant: TENANT },
      inputs: { size: 1 },
    });
  });
});

afterEach(() => jest.restoreAllMocks());

describe("404", () => {
  test("means gone for read, and done for delete", async () => {
    const gone = handlers({ read: () => Promise.reject(notFound), delete: () => Promise.reject(notFound) });

    expect(await gone.read("1", state)).toEqual({});
    await expect(gone.delete("1", state)).resolves.toBeUndefined();
  });

  test("is an error that says what to do for create and update", async () => {
    const gone = handlers({ create: () => Promise.reject(notFound), update: () => Promise.reject(notFound) });

    await expect(gone.create({ size: 1 })).rejects.toThrow(/answered 404.*: check the ids\.$/);
    await expect(gone.update("1", state, { size: 2 })).rejects.toThrow(/answered 404.*: check the ids\.$/);
  });

  test("is an error for get, which has no state to drop", async () => {
    await expect(handlers({ read: () => Promise.reject(notFound) }).read("1", {})).rejects.toThrow(
      /does not exist/,
    );
  });
});

describe("whatever is thrown", () => {
  test.each<[string, unknown]>([
    ["an error", new Error("went wrong")],
    ["a text", "went wrong"],
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
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

  test("synchronously, too", async () => {
    const failing = handlers({
      create: () => {
        throw new Error("at once");
      },
    });

    await expect(failing.create({ size: 1 })).rejects.toThrow("at once");
  });
});

describe("a partial failure", () => {
  const partly = () =>
    Promise.reject(new PartialFailure<Inputs>("1", { inputs: { size: 1 } }, new Error("the rest failed")));

  test.each(["create", "update"] as const)(
    "of %s carries what is true, the text and the reason",
    async (operation) => {
      const { create, update } = handlers({ create: partly, update: partly });
      const news = { size: 2, __provider: "text" };

      const run = operation === "create" ? create(news) : update("1", state, news);

      await expect(run).rejects.toMatchObject({
        message: "the rest failed",
        id: "1",
        properties: { size: 1, tenant: TENANT, __provider: "text" },
        reasons: ["the rest failed"],
      });
    },
  );

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

describe("diff", () => {
  test.each([
    ["nothing", { size: 1 }, { changes: false }],
    ["the text alone", { size: 1, __provider: "new text" }, { changes: false }],
    ["an input", { size: 2 }, { replaces: [] }],
    ["an input that replaces", { size: 1, label: "b" }, { replaces: ["label"] }],
  ])("of %s", async (_what, news, expected) => {
    expect(await handlers().diff("1", state, news)).toEqual(expected);
  });

  test("needs neither credentials nor a tenant", async () => {
    expect(await handlers({}, {}).diff("1", state, { size: 1 })).toEqual({ changes: false });
  });
});

describe("another tenant", () => {
  const elsewhere = { ...state, tenant: "other.example.com" };

  test("is refused by every handler that has state, with both names, before anything is done", async () => {
    const touched: string[] = [];
    const touch = (what: string) => () => {
      touched.push(what);
      return Promise.reject(new Error("must not be reached"));
    };
    const guarded = handlers({ read: touch("read"), update: touch("update"), delete: touch("delete") });

    for (const run of [
      () => guarded.diff("1", elsewhere, { size: 1 }),
      () => guarded.read("1", elsewhere),
      () => guarded.update("1", elsewhere, { size: 2 }),
      () => guarded.delete("1", elsewhere),
    ]) {
      await expect(run()).rejects.toThrow(/other\.example\.com.*127\.0\.0\.1:9/);
    }
    expect(touched).toEqual([]);
  });

  test("is accepted as a former name", async () => {
    const config = { ...CONFIG, "identity:formerDomains": "old.example.com, other.example.com" };

    expect(await handlers({}, config).read("1", elsewhere)).toMatchObject({ props: { tenant: TENANT } });
  });
});

test("a host that could not be configured fails each handler, and never does nothing silently", async () => {
  const { create, delete: remove, read } = handlers({}, {});

  await expect(create({ size: 1 })).rejects.toThrow(/IDENTITY_DOMAIN/);
  await expect(remove("1", { size: 1 })).rejects.toThrow(/IDENTITY_DOMAIN/);
  await expect(read("1", { size: 1 })).rejects.toThrow(/IDENTITY_DOMAIN/);
});
