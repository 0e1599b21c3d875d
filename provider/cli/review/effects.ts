import { type Category } from "./categories";
import { type Place, type Sentence } from "./sentence";

/*
 * The review of one stack. Of each of these, model.ts has the form that leaves the command as JSON; here, sentences keep
 * apart what is a value, and what is not known is undefined.
 */

export interface Access {
  tenant: string | undefined;
  role: string;
  group: string;
  effect: "gains" | "loses" | "keeps";
  by: readonly { name: string; op: string; line: Place | undefined; reason: Sentence }[];
}

export interface Change {
  path: string;
  before: unknown;
  after: unknown;
}

export interface Profile {
  tenant: string | undefined;
  op: "create" | "update" | "adopt" | "delete" | "gone";
  id: string | undefined;
  name: string;
  line: Place | undefined;
  reason: Sentence;
  changes: readonly Change[];
}

export interface Removal {
  tenant: string | undefined;
  id: string;
  name: string;
  line: Place | undefined;
}

/** What those may do who have a role. */
export interface RolePermissions {
  role: string;
  /** Empty where no sample user has the role. */
  permissions: readonly { resourceServer: string; name: string }[];
}

export interface NotReviewable {
  /** Undefined for what is of no single resource. */
  name: string | undefined;
  line: Place | undefined;
  reason: Sentence;
  /** What it can't be excluded to be, beside "unknown". */
  categories: readonly Category[];
}

export interface Note {
  /** Undefined for what is of no single resource. */
  name: string | undefined;
  reason: Sentence;
}

export interface Effects {
  access: Access[];
  profiles: Profile[];
  removals: Removal[];
  unknown: NotReviewable[];
  notes: Note[];
}
