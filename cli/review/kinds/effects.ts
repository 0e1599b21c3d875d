import { type AccessEffect } from "../../../provider/access/change";
import { type RemovedCredential } from "../../../provider/review/credential";
import { type SignedIn } from "../../../provider/review/signed-in";
import { type Category } from "../../../provider/review/categories";
import { type Place, type Sentence } from "../../../provider/sentence";

/*
 * The effects of changes on a tenant. Each kind's file here describes those of its own steps, and the review
 * adds them up. provider/review/model.ts has the form of most of these in JSON. Here, sentences keep values
 * apart from words, and unknown values are undefined.
 */

export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
  /** Set if the list stands for a set, whose order means nothing. */
  isSet?: true;
}

/**
 * Who may do something: whoever has a role, or a user alone. `made`: the name of a role that the same run
 * creates.
 */
export type PermissionHolder = { role: string } | { user: string } | { made: string };

/** A permission that a role or a user gains or loses. */
export interface PermissionEffect {
  tenant: string | undefined;
  holder: PermissionHolder;
  effect: "gains" | "loses";
  /** The API's identifier. */
  resourceServer: string;
  /** In the API's words: `delete:tickets`. */
  permission: string;
  name: string;
  line: Place | undefined;
  reason: Sentence;
  unless?: Sentence | undefined;
}

export interface ProfileEffect {
  tenant: string | undefined;
  op: "create" | "update" | "adopt" | "delete" | "gone";
  id: string | undefined;
  name: string;
  line: Place | undefined;
  reason: Sentence;
  changes: readonly FieldChange[];
  /** Settings by their names in the program; undefined if nothing is written. */
  wanted?: Readonly<Record<string, unknown>> | undefined;
  /** The profile according to state or, in an adoption, on the tenant; undefined if not known. */
  had?: Readonly<Record<string, unknown>> | undefined;
  unless?: Sentence | undefined;
}

export interface Removal {
  tenant: string | undefined;
  id: string;
  name: string;
  line: Place | undefined;
  /** Null if the tenant has none of this id. Undefined: it wasn't asked, or didn't list all. */
  credential?: RemovedCredential | null;
}

export interface SignOut {
  tenant: string | undefined;
  user: string;
  /** The only client concerned. */
  client: string | undefined;
  /** The parts that an earlier run failed to end, if only these are left. */
  rest?: readonly string[] | undefined;
  name: string;
  line: Place | undefined;
  /** Undefined: the tenant wasn't asked. */
  signedIn?: SignedIn | undefined;
}

export interface Note {
  /** Undefined if it belongs to no single resource. */
  name: string | undefined;
  tenant?: string | undefined;
  reason: Sentence;
}

export interface NotReviewable extends Note {
  line: Place | undefined;
  /** Everything it might turn out to be, besides "unknown". */
  categories: readonly Category[];
  id?: string | undefined;
  /** The roles of an assignment; undefined if one of them is hidden. */
  roles?: readonly string[] | undefined;
}

export interface Effects {
  access: AccessEffect[];
  permissions: PermissionEffect[];
  profiles: ProfileEffect[];
  removals: Removal[];
  signOuts: SignOut[];
  unknown: NotReviewable[];
  notes: Note[];
  /** Reasons to require an approval, besides those that follow from the members above. */
  categories: Category[];
}

export function noEffects(): Effects {
  return {
    access: [],
    permissions: [],
    profiles: [],
    removals: [],
    signOuts: [],
    unknown: [],
    notes: [],
    categories: [],
  };
}

export interface RolePermissions {
  role: string;
  /** "role" if the tenant lists them for the role, "sample" if sample users have them through it. */
  from: "role" | "sample";
  /** For sample users, empty if none has the role. */
  permissions: readonly { resourceServer: string; name: string }[];
}
