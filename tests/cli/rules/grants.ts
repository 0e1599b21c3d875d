import { type Grant, Grants } from "../../../provider/access/grants";

/* Grants as texts, to be judged by rules. */

export const NOW = Date.parse("2026-11-26T10:00:00Z");

export const GROUPS = { a: "grp_AAAAAAAAAAAAAA", b: "grp_BBBBBBBBBBBBBB", c: "grp_CCCCCCCCCCCCCC" };
export type Group = keyof typeof GROUPS;

/** The name of a group by its id. */
export const groupOf = (id: string) => Object.entries(GROUPS).find(([, own]) => own === id)?.[0];

/** `rol_1 a`, `rol_1 auth0|1`, `rol_1 a until 2026-12-01`, `org_acme/rol_1 a`; `ids`: by names of roles. */
export function grant(text: string, ids: Readonly<Record<string, string>> = {}): Grant {
  const [key = "", holder = "", , until] = text.split(" ");
  const [role = "", organization] = key.split("/").reverse();
  const group = GROUPS[holder as Group] as string | undefined;
  return {
    role: ids[role] ?? role,
    organization,
    holder: group === undefined ? { user: holder } : { group },
    by: [{ stack: "access/prod", name: `${role}-${holder}`, line: undefined, until }],
  };
}

export const grantsOf = (texts: readonly string[], ids?: Readonly<Record<string, string>>) =>
  new Grants(texts.map((text) => grant(text, ids)));
