import { type Access } from "../../../cli/access/document";
import { formatted } from "../../../cli/access/formats";
import { findingsIn } from "../../../cli/access/roles";
import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { ACME, assignment, csvRows, jsonOf, rules, useAccess } from "../../../testkit/cli/access";
import { pageData } from "../../../testkit/cli/pages";

/* Exceptions, and roles that somebody must keep, in an audit. */

const { holders, ...access } = useAccess();
beforeEach(() => holders({ [AGENT]: [SUPPORT, BILLING], [VIEWER]: [BILLING] }));

const DAY_MS = 86_400_000;
const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const UNTIL = dayIn(30);
const PERSON = "auth0|64c1f0a2b7d83e5f9a1b2c3d";
const PASSES = `rules.yaml:4 lets it pass until ${UNTIL}: the desk is short (owner: ops@example.com)`;
const WHOLE = `reason: the desk is short, owner: ops@example.com, until: ${UNTIL}`;
const allow = `allow:\n  support-agent: [support-desk]\n`;
const excepting = (text: string) => `${allow}exceptions:\n  - { ${text} }\n`;
const EXCEPTED = excepting(`role: support-agent, group: billing-team, ${WHOLE}`);

const ask = (text: string, resources: Record<string, object> = {}, request = {}) =>
  access.ask(resources, { rules: rules(text), ...request });

const cellsIn = (answer: Access, ...names: string[]) =>
  csvRows(answer).map((row) => names.map((name) => row[name]));

test("an exception stands beside the breach in every format, and --fail-on finds nothing", async () => {
  const answer = await ask(EXCEPTED);
  expect(findingsIn(answer)).not.toContain("rules");
  const text = formatted(answer, "text");
  expect(text).toContain("Nothing breaks the rules of rules.yaml, and exceptions let 1 breach pass");
  expect(text).toContain(`which rules.yaml:2 doesn't allow; ${PASSES}`);
  expect(formatted(answer, "markdown")).toContain(`lets it pass until \`${UNTIL}\`: \`the desk is short\``);
  expect(jsonOf(answer).rules?.breaches).toMatchObject([
    {
      rule: "allow",
      exception: { line: 4, reason: "the desk is short", owner: "ops@example.com", until: UNTIL },
    },
  ]);
  const csv = cellsIn(answer, "breaks").flat().filter(Boolean);
  expect(csv).toEqual([
    `allow line 2, passes until ${UNTIL} by line 4: the desk is short (owner: ops@example.com)`,
  ]);
  expect(JSON.stringify(pageData(formatted(answer, "html")))).toContain("the desk is short");
});

test.each([
  ["has ended", `role: support-agent, group: billing-team, reason: a, owner: b, until: ${dayIn(-1)}`, 2],
  [
    "lets nothing pass, since nothing breaks the rule",
    `role: billing-viewer, group: billing-team, ${WHOLE}`,
    2,
  ],
  [
    "lets nothing pass, since nothing breaks the rule",
    `rule: end, role: support-agent, group: billing-team, ${WHOLE}`,
    2,
  ],
])("one that %s is found, and has a row of its own in a spreadsheet", async (what, exception, number) => {
  const answer = await ask(excepting(exception));
  expect(findingsIn(answer)).toContain("rules");
  const { breaches = [] } = jsonOf(answer).rules ?? {};
  expect(breaches).toHaveLength(number);
  expect(breaches.at(-1)).toMatchObject({ rule: "exception", rulesLine: 4 });
  expect(breaches.at(-1)?.reason).toContain(what);
  const rows = cellsIn(answer, "status", "group_id", "breaks");
  expect(rows.at(-1)).toEqual(["exception", "", expect.stringContaining(what)]);
});

test("nobody calls one unused whose people weren't read", async () => {
  const unused = excepting(
    `rule: conflicts, roles: [support-agent, billing-viewer], user: "${PERSON}", ${WHOLE}`,
  );
  const text = `${unused}conflicts:\n  - [support-agent, billing-viewer]\n`;
  const told = async () => (await ask(text)).rules?.breaches.map(({ rule }) => rule);
  holders({ [AGENT]: [SUPPORT], [VIEWER]: [BILLING] });
  expect(await told()).toEqual(["exception"]);
  holders({ [AGENT]: [SUPPORT], [VIEWER]: [BILLING] }, { clients: clientsWithout("read:group_members") });
  expect(await told()).toEqual([]);
});

test("a person is excepted alone, and a page without --people names nobody", async () => {
  const users = [PERSON, "auth0|other"].map((id) => ({ user_id: id, roles: [AGENT] }));
  holders({}, { users });
  const text = `direct:\n  support-agent: forbid\nexceptions:\n  - { role: support-agent, user: "${PERSON}", ${WHOLE} }\n`;
  const answer = await ask(text);
  expect(findingsIn(answer)).toContain("rules");
  const people = jsonOf(answer).rules?.breaches.map(({ people: who, exception }) => [
    who?.ids,
    exception?.line,
  ]);
  expect(people).toEqual([
    [["auth0|other"], undefined],
    [[PERSON], 4],
  ]);
  expect(formatted(answer, "html")).not.toContain(PERSON);
  expect(formatted(answer, "text")).not.toContain(PERSON);
  const csv = cellsIn(await ask(text, {}, { people: true }), "people", "breaks");
  expect(csv.find(([person]) => person === PERSON)?.[1]).toContain("passes until");
  expect(csv.find(([person]) => person === "auth0|other")?.[1]).toBe("direct line 2");
});

describe("require", () => {
  const required = "require:\n  support-agent: [support-desk, directory-admins]\n";
  const told = async (text: string, resources = {}, request = {}) => {
    const { rules: answer } = await ask(text, resources, request);
    return { breaches: answer?.breaches.map(({ reason }) => String(reason)), gaps: answer?.gaps };
  };
  const NONE = `none of support-desk ${SUPPORT} and directory-admins ${ADMINS} has support-agent ${AGENT}, which rules.yaml:2 requires`;

  test("holds if one of the groups has the role, whoever gave it", async () => {
    expect(await told(required)).toEqual({ breaches: [], gaps: [] });
    holders({ [AGENT]: [BILLING, ADMINS] });
    expect(await told(required)).toEqual({ breaches: [], gaps: [] });
  });

  test("is broken if none has it, or what it had has ended; in a spreadsheet too", async () => {
    holders({ [AGENT]: [BILLING] });
    expect(await told(required)).toEqual({ breaches: [NONE], gaps: [] });
    const answer = await ask(required);
    expect(formatted(answer, "text")).not.toMatch(/requires +by hand/);
    const rows = cellsIn(answer, "role_name", "status", "group_id", "breaks");
    expect(rows.at(-1)).toEqual(["support-agent", "require", "", `require line 2: ${NONE}`]);
    holders({ [AGENT]: [SUPPORT] });
    const ended = { a: assignment(AGENT, [SUPPORT], { until: dayIn(-2) }) };
    expect(await told(required, ended)).toMatchObject({ breaches: [NONE] });
    // What a program claims, and the tenant doesn't have, keeps nothing.
    holders({});
    expect(await told(required, { a: assignment(AGENT, [SUPPORT]) })).toMatchObject({ breaches: [NONE] });
  });

  test("of an organization asks it", async () => {
    const there = `organizations:\n  ${ACME}:\n    require:\n      support-agent: [support-desk]\n`;
    const organization = (groups: string[]) => ({
      organizations: [
        { id: ACME, name: "acme", groups: [SUPPORT], roles: [{ id: AGENT, groups, members: [] }] },
      ],
    });
    holders({}, organization([SUPPORT]));
    expect(await told(there)).toEqual({ breaches: [], gaps: [] });
    holders({ [AGENT]: [SUPPORT] }, organization([]));
    expect(await told(there)).toEqual({
      breaches: [
        `support-desk ${SUPPORT} doesn't have support-agent ${AGENT} in acme ${ACME}, which rules.yaml:4 requires`,
      ],
      gaps: [],
    });
  });
});
