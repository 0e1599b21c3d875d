import { holderId } from "../../../../provider/access/edge";
import { readPreview } from "../../../../cli/review/input/preview";
import { summaryOf } from "../../../../cli/review/output/counts";
import { reviewOf } from "../../../../cli/review/review";
import { factsOf } from "../../../../provider/review/facts";
import { NoPreview } from "../../../../cli/review/input/raw-preview";
import { groups, previewText, step, TENANT } from "../../../../testkit/cli/previews";

const read = readPreview;

test.each([
  ["nothing", "\n", "is empty, as Pulumi's output is when a preview ends early"],
  ["text", "Previewing update (test):", "is not JSON"],
  [
    "a stream of events",
    '{"sequence":0,"timestamp":1}\n{"sequence":1,"timestamp":1}\n',
    "is a stream of events, which can hold secrets in clear: delete it",
  ],
  ["a plan", '{"resourcePlans":{},"manifest":{}}', "is a saved plan, and no preview"],
  ["a state", '{"version":3,"deployment":{}}', "is an exported state, and no preview"],
  ["other JSON", '{"a":1}', "is JSON, but no preview"],
  ["a list", "[]", "is JSON, but no preview"],
  ["null", "null", "is JSON, but no preview"],
])("%s is none", (_, text, message) => {
  expect(() => read(text)).toThrow(new NoPreview(message));
});

const stack = (op: string) => ({
  op,
  urn: "urn:pulumi:prod::access::pulumi:pulumi:Stack::access-prod",
  [op === "create" ? "newState" : "oldState"]: { type: "pulumi:pulumi:Stack" },
});
const update = step({ name: "a", before: groups("grp_a"), after: groups("grp_b") });
const changed = step({
  name: "a",
  before: groups("grp_a"),
  after: groups("grp_b"),
  state: { outputs: groups("grp_b") },
});
const looked = step({ name: "a", op: "refresh", before: groups("grp_a"), after: groups("grp_a") });
const gone = step({ name: "a", before: groups("grp_a") });
const registered = step({
  name: "a",
  op: "same",
  id: undefined,
  before: groups("grp_a"),
  old: { id: undefined, outputs: undefined },
});
const same = step({ name: "a", op: "same", before: groups("grp_a") });

/* tests/e2e/review.test.ts has the real CLI's output. */
test.each<[what: string, steps: object[], isRefresh: boolean | undefined]>([
  ["the first preview", [stack("create")], false],
  ["a preview", [stack("same"), update], false],
  ["a preview of a destroy", [stack("delete")], false],
  ["a preview that refreshes first", [stack("refresh"), looked, stack("same"), same], false],
  ["one that runs the program for that", [stack("same"), looked, same], false],
  ["one that finds a drift", [stack("refresh"), changed, stack("same"), update], false],
  ["a refresh", [stack("refresh"), looked], true],
  ["a refresh of a stack that has nothing", [stack("refresh")], true],
  ["a refresh that runs the program", [stack("same"), looked], true],
  ["one of which all has changed", [stack("same"), changed], true],
  ["what tells neither", [update], undefined],
  ["a refresh that finds all gone, and runs the program", [stack("same"), gone, registered], undefined],
])("%s", (_, steps, isRefresh) => {
  expect(read(previewText(steps)).isRefresh).toBe(isRefresh);
});

test.each([
  [[stack("same"), gone, registered]],
  [[stack("same"), gone, { ...looked, urn: "b" }, registered]],
])("what a refresh finds gone is lost, though the program registers it", (steps) => {
  const { access } = reviewOf(read(previewText(steps)), true);
  expect(access.map(({ effect, holder }) => [effect, holder])).toEqual([["loses", { group: "grp_a" }]]);
});

describe("a preview lacks", () => {
  const replace = step({ name: "r", op: "replace", before: groups("grp_a"), after: groups("grp_b") });
  const lacks = (steps: readonly object[], unchanged: number) =>
    read(JSON.stringify({ steps, changeSummary: { same: unchanged } })).lacks;

  test("--show-sames, where it counts more unchanged resources than it shows", () => {
    expect(lacks([stack("same"), same], 2)).toBeUndefined();
    expect(lacks([stack("same")], 1)).toBeUndefined();
    expect(lacks([stack("same")], 2)).toBe("--show-sames");
    expect(lacks([update], 1)).toBe("--show-sames");
  });

  test("--show-replacement-steps, where a replacement is one step", () => {
    expect(lacks([replace], 0)).toBe("--show-replacement-steps");
    expect(lacks([replace, { ...replace, op: "create-replacement" }], 0)).toBeUndefined();
  });

  test("nothing, where it is a refresh: this shows what is unchanged as well", () => {
    expect(lacks([stack("refresh"), looked], 2)).toBeUndefined();
  });
});

test("a preview without steps is one without changes", () => {
  expect(read('{"changeSummary":{},"duration":1}')).toMatchObject({ steps: [], errors: [], others: 0 });
});

test.each([
  ["acme:index:Team$pulumi:providers:identity", "eu", 1],
  ["pulumi:providers:identity", "default_eu", 1],
  ["pulumi:providers:identity", "default_1_0_0-rc.1", 0],
  ["pulumi:providers:identity", "default_github_//api.github.com/acme", 0],
])("a provider %s::%s: Pulumi makes default ones itself", (type, name, count) => {
  const urn = `urn:pulumi:prod::access::${type}::${name}`;
  const newState = { type, custom: true, inputs: { domain: "eu.example.com" } };
  expect(read(JSON.stringify({ steps: [{ op: "create", urn, newState }] })).providers).toHaveLength(count);
});

test("resources of other packages are counted, the stack, components and default providers are not", () => {
  const create = (type: string, name: string, custom: boolean) => ({
    op: "create",
    urn: `urn:pulumi:prod::access::${type}::${name}`,
    newState: { type, custom },
  });
  const steps = [
    create("pulumi:pulumi:Stack", "access-prod", false),
    create("my:component", "c", false),
    create("pulumi:providers:aws", "default_6_0", true),
    create("aws:s3/bucket:Bucket", "b", true),
  ];
  expect(read(JSON.stringify({ steps }))).toMatchObject({ stack: "access/prod", steps: [], others: 1 });
});

test("a name may hold what separates the parts of a URN", () => {
  const type = "pulumi-nodejs:dynamic/identity:RoleGroupAssignment";
  const urn = `urn:pulumi:prod::access::my:component$${type}::a::b`;
  const steps = [{ op: "create", urn, newState: { type, custom: true, inputs: {} } }];
  expect(read(JSON.stringify({ steps })).steps).toMatchObject([{ name: "a::b" }]);
});

test("what a refresh keeps, though the tenant doesn't show it yet, is no agreement", () => {
  const urn = "urn:pulumi:prod::access::identity:index:RoleGroupAssignment::a";
  const kept =
    "role rol_1: the tenant doesn't list grp_a, but this stack wrote the assignment less than a minute ago, so state keeps it. Refresh again in a minute.";
  const message = `a: free words ${JSON.stringify({ kept: "role rol_1", groups: "grp_a" })}\n`;
  const diagnostics = [{ urn, severity: "info", message }];
  const review = reviewOf(read(JSON.stringify({ steps: [], diagnostics })), true);
  expect(summaryOf(review).join()).toBe("❔ 1 not known");
  expect(review.unknown.map(({ name, reason }) => `${name}: ${reason.toString()}`)).toEqual([`a: ${kept}`]);
});

describe("what is imported", () => {
  const type = "identity:index:RoleGroupAssignment";
  const urn = `urn:pulumi:prod::access::${type}::a`;
  const inputs = { roleId: "rol_1", groupIds: ["grp_a"] };
  const provider = "urn:pulumi:prod::access::pulumi:providers:identity::default::p1";
  const imported = {
    op: "import",
    urn,
    newState: { type, custom: true, provider, importID: "rol_1", inputs },
  };
  const config = { "identity:domain": TENANT };
  const reviewed = (...steps: object[]) => reviewOf(read(JSON.stringify({ config, steps })), false);

  test("is a note, and counts among what the program gives", () => {
    const review = reviewed(imported);
    expect(review).toMatchObject({ access: [], unknown: [] });
    expect(review.notes.map(({ name, reason }) => `${name} ${reason.toString()}`)).toEqual([
      "a is imported: from now on, this stack manages it",
    ]);
    expect(review.after).toEqual([{ tenant: TENANT, role: "rol_1", groups: [{ id: "grp_a" }] }]);
  });

  test("is changed as any other, where the program wants it otherwise", () => {
    const common = { type, custom: true, provider, id: "rol_1" };
    const oldState = { ...common, inputs, outputs: { ...inputs, tenant: TENANT } };
    const newState = { ...common, inputs: { ...inputs, groupIds: ["grp_a", "grp_b"] } };
    const review = reviewed(imported, { op: "update", urn, oldState, newState, diffReasons: ["groupIds"] });
    expect(review.access.map(({ effect, holder }) => `${effect} ${holderId(holder)}`)).toEqual([
      "gains grp_b",
    ]);
    expect(review.unknown).toEqual([]);
  });
});

test("a line that tells its resource belongs to no other one of the name", () => {
  const type = "identity:index:RoleGroupAssignment";
  const steps = ["One", "Other"].map((parent) => ({
    op: "create",
    urn: `urn:pulumi:prod::access::acme:index:${parent}$${type}::a`,
    newState: { type, custom: true, inputs: { roleId: "rol_1", groupIds: ["grp_a"] } },
  }));
  const fact = { leaving: "rol_1", groups: { grp_a: "hands over" } };
  const line = `role rol_1: hands over grp_a ${JSON.stringify(fact)}`;
  const diagnostics = [{ urn: steps[0]?.urn, message: `a: ${line}\n`, severity: "info" }];
  expect(read(JSON.stringify({ steps, diagnostics })).steps.map(({ printed }) => printed)).toEqual([
    [fact],
    [],
  ]);
});

test("lines go to the resource whose name they begin with, whatever else is printed", () => {
  const line = (role: string) => `anything {"exclusive":"${role}","takes":[]}`;
  const names = ["a", "a:", "a: b", "a::b", "\u202ea"];
  const steps = names.map((name, index) =>
    step({ name, after: { roleId: `rol_${index}`, groupIds: ["grp_a"], exclusive: true } }),
  );
  const lines = [
    ...["a", "a:", "a: b", "a::b", "\\u202ea"].map((shown, index) => `${shown}: ${line(`rol_${index}`)}`),
    "Previewing: 1 of 2: done",
    `nobody: ${line("rol_0")}`,
    ":".repeat(5_000),
  ];
  const told = readPreview(previewText(steps, lines)).steps.map((one) => [
    one.name,
    factsOf(one.printed, "exclusive").map(({ exclusive }) => exclusive),
  ]);
  expect(Object.fromEntries(told)).toEqual({
    // Its line may begin with "b: ", as far as anybody knows. The fact names another role.
    a: ["rol_0", "rol_2"],
    "a:": ["rol_1"],
    "a: b": ["rol_2"],
    "a::b": ["rol_3"],
    "\u202ea": ["rol_4"],
  });
});
