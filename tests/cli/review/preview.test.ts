import { readPreview } from "../../../cli/review/preview";
import { parseRoleLine } from "../../../provider/resources/role-group-assignment/lines";
import { previewText, step } from "./made";

const read = (text: string) => readPreview(text, "preview.json");

test.each([
  [
    "text",
    "Previewing update (test):",
    "preview.json is not JSON. Give the output of pulumi preview --json --show-replacement-steps --show-sames, without its stderr.",
  ],
  [
    "a stream of events",
    '{"sequence":0,"timestamp":1}\n{"sequence":1,"timestamp":1}\n',
    /^preview\.json is a stream of events, which can hold secrets in clear/,
  ],
  ["a plan", '{"resourcePlans":{},"manifest":{}}', /^preview\.json is a saved plan/],
  ["a state", '{"version":3,"deployment":{}}', /^preview\.json is an exported state/],
  [
    "other JSON",
    '{"a":1}',
    "preview.json is JSON, but no preview. Give the output of pulumi preview --json --show-replacement-steps --show-sames.",
  ],
  ["a list", "[]", /is JSON, but no preview/],
  ["null", "null", /is JSON, but no preview/],
  ["steps in another shape", '{"steps":{}}', /has `steps` in a shape that this release doesn't know/],
  ["diagnostics in another shape", '{"steps":[],"diagnostics":["x"]}', /has `diagnostics` in a shape/],
])("%s is refused with a sentence", (_, text, message) => {
  expect(() => read(text)).toThrow(message);
});

test("an empty file is a preview that failed", () => {
  const [error] = read("\n").errors;
  expect(String(error?.message)).toMatch(
    /^There is no preview: the input is empty\. .* Look at what the command printed on stderr\.$/,
  );
});

test("a preview without steps is one without changes", () => {
  expect(read('{"changeSummary":{},"duration":1}')).toMatchObject({ steps: [], errors: [], others: 0 });
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

test("lines go to the resource whose name they begin with, whatever else is printed", () => {
  const line = (role: string) => `role ${role}: exclusive, takes the role from no other group`;
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
  const told = readPreview(previewText(steps, lines), "preview.json").steps.map((one) => [
    one.name,
    one.told.flatMap((found) => parseRoleLine(found)?.roleId ?? []),
  ]);
  expect(Object.fromEntries(told)).toEqual({
    a: ["rol_0"],
    "a:": ["rol_1"],
    "a: b": ["rol_2"],
    "a::b": ["rol_3"],
    "\u202ea": ["rol_4"],
  });
});
