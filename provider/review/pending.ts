import { type Place, placed, say, type Sentence, word } from "../sentence";

interface Pending {
  kind: string;
  name: string;
  line?: Place | null | undefined;
}

const NOUNS: Readonly<Record<string, string>> = {
  ConnectionProfile: "the connection profile",
  RoleGroupAssignment: "the assignment",
  OrganizationRoleGroupAssignment: "the assignment",
  DeviceCredentialRemoval: "the removal",
};

/** `the connection profile p may be on the tenant already: the run that created it was killed, …` */
export function pendingSentence({ kind, name, line }: Pending): Sentence {
  const what = say`${word(NOUNS[kind] ?? "the resource")} ${placed(name, line)}`;
  return say`${what} may be on the tenant already: the run that created it was killed, and the next \`pulumi up\` creates it again`;
}

export const PENDING_ADVICE =
  "Look on the tenant. If it's there, adopt it or delete it by hand. Then run `pulumi refresh --clear-pending-creates`.";
