import { runInNewContext } from "node:vm";
import ts from "typescript";
import { CommentedTexts, propertyLines, textLiteral } from "../../../cli/adopt/literal";
import fc, { NEW_SEED } from "../../properties";
import { formatted } from "./formatted";
import { hostileTexts, jsonObjects } from "./hostile";

const program = (value: Record<string, unknown>) =>
  `use({\n  value: 1,\n${propertyLines(Object.entries(value))}});\n`;

/** What a program means, as the JavaScript that the compiler makes of it. */
function evaluate(program: string): unknown {
  const { outputText } = ts.transpileModule(program, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  let used: unknown;
  runInNewContext(outputText, { use: (value: unknown) => (used = value) });
  return used;
}

const laidOutAsPrettierDoes = async (value: Record<string, unknown>) => {
  const text = program(value);
  expect(await formatted(text)).toBe(text);
  expect(evaluate(text)).toEqual({ value: 1, ...value });
};

describe.each([
  ["the fixed seed", undefined],
  ["a new seed", NEW_SEED],
])("%s", (_, seed) => {
  const options = { numRuns: 100, ...(seed !== undefined && { seed }) };

  test("any JSON object means itself, and Prettier leaves it as it is", () =>
    fc.assert(fc.asyncProperty(jsonObjects, laidOutAsPrettierDoes), options));

  test("a text of which every character is shown or escaped means itself", () =>
    fc.assert(
      fc.property(hostileTexts, (text) => {
        const literal = textLiteral(text);
        expect(literal).toMatch(/^(["'])[\p{L}\p{M}\p{N}\p{P}\p{S} ]*\1$/u);
        expect(evaluate(`use(${literal});`)).toBe(text);
      }),
      options,
    ));
});

test.each<[string, Record<string, unknown>]>([
  [
    "lists at the edge of the line",
    Object.fromEntries([...Array(9).keys()].map((n) => [`key${n}`, ["x".repeat(62 + n)]])),
  ],
  [
    "texts at the edge of the line",
    Object.fromEntries([...Array(9).keys()].map((n) => [`key${n}`, "x".repeat(65 + n)])),
  ],
  [
    "short keys before long texts",
    { name: "x".repeat(99), names: "x".repeat(99), "a-": "x".repeat(99), "a-b": "x".repeat(99) },
  ],
  [
    "long keys",
    Object.fromEntries(
      [...Array(12).keys()].flatMap((n) => [
        ["a".repeat(68 + n), ["a"]],
        ["b".repeat(68 + n), { a: 1 }],
        ["c".repeat(68 + n), []],
        ["d".repeat(68 + n), {}],
        ["e".repeat(68 + n), 5],
        ["f".repeat(68 + n), "x"],
      ]),
    ),
  ],
  [
    "many numbers",
    {
      few: [1, -2, 1e21, 1.5e-7],
      many: [...Array(60).keys()].map((n) => n * 997),
      pairs: [
        [1, 2],
        [3, 4],
      ],
      one: [[1], [2]],
    },
  ],
  [
    "characters of one, two and no columns",
    {
      wide: ["日".repeat(34)],
      wider: ["日".repeat(36)],
      text: "🙂".repeat(36),
      marks: ["e\u0301".repeat(60)],
    },
  ],
  [
    "a value within 60 others of longer names",
    [...Array(60).keys()].reduce<Record<string, unknown>>((inner) => ({ longer: inner, list: [[1, 2]] }), {
      longer: ["a"],
    }),
  ],
  [
    "a value within 90 others",
    [...Array(90).keys()].reduce<Record<string, unknown>>(
      (inner) => ({ a: inner, list: [1, 2], text: "x", no: [], longer: [1, 2], longest: "x", none: {} }),
      { longer: ["a"] },
    ),
  ],
])("%s", (_, value) => laidOutAsPrettierDoes(value));

test("a comment stands beside each text of a list, and Prettier leaves it there", async () => {
  const value = {
    groupIds: new CommentedTexts(["a", "b", "c"], [`"x ${"y".repeat(90)}"`, undefined, '"z"']),
  };
  const text = `use({\n${propertyLines(Object.entries(value))}});\n`;
  expect(text).toBe(
    `use({\n  groupIds: [\n    "a", // "x ${"y".repeat(90)}"\n    "b",\n    "c", // "z"\n  ],\n});\n`,
  );
  expect(await formatted(text)).toBe(text);
});

test.each([
  ["plain", '"plain"'],
  ["Zürich 日本 🙂", '"Zürich 日本 🙂"'],
  ['say "no"', "'say \"no\"'"],
  [`"it's"`, `'"it\\'s"'`],
  ["it's", `"it's"`],
  ["a\nb\u2028c", '"a\\nb\\u2028c"'],
  ["\u202egro", '"\\u202egro"'],
  ["\u{e0041}`${x}`</script>*/", '"\\udb40\\udc41`${x}`</script>*/"'],
  ["\ud800", '"\\ud800"'],
  ["a\u00a0b\u200d", '"a\\u00a0b\\u200d"'],
])("%j is written %s", (text, literal) => expect(textLiteral(text)).toBe(literal));
