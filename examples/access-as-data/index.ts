// Makes an assignment for each group of each role in access.yaml.
import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import * as identity from "pulumi-identity";
import { FILE, PATH, readAccess, refusal, type Role, type Text } from "./access-file";

const mistakes = new Set<string>();
const byLine = new Intl.Collator("en", { numeric: true }).compare;

export = async () => {
  const roles = readAccess(readFileSync(PATH, "utf8"));
  const assignments = (await Promise.all(roles.map(assignmentsOf))).flat();
  for (const mistake of [...mistakes].sort(byLine)) void pulumi.log.error(mistake);
  if (mistakes.size > 0) throw new identity.IdentityError(`Nothing was changed. Correct ${FILE}.`);
  // One for each group, since each has an end of its own. Its name stays the same if the line moves.
  for (const { line, name, args, organizationId } of assignments) {
    const make = makerOn(line);
    if (organizationId === undefined) make(identity.RoleGroupAssignment, name, args);
    else make(identity.OrganizationRoleGroupAssignment, name, { ...args, organizationId });
  }
};

async function assignmentsOf({ organization, role, groups }: Role) {
  const organizationId = organization && (await idOf(organization, "org_", identity.getOrganization));
  if (organizationId === "") return [];
  const within = organizationId === undefined ? {} : { organization: organizationId };
  const roleId = await idOf(role, "rol_", ({ name }) => identity.getRole({ name, ...within }));
  return Promise.all(
    groups.map(async ({ group, until }) => ({
      line: group.line,
      name: [...(organization ? [organization] : []), role, group].map(({ text }) => text).join("/"),
      args: { roleId, groupIds: [await idOf(group, "grp_", identity.getGroup)], until: until?.text },
      organizationId,
    })),
  );
}

async function idOf(
  { text, line }: Text,
  prefix: string,
  find: (args: { name: string }) => Promise<{ id: string }>,
) {
  // It's an id.
  if (text.startsWith(prefix)) return text;
  try {
    return (await find({ name: text })).id;
  } catch (error) {
    // Anything else, such as a tenant that doesn't answer, is no mistake of the line.
    if (!(error instanceof identity.IdentityError) || error.outcome !== "done") throw error;
    mistakes.add(refusal(line, error.message).message);
    return "";
  }
}

type Maker = <Args>(type: new (name: string, args: Args) => unknown, name: string, args: Args) => void;

/** Pulumi records where a resource is made. This makes it on a line of the file. */
function makerOn(line: number): Maker {
  const code = "(function access(type, name, args) { new type(name, args); })";
  return runInThisContext(code, { filename: PATH, lineOffset: line - 1 }) as Maker;
}
