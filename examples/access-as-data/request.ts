// Writes what an issue asks for into access.yaml. A workflow runs it, once somebody has labeled the issue.
//
// Anybody may have written the issue. So a request can only join names that the file has already, and all
// that this prints is one line of such names, a day and plain text.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { FILE, type Group, PATH, readAccess, type Role } from "./access-file";

export interface Request {
  role: string;
  group: string;
  /** Empty: the tenant. */
  organization: string;
  until: string;
  why: string;
}

/** Reads the form of .github/ISSUE_TEMPLATE/access.yml. */
export function requestIn(body: string): Request {
  // Only the last field can have several lines, and these can look like another field.
  const fields = ["Role", "Group", "Organization", "Until"].map((name) => `### ${name}\n\n(.*)\n\n`);
  const form = new RegExp(`^${fields.join("")}### Why\n\n([^]*)$`).exec(body.replaceAll("\r", ""));
  if (form === null) throw new Error("The issue doesn't have the fields of the form. Open a new one.");
  const [role = "", group = "", organization = "", until = "", why = ""] = form.slice(1).map(plain);
  return { role, group, organization, until, why: Array.from(why).slice(0, 200).join("") };
}

/** Returns a text in one line, without anything that can't be seen. */
function plain(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line === "_No response_" ? "" : line;
}

/** Returns the file with a request in it, and a line that says what it gives. `today`: a day in UTC. */
export function withRequest(text: string, request: Request, today: string): { text: string; title: string } {
  const roles = readAccess(text);
  const role = roleOf(request, roles);
  const { group, organization, until, why } = request;
  const groups = roles.flatMap((one) => one.groups.map(({ group: { text } }) => text));
  if (!groups.includes(group)) throw unknown("group", group, groups);
  if (!isDay(until)) throw new Error("Until must be a day, such as 2026-12-31.");
  if (until < today) throw new Error(`Until is in the past: ${until}.`);
  if (why === "") throw new Error("Why must not be empty.");

  const own = role.groups.find((one) => one.group.text === group);
  const edited = own === undefined ? added(text, role, request) : prolonged(text, own, request);
  const others = grantsIn(roles).filter((one) => keyOf(one) !== keyOf(request));
  checkEdit(edited, [...others, request]);
  const title = `Give ${shown(request.role)} to ${shown(group)}${inPlace(organization)} until ${until}`;
  return { text: edited, title };
}

function roleOf({ role, organization }: Request, roles: readonly Role[]): Role {
  const there = roles.filter((one) => (one.organization?.text ?? "") === organization);
  const organizations = roles.flatMap((one) => one.organization?.text ?? []);
  if (organization !== "" && there.length === 0) throw unknown("organization", organization, organizations);
  const found = there.find((one) => one.role.text === role);
  if (found === undefined)
    throw unknown(
      "role",
      role,
      there.map((one) => one.role.text),
      organization,
    );
  return found;
}

/** Writes lines below the role, above its other groups: comments and all other lines stay as they are. */
function added(text: string, { role, groups: [sibling] }: Role, { group, until, why }: Request): string {
  const lines = text.split("\n");
  const indent =
    sibling === undefined ? `${indentOf(lines, role.line)}  ` : indentOf(lines, sibling.group.line);
  const block = [`${inYaml(group)}:`, `  until: ${until}`, `  why: ${inYaml(why)}`];
  lines.splice(role.line, 0, ...block.map((line) => indent + line));
  return lines.join("\n");
}

function prolonged(text: string, own: Group, { role, group, until, why }: Request): string {
  const end = own.until?.text.slice(0, 10);
  if (own.until === undefined || end === undefined || until <= end)
    throw new Error(
      `${shown(group)} has ${shown(role)} already, ${end === undefined ? "without an end" : `until ${end}`}.`,
    );
  const lines = text.split("\n");
  const indent = indentOf(lines, own.until.line);
  lines[own.until.line - 1] = `${indent}until: ${until}`;
  const [at, replaced] = own.why === undefined ? [own.until.line, 0] : [own.why.line - 1, 1];
  lines.splice(at, replaced, `${indent}why: ${inYaml(why)}`);
  return lines.join("\n");
}

/** What the file gives, as it could have been asked for. */
function grantsIn(roles: readonly Role[]): Request[] {
  return roles.flatMap(({ role, organization, groups }) =>
    groups.map(({ group, until, why }) => ({
      role: role.text,
      group: group.text,
      organization: organization?.text ?? "",
      until: until?.text ?? "",
      why: why?.text ?? "",
    })),
  );
}

function keyOf({ role, group, organization }: Request): string {
  return JSON.stringify([role, group, organization]);
}

function indentOf(lines: readonly string[], line: number): string {
  return /^ */.exec(lines[line - 1] ?? "")?.[0] ?? "";
}

function inYaml(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

/** Lines may stand in a way that the edit doesn't expect, such as `{ until: 2026-12-31 }`. */
function checkEdit(text: string, expected: readonly Request[]): void {
  const sorted = (grants: readonly Request[]) =>
    grants
      .map((grant) => JSON.stringify(grant))
      .sort()
      .join();
  try {
    if (sorted(grantsIn(readAccess(text))) === sorted(expected)) return;
  } catch {
    // It's no longer the file that it was.
  }
  throw new Error(`Write each name, until and why of ${FILE} on a line of its own, and try again.`);
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function unknown(what: string, name: string, known: readonly string[], place = ""): Error {
  const names = [...new Set(known)].sort().slice(0, 20).map(shown);
  const only = names.length === 0 ? "" : `, only ${names.join(", ")}`;
  return new Error(`${FILE} has no ${what} ${shown(name)}${inPlace(place)}${only}.`);
}

function inPlace(organization: string): string {
  return organization === "" ? "" : ` in ${shown(organization)}`;
}

/** Neither markup nor a mention nor a command can stand in it. */
function shown(name: string): string {
  return `"${name.slice(0, 60).replace(/[^\p{L}\p{N} ()/_.-]/gu, "?")}"`;
}

/** Tells the workflow. */
function output(name: "title" | "refusal", line: string): void {
  console.log(line);
  const { GITHUB_OUTPUT: file } = process.env;
  if (file) appendFileSync(file, `${name}=${line.replace(/\s+/g, " ")}\n`);
}

function main(): void {
  const event = readFileSync(process.env["GITHUB_EVENT_PATH"] ?? "", "utf8");
  const { issue } = JSON.parse(event) as { issue: { body: string | null } };
  try {
    const today = new Date().toISOString().slice(0, 10);
    const { text, title } = withRequest(readFileSync(PATH, "utf8"), requestIn(issue.body ?? ""), today);
    writeFileSync(PATH, text);
    output("title", title);
  } catch (error) {
    output("refusal", (error as Error).message);
    process.exitCode = 1;
  }
}

if (require.main === module) main();
