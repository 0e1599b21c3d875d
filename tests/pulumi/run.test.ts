import { ConfigurationError } from "../../provider/http/errors";
import { formatRegistration, QUALIFIED_NAME, REGISTRATION } from "../../provider/pulumi/hidden-inputs";
import { Run, RunMemory } from "../../provider/pulumi/run";

const SETTINGS = { domain: "tenant.example.com", accessToken: "given" };
const run = (settings: Record<string, string> = SETTINGS) => new Run(settings, { from: "stack" });

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

test("settings are looked at once, however many resources are checked", () => {
  const settings = {
    domain: "tenant.example.com",
    clientId: "me",
    privateKey: "no key",
    maxConcurrency: "none",
  };
  let reads = 0;
  Object.defineProperty(settings, "privateKey", { enumerable: true, get: () => (reads++, "no key") });
  const first = run(settings);
  const readsBefore = reads;
  const told = [first.wrongSettings(), first.wrongSettings(), first.wrongSettings()];
  expect(told.map((problems) => problems.length)).toEqual([2, 1, 1]);
  const readsOnce = reads - readsBefore;
  first.wrongSettings();
  expect(reads - readsBefore).toBe(readsOnce);
});

test("missing settings are told in full by the first operation that they stop, and the rest refer to it", () => {
  const first = run({});
  const said = () => {
    try {
      return first.client.tenant;
    } catch (error) {
      return first.settingsOnce(error, "in full");
    }
  };
  const short = "The settings of the connection are missing or wrong: see the first message.";
  expect([said(), said(), said()]).toEqual(["in full", short, short]);
  expect(first.settingsOnce(new Error("else"), "another")).toBe("another");
});

const named = (parents: string, name: string) => ({
  [REGISTRATION]: formatRegistration("access/prod", parents, name),
});
const a = named("", "a");
const otherA = named("acme:index:Team", "a");

describe("a resource that was checked", () => {
  test.each([
    ["its registration", a],
    ["the name that check left", { [QUALIFIED_NAME]: "a" }],
  ])("is known again by %s", (_, inputs) => {
    const first = run();
    const resource = first.checked("ConnectionProfile", a, undefined);

    expect(first.resource("ConnectionProfile", inputs)).toBe(resource);
    expect(first.resource("RoleGroupAssignment", inputs)).toBeUndefined();
  });

  test("is another than the one of its name below a component", () => {
    const first = run();
    const [one, other] = [
      first.checked("ConnectionProfile", a, undefined),
      first.checked("ConnectionProfile", otherA, undefined),
    ];

    expect(one).not.toBe(other);
    expect(first.resource("ConnectionProfile", { [QUALIFIED_NAME]: "acme:index:Team::a" })).toBe(other);
  });

  test("is not known again if nobody said who it is", () => {
    const first = run();
    first.checked("ConnectionProfile", {}, undefined);

    expect(first.resource("ConnectionProfile", {})).toBeUndefined();
  });
});

describe("a second check without former inputs is that of a replacement", () => {
  test("and answers what is replaced", () => {
    const first = run();

    const resource = first.checked("ConnectionProfile", a, { x: 1 });
    resource.isTold = true;

    expect(first.checked("ConnectionProfile", a, undefined)).toBe(resource);
  });

  test("but not of another resource, even of the same name, another kind, or one that is new", () => {
    const first = run();
    first.checked("ConnectionProfile", a, { x: 1 });
    const fresh = { name: "a", before: undefined, isTold: false };

    expect(first.checked("ConnectionProfile", otherA, undefined)).toMatchObject(fresh);
    expect(first.checked("RoleGroupAssignment", a, undefined)).toMatchObject(fresh);
    expect(run().checked("ConnectionProfile", a, undefined)).toMatchObject(fresh);
  });

  test("and a third one begins anew", () => {
    const first = run();
    first.checked("ConnectionProfile", a, { x: 1 }).isTold = true;

    expect(first.checked("ConnectionProfile", a, { x: 1 }).isTold).toBe(false);
  });

  test("and nothing is known without names", () => {
    const first = run();
    first.checked("ConnectionProfile", {}, { x: 1 });

    expect(first.checked("ConnectionProfile", {}, undefined).before).toBeUndefined();
  });
});

describe("settings", () => {
  test("that are missing are fine until a client is needed", () => {
    const first = run({});

    expect(first.tenant).toBeUndefined();
    expect(first.wrongSettings()).toEqual([]);
    expect(() => first.client).toThrow(ConfigurationError);
  });

  test("give one client, and the names of the tenant", () => {
    const first = run({ ...SETTINGS, formerDomains: "old.example.com, older.example.com" });

    expect(first.client).toBe(first.client);
    expect(first.tenant).toBe("tenant.example.com");
    expect(first.formerTenants).toEqual(["old.example.com", "older.example.com"]);
  });
});
