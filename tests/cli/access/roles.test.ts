import { formatted } from "../../../cli/access/formats";
import { claimsIn } from "../../../cli/access/claims";
import { accessDocumentOf, type Access } from "../../../cli/access/document";
import { findingsIn, rolesOf } from "../../../cli/access/roles";
import { type AccessRequest } from "../../../cli/access/ask";
import { readStackExport } from "../../../cli/stack-export";
import { ADMINS, AGENT, BILLING, CONTRACTORS, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import {
  asked,
  assignment,
  encrypted,
  inClear,
  jsonOf,
  lines,
  state,
  useAccess,
} from "../../../testkit/cli/access";

const { simulator, holders, stateOf, host } = useAccess();
beforeEach(() => holders({}));

const prod = (resources: Record<string, object>) => [stateOf(resources)];
const answer = async (exports: AccessRequest["exports"], request: Partial<AccessRequest> = {}) =>
  jsonOf(await asked(simulator, { exports, ...request }));

test("a claimed group that isn't there, or that its role's list doesn't name, has the name of another list", () => {
  const exports = prod({ support: assignment(AGENT, [BILLING, ADMINS, SUPPORT]) });
  const claims = claimsIn(
    exports.map((one) => ({ ...readStackExport(one, "--state"), label: one.file })),
    [host()],
    (text) => text,
  );
  const found = {
    roles: [{ id: AGENT }, { id: VIEWER }],
    groups: new Map([
      [AGENT, [{ id: BILLING }]],
      [VIEWER, [{ id: BILLING, name: "billing-team" }]],
    ]),
    names: new Map([[ADMINS, "directory-admins"]]),
    gone: new Set<string>(),
    incomplete: [],
    inPart: new Set<string>(),
  };
  const [agent] = rolesOf(found, claims, { roles: [AGENT], groups: [] });
  expect(agent?.groups.map(({ name, status }) => [name, status])).toEqual([
    ["directory-admins", "drift"],
    [null, "drift"],
    ["billing-team", "managed"],
  ]);
});

test("several stacks: who claims the same is named with the others, and a state that is given twice says nothing new", async () => {
  holders({ [AGENT]: [SUPPORT, ADMINS] });
  const one = stateOf({ a: assignment(AGENT, [SUPPORT]) });
  const other = stateOf(
    { b: assignment(AGENT, [SUPPORT, ADMINS, BILLING]), c: assignment(AGENT, [ADMINS]) },
    "other/dev",
  );
  const json = await answer([other, one, one]);
  expect(lines(json)).toEqual([
    `support-agent: ${BILLING} drift by b:1 in other/dev`,
    "support-agent: directory-admins managed by b:1 in other/dev and c:2 in other/dev",
    "support-agent: support-desk managed by a:1 in access/prod and b:1 in other/dev",
  ]);
  expect(json.stacks).toEqual([
    { stack: "access/prod", assignments: 1, elsewhere: 0 },
    { stack: "access/prod", assignments: 1, elsewhere: 0 },
    { stack: "other/dev", assignments: 2, elsewhere: 0 },
  ]);
  expect(findingsIn(json)).toEqual(["drift"]);
  // Neither stack knows of the other.
  const said = accessDocumentOf(json as Access).sections.flatMap(({ rows }) =>
    rows.flatMap(({ cells }) => cells),
  );
  const shared = said.filter((sentence) => sentence.toString().startsWith("Several stacks"));
  expect(shared.map(String)).toEqual([
    `Several stacks list support-desk ${SUPPORT} for support-agent ${AGENT}: a in access/prod index.ts:1 and b in other/dev index.ts:1. ` +
      "The stack that drops it takes it from all of them.",
  ]);
});

test("what is only read, deleted already or on another tenant claims nothing; what is replaced still does", async () => {
  holders({ [AGENT]: [SUPPORT] });
  const json = await answer(
    prod({
      read: assignment(AGENT, [SUPPORT], {}, { external: true }),
      gone: assignment(AGENT, [SUPPORT], {}, { pendingReplacement: true }),
      elsewhere: assignment(AGENT, [SUPPORT], { tenant: "other.example.com" }),
      replaced: assignment(AGENT, [SUPPORT], {}, { delete: true }),
    }),
  );
  expect(lines(json)).toEqual(["support-agent: support-desk managed by replaced:4 in access/prod, ending"]);
  expect(json.stacks).toEqual([{ stack: "access/prod", assignments: 1, elsewhere: 1 }]);
});

test("an assignment of a killed run is named with its stack, since what it gave looks as if given by hand", async () => {
  holders({ [AGENT]: [SUPPORT] });
  const [given] = prod({});
  const pendingOf = (type: string, name: string, operation = "creating") => ({
    type: operation,
    resource: { type, urn: `urn:pulumi:prod::access::${type}::${name}`, inputs: {} },
  });
  const kind = "pulumi-nodejs:dynamic/identity:RoleGroupAssignment";
  const pending_operations = [
    pendingOf(kind, "support"),
    pendingOf(kind, "leaving", "deleting"),
    pendingOf("identity:index:OrganizationRoleGroupAssignment", "acme"),
    pendingOf("pulumi-nodejs:dynamic/identity:ConnectionProfile", "partners"),
  ];
  const text = JSON.stringify({ version: 3, deployment: { resources: [], pending_operations } });
  const access = await asked(simulator, { exports: [{ ...given!, text }] });
  expect(jsonOf(access).stacks).toEqual([
    { stack: "prod.json", assignments: 0, elsewhere: 0, pending: ["acme", "support"] },
  ]);
  const compared =
    "Compared with prod.json (0 assignments, and acme and support, whose run was killed: what was given is listed as by hand)";
  expect(formatted(access, "text")).toContain(`  ${compared}\n`);
});

test("states know a tenant by former domains, too", async () => {
  holders({ [AGENT]: [SUPPORT] });
  const exports = [state("former.example.com", "access/prod", { a: assignment(AGENT, [SUPPORT]) })];
  const access = await asked(simulator, { exports }, { IDENTITY_FORMER_DOMAINS: "former.example.com" });
  expect(lines(jsonOf(access))).toEqual(["support-agent: support-desk managed by a:1 in access/prod"]);
  expect(lines(await answer(exports))).toEqual(["support-agent: support-desk unmanaged"]);
});

test("a change whose outcome is not known is told by what is there", async () => {
  holders({ [AGENT]: [SUPPORT] });
  const both = assignment(AGENT, [SUPPORT, ADMINS], { unconfirmed: [SUPPORT, ADMINS] });
  expect(lines(await answer(prod({ a: both })))).toEqual([
    `support-agent: ${ADMINS} drift by a:1 in access/prod, unconfirmed`,
    "support-agent: support-desk managed by a:1 in access/prod, unconfirmed",
  ]);
});

test("a role that the tenant does not have, but a state does, is named as such", async () => {
  const json = await answer(prod({ a: assignment("rol_gone", [SUPPORT]) }));
  expect(lines(json)).toEqual([`rol_gone: ${SUPPORT} drift by a:1 in access/prod`]);
  expect(json.roles.find(({ id }) => id === "rol_gone")).toMatchObject({ exists: false, name: null });
  expect(simulator.log().filter((line) => line.includes("rol_gone"))).toEqual([]);
});

describe("groups that a program keeps secret", () => {
  beforeEach(() => holders({ [AGENT]: [SUPPORT] }));

  test.each([
    ["all of them", encrypted],
    ["one by one", [encrypted]],
    ["in no form that is known", "everybody"],
    ["as numbers", [7]],
  ])("encrypted %s: nothing is called by hand, and nothing passes for complete", async (_, groups) => {
    const json = await answer(prod({ a: assignment(AGENT, groups) }));
    const [row, ...others] = lines(json);
    expect(row).toMatch(/^support-agent: support-desk unknown by a:1 in access\/prod(, secret)?$/);
    expect(others).toEqual(["support-agent: secret a"]);
    expect(json.complete).toBe(false);
    expect(findingsIn(json)).toEqual(["unmanaged", "drift"]);
  });

  test("of the part that is not encrypted, all is told", async () => {
    const json = await answer(prod({ a: assignment(AGENT, [SUPPORT, encrypted]) }));
    expect(lines(json)).toEqual([
      "support-agent: support-desk managed by a:1 in access/prod, secret",
      "support-agent: secret a",
    ]);
    expect(findingsIn(json)).toEqual(["drift"]);
  });

  test.each([
    ["all of them", (groups: string[]) => inClear(groups)],
    ["one by one", (groups: string[]) => groups.map(inClear)],
  ])(
    "in clear, %s: what the tenant has is found, and what only the secret tells is not named",
    async (_, as) => {
      const json = await answer(prod({ a: assignment(AGENT, as([SUPPORT, ADMINS])) }));
      expect(lines(json)).toEqual([
        "support-agent: support-desk managed by a:1 in access/prod, secret",
        "support-agent: secret a",
      ]);
      expect(JSON.stringify(json)).not.toContain(ADMINS);
      const all = await answer(prod({ a: assignment(AGENT, as([SUPPORT])) }));
      expect([all.complete, findingsIn(all)]).toEqual([true, []]);
    },
  );
});

describe("only some roles or groups", () => {
  beforeEach(() => holders({ [AGENT]: [SUPPORT, BILLING], [VIEWER]: [BILLING] }));
  const exports = () => prod({ a: assignment(AGENT, [SUPPORT, ADMINS]), b: assignment(VIEWER, [BILLING]) });

  test("--role: its groups and people are read, and no others", async () => {
    expect(lines(await answer(exports(), { role: [AGENT] }))).toEqual([
      "support-agent: billing-team unmanaged",
      `support-agent: ${ADMINS} drift by a:1 in access/prod`,
      "support-agent: support-desk managed by a:1 in access/prod",
    ]);
    expect(simulator.log()).toEqual([
      "POST /oauth/token 200",
      "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
      "GET /api/v2/organizations?take=100 200",
      `GET /api/v2/roles/${AGENT}/groups?take=100 200`,
      `GET /api/v2/roles/${AGENT}/users?take=100 200`,
    ]);
  });

  test("--group: its roles are read, and no groups of roles", async () => {
    expect(lines(await answer(exports(), { group: [BILLING] }))).toEqual([
      "billing-viewer: billing-team managed by b:2 in access/prod",
      "support-agent: billing-team unmanaged",
    ]);
    expect(simulator.log().sort()).toEqual([
      `GET /api/v2/groups/${BILLING} 200`,
      `GET /api/v2/groups/${BILLING}/roles?take=100 200`,
      "GET /api/v2/organizations?take=100 200",
      "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
      "POST /oauth/token 200",
    ]);
    expect(lines(await answer(exports(), { group: [ADMINS] }))).toEqual([
      "support-agent: directory-admins drift by a:1 in access/prod",
    ]);
    expect((await answer(exports(), { group: [CONTRACTORS] })).roles).toEqual([]);
  });

  test.each([
    [{ role: ["rol_none"] }, "The role rol_none is not on the tenant"],
    [{ group: ["grp_zzzzzzzzzzzzzz"] }, "The group grp_zzzzzzzzzzzzzz is not on the tenant"],
    [{ role: ["../users"] }, "--role: no role of"],
  ])("%j: a sentence", async (request, message) => {
    await expect(answer(exports(), request)).rejects.toThrow(message);
  });

  test("a group that the tenant has no more, and a state still has, is no mistake", async () => {
    const gone = "grp_zzzzzzzzzzzzzz";
    const json = await answer(prod({ a: assignment(AGENT, [gone]) }), { group: [gone] });
    expect(lines(json)).toEqual([`support-agent: ${gone} drift by a:1 in access/prod`]);
  });
});

test("a tenant without roles, and a stack without resources", async () => {
  holders({}, { roles: [] });
  const empty = { file: "empty.json", text: '{"version":3,"deployment":{"resources":null}}' };
  const json = await answer([empty]);
  expect(json).toMatchObject({ roles: [], stacks: [{ stack: "empty.json", assignments: 0, elsewhere: 0 }] });
  expect(findingsIn(json)).toEqual([]);
});

describe("what ends", () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const [YESTERDAY, SOON, LATER] = [day(-1), day(9), day(40)];
  const endsOf = ({ roles }: Awaited<ReturnType<typeof answer>>) =>
    roles.flatMap(({ groups }) =>
      groups.map(({ id, status, by }) => [
        id,
        status,
        ...by.map(({ until, expired, soon }) => [until, expired, soon]),
      ]),
    );

  test("each grant says until when; one that is over is found until a run has taken it away", async () => {
    holders({ [AGENT]: [SUPPORT, BILLING, ADMINS] });
    const states = prod({
      soon: assignment(AGENT, [SUPPORT], { until: SOON }),
      later: assignment(AGENT, [BILLING], { until: LATER }),
      over: assignment(AGENT, [ADMINS], { until: YESTERDAY }),
    });
    const access = await asked(simulator, { exports: states });
    const json = jsonOf(access);

    expect(new Set(endsOf(json))).toEqual(
      new Set([
        [SUPPORT, "managed", [SOON, false, true]],
        [BILLING, "managed", [LATER, false, false]],
        [ADMINS, "managed", [YESTERDAY, true, false]],
      ]),
    );
    expect(json.counts).toMatchObject({ managed: 3, expired: 1 });
    expect(findingsIn(json)).toEqual(["expired"]);
    const text = formatted(access, "text");
    expect(text).toContain("3 grants: 3 managed · 1 expired");
    expect(text).toContain(`soon in access/prod (index.ts:1), until ${SOON} (within 14 days)\n`);
    expect(text).toContain(`later in access/prod (index.ts:2), until ${LATER}\n`);
    expect(text).toContain(
      `over in access/prod (index.ts:3), until ${YESTERDAY}: expired, the next run takes it away\n`,
    );
    expect(formatted(access, "csv")).toContain(`"over","index.ts:3","${YESTERDAY}","yes"`);
    expect(formatted(access, "csv")).toContain(`"soon","index.ts:1","${SOON}",""`);
  });

  test("only who has the role for sure is expired; what is not there, or secret, is not said to be taken away", async () => {
    holders({ [AGENT]: [SUPPORT] });
    const over = { until: YESTERDAY };
    const states = prod({ a: assignment(AGENT, [ADMINS], over), b: assignment(AGENT, encrypted, over) });
    const access = await asked(simulator, { exports: states });
    expect(access.counts).toMatchObject({ drift: 1, unknown: 1, expired: 0 });
    const text = formatted(access, "text");
    expect(text).toContain(
      `claimed, not there: a in access/prod (index.ts:1), until ${YESTERDAY}: expired\n`,
    );
    expect(text).not.toContain("takes it away");
  });

  test("CSV has as many parts in each cell as there are claims", async () => {
    holders({ [AGENT]: [SUPPORT] });
    const states = prod({
      a: assignment(AGENT, [SUPPORT], { until: SOON }),
      b: assignment(AGENT, [SUPPORT]),
    });
    const csv = formatted(await asked(simulator, { exports: states }), "csv");
    expect(csv).toContain(`"access/prod; access/prod","a; b","index.ts:1; index.ts:2","${SOON}; no end",""`);
  });

  test("an end of a stranger's making is none", async () => {
    holders({ [AGENT]: [SUPPORT] });
    const json = await answer(prod({ a: assignment(AGENT, [SUPPORT], { until: "=HYPERLINK(1)" }) }));
    expect(endsOf(json)).toEqual([[SUPPORT, "managed", [null, false, false]]]);
  });
});
