/** What an approval can be required for. */
export const CATEGORIES = [
  "grant",
  "revoke",
  "removal",
  "delete",
  "exclusive",
  "replace",
  "adopt",
  "unknown",
  "other",
] as const;
export type Category = (typeof CATEGORIES)[number];
