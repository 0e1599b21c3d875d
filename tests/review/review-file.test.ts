import { createHash } from "node:crypto";
import { toJson } from "../../cli/review/output/json";
import { type ReviewJson } from "../../provider/review/model";
import { reviewIn, Unusable } from "../../provider/review/review-file";
import { groups, made, step } from "../../testkit/cli/previews";

const MAKING = { made: new Date(), unknownAccepted: false, environmentTenant: undefined };
const REVIEW = toJson(made([step({ name: "a", after: groups("grp_a") })]), MAKING);
const HOUR_MS = 3_600_000;

const read = (review: unknown, stack: string | undefined = REVIEW.stack ?? undefined) =>
  reviewIn(Buffer.from(typeof review === "string" ? review : JSON.stringify(review)), undefined, stack);

test("a review of this stack is read, alone or as one of several", () => {
  expect(REVIEW.stack).toBe("access/prod");
  expect(read(REVIEW)).toEqual(REVIEW);
  expect(read([{ ...REVIEW, stack: "access/dev", access: [] }, REVIEW])).toEqual(REVIEW);
});

const TEXT = `\ufeff${JSON.stringify({ ...REVIEW, names: { rol_1: "Büro" } })}`;

test.each<[string, Buffer]>([
  ["a byte order mark", Buffer.from(TEXT)],
  ["UTF-16", Buffer.from(TEXT, "utf16le")],
  ["UTF-16, big-endian", Buffer.from(TEXT, "utf16le").swap16()],
])("one that was saved again with %s allows the same, and has a digest of its own", (_, bytes) => {
  const digest = (of: Buffer) => createHash("sha256").update(of).digest("hex");
  const same = { ...REVIEW, names: { rol_1: "Büro" } };
  expect(reviewIn(bytes, undefined, "access/prod")).toEqual(same);
  expect(reviewIn(bytes, digest(bytes), "access/prod")).toEqual(same);
  const former = digest(Buffer.from(TEXT.slice(1)));
  expect(() => reviewIn(bytes, former, "access/prod")).toThrow("is not the file whose SHA-256");
});

test("one in another encoding is refused by its name", () => {
  const torn = () => reviewIn(Buffer.from(TEXT.slice(1), "latin1"), undefined, "access/prod");
  expect(torn).toThrow("is not UTF-8: line 1 has letters of another encoding, such as Windows-1252");
});

test.each<[string, (review: ReviewJson) => unknown, string]>([
  [
    "no review",
    () => ({ version: 1, yes: true }),
    "is not what `pulumi-identity review --json` of this release writes",
  ],
  [
    "an exported state",
    () => ({ version: 3, deployment: {} }),
    "is not what `pulumi-identity review --json` of this release writes",
  ],
  [
    "of a newer release",
    (review) => ({ ...review, version: 2 }),
    "has form 2, which this release does not know",
  ],
  ["of an older release", ({ after: _, ...review }) => review, "of this release writes (after)"],
  [
    "of several stacks without this one",
    (review) => [
      { ...review, stack: "a/b" },
      { ...review, stack: "c/d" },
    ],
    "is that of a/b, c/d, and this is access/prod",
  ],
  ["of a drift", (review) => ({ ...review, kind: "drift" }), "is that of a drift"],
  ["of a failed preview", (review) => ({ ...review, failed: true }), "is of a preview that failed"],
  [
    "old",
    (review) => ({ ...review, made: new Date(Date.now() - 25 * HOUR_MS).toISOString() }),
    "more than 24 hours ago",
  ],
  ["without a time", (review) => ({ ...review, made: "today" }), "more than 24 hours ago"],
])("one is refused that is %s", (_, change, why) => {
  expect(() => read(change(REVIEW))).toThrow(Unusable);
  expect(() => read(change(REVIEW))).toThrow(why);
});
