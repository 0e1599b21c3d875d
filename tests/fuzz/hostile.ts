import { runtime } from "@pulumi/pulumi";
import fc from "../../testkit/properties";

/* Values that no program should write. */

export type Values = Record<string, unknown>;

export const UNKNOWN = runtime.unknownValue;

/**
 * A secret as the engine writes it for providers that take secrets. This package's handlers never get one.
 */
const secretEnvelope = { [runtime.specialSigKey]: runtime.specialSecretSig, value: "within" };

export const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    " ",
    ".",
    "..",
    "\u0000",
    "\ud800",
    "\udc00a",
    "a\r\nb",
    "\u202e",
    "::error::x",
    "__proto__",
    "NaN",
    "null",
    "{org_id}",
    "%2e%2e%2f",
    "é".repeat(60),
    "x".repeat(100_000),
    UNKNOWN,
  ),
);

const key = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "length",
    "0",
    "",
    "/",
    "~",
    "then",
  ),
  fc.string({ maxLength: 6 }),
);

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, -0, 2 ** 53, Number.MIN_VALUE, Number.MAX_VALUE),
);

const scalar = fc.oneof(
  hostileText,
  number,
  fc.boolean(),
  fc.constantFrom<unknown>(null, UNKNOWN, secretEnvelope),
);

/** Deeper than the engine's own limit on messages lets through. */
const deep = fc.noShrink(
  fc
    .tuple(fc.integer({ min: 1, max: 3_400 }), fc.boolean())
    .map(([depth, isList]) =>
      Array.from({ length: depth }).reduce<unknown>((inner) => (isList ? [inner] : { a: inner }), "end"),
    ),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    {
      weight: 2,
      // Unlike assignment, this makes a key "__proto__" an ordinary one.
      arbitrary: fc
        .array(fc.tuple(key, tie("value")), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    },
  ),
}));

/** Any value that is not deep. */
export const shallowValue = value;

/** Any value, most of them small. */
export const hostileValue = fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: deep });

/** Any object: names that mean something beside others. */
export const hostileObject = (names: readonly string[], values = hostileValue): fc.Arbitrary<Values> =>
  fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...names), key), values), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries));
