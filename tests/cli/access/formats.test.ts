import { join } from "node:path";
import { formatted, FORMATS } from "../../../cli/access/formats";
import { type Access } from "../../../cli/access/document";
import { leaksIn } from "../../../testkit/canaries/spellings";
import {
  ADMINS,
  AGENT,
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

test("no secret of a state leaves in any format", async () => {
  const [hidden, password, end] = [
    "grp_9CanaryCanaryCanary",
    "oF-a/Provider+in clear",
    "2031-03-07T11:42:00Z",
  ];
  simulator.seed(DEFAULT_SEED);
  const provider = {
    type: "pulumi:providers:pulumi-nodejs",
    outputs: { "identity:clientSecret": inClear(password) },
  };
  const exports = [
    state(tenant, "access/prod", {
      provider,
      one: assignment(AGENT, inClear([SUPPORT, hidden]), { until: inClear(end) }),
      other: assignment(VIEWER, [inClear(hidden)], { unconfirmed: [inClear(hidden)] }),
    }),
  ];
  for (const request of [{}, { user: USER_ID }]) {
    const access = await asked(simulator, { exports, ...request });
    for (const format of FORMATS)
      expect(leaksIn(format, formatted(access, format), { hidden, password, end })).toEqual([]);
  }
});
