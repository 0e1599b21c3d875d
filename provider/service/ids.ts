import * as z from "../zod";
import { sanitize } from "../border";
import { isPathId, PATH_ID_RULE } from "../http/call";

/*
 * The ids of the service's objects. The same rule holds for ids from programs and from answers. An id goes
 * into paths, state, previews and logs, so a text that no service would make must not get that far.
 *
 * The source document has a pattern for the ids of groups alone, so only these are checked to the letter.
 * Others may be anything that means nothing in a path, a terminal, HTML or the log of a CI system. On real
 * tenants they have prefixes, so a preview says when one lacks it: it may be a name. Organizations aren't in
 * the document, and their ids are those of real tenants.
 */

const LONGEST_OPEN_ID = 128;
/** The lengths of recorded ids aren't promised. */
const LONGEST_REST = 64;

/** Section 2.5: 18 to 26 characters. */
const GROUP_PATTERN = /^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/;

const OBJECTS = {
  cop_: "a connection profile",
  rol_: "a role",
  grp_: "a group",
  dcr_: "a device credential",
  org_: "an organization",
} as const;
type Prefix = keyof typeof OBJECTS;

export const GROUP_ID = idThat(
  "grp_",
  GROUP_PATTERN,
  "must be the id of a group: grp_ and 14 to 22 letters or digits, none of them 0, O, I or l",
);
export const CONNECTION_PROFILE_ID = openId("cop_");
export const ROLE_ID = openId("rol_");
export const DEVICE_CREDENTIAL_ID = openId("dcr_");
export const ORGANIZATION_ID = idThat(
  "org_",
  new RegExp(`^org_[A-Za-z0-9_-]{1,${LONGEST_REST}}$`),
  `must be the id of an organization: org_ and 1 to ${LONGEST_REST} letters, digits, hyphens or underscores`,
);

export function isGroupId(text: string): boolean {
  return GROUP_ID.safeParse(text).success;
}

/** Identity providers choose their users' ids, so these may contain nearly anything: `auth0|a b`. */
export const USER_ID = z.string(PATH_ID_RULE).refine(isPathId, PATH_ID_RULE);

/** Nothing says how long these are. */
export const CLIENT_ID = z
  .string()
  .regex(
    /^[A-Za-z0-9_.:~@|-]{1,128}$/,
    "must be the id of a client, not its name: 1 to 128 letters, digits or _ . : ~ @ | -",
  );

function openId(prefix: Prefix) {
  return idThat(
    prefix,
    new RegExp(`^(?!\\.\\.?$)[A-Za-z0-9_.:~@|-]{1,${LONGEST_OPEN_ID}}$`),
    `must be the id of ${OBJECTS[prefix]}: 1 to ${LONGEST_OPEN_ID} letters, digits or _ . : ~ @ | -`,
  );
}

function idThat(prefix: Prefix, pattern: RegExp, rule: string) {
  const mistaken = (text: string): string | undefined => {
    if (text.startsWith("urn:pulumi:"))
      return `must be the id of ${OBJECTS[prefix]}, and not the URN of a resource: give the resource's id`;
    const given = Object.entries(OBJECTS).find(([begin]) => begin !== prefix && text.startsWith(begin));
    return (
      given && `must be the id of ${OBJECTS[prefix]}, and not of ${given[1]}: perhaps two ids are swapped`
    );
  };
  // What the border changes couldn't be read back from a line.
  const isId = (text: string) =>
    pattern.test(text) && mistaken(text) === undefined && sanitize(text) === text;
  return z.string().refine(isId, { error: ({ input }) => mistaken(String(input)) ?? rule });
}

/** If somebody gives a name in place of an id, the message names the data source that finds the id. */
export function idOrAdvice(rule: z.ZodType<string>, find: string, by = "its name"): z.ZodType<string> {
  return z.string().check(({ value, issues }) => {
    const { error } = rule.safeParse(value);
    if (error === undefined) return;
    const isName = !/^([a-z]{3}_|urn:)/.test(value);
    const advice = isName ? `. ${find} finds it by ${by}` : "";
    for (const { message } of error.issues)
      issues.push({ code: "custom", message: message + advice, input: value });
  });
}

/** An input that takes an id of which the document shows no pattern. */
export interface OpenId {
  input: string;
  /** Of real tenants. */
  prefix: "cop_" | "rol_" | "dcr_";
  /** The call that finds the id by a name in quotes: `getRole({ name: "support-agent" })`. */
  find: (name: string) => string;
}

/** Says that an id without the usual prefix may be a name; undefined for others. */
export function doubtOfId(
  { input, prefix, find }: OpenId,
  id: string,
  isSecret: boolean,
): string | undefined {
  if (id.startsWith(prefix) && id !== prefix) return undefined;
  const what = isSecret ? input : `${input} ${JSON.stringify(id)}`;
  return (
    `${what} doesn't look like an id of this service (${prefix}…). If it is a name, look the id up: ` +
    `${find(JSON.stringify(isSecret ? "…" : id))}.`
  );
}
