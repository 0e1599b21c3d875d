import fc from "./properties";

/* Contents of a tenant that nobody would write by hand. */

export const TEXTS = [
  "",
  " ",
  "\u0000\u0001\u001b[2J",
  "*/ process.exit() /*",
  "`${process.exit()}`",
  '"); process.exit(); ("',
  "'); process.exit(); ('",
  "\\",
  '\\" + process.exit() + "',
  "a\nprocess.exit();\r\n//",
  "\u2028process.exit();\u2029",
  "\u202egnp.exe",
  "</script><script>alert(1)</script>",
  "@ts-nocheck",
  "# sourceMappingURL=data:application/json;base64,e30=",
  "::error::stop",
  "##vso[task.complete]",
  "👩‍🚀 🙂 日本 Zürich",
  "\u{e0041}\u{e0042}",
  "x".repeat(500),
  "日".repeat(40),
  "__proto__",
  "constructor",
  "null",
];

export const hostileTexts = fc.oneof(
  fc.constantFrom(...TEXTS, "\ud800", "\udc00a"),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 90 }),
);

const keys = fc.oneof(
  fc.constantFrom(
    "a",
    "a-b",
    "constructor",
    "toString",
    "hasOwnProperty",
    "then",
    "0",
    "1.5",
    "1e3",
    "-1",
    "",
    "a.b",
    "é",
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ minLength: 60, maxLength: 90 }),
  fc.constantFrom(...TEXTS.filter((text) => text !== "__proto__")),
);

/** All numbers of JSON, except negative zero. */
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
);
const scalars = fc.oneof(hostileTexts, numbers, fc.boolean(), fc.constant(null));

const { object } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    { weight: 4, arbitrary: scalars },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 5 }) },
    { weight: 1, arbitrary: fc.array(numbers, { maxLength: 40 }) },
    { weight: 2, arbitrary: tie("object") },
  ),
  object: fc
    .array(fc.tuple(keys, tie("value")), { maxLength: 5 })
    .map((entries): Record<string, unknown> => Object.fromEntries(entries)),
}));

export const jsonObjects = object;

/** Ids of profiles. */
export const ids = fc
  .string({
    unit: fc.constantFrom(..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
    minLength: 22,
    maxLength: 22,
  })
  .map((rest) => `cop_${rest}`);
