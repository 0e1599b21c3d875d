import { sanitize } from "../../provider/border";
import { PROFILE_SETTINGS } from "../../provider/service/profile-fields";
import { textLiteral } from "./text";
import {
  type Contents,
  type DeclaredAssignment,
  type DeclaredProfile,
  kindOfAssignment,
  roleWords,
} from "./contents";
import { PROFILE } from "./profile";
import { compare } from "../lists";

interface ProgramOptions extends Contents {
  tenant: string;
  /** True if it contains only resources that no state has. */
  isRest: boolean;
  only: string | undefined;
}

/** Returns the text of a program. It's a module even if it declares nothing. */
export function programOf(options: ProgramOptions): string {
  const { profiles, assignments } = options;
  const statements = [...profiles.map(profileStatement), ...assignments.map(assignmentStatement)];
  const assigned = assignments.filter(isAssigned);
  const names = [
    ...(profiles.some(isDeclared) ? [PROFILE] : []),
    ...(assigned.some(({ groups }) => groups.some(({ name }) => name !== undefined))
      ? ["getGroupOutput"]
      : []),
    ...(assigned.some(({ organization }) => organization?.name !== undefined)
      ? ["getOrganizationOutput"]
      : []),
    ...(assigned.some(({ lookup }) => lookup.name !== undefined) ? ["getRoleOutput"] : []),
    ...new Set(assigned.map(kindOfAssignment).sort(compare)),
  ];
  const imports =
    names.length === 0 ? "export {};" : `import { ${names.join(", ")} } from "pulumi-identity";`;
  const nothing = profiles.length === 0 ? [commentLines([noProfile(options)])] : [];
  return [header(options) + imports + "\n", ...nothing, ...statements].join("\n");
}

function header({ tenant, isRest, profiles, assignments, notes }: ProgramOptions): string {
  const [anyProfile, anyAssignment] = [profiles.some(isDeclared), assignments.some(isAssigned)];
  const rest = isRest ? ", and not in the given state" : "";
  return commentLines([
    `What \`npx --no pulumi-identity adopt\` found on ${tenant}${rest}.`,
    "Format it as you like.",
    ...(anyProfile || anyAssignment ? [""] : []),
    ...(anyProfile
      ? [
          "`pulumi preview` says of each connection profile that it stays as it is, and",
          "`pulumi up` takes it over without a change. Then the `adopt` lines may go.",
          "Destroying leaves adopted profiles in place, unless deleteOnDestroy is true.",
        ]
      : []),
    ...(anyAssignment
      ? [
          ...(anyProfile ? [""] : []),
          "`pulumi up` gives the roles once more to groups that have them, which changes",
          "nothing. Destroying leaves the roles to their groups, because deleteOnDestroy is",
          "false. Without that line, destroying takes them away.",
        ]
      : []),
    ...(notes.length === 0 || !anyAssignment ? [] : ["", ...notes]),
  ]);
}

function noProfile({ isRest, only }: ProgramOptions): string {
  const which = only === undefined ? "" : ` whose name matches "${sanitize(only, 100)}"`;
  return `There is no connection profile${which}${isRest ? " that the given state lacks" : ""}.`;
}

function profileStatement({ name, id, title, settings, leftOut }: DeclaredProfile): string {
  if (settings === undefined) {
    return commentLines([
      `Can't be declared: the connection profile ${id}, named ${title}:`,
      ...leftOut.map(bullet),
    ]);
  }
  const entries = PROFILE_SETTINGS.filter((setting) => Object.hasOwn(settings, setting)).map(
    (setting) => [setting, settings[setting]] as const,
  );
  const notes =
    leftOut.length === 0 ? [] : ["Left as it is on the tenant, and not managed:", ...leftOut.map(bullet)];
  return commentLines(notes) + statement(PROFILE, name, [["adopt", id], ...entries]);
}

function organizationCode({ id, name }: NonNullable<DeclaredAssignment["organization"]>): string | Code {
  return name === undefined ? id : lookUp("getOrganizationOutput", [["name", name]]);
}

function roleCode(name: string, organization: string | Code | undefined): Code {
  const where = organization === undefined ? [] : [["organization", organization] as const];
  return lookUp("getRoleOutput", [["name", name], ...where]);
}

function assignmentStatement(assignment: DeclaredAssignment): string {
  const { name, roleId, organization, title, lookup, groups, obstacle } = assignment;
  if (obstacle !== undefined) {
    const listed = groups.map(
      (group) => `- ${group.id}${group.title === undefined ? "" : ` ${group.title}`}`,
    );
    return commentLines([`No assignment of the role ${roleWords(assignment)}: ${obstacle}`, ...listed]);
  }
  const items = groups.map((group) => ({
    value: group.name === undefined ? group.id : lookUp("getGroupOutput", [["name", group.name]]),
    comment:
      group.title === undefined || group.name !== undefined ? undefined : `${group.title}${because(group)}`,
  }));
  const isCommented = items.some(({ comment }) => comment !== undefined);
  const where = organization && organizationCode(organization);
  return (
    commentLines([...calledBy("organization", organization), ...calledBy("role", { title, ...lookup })]) +
    statement(kindOfAssignment(assignment), name, [
      ...(where === undefined ? [] : [["organizationId", where] as const]),
      ["roleId", lookup.name === undefined ? roleId : roleCode(lookup.name, where)],
      ["groupIds", isCommented ? new Lines(items) : items.map(({ value }) => value)],
      // They had the role before the program did.
      ["deleteOnDestroy", false],
    ])
  );
}

/** `The role "support": 2 roles have this name.`, if the program has its id. */
function calledBy(
  what: string,
  named: { title: string | undefined; name?: string | undefined; reason?: string | undefined } | undefined,
): string[] {
  if (named?.title === undefined || named.name !== undefined) return [];
  return [`The ${what} ${named.title}${because(named)}.`];
}

function because({ reason }: { reason?: string | undefined }): string {
  return reason === undefined ? "" : `: ${reason}`;
}

/** `getRoleOutput({ name: "support-agent" }).id` */
function lookUp(call: string, args: readonly (readonly [string, string | Code])[]): Code {
  const given = args.map(
    ([key, value]) => `${key}: ${typeof value === "string" ? textLiteral(value) : value.text}`,
  );
  return new Code(`${call}({ ${given.join(", ")} }).id`);
}

function statement(type: string, name: string, entries: readonly (readonly [string, unknown])[]): string {
  return `new ${type}(${textLiteral(name)}, {\n${propertyLines(entries)}});\n`;
}

function commentLines(lines: readonly string[]): string {
  return lines.map((line) => `// ${line}`.trimEnd() + "\n").join("");
}

/** A line beginning with a stranger's words could be a directive to the compiler or a linter. */
function bullet(text: string): string {
  return `- ${text}`;
}

function isDeclared({ settings }: DeclaredProfile): boolean {
  return settings !== undefined;
}

function isAssigned({ obstacle }: DeclaredAssignment): boolean {
  return obstacle === undefined;
}

/*
 * TypeScript literals of JSON values. A text always stays a text: invisible characters are escaped.
 */

const LONGEST_LIST = 60;

/** An expression, written as it is. */
class Code {
  constructor(readonly text: string) {}
}

/** A list with one item per line. */
export class Lines {
  constructor(readonly items: readonly { value: string | Code; comment?: string | undefined }[]) {}
}

export function propertyLines(entries: readonly (readonly [string, unknown])[], indent = "  "): string {
  const name = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : textLiteral(key));
  return entries.map(([key, value]) => `${indent}${name(key)}: ${literal(value, indent)},\n`).join("");
}

function literal(value: unknown, indent: string): string {
  if (typeof value === "string") return textLiteral(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (value instanceof Code) return value.text;
  if (value instanceof Lines) {
    const comment = (text: string | undefined) => (text === undefined ? "" : ` // ${text}`);
    const lines = value.items.map(
      (item) => `${inner}${literal(item.value, inner)},${comment(item.comment)}\n`,
    );
    return `[\n${lines.join("")}${indent}]`;
  }
  if (!Array.isArray(value)) {
    const lines = propertyLines(Object.entries(value), inner);
    return lines === "" ? "{}" : `{\n${lines}${indent}}`;
  }
  const items = value.map((item) => literal(item, inner));
  const line = `[${items.join(", ")}]`;
  if (line.length <= LONGEST_LIST && !line.includes("\n")) return line;
  return `[\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}]`;
}
