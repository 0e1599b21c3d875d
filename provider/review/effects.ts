import { type Place, type Sentence } from "./sentence";

/*
 * What changes do on a tenant. Each resource says it of its own steps, in its folder (review.ts, effects.ts);
 * the review adds these up. Of most of these, model.ts has the form that leaves the command
 * as JSON; here, sentences keep apart what is a value, and what is not known is undefined.
 */

/** What an approval can be required for. */
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
] as const;
export type Category = (typeof CATEGORIES)[number];

export interface AccessEffect {
  tenant: string | undefined;
  role: string;
  group: string;
  effect: "gains" | "loses" | "keeps";
  by: readonly { name: string; op: string; line: Place | undefined; reason: Sentence }[];
  unless?: Sentence | undefined;
  /** When that ends, and when it would have ended before; undefined without an end. */
  until?: string | undefined;
  untilBefore?: string | undefined;
}

export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
  /** Given where the list stands for a set: its order means nothing. */
  isSet?: true;
}

export interface ProfileEffect {
  tenant: string | undefined;
  op: "create" | "update" | "adopt" | "delete" | "gone";
  id: string | undefined;
  name: string;
  line: Place | undefined;
  reason: Sentence;
  changes: readonly FieldChange[];
  /** Settings by their names in the program; undefined where nothing is written. */
  wanted?: Readonly<Record<string, unknown>> | undefined;
  /** What state records of it or, in an adoption, the tenant holds; undefined where that is not known. */
  had?: Readonly<Record<string, unknown>> | undefined;
  unless?: Sentence | undefined;
}

interface Removal {
  tenant: string | undefined;
  id: string;
  name: string;
  line: Place | undefined;
}

/** The groups that the assignments of a program are to give a role, and until when. */
export interface RoleAfter {
  tenant: string | undefined;
  role: string;
  groups: { id: string; until?: string | undefined }[];
}

export interface Note {
  /** Undefined for what is of no single resource. */
  name: string | undefined;
  tenant?: string | undefined;
  reason: Sentence;
}

export interface NotReviewable extends Note {
  line: Place | undefined;
  /** What it can't be excluded to be, beside "unknown". */
  categories: readonly Category[];
  id?: string | undefined;
  /** Of an assignment; undefined where one of them does not show. */
  roles?: readonly string[] | undefined;
}

export interface Effects {
  access: AccessEffect[];
  profiles: ProfileEffect[];
  removals: Removal[];
  unknown: NotReviewable[];
  notes: Note[];
  /** What an approval may be required for, beside what the members above tell by themselves. */
  categories: Category[];
}

export function noEffects(): Effects {
  return { access: [], profiles: [], removals: [], unknown: [], notes: [], categories: [] };
}

/** The groups that have a role today; undefined where that was not asked, or not answered. */
export type HoldersOf = (tenant: string | undefined, role: string) => ReadonlySet<string> | undefined;

export interface RolePermissions {
  role: string;
  /** Whether the tenant lists them of the role, or sample users have them through it. */
  from: "role" | "sample";
  /** Of sample users, empty where none has the role. */
  permissions: readonly { resourceServer: string; name: string }[];
}
