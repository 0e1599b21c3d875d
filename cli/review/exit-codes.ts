import { CODE_HOST_FAILED } from "../errors";

export const NEEDS_APPROVAL = 3;
export const PREVIEW_FAILED = 4;
export const NOT_AS_REVIEWED = 5;

/** The one that wins first. A pipeline goes on after an approval, so what else went wrong must not hide behind it. */
const CODE_ORDER = [PREVIEW_FAILED, NOT_AS_REVIEWED, CODE_HOST_FAILED, NEEDS_APPROVAL] as const;

export function mostImportant(...codes: number[]): number {
  return CODE_ORDER.find((code) => codes.includes(code)) ?? 0;
}
