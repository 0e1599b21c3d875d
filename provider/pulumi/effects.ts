import { type Place, type Sentence } from "./sentence";

/*
 * What changes do on a tenant. Each resource says it of its own steps, in its folder (effects.ts, review.ts,
 * net.ts); the review adds these up. Of most of these, review-model.ts has the form that leaves the command
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
  /** What a write may set; undefined where nothing is written, or where it can't be told. */
  sets?: WantedSettings | undefined;
  unless?: Sentence | undefined;
}

interface Removal {
  tenant: string | undefined;
  id: string;
  name: string;
  line: Place | undefined;
}

/**
 * What may be sent although nothing changes by it, as far as the state tells. A reviewer need not read it; a
 * run that is held to the review may send it.
 */
export type Repeat =
  | {
      kind: "grant" | "revoke";
      tenant: string | undefined;
      role: string;
      group: string;
      /** Of a grant: when it ends; undefined without an end. */
      until?: string | undefined;
    }
  | { kind: "removal"; tenant: string | undefined; id: string }
  /** What is to be on a profile of which the review can't tell what it has: it counts as unknown. */
  | ({ kind: "profile"; tenant: string | undefined; id: string | undefined; name: string } & WantedSettings);

export interface WantedSettings {
  /** Settings by their names in the program. */
  wanted: Readonly<Record<string, unknown>>;
  /** Paths of what it has set, and no longer sets. */
  removes: readonly (readonly string[])[];
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
}

export interface Effects {
  access: AccessEffect[];
  profiles: ProfileEffect[];
  removals: Removal[];
  unknown: NotReviewable[];
  notes: Note[];
  repeats: Repeat[];
  /** What an approval may be required for, beside what the members above tell by themselves. */
  categories: Category[];
}

export function noEffects(): Effects {
  return { access: [], profiles: [], removals: [], unknown: [], notes: [], repeats: [], categories: [] };
}

/** The groups that have a role today; undefined where that was not asked, or not answered. */
export type HoldersOf = (tenant: string | undefined, role: string) => ReadonlySet<string> | undefined;

export interface RolePermissions {
  role: string;
  /** Empty where no sample user has the role. */
  permissions: readonly { resourceServer: string; name: string }[];
}
