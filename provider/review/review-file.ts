import { createHash } from "node:crypto";
import { decoded, NotDecodable } from "../decoded";
import { isObject, type JsonObject } from "../service/record";
import { type ReviewJson, reviewSchema } from "./model";
import { pathText } from "./raw-inputs";

/** A review is made right before it's applied. */
const LONGEST_HOURS = 24;

/** The end of a sentence that begins with the file. */
export class Unusable extends Error {}

/** Parses the review in the bytes of a file. Throws `Unusable`. */
export function reviewIn(bytes: Buffer, digest: string | undefined, stack: string | undefined): ReviewJson {
  if (digest !== undefined && createHash("sha256").update(bytes).digest("hex") !== digest)
    throw new Unusable("is not the file whose SHA-256 identity:reviewDigest (IDENTITY_REVIEW_DIGEST) gives");
  const raw = ofStack(parsed(bytes), stack);
  const { version, fingerprint } = raw;
  // Other files have a version, too: an exported state has 3.
  if (typeof version === "number" && version > 1 && fingerprint !== undefined)
    throw new Unusable(`has form ${version}, which this release does not know: update pulumi-identity`);
  const result = reviewSchema.safeParse(raw);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Unusable(
      `is not what \`pulumi-identity review --json\` of this release writes (${pathText(issue?.path ?? [])})`,
    );
  }
  const { kind, failed, made } = result.data;
  if (kind === "drift") throw new Unusable("is that of a drift, and not of a change");
  if (failed) throw new Unusable("is of a preview that failed");
  const hours = (Date.now() - Date.parse(made)) / 3_600_000;
  if (!(hours <= LONGEST_HOURS)) throw new Unusable(`was made ${made}, more than ${LONGEST_HOURS} hours ago`);
  return result.data;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(decoded(bytes));
  } catch (error) {
    throw new Unusable(error instanceof NotDecodable ? error.message : "is not JSON");
  }
}

/** Returns the stack's review, which may be one of several. */
function ofStack(json: unknown, stack: string | undefined): JsonObject {
  const all = (Array.isArray(json) ? (json as unknown[]) : [json]).map((one) => (isObject(one) ? one : {}));
  if (all.length > 1 && stack === undefined)
    throw new Unusable("is that of several stacks, and no resource of this run tells which this is");
  // A preview without steps doesn't name its stack, and permits nothing.
  const own = all.find((one) => stack === undefined || (one["stack"] ?? stack) === stack);
  if (own !== undefined) return own;
  throw new Unusable(`is that of ${all.map((one) => String(one["stack"])).join(", ")}, and this is ${stack}`);
}
