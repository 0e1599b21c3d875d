import { runInNewContext } from "node:vm";
import ts from "typescript";
import { Lines, propertyLines } from "../../../cli/adopt/program";
import { textLiteral } from "../../../cli/adopt/text";
import fc, { NEW_SEED } from "../../../testkit/properties";
import { hostileTexts, jsonObjects } from "../../../testkit/hostile-texts";

const program = (value: Record<string, unknown>) =>
  `use({\n  value: 1,\n${propertyLines(Object.entries(value))}});\n`;

/** Evaluates a program as the JavaScript that the compiler makes of it. */
function evaluate(program: string): unknown {
  const { outputText } = ts.transpileModule(program, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  let used: unknown;
  runInNewContext(outputText, { use: (value: unknown) => (used = value) });
  return used;
}

describe.each([
  ["the fixed seed", undefined],
  ["a new seed", NEW_SEED],
])("%s", (_, seed) => {
  const options = { numRuns: 50, ...(seed !== undefined && { seed }) };

  test("any JSON object means itself", () =>
    fc.assert(
      fc.property(jsonObjects, (value) => {
        expect(evaluate(program(value))).toEqual({ value: 1, ...value });
      }),
      options,
    ));

  test("a text of which every character is shown or escaped means itself", () =>
    fc.assert(
      fc.property(hostileTexts, (text) => {
        const literal = textLiteral(text);
        expect(literal).toMatch(/^"[\p{L}\p{M}\p{N}\p{P}\p{S} ]*"$/u);
        expect(evaluate(`use(${literal});`)).toBe(text);
      }),
      options,
    ));
});

test("each entry has a line, and so has each item of a list that is long or holds objects", () => {
  const value = {
    short: ["a", 1, true],
    long: ["x".repeat(28), "x".repeat(24)],
    longer: ["x".repeat(28), "x".repeat(25)],
    objects: [{ "a-b": null }, {}],
    none: [],
  };
  expect(propertyLines(Object.entries(value))).toBe(`  short: ["a", 1, true],
  long: ["${"x".repeat(28)}", "${"x".repeat(24)}"],
  longer: [
    "${"x".repeat(28)}",
    "${"x".repeat(25)}",
  ],
  objects: [
    {
      "a-b": null,
    },
    {},
  ],
  none: [],
`);
});

test("a comment stands beside each text of a list", () => {
  const value = {
    groupIds: new Lines([
      { value: "a", comment: `"x ${"y".repeat(90)}"` },
      { value: "b" },
      { value: "c", comment: '"z"' },
    ]),
  };
  const text = `use({\n${propertyLines(Object.entries(value))}});\n`;
  expect(text).toBe(
    `use({\n  groupIds: [\n    "a", // "x ${"y".repeat(90)}"\n    "b",\n    "c", // "z"\n  ],\n});\n`,
  );
});

test.each([
  ["plain", '"plain"'],
  ["Zürich 日本 🙂", '"Zürich 日本 🙂"'],
  ['say "no"', '"say \\"no\\""'],
  [`"it's"`, `"\\"it's\\""`],
  ["it's", `"it's"`],
  ["a\nb\u2028c", '"a\\nb\\u2028c"'],
  ["\u202egro", '"\\u202egro"'],
  ["\u{e0041}`${x}`</script>*/", '"\\udb40\\udc41`${x}`</script>*/"'],
  ["\ud800", '"\\ud800"'],
  ["a\u00a0b\u200d", '"a\\u00a0b\\u200d"'],
])("%j is written %s", (text, literal) => expect(textLiteral(text)).toBe(literal));
