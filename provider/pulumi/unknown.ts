import * as pulumi from "@pulumi/pulumi";

/**
 * During a preview, and in `diff` at times during an update, a value that is not known yet arrives as this string,
 * also in place of a whole list or object.
 */
export function isUnknown(value: unknown): boolean {
  return value === pulumi.runtime.unknownValue;
}

/** True when the value is unknown or holds an unknown at any depth. */
export function holdsUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}
