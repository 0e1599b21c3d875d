import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { formatted } from "../../../cli/access/formats";
import { type Access } from "../../../cli/access/document";
import { readRules } from "../../../cli/rules/file";
import { leaksIn, SPELLINGS } from "../../../testkit/canaries/spellings";
import { type SeedInput } from "../../../simulator";
import {
  ADMINS,
  AGENT,
  ALL_SCOPES,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../../simulator/default-seed";
import { asked, assignment, encrypted, inClear, jsonOf, state } from "../../../testkit/cli/access";
import { expectGolden } from "../../../testkit/golden";
import { useSimulator } from "../../../testkit/simulator";

const simulator = useSimulator();
let tenant: string;
beforeAll(() => void (tenant = new URL(simulator.url).host));

const shown = (text: string) => text.replaceAll(tenant, "tenant.example.com").replaceAll("\ufeff", "<BOM>");

const TIMERS = [
  "hrtime",
  "nextTick",
  "performance",
  "queueMicrotask",
  "setImmediate",
  "clearImmediate",
  "setInterval",
  "clearInterval",
  "setTimeout",
  "clearTimeout",
] as const;

describe("a tenant and a user, in each format", () => {
  let access: Access;
  let user: Access;

  beforeAll(async () => {
    // The text depends on how far away an end is. Fake only the date, because answers need timers.
    jest.useFakeTimers({ now: new Date("2026-11-23T10:02:00Z"), doNotFake: [...TIMERS] });
    const roles = [
      { id: AGENT, name: "support-agent", groups: [SUPPORT, BILLING, CONTRACTORS] },
      { id: VIEWER, name: "billing-viewer", groups: [BILLING, SUPPORT, CONTRACTORS] },
      { id: "rol_none", name: "auditor" },
    ];
    const [first] = DEFAULT_SEED.users ?? [];
    simulator.seed({ ...DEFAULT_SEED, roles, users: [{ ...first!, groups: [BILLING] }] });
    const exports = [
      state(tenant, "access/prod", {
        support: assignment(AGENT, [BILLING, ADMINS]),
        old: assignment(AGENT, [CONTRACTORS]),
        closing: assignment(VIEWER, [CONTRACTORS], { until: "2026-11-30" }),
        audit: assignment(VIEWER, [SUPPORT], { until: "2026-11-20" }),
      }),
      state(tenant, "access/dev", { viewers: assignment(VIEWER, encrypted) }),
    ];
    access = await asked(simulator, { exports });
    user = await asked(simulator, { exports, user: USER_ID });
  });
  afterAll(() => jest.useRealTimers());

  test("text: through what a user has permissions", () => {
    expect(shown(formatted(user, "text"))).toContain(`
  2 roles · 3 permissions: 1 through roles, 1 from elsewhere, 1 both
  Compared with access/dev (1 assignment) and access/prod (4 assignments)

Permissions
  read:reports   https://reports.example.com/  role support-agent; elsewhere: directly
  close:tickets  https://tickets.example.com/  elsewhere: directly
  read:tickets   https://tickets.example.com/  role support-agent
`);
  });

  test("several roles that nobody has aren't said to be nobody's together", () => {
    const [role] = access.roles;
    const further = { ...role!, id: "rol_further", name: "editor", groups: [], secret: [] };
    const roles = [...access.roles, { ...further, people: null, direct: undefined }];
    expect(formatted({ ...access, roles }, "text")).toContain(
      "No group has these roles: auditor and editor.\n",
    );
  });

  test("Markdown", () => {
    expectGolden(join(__dirname, "../../e2e/review/golden/access.md"), shown(formatted(access, "markdown")));
    // Copied with its bar.
    expect(shown(formatted(user, "markdown"))).toContain(`### Access of \`${USER_ID}\` on`);
  });

  test("CSV: a row a grant, and of a user a row for each way", () => {
    const row = (...cells: string[]) => `${cells.map((cell) => `"${cell}"`).join(",")}\r\n`;
    const grant = ["role_id", "role_name", "group_id", "group_name", "status"];
    const head = [...grant, "stack", "resource", "line", "until", "expired"];
    const dev = ["access/dev", "viewers", "index.ts:1", "", ""];
    const prod = ["access/prod", "support", "index.ts:1", "", ""];
    const old = ["access/prod", "old", "index.ts:2", "", ""];
    const closing = ["access/prod", "closing", "index.ts:3", "2026-11-30", ""];
    const audit = ["access/prod", "audit", "index.ts:4", "2026-11-20", "yes"];
    expect(shown(formatted(access, "csv"))).toBe(
      "<BOM>" +
        row("tenant", "as_of", ...head, "people", "decision", "reviewer", "note") +
        [
          [VIEWER, "billing-viewer", BILLING, "billing-team", "unknown", ...dev],
          [VIEWER, "billing-viewer", CONTRACTORS, "contractors", "managed", ...closing],
          [VIEWER, "billing-viewer", SUPPORT, "support-desk", "managed", ...audit],
          [VIEWER, "billing-viewer", "", "", "unknown", ...dev],
          [AGENT, "support-agent", SUPPORT, "support-desk", "unmanaged", "", "", "", "", ""],
          [AGENT, "support-agent", ADMINS, "", "drift", ...prod],
          [AGENT, "support-agent", BILLING, "billing-team", "managed", ...prod],
          [AGENT, "support-agent", CONTRACTORS, "contractors", "managed", ...old],
        ]
          .map((cells) => row("tenant.example.com", "2026-11-23T10:02:00.000Z", ...cells, "", "", "", ""))
          .join(""),
    );
    const [reports, tickets] = ["https://reports.example.com/", "https://tickets.example.com/"];
    const none = head.map(() => "");
    const agent = ["role", AGENT, "support-agent", BILLING, "billing-team", "managed", ...prod];
    expect(shown(formatted(user, "csv"))).toBe(
      "<BOM>" +
        row("tenant", "as_of", "user_id", "api", "permission", "through", ...head) +
        [
          [reports, "read:reports", "directly", ...none],
          [reports, "read:reports", ...agent],
          [tickets, "close:tickets", "directly", ...none],
          [tickets, "read:tickets", ...agent],
          ["", "", "role", VIEWER, "billing-viewer", BILLING, "billing-team", "unknown", ...dev],
        ]
          .map((cells) => row("tenant.example.com", "2026-11-23T10:02:00.000Z", USER_ID, ...cells))
          .join(""),
    );
  });

  test("JSON is what the schema accepts, and sentences are texts", () => {
    expect(jsonOf(access)).toMatchObject({ version: 1, tenant, complete: false, user: null });
    expect(jsonOf(user).user).toMatchObject({ id: USER_ID, ends: [{ ends: true, reason: "" }] });
  });
});

const HOSTILE = "x` | </td><img src=a> [a](//b) @team\n# h \u001b[31m\u202e ::error::";
/** Anything that moves a terminal's text, begins a heading, or commands a CI system. */
const ACTIVE = /(?![\n\r])\p{Cc}|(?!\ufeff)\p{Cf}|^# h|::error::/mu;

test("hostile names, wherever they come from, are inert in Markdown and visible in text", async () => {
  const role = { id: AGENT, name: HOSTILE, groups: [SUPPORT, BILLING] };
  simulator.seed({
    roles: [role],
    groups: [SUPPORT, BILLING].map((id) => ({ id, name: HOSTILE })),
    users: [
      {
        user_id: "u",
        groups: [SUPPORT, BILLING],
        permissions: [
          {
            resource_server_identifier: HOSTILE,
            permission_name: HOSTILE,
            sources: [{ source_id: HOSTILE, source_name: HOSTILE, source_type: HOSTILE }],
          },
        ],
      },
    ],
  });
  const resource = {
    ...assignment(AGENT, [SUPPORT, HOSTILE]),
    sourcePosition: `project:///${HOSTILE.replace("\n", " ")}#1`,
  };
  const exports = [
    state(tenant, `${HOSTILE}/${HOSTILE}`.replaceAll("::", ":"), { [HOSTILE]: resource }),
    { file: HOSTILE, text: '{"deployment":{}}' },
  ];
  const rules = readRules({ file: "rules.yaml", text: `allow:\n  ${AGENT}: []\n` });
  for (const request of [{ rules }, { user: "u" }]) {
    const access = await asked(simulator, { exports, ...request });
    const html = new MarkdownIt({ html: true, linkify: true }).render(formatted(access, "markdown"));
    const tags = [...html.matchAll(/<\/?(\w+)/g)].map(([, tag]) => tag);
    expect([...new Set(tags)].sort()).toEqual(
      ["code", "h3", "h4", "li", "p", "table", "tbody", "td", "th", "thead", "tr", "ul"].filter((tag) =>
        tags.includes(tag),
      ),
    );
    for (const [table] of html.matchAll(/<table>[\s\S]*?<\/table>/g)) {
      const cells = table
        .split("</tr>")
        .slice(0, -1)
        .map((row) => row.match(/<t[dh]>/g)?.length);
      expect(new Set(cells).size).toBe(1);
    }
    for (const format of ["text", "markdown", "csv", "json"] as const)
      expect(formatted(access, format)).not.toMatch(ACTIVE);
  }
});

test("no secret leaves: neither a credential that the tenant repeats, nor what state holds", async () => {
  const client = { client_id: "canary", client_secret: 'cA9/kw0!+&"x ~q7Zr2=', scope: ALL_SCOPES };
  const hidden = "grp_9CanaryCanaryCanary";
  const password = "oF-a/Provider+in clear";
  const end = "2031-03-07T11:42:00Z";
  const seed = (echo: string): SeedInput => ({
    clients: [client],
    roles: [{ id: AGENT, name: echo, groups: [SUPPORT] }],
    groups: [{ id: SUPPORT, name: echo }],
    users: [
      {
        user_id: USER_ID,
        groups: [SUPPORT],
        permissions: [
          {
            resource_server_identifier: echo,
            permission_name: echo,
            sources: [{ source_id: AGENT, source_name: echo, source_type: "ROLE" }],
          },
          {
            resource_server_identifier: "a",
            permission_name: "b",
            sources: [{ source_id: echo, source_name: echo, source_type: echo }],
          },
        ],
      },
    ],
  });
  const provider = {
    type: "pulumi:providers:pulumi-nodejs",
    outputs: { "identity:clientSecret": inClear(password) },
  };
  for (const [spelling, spell] of Object.entries(SPELLINGS)) {
    const echo = spell(client.client_secret);
    simulator.seed(seed(echo));
    const exports = [
      state(tenant, "access/prod", {
        provider,
        [echo]: assignment(AGENT, inClear([SUPPORT, hidden]), { until: inClear(end) }),
        other: assignment(VIEWER, [inClear(hidden)], { unconfirmed: [inClear(hidden)] }),
      }),
      { file: echo, text: '{"deployment":{}}' },
    ];
    const answering = { url: simulator.url, clientId: client.client_id, clientSecret: client.client_secret };
    for (const user of [undefined, USER_ID]) {
      const access = await asked(answering, { exports, ...(user !== undefined && { user }) });
      for (const format of ["text", "markdown", "csv", "json"] as const) {
        const text = formatted(access, format);
        expect(text).toContain("[secret]");
        const canaries = { "client secret": client.client_secret, "secret group": hidden, password, end };
        expect(leaksIn(`${format} of a name in ${spelling}`, text, canaries)).toEqual([]);
      }
    }
  }
});
