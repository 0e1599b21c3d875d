import { clean } from "../../provider/border";
import { PROFILE_SETTINGS } from "../../provider/service/profile-fields";
import { type Contents, type DeclaredAssignment, type DeclaredProfile } from "./contents";
import { CommentedTexts, propertyLines, textLiteral } from "./literal";

export interface ProgramOptions extends Contents {
  tenant: string;
  /** Whether it has only what a state does not know. */
  isRest: boolean;
  only: string | undefined;
}

/** The text of a program, which is a module also when it declares nothing. */
export function programOf(options: ProgramOptions): string {
  const { profiles, assignments } = options;
  const statements = [...profiles.map(profileStatement), ...assignments.map(assignmentStatement)];
  const classes = [
    ...(profiles.some(isDeclared) ? ["ConnectionProfile"] : []),
    ...(assignments.some(isAssigned) ? ["RoleGroupAssignment"] : []),
  ];
  const imports =
    classes.length === 0 ? "export {};" : `import { ${classes.join(", ")} } from "pulumi-identity";`;
  const nothing = profiles.length === 0 ? [comments([noProfile(options)])] : [];
  return [header(options) + imports + "\n", ...nothing, ...statements].join("\n");
}

function header({ tenant, isRest, profiles, assignments }: ProgramOptions): string {
  const [anyProfile, anyAssignment] = [profiles.some(isDeclared), assignments.some(isAssigned)];
  const subject = isRest ? `What the given state does not know of ${tenant}` : `What ${tenant} holds`;
  return comments([
    `${subject}, written by \`npx pulumi-identity adopt\`. Format it as you like.`,
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
  ]);
}

function noProfile({ isRest, only }: ProgramOptions): string {
  const which = only === undefined ? "" : ` whose name matches "${clean(only, undefined, 100)}"`;
  return `There is no connection profile${which}${isRest ? " that the given state does not know" : ""}.`;
}

function profileStatement({ name, id, title, settings, leftOut }: DeclaredProfile): string {
  if (settings === undefined) {
    return comments([
      `Can't be declared: the connection profile ${id}, named ${title}:`,
      ...leftOut.map(item),
    ]);
  }
  const entries = PROFILE_SETTINGS.filter((setting) => Object.hasOwn(settings, setting)).map(
    (setting) => [setting, settings[setting]] as const,
  );
  const notes =
    leftOut.length === 0 ? [] : ["Left as it is on the tenant, and not managed:", ...leftOut.map(item)];
  return comments(notes) + statement("ConnectionProfile", name, [["adopt", id], ...entries]);
}

function assignmentStatement({ name, roleId, title, groups, obstacle }: DeclaredAssignment): string {
  const ids = groups.map((group) => group.id);
  const titles = groups.map((group) => group.title);
  if (obstacle !== undefined) {
    const listed = groups.map(
      (group) => `- ${group.id}${group.title === undefined ? "" : ` ${group.title}`}`,
    );
    return comments([
      `No assignment of the role ${[roleId, title].filter((text) => text !== undefined).join(" ")}: ${obstacle}`,
      ...listed,
    ]);
  }
  const called = title === undefined ? [] : [`The role ${title}.`];
  return (
    comments(called) +
    statement("RoleGroupAssignment", name, [
      ["roleId", roleId],
      ["groupIds", titles.some((one) => one !== undefined) ? new CommentedTexts(ids, titles) : ids],
      // They had the role before the program.
      ["deleteOnDestroy", false],
    ])
  );
}

function statement(type: string, name: string, entries: readonly (readonly [string, unknown])[]): string {
  return `new ${type}(${textLiteral(name)}, {\n${propertyLines(entries)}});\n`;
}

function comments(lines: readonly string[]): string {
  return lines.map((line) => `// ${line}`.trimEnd() + "\n").join("");
}

/** What begins with the words of a stranger could otherwise be a directive to the compiler or to a linter. */
function item(text: string): string {
  return `- ${text}`;
}

function isDeclared({ settings }: DeclaredProfile): boolean {
  return settings !== undefined;
}

function isAssigned({ obstacle }: DeclaredAssignment): boolean {
  return obstacle === undefined;
}
