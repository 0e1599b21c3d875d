import { z } from "zod";
import { problemsOf } from "../../provider/pulumi/input-problems";
import { UNKNOWN_VALUE as UNKNOWN } from "../../provider/seen";

const schema = z.strictObject({
  name: z.string().max(5, "must have at most 5 characters"),
  list: z.array(z.enum(["x", "y"], { error: "must be x or y" })).optional(),
  nested: z.record(z.string(), z.looseObject({ size: z.number().optional() })).optional(),
});
const problems = (inputs: Record<string, unknown>, secrets: string[] = []) =>
  problemsOf(schema, inputs, secrets);

test("all are named at once, with path, rule and received value", () => {
  expect(problems({ name: "too long", list: ["x", "z"], nested: { a: { size: "big" } }, extra: 1 })).toEqual([
    'name: must have at most 5 characters; received "too long".',
    'list[1]: must be x or y; received "z".',
    expect.stringMatching(/^nested\.a\.size: .*; received "big"\.$/),
    "extra: is not an input; check its spelling.",
  ]);
});

test("an input in the spelling of another language is named as it is spelt here", () => {
  const other = z.strictObject({ groupIds: z.string() });

  expect(problemsOf(other, { group_ids: "a" }, [])).toEqual([
    "groupIds: is required; received nothing.",
    "group_ids: is not an input: did you mean groupIds?",
  ]);
});

test("inputs that are no object are a problem of all of them", () => {
  expect(problems(undefined as never)).toEqual([
    expect.stringMatching(/^the inputs: .*; received nothing\.$/),
  ]);
  expect(problems(7 as never)).toEqual([expect.stringMatching(/^the inputs: .*; received 7\.$/)]);
});

test.each([
  [{}, "received nothing."],
  [{ name: null }, "received null."],
  [{ name: ["a"] }, 'received ["a"].'],
])("%j says what was received", (inputs, received) => {
  expect(problems(inputs)).toEqual([expect.stringMatching(/^name: /)]);
  expect(problems(inputs)[0]).toContain(received);
});

test("of long values the length is shown, and no part that may be secret", () => {
  expect(problems({ name: "n".repeat(100_000) })).toEqual([
    expect.stringMatching(/; received 100000 characters\.$/),
  ]);
});

test.each([
  { name: UNKNOWN },
  { name: "a", list: ["x", UNKNOWN] },
  { name: "a", nested: { a: { size: UNKNOWN } } },
])("unknown values are not judged: %j", (inputs) => {
  expect(problems(inputs)).toEqual([]);
});

test.each([["name"], ["list"], ["nested"]])("a secret %s is never shown", (name) => {
  const inputs = {
    name: "s3cret-name",
    list: ["s3cret-list"],
    nested: { "s3cret-key": { size: "s3cret-size" } },
  };

  const own = problems(inputs, [name]).find((problem) => problem.startsWith(name));

  expect(own).toContain("received a secret value");
  expect(own).not.toContain("s3cret");
});

test("keys of a secret that are no inputs are not shown", () => {
  const strict = z.strictObject({ secret: z.strictObject({ known: z.string().optional() }) });

  expect(problemsOf(strict, { secret: { "s3cret-key": 1 } }, ["secret"]).join()).not.toContain("s3cret");
});

test("prototype keys are inputs like others", () => {
  const inputs = JSON.parse(
    '{"name":"a","nested":{"constructor":{"size":"big"}},"__proto__":{"name":"b"}}',
  ) as Record<string, unknown>;

  expect(problems(inputs)).toEqual([
    expect.stringMatching(/^nested\.constructor\.size: /),
    expect.stringMatching(/^__proto__: is not an input/),
  ]);
});
