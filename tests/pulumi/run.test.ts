import { ConfigurationError } from "../../provider/http/errors";
import { Run, RunMemory } from "../../provider/pulumi/run";

const SETTINGS = { domain: "tenant.example.com", accessToken: "given" };
const run = (settings: Record<string, string> = SETTINGS) => new Run(settings, { kind: "stack" });

describe("what a run remembers", () => {
  const NAMES = new RunMemory(() => new Set<string>());
  const OTHERS = new RunMemory(() => new Set<string>());

  test("is made once, and of each memory apart", () => {
    const first = run();
    first.recall(NAMES).add("a");

    expect([...first.recall(NAMES)]).toEqual(["a"]);
    expect([...first.recall(OTHERS)]).toEqual([]);
  });

  test("is gone with the run", () => {
    run().recall(NAMES).add("a");

    expect([...run().recall(NAMES)]).toEqual([]);
  });
});

describe("inputs that check approved", () => {
  test("are known again, in whatever order their keys come", () => {
    const first = run();
    first.approve("Kind", "a", { x: 1, deep: { y: 2, z: [3] } });

    expect(first.isApproved("Kind", { deep: { z: [3], y: 2 }, x: 1 })).toBe(true);
    expect(first.nameOf("Kind", { deep: { z: [3], y: 2 }, x: 1 })).toBe("a");
  });

  test("are those of one kind, with these values", () => {
    const first = run();
    first.approve("Kind", "a", { x: [1, 2] });

    expect(first.isApproved("Other", { x: [1, 2] })).toBe(false);
    expect(first.isApproved("Kind", { x: [2, 1] })).toBe(false);
    expect(first.nameOf("Kind", { x: [2, 1] })).toBeUndefined();
  });

  test("are approved also where the program sends no name", () => {
    const first = run();
    first.approve("Kind", undefined, {});

    expect(first.isApproved("Kind", {})).toBe(true);
    expect(first.nameOf("Kind", {})).toBeUndefined();
  });
});

describe("a second check without former inputs is that of a replacement", () => {
  test("and answers what is replaced", () => {
    const first = run();

    expect(first.checked("Kind", "a", { x: 1 })).toBeUndefined();
    expect(first.checked("Kind", "a", undefined)).toEqual({ x: 1 });
  });

  test("but not of another resource, another kind, or one that is new", () => {
    const first = run();
    first.checked("Kind", "a", { x: 1 });

    expect(first.checked("Kind", "b", undefined)).toBeUndefined();
    expect(first.checked("Other", "a", undefined)).toBeUndefined();
    expect(run().checked("Kind", "a", undefined)).toBeUndefined();
  });

  test("and nothing is known without names", () => {
    const first = run();
    first.checked("Kind", undefined, { x: 1 });

    expect(first.checked("Kind", undefined, undefined)).toBeUndefined();
  });
});

describe("settings", () => {
  test("that are missing are fine until a client is needed", () => {
    const first = run({});

    expect(first.tenant).toBeUndefined();
    expect(first.wrongSettings()).toEqual([]);
    expect(() => first.client).toThrow(ConfigurationError);
  });

  test("that are wrong are told in full once", () => {
    const first = run({ ...SETTINGS, rateLimitReserve: "5" });

    expect(first.wrongSettings()).toEqual([expect.stringContaining("rateLimitReserve")]);
    expect(first.wrongSettings()).toEqual([expect.stringContaining("see the first message")]);
    expect(first.wrongSettings()).toEqual([expect.stringContaining("see the first message")]);
  });

  test("give one client, and the names of the tenant", () => {
    const first = run({ ...SETTINGS, formerDomains: "old.example.com, older.example.com" });

    expect(first.client).toBe(first.client);
    expect(first.tenant).toBe("tenant.example.com");
    expect(first.formerTenants).toEqual(["old.example.com", "older.example.com"]);
  });
});
