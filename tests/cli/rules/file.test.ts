import { readRules } from "../../../cli/rules/file";
import { violations } from "../../../testkit/json-schemas";

const read = (text: string) => readRules({ file: "rules.yaml", text });

test("YAML is read with the lines of what it names", () => {
  const rules = read(`default: closed
allow:
  admin: [directory-admins, grp_7TqWc2nYx5RkHbVd9sPmZa]
  support-agent: "*"
conflicts:
  - [payer, approver]
end:
  admin: 30
direct:
  default: forbid
  admin: allow
  payer: forbid
`);
  expect(rules).toEqual({
    file: "rules.yaml",
    defaults: [{ organization: undefined, isClosed: true }],
    allow: [
      {
        role: { text: "admin", line: 3 },
        groups: [
          { text: "directory-admins", line: 3 },
          { text: "grp_7TqWc2nYx5RkHbVd9sPmZa", line: 3 },
        ],
      },
      { role: { text: "support-agent", line: 4 }, groups: "*" },
    ],
    conflicts: [
      {
        roles: [
          { text: "payer", line: 6 },
          { text: "approver", line: 6 },
        ],
        anyContext: false,
      },
    ],
    ends: [{ role: { text: "admin", line: 8 }, days: 30 }],
    direct: [
      { role: { text: "admin", line: 11 }, forbidden: undefined },
      { role: { text: "payer", line: 12 }, forbidden: 12 },
    ],
    directDefaults: [{ organization: undefined, forbidden: 10 }],
    require: [],
    exceptions: [],
    tests: [],
  });
});

test("groups that keep a role, exceptions and cases, with their lines", () => {
  const { require, exceptions, tests } = read(`require:
  admin: [break-glass]
exceptions:
  - rule: end
    role: admin
    group: contractors
    reason: until the audit
    owner: security@example.com
    until: 2026-12-31
  - roles: [payer, { role: approver, organization: acme }]
    user: auth0|64c1f0a2b7d83e5f9a1b2c3d
    reason: " "
organizations:
  acme:
    exceptions:
      - { role: owner, group: founders }
tests:
  - user: { groups: [] }
    has: [admin]
    days: 3
    breaks: [direct, end]
  - { group: a, has: [{ role: b, organization: acme }], ok: true }
`);
  expect(require).toEqual([{ role: { text: "admin", line: 2 }, groups: [{ text: "break-glass", line: 2 }] }]);
  const missing = { rule: undefined, reason: undefined, owner: undefined, until: undefined };
  expect(exceptions).toEqual([
    {
      line: 4,
      rule: "end",
      roles: [{ text: "admin", line: 5 }],
      holder: { group: { text: "contractors", line: 6 } },
      reason: "until the audit",
      owner: "security@example.com",
      until: "2026-12-31",
    },
    {
      ...missing,
      line: 10,
      roles: [
        { text: "payer", line: 10 },
        { text: "approver", line: 10, organization: { text: "acme", line: 10 } },
      ],
      holder: { user: { text: "auth0|64c1f0a2b7d83e5f9a1b2c3d", line: 11 } },
    },
    {
      ...missing,
      line: 16,
      roles: [{ text: "owner", line: 16, organization: { text: "acme", line: 14 } }],
      holder: { group: { text: "founders", line: 16 } },
    },
  ]);
  expect(tests).toEqual([
    {
      line: 18,
      groups: [],
      isUser: true,
      has: [{ text: "admin", line: 19 }],
      days: 3,
      breaks: ["direct", "end"],
    },
    {
      line: 22,
      groups: [{ text: "a", line: 22 }],
      isUser: false,
      has: [{ text: "b", line: 22, organization: { text: "acme", line: 22 } }],
      days: undefined,
      breaks: [],
    },
  ]);
});

test("JSON is read the same way, with its lines, also when it is indented by tabs", () => {
  const text = `{\n\t"$schema": "rules.schema.json",\n\t"allow": {\n\t\t"admin": ["a"]\n\t}\n}\n`;
  expect(read(text).allow).toEqual([{ role: { text: "admin", line: 4 }, groups: [{ text: "a", line: 4 }] }]);
});

test("rules of single organizations, and conflicts across them", () => {
  const rules = read(`conflicts:
  - roles: [payer, { role: approver, organization: acme }]
    anyContext: true
organizations:
  acme:
    default: closed
    allow:
      payer: "*"
    conflicts:
      - [payer, clerk]
    end:
      clerk: 30
    direct:
      default: forbid
      clerk: allow
  globex:
    default: free
`);
  const acme = { text: "acme", line: 5 };
  expect(rules).toEqual({
    file: "rules.yaml",
    defaults: [
      { organization: acme, isClosed: true },
      { organization: { text: "globex", line: 16 }, isClosed: false },
    ],
    allow: [{ role: { text: "payer", line: 8, organization: acme }, groups: "*" }],
    conflicts: [
      {
        roles: [
          { text: "payer", line: 2 },
          { text: "approver", line: 2, organization: { text: "acme", line: 2 } },
        ],
        anyContext: true,
      },
      {
        roles: [
          { text: "payer", line: 10, organization: acme },
          { text: "clerk", line: 10, organization: acme },
        ],
        anyContext: false,
      },
    ],
    ends: [{ role: { text: "clerk", line: 12, organization: acme }, days: 30 }],
    direct: [{ role: { text: "clerk", line: 15, organization: acme }, forbidden: undefined }],
    directDefaults: [{ organization: acme, forbidden: 14 }],
    require: [],
    exceptions: [],
    tests: [],
  });
});

test("a star within a text is no alias", () => {
  const text =
    "# *a\nallow:\n  'a *b': [a*b]\n  c: # *d\n    - |\n      *e\n    - >-\n      *f\n    - a\n      *g\n";
  expect(
    read(text).allow.map(({ role, groups }) => [role.text, groups === "*" ? groups : groups.length]),
  ).toEqual([
    ["a *b", 1],
    ["c", 3],
  ]);
});

const nested = (open: string, close: string) => `allow: ${open.repeat(20_000)}${close.repeat(20_000)}`;
const refused = {
  aliases: [
    "allow:\n  a: &a [x]\n" + "  b: *a\n".repeat(20_000),
    ':3: "*a" stands for something else: write the names out.',
  ],
  lists: [nested("[", "]"), ":1: it is nested deeper than 100 levels."],
  "lists after an error": [`] }\n${nested("[", "")}`, ":2: it is nested deeper than 100 levels."],
  dashes: [`allow:\n${"- ".repeat(20_000)}a`, ":2: it is nested deeper than 100 levels."],
  size: [`allow: {}\n${"#".repeat(1_000_000)}`, ":1: the file is larger than 1 MB."],
  "an alias for a key": [
    "allow:\n  &a a: [x]\n  *a : [y]\n",
    ':3: "*a" stands for something else: write the names out.',
  ],
} as const;
test.each(Object.entries(refused))(
  "what would keep the parser busy is refused at once: %s",
  (_, [text, message]) => {
    expect(() => read(text)).toThrow(`rules.yaml${message}`);
  },
);

test("many keys, and roles of one conflict, are read in time", () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `r${index}`);
  const text = `end:\n${many.map((role) => `  ${role}: 3\n`).join("")}conflicts:\n  - [${many.join(", ")}]\n`;
  expect(read(text).ends).toHaveLength(3_000);
});

test.each([
  ["", "rules.yaml:1: there are no rules. Give at least one of allow, conflicts, end, direct, require."],
  [
    "- a\n",
    "rules.yaml:1: the rules must be a mapping with allow, conflicts, end, direct, require, exceptions, default, organizations or tests.",
  ],
  ["allow: {}\nalow:\n  a: [b]\n", 'rules.yaml:2: "alow" is no rule. Did you mean "allow"?'],
  [
    "other: 1\n",
    'rules.yaml:1: "other" is no rule: use allow, conflicts, end, direct, require, exceptions, default, organizations or tests.',
  ],
  ["default: open\n", "rules.yaml:1: default must be free or closed."],
  ["allow: [a]\n", "rules.yaml:1: allow must map each role to its groups."],
  ["allow:\n  a: b\n", 'rules.yaml:2: the groups of "a" must be a list, or "*" for any group.'],
  ["allow:\n  a:\n    - b\n    - 7\n", "rules.yaml:4: a name must be text: put it in quotes."],
  ['allow:\n  "": [b]\n', "rules.yaml:2: a name is empty."],
  ["allow:\n  a: [b]\n  a: [c]\n", 'rules.yaml:3: "a" is given twice.'],
  ['allow:\n  a: ["*"]\n', 'rules.yaml:2: "*" stands alone: write a: "*".'],
  ["conflicts:\n  a: b\n", "rules.yaml:2: conflicts must be a list of lists of roles."],
  ["conflicts:\n  - a\n", "rules.yaml:2: a conflict must be a list of two roles or more."],
  ["conflicts:\n  - [a]\n", "rules.yaml:2: a conflict must be a list of two roles or more."],
  ["conflicts:\n  - [a, a]\n", 'rules.yaml:2: the conflict names "a" twice.'],
  [
    "conflicts:\n  - roles: [a, b]\n    anyContxt: true\n",
    'rules.yaml:3: "anyContxt" is no part of a conflict. Did you mean "anyContext"?',
  ],
  [
    "conflicts:\n  - roles: [a, b]\n    anyContext: sure\n",
    "rules.yaml:3: anyContext must be true or false.",
  ],
  ["conflicts:\n  - anyContext: true\n", "rules.yaml:2: a conflict must be a list of two roles or more."],
  [
    "conflicts:\n  - [a, { role: b }]\n",
    "rules.yaml:2: a role must be a name, an id, or both role and organization.",
  ],
  [
    "conflicts:\n  - [a, { role: b, organization: c, x: y }]\n",
    '"x" is no part of a role: use role or organization.',
  ],
  ["organizations: [a]\n", "rules.yaml:1: organizations must map each organization to its rules."],
  [
    "organizations:\n  a:\n",
    'rules.yaml:2: the rules of "a" must be a mapping with allow, conflicts, end, direct, require, exceptions or default.',
  ],
  ["organizations:\n  a:\n    organizations: {}\n", 'rules.yaml:3: "organizations" is no rule: use allow'],
  [
    "organizations:\n  a:\n    conflicts:\n      - [b, { role: c, organization: d }]\n",
    'rules.yaml:4: the rules of "a" name roles in it: write the role alone.',
  ],
  [
    "organizations:\n  a:\n    conflicts:\n      - { roles: [b, c], anyContext: true }\n",
    'rules.yaml:4: the rules of "a" are judged in it alone: no anyContext.',
  ],
  ["end:\n  a: soon\n", 'rules.yaml:2: the days of "a" must be a whole number from 1 to 3650.'],
  ["direct:\n  a: no\n", 'rules.yaml:2: "a" must be allow or forbid.'],
  ["direct: forbid\n", "rules.yaml:1: direct must map roles, or default, to allow or forbid."],
  ["end:\n  a: 0\n", "whole number from 1 to 3650"],
  ["require:\n  a: []\n", 'rules.yaml:2: the groups of "a" must be a list of one or more'],
  ['require:\n  a: ["*"]\n', 'rules.yaml:2: the groups of "a" must be a list of one or more'],
  ["exceptions: {}\n", "rules.yaml:1: exceptions must be a list."],
  ["exceptions:\n  - a\n", "rules.yaml:2: an exception must be a mapping with rule, role, roles, group"],
  [
    "exceptions:\n  - {role: a, group: b, unti: c}\n",
    '"unti" is no part of an exception. Did you mean "until"?',
  ],
  [
    "exceptions:\n  - {group: b}\n",
    "rules.yaml:2: an exception must name a role, or all roles of a conflict",
  ],
  ["exceptions:\n  - {roles: [a], group: b}\n", "must be a list of those that conflict, two or more."],
  ["exceptions:\n  - {roles: [a, a], group: b}\n", 'rules.yaml:2: the exception names "a" twice.'],
  ["exceptions:\n  - {role: a}\n", "rules.yaml:2: an exception must name one group or one user."],
  ["exceptions:\n  - {role: a, group: b, until: soon}\n", "rules.yaml:2: until must be a day, as in"],
  [
    "exceptions:\n  - {role: a, group: b, reason: 7}\n",
    "rules.yaml:2: reason must be text: put it in quotes.",
  ],
  ["exceptions:\n  - {role: a, group: b, reason: [c]}\n", "rules.yaml:2: reason must be text"],
  [
    "exceptions:\n  - rule: require\n    role: a\n    group: b\n",
    "rules.yaml:2: require is about all holders of a role: nothing lets one pass.",
  ],
  [
    "exceptions:\n  - {rule: conflict, role: a, group: b}\n",
    '"conflict" is no rule. Did you mean "conflicts"?',
  ],
  ["tests: [a]\n", "rules.yaml:1: a case must be a mapping with group, user, has, days, breaks or ok."],
  ["tests:\n  - {has: [a], ok: true}\n", "rules.yaml:2: a case must be about one group or one user."],
  [
    "tests:\n  - {user: ann, has: [a], ok: true}\n",
    "rules.yaml:2: the user of a case must be a mapping with",
  ],
  ["tests:\n  - {group: a, ok: true}\n", "rules.yaml:2: has must be a list of one role or more."],
  ["tests:\n  - {group: a, has: [b]}\n", "rules.yaml:2: a case must say either breaks: [rules] or ok: true."],
  ["tests:\n  - {group: a, has: [b], ok: false}\n", "a case must say either breaks: [rules] or ok: true."],
  ["tests:\n  - {group: a, has: [b], breaks: []}\n", "a case must say either breaks: [rules] or ok: true."],
  [
    "tests:\n  - {group: a, has: [b], breaks: [default]}\n",
    "rules.yaml:2: a role that default closes breaks allow: write allow.",
  ],
  ["allow: {\n", "rules.yaml:2: "],
  ["allow: {}\n---\nallow: {}\n", "rules.yaml:2: "],
])("%j is refused with its line", (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test("what a stranger writes into the file stays on one line of the message", () => {
  const name = "\\u001b[31m\\u202e\\n::error::x";
  expect(() => read(`"${name}": 1\n`)).toThrow(/^rules\.yaml:1: "[^\p{Cc}\p{Cf}]+" is no rule/u);
  expect(() => read(`"${name}": 1\n`)).not.toThrow(/::error::/);
});

test.each([
  ['{"default":"closed","allow":{"a":["b"],"c":"*"},"conflicts":[["a","c"]],"end":{"a":30}}', true],
  ['{"$schema":"x","end":{"a":1}}', true],
  ['{"conflicts":[{"roles":["a",{"role":"b","organization":"c"}],"anyContext":true}]}', true],
  [
    '{"organizations":{"c":{"default":"closed","conflicts":[["a","b"]],"direct":{"default":"forbid"}}}}',
    true,
  ],
  ['{"require":{"a":["b"]},"organizations":{"c":{"require":{"a":["b"]},"exceptions":[]}}}', true],
  ['{"require":{"a":[]}}', false],
  [
    '{"exceptions":[{"rule":"end","role":"a","group":"b","reason":"c","owner":"d","until":"2026-12-31"}]}',
    true,
  ],
  ['{"exceptions":[{"rule":"require","role":"a","group":"b"}]}', false],
  ['{"tests":[{"user":{"groups":[]},"has":["a"],"days":3,"breaks":["direct"]}]}', true],
  ['{"tests":[{"group":"b","has":[{"role":"a","organization":"c"}],"ok":true}]}', true],
  ['{"tests":[{"group":"b","has":["a"],"ok":false}]}', false],
  ['{"conflicts":[["a",{"role":"b"}]]}', false],
  ['{"organizations":{"c":{"organizations":{}}}}', false],
  ['{"allow":{"a":"b"}}', false],
  ['{"allow":{"":["b"]}}', false],
  ['{"allow":{"a":[""]}}', false],
  ['{"conflicts":[["a"]]}', false],
  ['{"end":{"a":1.5}}', false],
  ['{"end":{"a":4000}}', false],
  ['{"default":"open"}', false],
  ['{"other":1}', false],
  ["[]", false],
])("the exported schema agrees on %s", (text, isValid) => {
  expect(violations("rules", JSON.parse(text)).length === 0).toBe(isValid);
  if (isValid) expect(() => read(text)).not.toThrow();
  else expect(() => read(text)).toThrow();
});
