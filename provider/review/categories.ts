/** The reasons for which an approval can be required. */
export const CATEGORIES = [
  "grant",
  "revoke",
  "removal",
  "delete",
  "exclusive",
  "replace",
  "adopt",
  "rules",
  "unknown",
  "other",
  "pending",
] as const;
export type Category = (typeof CATEGORIES)[number];
