import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { readAccess } from "../../examples/access-as-data/access-file";
import { requestIn, withRequest } from "../../examples/access-as-data/request";
import { problemsOf, type Workflow } from "../../scripts/rules/workflow-problems";
import { hostileTexts, TEXTS } from "../../testkit/hostile-texts";
import fc from "../../testkit/properties";

const folder = resolve(__dirname, "../../examples/access-as-data");
const read = (path: string) => readFileSync(join(folder, path), "utf8");

/** Comments and odd spacing in all places. */
const TEXT = `# Who has which role.

tenant:
  support-agent: # tickets
    # For good.
    billing-team:   # since 2024
    contractors:
        why: Helps out
        until: 2026-12-31 # the move

  # Nobody yet.
  billing-viewer:

organizations:
  acme:
    support-agent:
      directory-admins:
# The end.
`;
const TODAY = "2026-11-26";
const REQUEST = {
  role: "billing-viewer",
  group: "contractors",
  organization: "",
  until: "2027-03-31",
  why: "Audit",
};

/** An issue as GitHub writes it for the form of the example. */
function issue(fields: Partial<typeof REQUEST> = {}): string {
  const { body } = parse(read(".github/ISSUE_TEMPLATE/access.yml")) as {
    body: { attributes: { label: string } }[];
  };
  const all: Record<string, string> = { ...REQUEST, ...fields };
  return body
    .map(({ attributes: { label } }) => `### ${label}\n\n${all[label.toLowerCase()] || "_No response_"}`)
    .join("\n\n");
}

const edit = (fields: Partial<typeof REQUEST> = {}, text = TEXT) =>
  withRequest(text, requestIn(issue(fields)), TODAY);

/** Lines that only the one or only the other has. */
function changed(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
}

test("the file is read with its lines", () => {
  const [agents, viewers, ofAcme] = readAccess(TEXT);
  expect(agents).toEqual({
    organization: undefined,
    role: { text: "support-agent", line: 4 },
    groups: [
      { group: { text: "billing-team", line: 6 } },
      {
        group: { text: "contractors", line: 7 },
        until: { text: "2026-12-31", line: 9 },
        why: { text: "Helps out", line: 8 },
      },
    ],
  });
  expect(viewers).toMatchObject({ role: { line: 12 }, groups: [] });
  expect(ofAcme).toMatchObject({
    organization: { text: "acme", line: 15 },
    role: { line: 16 },
    groups: [{ group: { line: 17 } }],
  });
  expect(readAccess("")).toEqual([]);
});

test.each([
  ["tenant:\n  a:\n    g:\n  a:\n    h:", '4: "tenant" lists "a" twice.'],
  ["tenant:\n  a:\n    g:\n    g:", '4: "a" lists "g" twice.'],
  ["tenant:\ntenant:", '2: "access.yaml" lists "tenant" twice.'],
  ["roles:\n  a:", '1: "roles" is neither tenant nor organizations.'],
  ["tenant:\n  a: [g]", '2: Below "a", end each name with a colon.'],
  ["tenant:\n  a: g", '2: Below "a", end each name with a colon.'],
  ["- a", '1: Below "access.yaml", end each name with a colon.'],
  ["tenant:\n  a:\n    7:", "3: A name must be text: put it in quotes."],
  ["tenant:\n  a:\n    g: { from: 2026-01-01 }", '3: "from" is neither until nor why.'],
  ["tenant:\n  a:\n    g:\n      until: soon", "4: until must be a day, such as 2026-12-31."],
  ["tenant:\n  a:\n    g:\n      why: [x]", "4: why must be text."],
  ['tenant:\n  "a', '2: Missing closing "quote.'],
])("%j is refused with the line", (text, message) => {
  expect(() => readAccess(text)).toThrow(`access.yaml:${message}`);
});

test("a request adds its lines below the role, and leaves all others as they are", () => {
  const added = (indent: string) => [
    `+ ${indent}contractors:`,
    `+ ${indent}  until: 2027-03-31`,
    `+ ${indent}  why: Audit`,
  ];
  const viewers = edit();
  expect(viewers.title).toBe('Give "billing-viewer" to "contractors" until 2027-03-31');
  expect(viewers.text).toBe(
    TEXT.replace("billing-viewer:\n", "$&    contractors:\n      until: 2027-03-31\n      why: Audit\n"),
  );
  const inAcme = edit({ organization: "acme", role: "support-agent" });
  expect(inAcme.title).toBe('Give "support-agent" to "contractors" in "acme" until 2027-03-31');
  expect(inAcme.text.split("\n").slice(15, 20)).toEqual([
    "    support-agent:",
    ...added("      ").map((line) => line.slice(2)),
    "      directory-admins:",
  ]);
});

test("a request for what ends already prolongs it", () => {
  const { text } = edit({ role: "support-agent", why: "One more month: #12" });
  expect(changed(TEXT, text)).toEqual([
    "-         why: Helps out",
    "-         until: 2026-12-31 # the move",
    '+         why: "One more month: #12"',
    "+         until: 2027-03-31",
  ]);
  const short = "tenant:\n  a:\n    g: # comment\n      until: 2026-12-01\n    h:\n";
  expect(edit({ role: "a", group: "g" }, short).text).toBe(
    "tenant:\n  a:\n    g: # comment\n      until: 2027-03-31\n      why: Audit\n    h:\n",
  );
});

test.each([
  [{ role: "admin" }, 'access.yaml has no role "admin", only "billing-viewer", "support-agent".'],
  [
    { role: "billing-viewer", organization: "acme" },
    'access.yaml has no role "billing-viewer" in "acme", only "support-agent".',
  ],
  [{ organization: "other" }, 'access.yaml has no organization "other", only "acme".'],
  [
    { group: "@all <b>" },
    'access.yaml has no group "?all ?b?", only "billing-team", "contractors", "directory-admins".',
  ],
  [{ until: "" }, "Until must be a day, such as 2026-12-31."],
  [{ until: "2027-02-30" }, "Until must be a day, such as 2026-12-31."],
  [{ until: "2027-01-01T00:00:00Z" }, "Until must be a day, such as 2026-12-31."],
  [{ until: "2026-11-25" }, "Until is in the past: 2026-11-25."],
  [{ why: "\u200b\n" }, "Why must not be empty."],
  [
    { role: "support-agent", group: "billing-team" },
    '"billing-team" has "support-agent" already, without an end.',
  ],
  [
    { role: "support-agent", until: "2026-12-31" },
    '"contractors" has "support-agent" already, until 2026-12-31.',
  ],
])("a request for %j is refused", (fields, message) => {
  expect(() => edit(fields)).toThrow(message);
});

test("an issue that isn't the form is refused, and the reason can't fill in another field", () => {
  const why = "\n### Role\n\nadmin\n\n### Group\n\nbilling-team";
  expect(requestIn(issue({ why }))).toEqual({ ...REQUEST, why: "### Role admin ### Group billing-team" });
  expect(requestIn(issue().replaceAll("\n", "\r\n"))).toEqual(REQUEST);
  for (const body of [
    "",
    issue().replace("### Until", "### When"),
    `### Role\n\nadmin\n\n${issue()}`,
    issue({ role: "a\n\nb" }),
  ])
    expect(() => requestIn(body)).toThrow("doesn't have the fields of the form");
});

test("a file whose lines the script can't edit stays as it is", () => {
  const files = [
    "tenant: { a: { g: } }",
    "tenant:\n  a: { g: { until: 2026-12-01 } }",
    "tenant:\n  a:\n    g: { until: 2026-12-01, why: x }",
    "tenant:\n  a:\n    g:\n      until: 2026-12-01\n      why: |\n        two\n        lines\n",
    "tenant:\n  a:\n    ? g\n    : until: 2026-12-01\n",
  ];
  for (const text of files)
    expect(() => edit({ role: "a", group: "g" }, text)).toThrow(/^Write each|already/);
});

test("whatever the issue says, nothing but a name of the file gets a role, and what is printed is harmless", () => {
  const text = fc.oneof(hostileTexts, fc.constantFrom(...TEXTS));
  const field = (good: string) => fc.oneof(fc.constant(good), text);
  fc.assert(
    fc.property(
      field("billing-viewer"),
      field("contractors"),
      field(""),
      field("2027-03-31"),
      text,
      (role, group, organization, until, why) => {
        let title: string;
        let result: string;
        try {
          ({ title, text: result } = edit({ role, group, organization, until, why }));
        } catch (error) {
          expect((error as Error).message).toMatch(/^[\p{L}\p{N} "'()?,:/_.-]+$/u);
          return;
        }
        expect(title).toBe('Give "billing-viewer" to "contractors" until 2027-03-31');
        const [agents, viewers, ...rest] = readAccess(result);
        expect(viewers?.groups.map((one) => one.group.text)).toEqual(["contractors"]);
        expect([agents?.groups.length, rest.length]).toEqual([2, 1]);
        const lines = result.split("\n");
        expect([...lines.slice(0, 12), ...lines.slice(15)].join("\n")).toBe(TEXT);
      },
    ),
  );
});

test("the workflow runs what a request needs and no text of it, once somebody who may write has labeled it", () => {
  const text = read(".github/workflows/access-request.yml");
  expect(problemsOf(text)).toEqual([]);
  const { on, jobs } = parse(text) as Workflow & { jobs: Record<string, { if: string; steps: object[] }> };
  expect(on).toEqual({ issues: { types: ["labeled"] } });
  const { if: condition, permissions, steps } = jobs["request"]!;
  expect(condition).toBe("github.event.label.name == 'write-pull-request'");
  expect(permissions).toEqual({ contents: "write", issues: "write", "pull-requests": "write" });
  expect(steps[0]).toMatchObject({ run: expect.stringContaining("/permission") as unknown });
  expect(text).not.toMatch(/issue\.(body|title|user)/);
});
