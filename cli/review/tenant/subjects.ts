import { roleKey } from "../../../provider/access/edge";
import { type Grant } from "../../../provider/access/grants";
import { KINDS, type Managed } from "../../../provider/kinds";
import { Assignment, listedIn, openRolesIn } from "../kinds/assignments";
import { type SignOut } from "../kinds/effects";
import { signOutEffects } from "../kinds/sign-outs";
import { type Side } from "../kinds/step";
import { ifKnown, seenText } from "../../../provider/seen";
import { optional } from "../../lists";
import { rolesOfAuth0 } from "../input/auth0-effects";
import { type Preview } from "../input/preview";

/** The subjects of a review's questions to a tenant. */
export interface Subjects {
  /** Roles that change. */
  roles: readonly RoleOfTenant[];
  /** Ids of credentials to be removed. */
  credentials: readonly TextOfTenant[];
  /** Users who are signed out. */
  signOuts: readonly SignOutOfTenant[];
  /** Names of profiles to be created. */
  profiles: readonly TextOfTenant[];
  /** Listed by all assignments, unchanged ones too. */
  listed: readonly Grant[];
  /** Roles of assignments that may concern groups that none lists. */
  open: readonly string[];
  /** Those of the roles that gain or lose permissions, or are deleted: all of their people count. */
  whole: readonly string[];
}

export const NO_SUBJECTS: Subjects = {
  roles: [],
  credentials: [],
  signOuts: [],
  profiles: [],
  listed: [],
  open: [],
  whole: [],
};

export type SignOutOfTenant = Pick<SignOut, "tenant" | "user" | "client">;

interface TextOfTenant {
  tenant: string | undefined;
  text: string;
}

export interface RoleOfTenant {
  tenant: string | undefined;
  /** The key of the role, which names its organization, if it counts in one. */
  role: string;
  groups: readonly string[];
}

export function subjectsIn(preview: Pick<Preview, "steps" | "auth0">): Subjects {
  const { steps } = preview;
  const changed = steps.filter(({ op }) => op !== "same");
  const managing = (what: Managed) => changed.filter(({ kind }) => KINDS[kind].manages === what);
  const listed = [...listedIn(steps, "before"), ...listedIn(steps, "after")];
  return {
    roles: rolesIn(preview),
    whole: rolesOfAuth0(preview).whole.map(({ role }) => role),
    listed,
    open: openRolesIn(steps),
    credentials: managing("credentials").flatMap(({ after }) => textsOf(after, "deviceCredentialId")),
    signOuts: signOutEffects(managing("sign-ins"), false).signOuts,
    profiles: managing("profiles")
      .filter(({ op, after }) => op !== "update" && after?.inputs["adopt"] === undefined)
      .flatMap(({ after }) => textsOf(after, "name")),
  };
}

function textsOf(after: Side | undefined, input: string): TextOfTenant[] {
  return optional(ifKnown(seenText(after?.inputs[input]))).map((text) => ({ tenant: after?.tenant, text }));
}

export function areNone({
  roles,
  credentials,
  signOuts,
  profiles,
}: Pick<Subjects, "roles" | "credentials" | "signOuts" | "profiles">): boolean {
  return roles.length + credentials.length + signOuts.length + profiles.length === 0;
}

export function rolesIn(preview: Pick<Preview, "steps" | "auth0">): RoleOfTenant[] {
  const changed = preview.steps.filter(({ op }) => op !== "same");
  const { changing, whole } = rolesOfAuth0(preview);
  return [
    ...changed.flatMap(({ before, after }) => [...optional(before), ...optional(after)].flatMap(rolesOf)),
    ...[...changing, ...whole].map((role) => ({ ...role, groups: [] })),
  ];
}

function rolesOf({ tenant, inputs }: Side): RoleOfTenant[] {
  const { at, groups } = new Assignment(inputs);
  return at === undefined ? [] : [{ tenant, role: roleKey(at), groups }];
}
