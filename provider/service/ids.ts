import * as z from "../zod";
import { isPathId, PATH_ID_RULE } from "../http/call";

/*
 * The ids of the service's objects. The same rule holds for ids from programs and from answers. An id goes
 * into paths, state, previews and logs, so a text that no service would make must not get that far.
 *
 * The source document defines only the ids of groups, so only these are checked to the letter. The public
 * documentation has the prefixes of the others. Their lengths (22 characters for profiles, 16 for roles and
 * credentials) are just those of recorded ids. An unpromised length must not lock anybody out of a tenant, so
 * we accept up to 64 characters. The characters mean nothing in a path, a terminal, HTML or the log of a CI
 * system.
 */

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
export const CONNECTION_PROFILE_ID = idWith("cop_");
export const ROLE_ID = idWith("rol_");
export const DEVICE_CREDENTIAL_ID = idWith("dcr_");
export const ORGANIZATION_ID = idWith("org_");

/** Identity providers choose their users' ids, so these may contain nearly anything: `auth0|a b`. */
export const USER_ID = z.string(PATH_ID_RULE).refine(isPathId, PATH_ID_RULE);

function idWith(prefix: Prefix) {
  return idThat(
    prefix,
    new RegExp(`^${prefix}[A-Za-z0-9_-]{1,${LONGEST_REST}}$`),
    `must be the id of ${OBJECTS[prefix]}: ${prefix} and 1 to ${LONGEST_REST} letters, digits, hyphens or underscores`,
  );
}

function idThat(prefix: Prefix, pattern: RegExp, rule: string) {
  return z.string().regex(pattern, {
    error: ({ input }) => {
      if (input?.startsWith("urn:pulumi:"))
        return `must be the id of ${OBJECTS[prefix]}, and not the URN of a resource: give the resource's id`;
      const given = Object.entries(OBJECTS).find(([begin]) => begin !== prefix && input?.startsWith(begin));
      return given === undefined
        ? rule
        : `must be the id of ${OBJECTS[prefix]}, and not of ${given[1]}: perhaps two ids are swapped`;
    },
  });
}

/** If somebody gives a name in place of an id, the message names the data source that finds the id. */
export function idOrAdvice(rule: z.ZodType<string>, find: string): z.ZodType<string> {
  return z.string().check(({ value, issues }) => {
    const { error } = rule.safeParse(value);
    if (error === undefined) return;
    const isName = !/^([a-z]{3}_|urn:)/.test(value);
    const advice = isName ? `. ${find} finds it by its name` : "";
    for (const { message } of error.issues)
      issues.push({ code: "custom", message: message + advice, input: value });
  });
}
