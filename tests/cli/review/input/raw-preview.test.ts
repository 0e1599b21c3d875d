import { readPreview } from "../../../../cli/review/input/preview";
import { parseRawPreview } from "../../../../cli/review/input/raw-preview";
import { groups, made, previewText, step } from "../../../../testkit/cli/previews";

const parse = (...steps: object[]) => parseRawPreview(previewText(steps));
const update = step({ name: "a", before: groups("grp_a"), after: groups("grp_b") });

test("what Pulumi leaves out is false or empty", () => {
  expect(parse(update).steps).toEqual([
    expect.objectContaining({
      op: "update",
      diffReasons: [],
      oldState: expect.objectContaining({
        id: "rol_1",
        custom: true,
        external: false,
        protect: false,
        delete: false,
        pendingReplacement: false,
        deletedWith: undefined,
        initErrors: [],
        inputs: groups("grp_a"),
      }) as unknown,
      newState: expect.objectContaining({
        id: undefined,
        outputs: undefined,
        sourcePositions: [],
      }) as unknown,
    }),
  ]);
});

test.each<[string, object]>([
  ["op", { ...update, op: 1 }],
  ["op", { ...update, op: undefined }],
  ["urn", { ...update, urn: null }],
  ["diffReasons", { ...update, diffReasons: ["a", 1] }],
  ["oldState", { ...update, oldState: undefined }],
  ["newState", { ...update, newState: [] }],
  ["oldState.inputs", { ...update, oldState: { inputs: null } }],
  ["oldState.protect", { ...update, oldState: { protect: "true" } }],
  ["newState.initErrors", { ...update, newState: { initErrors: {} } }],
  ["newState", { ...update, op: "create-replacement", newState: undefined }],
])("a step whose %s is missing or another thing is strange, and not reviewable", (member, strange) => {
  expect(parse(strange)).toMatchObject({ steps: [], strange: [{ member }] });
  const review = made([strange]);
  expect(review.access).toEqual([]);
  expect(review.unknown).toHaveLength(1);
  expect(review.categories).toContain("unknown");
});

test("a preview that failed before its first step has its errors, and nothing else", () => {
  const message = "error: Target 'urn:pulumi:test::test::a:b:C::c' could not be found in the stack.\n";
  const text = JSON.stringify({ config: {}, diagnostics: [{ message, severity: "error" }], duration: 1 });
  expect(parseRawPreview(text)).toMatchObject({ steps: [], diagnostics: [{ message }] });
});

test.each([
  [
    "error: Running program '/home/runner/work/index.ts' failed with an unhandled exception:\n" +
      "NotFoundError: getUser failed.\n    at run (/home/runner/work/index.ts:3:7)\n    at main.ts:1\n",
    "The program failed: NotFoundError: getUser failed.\n",
  ],
  [
    "error: error in compiling Go: unable to run `go build`: exit status 1\n",
    "error in compiling Go: unable to run `go build`: exit status 1. `pulumi preview` prints why.",
  ],
  [
    "error: an unhandled error occurred: 'mvn compile exec:java' exited with non-zero exit code: 1\n",
    "an unhandled error occurred: 'mvn compile exec:java' exited with non-zero exit code: 1. `pulumi preview` prints why.",
  ],
  [
    '\u001b[31mError\u001b[0m: unable to find resource type "identity:RolGroupAssignment"\n\n',
    'unable to find resource type "identity:RolGroupAssignment"\n\n',
    "info#err",
  ],
  [
    "error: preview failed\n",
    "Its JSON doesn't say why, as when a policy refuses it: `pulumi preview` does.",
  ],
])("a program that fails is told by its error, without paths: %j", (message, told, severity = "error") => {
  const stranger = { message: "Error: what a program prints is none", severity: "info#err" };
  const last = { message: "error: preview failed\n", severity: "error" };
  const diagnostics = [stranger, { message, severity }, last];
  const { errors } = readPreview(JSON.stringify({ config: {}, diagnostics, duration: 1 }));
  expect(errors.map((error) => error.message.toString())).toEqual([told]);
});

test("a member that an object inherits is none that the preview has", () => {
  const named = { ...update, urn: "constructor", op: "toString" };
  expect(parse(named).steps).toMatchObject([{ op: "toString" }]);
});

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test.each([501, 100_000])("values that are nested %d levels deep are refused with a sentence", (depth) => {
  const message = "holds values that are nested more than 500 levels deep";
  expect(() => parseRawPreview(`{"steps":[],"x":${nested(depth)}}`)).toThrow(message);
  expect(() => parseRawPreview(`{"steps":[],"x":${nested(400)}}`)).not.toThrow();
});

test.each([
  ["config", '{"steps":[],"config":[]}'],
  ["steps", '{"steps":null}'],
  ["diagnostics", '{"steps":[],"diagnostics":[{"message":1,"severity":"error"}]}'],
  ["diagnostics", '{"steps":[],"diagnostics":[{"message":"x"}]}'],
])("%s in another shape is refused with a sentence", (part, text) => {
  expect(() => parseRawPreview(text)).toThrow(`has \`${part}\` in a shape`);
});

test("a free-form key may be called as a member of every object", () => {
  const keys = JSON.parse('{"constructor":1,"toString":{"a":2},"__proto__":{"b":3}}') as object;
  const review = made([
    step({ kind: "ConnectionProfile", name: "p", after: { name: "p", connectionConfig: keys } }),
  ]);
  expect(review.profiles[0]?.changes.map(({ path, before, after }) => [path, before, after])).toEqual([
    ["connectionConfig.__proto__.b", undefined, 3],
    ["connectionConfig.constructor", undefined, 1],
    ["connectionConfig.toString.a", undefined, 2],
    ["name", undefined, "p"],
  ]);
});
