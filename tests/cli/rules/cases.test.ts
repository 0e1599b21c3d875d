import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { toText } from "../../../cli/output/text";
import { tried } from "../../../cli/rules/cases";
import { readRules } from "../../../cli/rules/file";
import { expectGolden } from "../../../testkit/golden";

/* The cases of a rules file, tried without a tenant. tests/e2e/rules-command.test.ts runs the command. */

const NOW = Date.parse("2026-11-26T10:00:00Z");
const of = (text: string) => tried(readRules({ file: "rules.yaml", text }), NOW);
const screenOf = (text: string) => toText([of(text).document]);

const RULES = `allow:
  admin: [directory-admins]
  clerk: "*"
conflicts:
  - [payer, approver]
  - roles: [owner, { role: auditor, organization: acme }]
    anyContext: true
end:
  admin: 30
direct:
  admin: forbid
organizations:
  acme:
    allow: { clerk: [] }
    default: closed
`;
const caseOf = (text: string) => `${RULES}tests:\n  - { ${text} }\n`;

test.each([
  "group: directory-admins, has: [admin], days: 30, ok: true",
  "group: directory-admins, has: [admin], days: 31, breaks: [end]",
  "group: contractors, has: [admin], breaks: [end, allow]",
  "group: contractors, has: [{ role: clerk, organization: acme }], breaks: [allow]",
  "group: finance, has: [payer, approver], breaks: [conflicts]",
  "group: finance, has: [payer, { role: approver, organization: globex }], ok: true",
  "group: finance, has: [owner, { role: auditor, organization: acme }], breaks: [allow, conflicts]",
  "user: { groups: [a, b] }, has: [payer, approver], breaks: [conflicts]",
  // Through the group that may have it.
  "user: { groups: [a, directory-admins] }, has: [admin, clerk], days: 3, ok: true",
  "user: { groups: [a] }, has: [admin], days: 3, breaks: [allow]",
  "user: { groups: [] }, has: [admin], breaks: [direct]",
])("it passes: %s", (text) => {
  expect(screenOf(caseOf(text))).toBe("Rules of rules.yaml: 1 case passes\n");
  expect(of(caseOf(text)).isFailed).toBe(false);
});

test("neither an exception nor a role that must be kept counts", () => {
  const more = `require:\n  admin: [break-glass]\nexceptions:
  - { role: admin, group: contractors, reason: a, owner: b, until: 2026-12-31 }\n`;
  expect(of(`${more}${caseOf("group: contractors, has: [admin], days: 3, breaks: [allow]")}`).isFailed).toBe(
    false,
  );
});

test("a screen has each case that fails, and why, and exceptions that don't count", () => {
  const screen = screenOf(`${RULES}exceptions:
  - { role: admin, group: contractors, reason: the desk is short }
  - { role: clerk, group: contractors, reason: a, owner: b, until: 2026-11-25 }
  - { role: clerk, group: finance, reason: a, owner: b, until: 2026-12-31 }
tests:
  - group: contractors
    has: [admin]
    breaks: [allow]
  - user: { groups: [finance, board] }
    has: [payer, approver]
    ok: true
  - group: finance
    has: [adminn, { role: clerk, organization: globex }]
    breaks: [allow]
  - user: { groups: [] }
    has: [admin]
    breaks: [conflicts]
  - group: directory-admins
    has: [admin]
    days: 30
    ok: true
`);
  expectGolden(join(__dirname, "golden/cases.txt"), screen);
});

test.each([
  ["for a case", caseOf("group: a, has: [clerk], breaks: [allow]"), true],
  [
    "for an exception without an owner",
    `${RULES}exceptions:\n  - { role: a, group: b, reason: c, until: 2026-12-31 }\n`,
    true,
  ],
  [
    "for an exception for years",
    `${RULES}exceptions:\n  - { role: a, group: b, reason: c, owner: d, until: 2999-01-01 }\n`,
    true,
  ],
  // It was right until then, and a pull request has done nothing to it.
  [
    "not for an exception that has ended",
    `${RULES}exceptions:\n  - { role: a, group: b, reason: c, owner: d, until: 2026-11-25 }\n`,
    false,
  ],
  ["not for rules without a case", RULES, false],
])("an exit code of failure is %s", (_, text, isFailed) => {
  expect(of(text).isFailed).toBe(isFailed);
});

test("ids stand for themselves, and a name is no id", () => {
  const rules = `allow:\n  rol_1: [grp_7TqWc2nYx5RkHbVd9sPmZa]\n  name:a: [b/c]\n  a: []\n`;
  const cases = `tests:
  - { group: grp_7TqWc2nYx5RkHbVd9sPmZa, has: [rol_1, "name:a"], breaks: [allow] }
  - { group: b/c, has: ["name:a", { role: rol_1, organization: "d/e" }], breaks: [allow] }
  - { group: b/c, has: ["name:a"], ok: true }
`;
  expect(screenOf(rules + cases)).toBe("Rules of rules.yaml: all 3 cases pass\n");
});

test("names of the file are text", () => {
  const name = "\\u001b[31m\\u202e\\n::error::x";
  const screen = screenOf(
    `allow: { "${name}": [] }\ntests:\n  - { group: "${name}", has: ["${name}"], ok: true }\n`,
  );
  expect(screen).toContain("1 of 1 case fails");
  expect(screen).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}|::error::/u);
});

test("rules without a case say where to add some", () => {
  expect(screenOf(RULES)).toBe("Rules of rules.yaml: no test cases; add some under tests\n");
});

test("the example's cases pass", () => {
  const file = resolve(__dirname, "../../../examples/rules/rules.yaml");
  const { document, isFailed } = tried(
    readRules({ file: "rules.yaml", text: readFileSync(file, "utf8") }),
    NOW,
  );
  expect([isFailed, toText([document])]).toEqual([false, expect.stringMatching(/: all \d cases pass\n$/)]);
});
