import { setTimeout as sleep } from "node:timers/promises";
import { readPreview } from "../../../../cli/review/input/preview";
import { countsOf } from "../../../../cli/review/output/counts";
import { documentOf } from "../../../../cli/review/output/document";
import { findingsOf } from "../../../../cli/review/output/findings";
import { toJson } from "../../../../cli/review/output/json";
import { type Review } from "../../../../cli/review/review";
import { NO_WORKPLACE } from "../../../../cli/places";
import { UNKNOWN_VALUE } from "../../../../provider/seen";
import { type SeedInput } from "../../../../simulator";
import {
  ADMINS,
  AGENT,
  BILLING,
  CLIENT_SECRET,
  DEFAULT_SEED,
  PHONE,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../../../simulator/default-seed";
import { AskedTenant, clientsWithout, MAKING } from "../../../../testkit/cli/asked";
import { told } from "../../../../testkit/facts";
import { accessOf, made, step, TENANT } from "../../../../testkit/cli/previews";

/* What a review asks a tenant and says of its answers. The stack knows the tenant by a former name. */

const tenant = AskedTenant.forTests();
const { simulator } = tenant;
const seed = (more: SeedInput) => tenant.seed({ users: DEFAULT_SEED.users, ...more });
beforeEach(() => seed({}));

const assignment = (roleId: string, ...groupIds: string[]) => ({ roleId, groupIds, exclusive: false });
const exclusive = (roleId: string, ...groupIds: string[]) => ({ roleId, groupIds, exclusive: true });

type Given = Parameters<AskedTenant["reviewedAlone"]>[1];

/** `plain`: the same without a tenant. */
async function reviewed(steps: readonly object[], given?: Given) {
  const review = await tenant.reviewedAlone(steps, given);
  return { ...review, plain: await tenant.reviewedAlone(steps, { ...given, asks: false }) };
}

const unknown = (review: Review) =>
  review.unknown.map(({ name, reason }) => [name, String(reason)].join(": "));
const notes = (review: Review) => review.notes.map(({ reason }) => String(reason));
const reads = () =>
  simulator
    .requests()
    .flatMap(({ method, path, status }) =>
      method === "GET" ? [`${path.replace(/^\/api\/v2|\?.*$/g, "")} ${status}`] : [],
    );
const groupsOf = (role: string, status = 200) => `/roles/${role}/groups ${status}`;

test("a group that has the role already gains nothing, and its name is shown", async () => {
  const review = await reviewed([step({ name: "a", after: assignment(AGENT, SUPPORT, ADMINS) })]);
  expect(accessOf(review)).toEqual([`keeps ${AGENT} ${SUPPORT} by a`, `gains ${AGENT} ${ADMINS} by a`]);
  expect(String(review.access[0]?.by[0]?.reason)).toBe("adds it; it has the role already");
  expect(review.names).toEqual({
    [AGENT]: "support-agent",
    [SUPPORT]: "support-desk",
    [ADMINS]: "directory-admins",
  });
  expect(notes(review)).toEqual([`${new URL(simulator.url).host} was asked who has these roles today`]);
  expect(review.unknown).toEqual([]);
  expect(review.plain.categories).toContain("grant");

  const nothingNew = await reviewed([step({ name: "a", after: assignment(AGENT, SUPPORT) })]);
  expect(nothingNew.categories).not.toContain("grant");
});

test("what a group doesn't have today is forgotten: nobody loses it, and nobody has to approve", async () => {
  const gone = [
    step({ name: "a", before: assignment(AGENT, ADMINS, SUPPORT), after: assignment(AGENT, SUPPORT) }),
  ];
  const review = await reviewed(gone);
  const document = documentOf(review, ["revoke"]);
  expect(document.summary.map(String)).toEqual(["No change on the tenant"]);
  expect(document.sections[0]?.rows.map(({ cells }) => cells.map(String).slice(1))).toEqual([
    ["forgotten", ADMINS, "a removes it; it does not have the role today"],
  ]);
  expect(review.categories).not.toContain("revoke");
  expect(review.people.size).toBe(0);
  expect(reads()).not.toContain(`/groups/${ADMINS}/members 200`);
  expect(findingsOf([review], {}, NO_WORKPLACE)).toEqual([]);
  expect(toJson(review, MAKING)).toMatchObject({
    counts: { loses: 0 },
    access: [{ effect: "loses", forgotten: true }],
  });

  // Where nobody asked, it may be a revocation.
  expect(toJson(review.plain, MAKING)).toMatchObject({ counts: { loses: 1 }, categories: ["revoke"] });
  expect(review.plain.access[0]?.forgotten).toBeUndefined();
  expect(review.fingerprint).toBe(review.plain.fingerprint);
});

test("each role is read once, whatever asks for it, and each name; nothing else is read, and nothing written", async () => {
  await reviewed([
    step({ name: "a", after: assignment(AGENT, SUPPORT) }),
    step({ name: "b", before: assignment(AGENT, BILLING), after: assignment(VIEWER, BILLING) }),
    step({ name: "c", after: exclusive(VIEWER, ADMINS) }),
    step({ kind: "ConnectionProfile", name: "p", after: { name: "p" } }),
  ]);
  expect(reads().sort()).toEqual(
    [
      "/connection-profiles 200",
      `/groups/${BILLING} 200`,
      `/groups/${ADMINS} 200`,
      `/groups/${ADMINS}/members 200`,
      "/roles 200",
      `/roles/${VIEWER}/permissions 200`,
      `/roles/${VIEWER}/users 200`,
      groupsOf(AGENT),
      groupsOf(VIEWER),
    ].sort(),
  );
  expect(simulator.requests().filter(({ method }) => method !== "GET")).toHaveLength(1);

  simulator.reset();
  const held = { before: { name: "p" }, after: { name: "q" } };
  const without = await reviewed([step({ kind: "ConnectionProfile", name: "p", op: "update", ...held })], {
    sampleUser: [USER_ID],
  });
  expect(simulator.requests()).toEqual([]);
  expect([without.unknown, without.notes]).toEqual([[], []]);
});

test("names of roles: a part is shown, and that it is one; a part of the groups is not taken for all", async () => {
  const first = [step({ name: "a", after: assignment(AGENT, SUPPORT) })];
  seed({ behaviour: { max_numbered_entries: 1, max_page_size: 1 } });
  const named = await reviewed(first);
  expect(named.names).toMatchObject({ [AGENT]: "support-agent" });
  expect(notes(named)).toContain("names of roles are not shown (the list can't be read whole)");

  seed({
    roles: [{ id: AGENT, groups: [SUPPORT, ADMINS] }],
    behaviour: { cursor_lists: "total", max_page_size: 1 },
  });
  const unread = await reviewed(first);
  expect(unknown(unread)).toEqual([
    `: who has ${AGENT} today could not be read (the list can't be read whole)`,
  ]);
});

describe("whom an exclusive assignment takes the role from", () => {
  const becomes = step({ name: "x", after: exclusive(AGENT, ADMINS) });

  test.each([
    ["the preview could not ask", [told("x", { notAsked: AGENT, why: "503" })]],
    ["the preview was made without asking", []],
    ["the preview names only some", [told("x", { exclusive: AGENT, takes: [SUPPORT], more: 1 })]],
  ])("where %s", async (_, lines) => {
    const review = await reviewed([becomes], { lines });
    expect(review.plain.unknown).toHaveLength(1);
    expect(accessOf(review)).toEqual([`loses ${AGENT} ${SUPPORT} by x`, `gains ${AGENT} ${ADMINS} by x`]);
    expect(review.unknown).toEqual([]);
    expect(review.categories).toEqual(["exclusive", "grant", "revoke"]);
  });

  test("what lines tell and what the tenant answers are added up: no line takes anything away", async () => {
    const none = [told("x", { exclusive: AGENT, takes: [] })];
    const loses = [`loses ${AGENT} ${SUPPORT} by x`, `gains ${AGENT} ${ADMINS} by x`];
    expect(accessOf(await reviewed([becomes], { lines: none }))).toEqual(loses);
    const other = [told("x", { exclusive: AGENT, takes: [BILLING] })];
    expect(accessOf(await reviewed([becomes], { lines: other }))).toEqual(
      [...loses, `loses ${AGENT} ${BILLING} by x`].sort((one, another) =>
        one.slice(-30) < another.slice(-30) ? -1 : 1,
      ),
    );
  });

  test("where it was exclusive already: groups that got the role since the last refresh", async () => {
    const update = step({ name: "x", before: exclusive(AGENT, ADMINS), after: exclusive(AGENT, BILLING) });
    const review = await reviewed([update]);
    expect(accessOf(review)).toEqual([
      `loses ${AGENT} ${SUPPORT} by x`,
      `gains ${AGENT} ${BILLING} by x`,
      `loses ${AGENT} ${ADMINS} by x`,
    ]);
    expect(accessOf(review.plain)).not.toContain(`loses ${AGENT} ${SUPPORT} by x`);
  });

  test("where its own groups are secret, those who may lose it are named", async () => {
    const secret = (roleId: string) =>
      step({ name: "x", after: { roleId, groupIds: "[secret]", exclusive: true } });
    const review = await reviewed([secret(AGENT)]);
    expect(unknown(review)).toContain(
      `x: which other groups lose ${AGENT}, since it is exclusive: its own groups are not known, and today ${SUPPORT} have it`,
    );
    expect(review.names).toEqual({ [AGENT]: "support-agent", [SUPPORT]: "support-desk" });
    expect(unknown(await reviewed([secret(VIEWER)]))).toContain(
      `x: which other groups lose ${VIEWER}, since it is exclusive: its own groups are not known, and today nobody has it`,
    );
  });
});

describe("names that can't be read are ids, and a note says why", () => {
  const gained = step({
    name: "a",
    after: assignment(AGENT, ADMINS, SUPPORT, "grp_AAAAAAAAAAAAAA", "../users"),
  });
  const shown = (review: Review) => notes(review).filter((text) => text.startsWith("names of"));

  test("for want of scopes; nothing counts as unknown", async () => {
    const scope = "read:group_roles";
    seed({ clients: [{ client_id: simulator.clientId, client_secret: CLIENT_SECRET, scope }] });
    const review = await reviewed([gained]);
    expect(review.names).toEqual({ [SUPPORT]: "support-desk" });
    expect(shown(review)).toEqual([
      "names of roles are not shown (needs read:roles)",
      "names of groups are not shown (needs read:groups)",
    ]);
    expect(review.unknown).toEqual([]);
  });

  test("also where nobody says who has the roles, but not for the same reason twice", async () => {
    seed({ clients: [{ client_id: simulator.clientId, client_secret: CLIENT_SECRET, scope: "read:users" }] });
    const review = await reviewed([gained]);
    expect(notes(review)).toEqual([
      "names of roles are not shown (needs read:roles)",
      "names of groups are not shown (needs read:groups)",
      "members of groups are not shown (needs read:group_members)",
      "permissions of roles are not shown (needs read:roles)",
    ]);

    seed({});
    simulator.fail({ method: "GET", path: "*", times: 100, action: { status: 503 } });
    expect(notes(await reviewed([gained]))).toEqual([]);
  });

  test("a group that is not there has none, and what is no id is not asked for", async () => {
    const review = await reviewed([gained]);
    expect(Object.keys(review.names).sort()).toEqual([AGENT, SUPPORT, ADMINS].sort());
    expect(shown(review)).toEqual([]);
    expect(reads().filter((line) => /^\/groups\/[^/]+ /.test(line))).toHaveLength(2);
  });

  test("of more than 100 groups", async () => {
    const ids = Array.from(
      { length: 103 },
      (_, index) => `grp_AAAAAAAAAAAA${String(index + 111).replaceAll("0", "Z")}`,
    );
    seed({ groups: [...DEFAULT_SEED.groups!, ...ids.map((id) => ({ id, name: `name of ${id}` }))] });
    const review = await reviewed([step({ name: "a", after: assignment(AGENT, ...ids) })]);
    expect(Object.keys(review.names)).toHaveLength(1 + 100);
    expect(shown(review)).toEqual(["names of groups are not shown (3 more than 100)"]);
  });
});

test("sources in a form that nobody has documented are told, and no permission is made up", async () => {
  const permission = { resource_server_identifier: "https://a.example.com", permission_name: "read:a" };
  seed({ users: [{ user_id: "sample", permissions: [permission] }], clients: clientsWithout("read:roles") });
  const review = await reviewed([step({ name: "a", after: assignment(AGENT, ADMINS) })], {
    sampleUser: ["sample"],
  });
  expect(review.roles).toEqual([{ role: AGENT, from: "sample", permissions: [] }]);
  expect(unknown(review)).toEqual([
    ": through which roles the sample user sample may do something: this release doesn't know the form in which the tenant tells it",
  ]);
});

test("of a drift only names are read", async () => {
  const steps = [step({ name: "a", before: assignment(AGENT, ADMINS), after: assignment(AGENT, SUPPORT) })];
  const review = await reviewed(steps, { isDrift: true });
  expect(accessOf(review)).toEqual(accessOf(review.plain));
  expect(review.names).toEqual({
    [AGENT]: "support-agent",
    [SUPPORT]: "support-desk",
    [ADMINS]: "directory-admins",
  });
});

describe("what can't be read is a line, and counts as unknown", () => {
  const steps = [
    step({ name: "a", after: assignment(AGENT, SUPPORT) }),
    step({ name: "b", after: assignment(VIEWER, ADMINS) }),
    step({ name: "c", after: assignment("rol_gone", ADMINS) }),
  ];
  const all = `${AGENT}, ${VIEWER} and rol_gone`;

  async function expectUnknown(lines: string[], given?: Given): Promise<void> {
    const review = await reviewed(steps, given);
    expect(unknown(review)).toEqual(lines);
    expect(review.categories).toEqual(["grant", "unknown"]);
    expect(JSON.stringify(review)).not.toContain(CLIENT_SECRET);
  }

  test("a role that is not there", async () => {
    await expectUnknown([": who has rol_gone today could not be read (404: not on the tenant)"]);
  });

  test.each([
    [
      "read:group_roles",
      [
        ": who has rol_gone today could not be read (404: not on the tenant)",
        `: what the sample user ${USER_ID} may do could not be read (needs read:users)`,
      ],
    ],
    ["read:users", [`: who has ${all} today could not be read (needs read:group_roles)`]],
  ])("what the client lacks the scope for, which has %s only", async (scope, lines) => {
    seed({ clients: [{ client_id: simulator.clientId, client_secret: CLIENT_SECRET, scope }] });
    await expectUnknown(lines, { sampleUser: [USER_ID] });
  });

  // Answered with different statuses.
  test.each([{ IDENTITY_CLIENT_SECRET: "wrong" }, { IDENTITY_AUDIENCE: "https://other/" }])(
    "credentials that are refused, by %j: nothing more is sent",
    async (environment) => {
      const lines = [`: who has ${all} today could not be read (the tenant refused the credentials)`];
      await expectUnknown(lines, { environment });
      expect(simulator.requests()).toHaveLength(1);
    },
  );

  test.each([
    [
      ["IDENTITY_CLIENT_SECRET"],
      "Set IDENTITY_CLIENT_SECRET. Instead, IDENTITY_PRIVATE_KEY or IDENTITY_ACCESS_TOKEN will do",
    ],
    [["IDENTITY_DOMAIN", "IDENTITY_CLIENT_SECRET"], "Set IDENTITY_DOMAIN. Set IDENTITY_CLIENT_SECRET. "],
  ])("settings that are missing: %j", async (missing, advice) => {
    const environment = Object.fromEntries(missing.map((name) => [name, undefined]));
    const { unknown: [line] = [] } = await reviewed(steps, { environment });
    expect(String(line?.reason)).toContain(
      `who has the roles today could not be read (The connection to the identity tenant is not configured. ${advice}`,
    );
    expect(simulator.requests()).toEqual([]);
  });

  test("a tenant that answers with something else", async () => {
    simulator.fail({ method: "GET", path: "*", times: 100, action: { status: 200, body: "<html>" } });
    await expectUnknown([`: who has ${all} today could not be read (an unexpected answer)`]);
  });

  test("names of profiles that don't come: the silence counts for them, too, and the rest is told", async () => {
    simulator.fail({ method: "GET", path: "*/connection-profiles*", times: 9, action: { delay: 600_000 } });
    const profile = step({ kind: "ConnectionProfile", name: "p", after: { name: "p" } });
    await tenant.reviewedAlone([...steps, profile], {
      clients: tenant.clients(500),
      answered: (answers) => {
        expect(answers.profiles).toMatchObject({ reason: "no answer within 0.5 s" });
        return answers;
      },
    });
    expect(reads()).toContain(groupsOf(AGENT));
  });

  test.each([
    ["GET", "*"],
    ["POST", "/oauth/token*"],
  ])("a tenant that is silent (%s): it is not waited for, and nobody asks again", async (method, path) => {
    simulator.fail({ method, path, times: 100, action: { delay: 600_000 } });
    // Token requests are never given up early, but have their own limit.
    const environment = { IDENTITY_REQUEST_TIMEOUT_SECONDS: "2" };
    // Waiting for it would exceed the test's own time limit.
    await expectUnknown([`: who has ${all} today could not be read (no answer within 0.5 s)`], {
      environment,
      clients: tenant.clients(500),
    });
  });
});

test("what a Provider with a setting that is not known yet has, nobody has checked", async () => {
  const eu = "urn:pulumi:prod::access::pulumi:providers:identity::eu";
  const inputs = { domain: "eu.example.com", clientId: UNKNOWN_VALUE };
  const review = await reviewed([
    { op: "create", urn: eu, newState: { custom: true, inputs } },
    step({ name: "a", after: assignment(AGENT, SUPPORT), state: { provider: `${eu}::p2` } }),
  ]);
  expect(review.unknown.map(({ name, reason }) => `${name}: ${reason.toString()}`)).toContain(
    "a: its Provider eu has a setting that isn't known until the change is made, so its inputs weren't checked",
  );
});

describe("a client is one of its own tenant only", () => {
  test("of other tenants nothing is read, and the review says so", async () => {
    const environment = { IDENTITY_FORMER_DOMAINS: "" };
    const eu = "urn:pulumi:prod::access::pulumi:providers:pulumi-nodejs::eu";
    const provider = {
      op: "create",
      urn: eu,
      newState: { custom: true, inputs: { "identity:domain": "eu.example.com", "identity:provider": "eu" } },
    };
    const steps = [
      step({ name: "a", after: assignment(AGENT, SUPPORT) }),
      provider,
      step({ name: "b", after: assignment(AGENT, SUPPORT), state: { provider: `${eu}::p2` } }),
      step({
        name: "c",
        after: assignment(AGENT, SUPPORT),
        state: { provider: "urn:pulumi:prod::access::us::p3" },
      }),
      step({ kind: "DeviceCredentialRemoval", name: "d", after: { deviceCredentialId: "dcr_1" } }),
      step({ kind: "ConnectionProfile", name: "e", after: { name: "e" } }),
    ];
    const { host } = new URL(simulator.url);
    const review = await reviewed(steps, { environment, sampleUser: [USER_ID] });
    expect(accessOf(review)).toEqual(accessOf(review.plain));
    expect(notes(review)).toEqual([
      "is a new Provider, of eu.example.com",
      "nothing was read where the preview doesn't tell the tenant: set identity:domain in the stack's configuration, or the domain of the Provider",
      `nothing was read of eu.example.com: the client is one of ${host}`,
      `nothing was read of ${TENANT}: the client is one of ${host}`,
    ]);
    expect(review.categories).toEqual(review.plain.categories);
    expect(simulator.requests()).toEqual([]);
  });

  test("a domain that isn't known until the run names no tenant", () => {
    const provider = {
      op: "create",
      urn: "urn:pulumi:prod::access::pulumi:providers:pulumi-nodejs::later",
      newState: { custom: true, inputs: { "identity:domain": UNKNOWN_VALUE, "identity:provider": "later" } },
    };
    expect(notes(made([provider]))).toEqual(["is a new Provider, of a tenant that the preview doesn't tell"]);
  });

  test("a Provider whose settings change is named with them, known ones and others", () => {
    const inputs = { "identity:provider": "eu", "identity:clientId": "a", "identity:maxRevocations": "1" };
    const changed = (more: object, diffReasons: string[] = []) => {
      const provider = {
        op: "update",
        urn: "urn:pulumi:prod::access::pulumi:providers:pulumi-nodejs::eu",
        oldState: { custom: true, inputs: { ...inputs, "identity:domain": "eu.example.com" } },
        newState: { custom: true, inputs: { ...inputs, "identity:domain": "eu.example.com", ...more } },
        diffReasons,
      };
      return notes(made([provider]));
    };
    expect(changed({ "identity:clientId": "b" }, ["identity:clientId"])).toEqual([
      "is the Provider of eu.example.com; its settings change: clientId",
    ]);
    expect(changed({ "identity:domain": UNKNOWN_VALUE, "identity:maxRevocations": UNKNOWN_VALUE })).toEqual([
      "is the Provider of a tenant that the preview doesn't tell; its settings change: domain and maxRevocations",
    ]);
    expect(changed({})).toEqual(["is the Provider of eu.example.com; its settings may change"]);
  });

  test("nobody is silent who isn't asked: a preview may take longer than a tenant", async () => {
    const silenceMs = 500;
    const clients = tenant.clients(silenceMs);
    await tenant.reviewedAlone([step({ name: "a", after: assignment(VIEWER, SUPPORT) })], { clients });
    await sleep(2 * silenceMs);
    const review = await tenant.reviewedAlone([step({ name: "a", after: assignment(AGENT, SUPPORT) })], {
      clients,
    });
    expect(accessOf(review)).toEqual([`keeps ${AGENT} ${SUPPORT} by a`]);
  });

  /** Reads a preview as if its stack had this configuration. */
  const readWith = (config: object, ofEnvironment?: string) => (text: string) =>
    readPreview(JSON.stringify({ ...(JSON.parse(text) as object), config }), undefined, { ofEnvironment });

  test("a preview that names no tenant is about the one of IDENTITY_DOMAIN, which the provider's host reads, too", async () => {
    const { host } = new URL(simulator.url);
    const read = readWith({}, host);
    const review = await reviewed([step({ name: "a", after: assignment(AGENT, SUPPORT) })], { read });
    // It was asked: the group has the role already.
    expect(accessOf(review)).toEqual([`keeps ${AGENT} ${SUPPORT} by a`]);
    expect(review.tenants).toEqual([host]);
    expect(notes(review)).toEqual([`${host} was asked who has these roles today`]);
    simulator.reset();
    // A Provider that the preview doesn't show may be of any tenant.
    const state = { provider: "urn:pulumi:prod::access::eu::p" };
    await reviewed([step({ name: "a", after: assignment(AGENT, SUPPORT), state })], { read });
    expect(simulator.requests()).toEqual([]);
  });

  test("the preview does not choose where credentials are sent", async () => {
    const review = await reviewed([step({ name: "a", after: assignment(AGENT, SUPPORT) })], {
      environment: { IDENTITY_DOMAIN: undefined },
      read: readWith({ "identity:domain": simulator.url }),
    });
    expect(unknown(review).join()).toContain("Set IDENTITY_DOMAIN");
    expect(simulator.requests()).toEqual([]);
  });
});

const rows = (review: Review) =>
  documentOf(review, []).sections.flatMap((section) =>
    section.id === "irreversible" ? section.rows.map(({ cells }) => String(cells[0])) : [],
  );

describe("a removal", () => {
  const lists = ["public_key", "refresh_token", "rotating_refresh_token"].map(
    () => "/device-credentials 200",
  );
  const removed = (name: string, deviceCredentialId: string) =>
    step({ name, kind: "DeviceCredentialRemoval", after: { deviceCredentialId } });

  const phone = removed("phone", PHONE);
  const head = `device credential ${PHONE} is removed, by phone: the refresh token of ${USER_ID} on lost phone`;

  test("says whose it is and of which device, and if the tenant doesn't know its id", async () => {
    const review = await reviewed([phone, removed("typo", "dcr_9999999999999999")]);
    expect(rows(review)).toEqual([
      head,
      "device credential dcr_9999999999999999 is removed, by typo: the tenant doesn't know it. If its id has a typo, the lost device keeps its access",
    ]);
    expect(review.removals.map(({ credential }) => credential)).toEqual([
      { type: "refresh_token", device: "lost phone", user: USER_ID, tokens: 1, endsAll: null },
      null,
    ]);
    expect(review.notes).toEqual([]);
    expect(review.fingerprint).toBe(review.plain.fingerprint);
    expect(reads().filter((line) => line.startsWith("/device"))).toEqual(lists);
    // No other token can end with it.
    expect(reads().filter((line) => line.startsWith("/tenants"))).toEqual([]);
  });

  const others = ["dcr_AAAAAAAAAAAAAAAA", "dcr_BBBBBBBBBBBBBBBB"].map((id, index) => ({
    id,
    type: index === 0 ? ("refresh_token" as const) : ("rotating_refresh_token" as const),
    user_id: USER_ID,
    client_id: "mobileApp",
  }));
  const device_credentials = [...(DEFAULT_SEED.device_credentials ?? []), ...others];
  const all = "up to 3 refresh tokens of that user and application";
  const open = `It depends on the tenant's setting Refresh Token Revocation Deletes Grant if ${all} end with it`;

  test.each<[string, SeedInput, string]>([
    ["if the tenant says so", { behaviour: { revoke_refresh_token_grant: true } }, `. With it end ${all}`],
    ["not if it says no", { behaviour: { revoke_refresh_token_grant: false } }, ""],
    ["maybe if it doesn't say", {}, `. ${open}`],
    ["maybe if it may not be asked", { clients: clientsWithout("read:tenant_settings") }, `. ${open}`],
  ])("ends other tokens of the user and application: %s", async (_, more, told) => {
    seed({ device_credentials, ...more });
    const review = await reviewed([phone]);
    expect(rows(review)).toEqual([`${head}${told}`]);
    expect(reads().filter((line) => line.startsWith("/tenants"))).toHaveLength(1);
    expect(review.unknown).toEqual([]);
  });

  test("is no more than an id where not all credentials can be read, and a note says why", async () => {
    const typo = removed("typo", "dcr_9999999999999999");
    seed({ clients: clientsWithout("read:device_credentials") });
    const refused = await reviewed([typo]);
    expect(rows(refused)).toEqual(["device credential dcr_9999999999999999 is removed, by typo"]);
    expect(notes(refused)).toEqual([
      "owners of device credentials are not shown (needs read:device_credentials)",
    ]);
    expect(unknown(refused)).toEqual([]);

    seed({});
    const path = "*/device-credentials?*type=public_key*";
    simulator.fail({ method: "GET", path, times: 9, action: { status: 500 } });
    expect(notes(await reviewed([typo]))).toEqual(["owners of device credentials are not shown (500)"]);
  });
});

describe("a sign-out", () => {
  const signedOut = (name: string, userId: string, clientId?: string) =>
    step({ name, kind: "UserSignOut", after: { userId, ...(clientId !== undefined && { clientId }) } });
  const of = (...shown: string[]) => reads().filter((line) => shown.some((path) => line.startsWith(path)));

  test("says who it is, and how much ends", async () => {
    const review = await reviewed([signedOut("leaver", USER_ID), signedOut("phone", USER_ID, "mobileApp")]);
    expect(rows(review)).toEqual([
      `user ${USER_ID} is signed out, by leaver: 1 session, 2 refresh tokens and 3 device credentials end`,
      `user ${USER_ID} is signed out of client mobileApp, by phone: 1 refresh token and 2 device credentials end`,
    ]);
    expect(review.names).toEqual({ [USER_ID]: "Support One" });
    expect(review.categories).toEqual(["removal"]);
    expect(review.fingerprint).toBe(review.plain.fingerprint);
    expect(of("/users", "/device")).toHaveLength(6);
  });

  test("of a user whom the tenant doesn't know may be a typo", async () => {
    expect(rows(await reviewed([signedOut("leaver", "auth0|gone")]))).toEqual([
      "user auth0|gone is signed out, by leaver: the tenant doesn't know this user. If the id has a typo, the person stays signed in",
    ]);
  });

  test("says what could not be read, and why", async () => {
    seed({ clients: clientsWithout("read:sessions", "read:users") });
    const refused = await reviewed([signedOut("leaver", USER_ID)]);
    expect(rows(refused)).toEqual([
      `user ${USER_ID} is signed out, by leaver: 2 refresh tokens and 3 device credentials end. Not known: sessions (needs read:sessions)`,
    ]);
    expect(unknown(refused)).toEqual([]);
    seed({ behaviour: { user_sessions: "not_served" } });
    expect(rows(await reviewed([signedOut("leaver", USER_ID, "mobileApp")]))).toEqual([
      `user ${USER_ID} is signed out of client mobileApp, by leaver: 2 device credentials end. ` +
        "Not known: refresh tokens (404: the tenant does not know this list)",
    ]);
  });

  test("of which an earlier run has done a part is only about the rest", async () => {
    const inputs = { userId: USER_ID };
    const half = step({
      name: "leaver",
      kind: "UserSignOut",
      before: { ...inputs, unfinished: ["deviceCredentials", "sessions"] },
      after: inputs,
    });
    const review = await reviewed([half, signedOut("phone", USER_ID, "mobileApp")]);
    expect(rows(review)[0]).toBe(
      `user ${USER_ID} is signed out of what an earlier run left (device credentials and sessions), by leaver: ` +
        "1 session and 3 device credentials end",
    );
    expect(countsOf(review).signOuts).toBe(1);
  });

  test("of somebody who isn't known yet can't be reviewed", async () => {
    const review = await reviewed([signedOut("leaver", UNKNOWN_VALUE)]);
    expect(unknown(review)).toEqual([
      expect.stringContaining(
        "which user it signs out, and of which client, is known only when the change is made",
      ),
    ]);
    expect(review.categories).toEqual(["removal", "unknown"]);
  });
});
