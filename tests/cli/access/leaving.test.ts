import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { parse } from "yaml";
import { accessCommand } from "../../../cli/access/command";
import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { findingsIn, isCertain } from "../../../cli/access/roles";
import { type AccessJson } from "../../../cli/access/model";
import { CommandError } from "../../../cli/errors";
import { type BehaviourInput, type SeedInput } from "../../../simulator";
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
import { clientsWithout } from "../../../testkit/cli/asked";
import { ACME, assignment, GLOBEX, inOrganization, jsonOf, useAccess } from "../../../testkit/cli/access";
import { useFolder } from "../../../testkit/folder";
import { expectGolden } from "../../../testkit/golden";
import { pageData } from "../../../testkit/cli/pages";
import { environmentOf } from "../../../testkit/simulator";

/* What somebody who leaves still has, and how to take it. */

const { simulator, host, ...access } = useAccess();

const AUDITOR = "rol_2mTvKx7RzLq5HbWd";

const [user] = DEFAULT_SEED.users ?? [];
const others = (DEFAULT_SEED.users ?? []).slice(1);

/** The user is in SUPPORT with seven others, alone in CONTRACTORS, and has roles directly. */
const SEED: SeedInput = {
  users: [
    { ...user!, groups: [SUPPORT, CONTRACTORS], roles: [VIEWER, AUDITOR] },
    ...others.filter(({ groups }) => !groups?.includes(CONTRACTORS)),
  ],
  roles: [
    { id: AGENT, name: "support-agent", groups: [SUPPORT, CONTRACTORS] },
    { id: VIEWER, name: "billing-viewer", groups: [BILLING] },
    { id: AUDITOR, name: "auditor", groups: [CONTRACTORS] },
  ],
  organizations: [
    { id: ACME, name: "acme", groups: [SUPPORT], roles: [{ id: VIEWER, groups: [SUPPORT] }] },
    { id: GLOBEX, name: "globex", roles: [{ id: AGENT, members: [USER_ID] }] },
    { id: "org_4hNkVx8QmTz2bRcW", name: "initech", groups: [BILLING] },
  ],
};

const auth0 = (type: string, outputs: object) => ({ type: `auth0:index/${type}`, id: "x", outputs });

const RESOURCES = {
  support: assignment(AGENT, [SUPPORT, CONTRACTORS, ADMINS]),
  acme: inOrganization(ACME, VIEWER, [SUPPORT]),
  viewer: auth0("userRoles:UserRoles", { userId: USER_ID, roles: [VIEWER] }),
  other: auth0("userRoles:UserRoles", { userId: "auth0|another", roles: [AUDITOR] }),
};

function ask(seed: Partial<SeedInput> = {}, request: Partial<AccessRequest> = {}) {
  access.seed({ ...SEED, ...seed });
  return access.ask(RESOURCES, { user: USER_ID, leave: true, ...request });
}

type Leaving = NonNullable<NonNullable<AccessJson["user"]>["leaving"]>;
const leavingIn = ({ user: about }: AccessJson) => about?.leaving as Leaving;

test("a user with everything", async () => {
  const answer = await ask();
  expectGolden(
    join(__dirname, "golden/leaving.md"),
    formatted(answer, "markdown")
      .replaceAll(host(), "tenant.example.com")
      .replace(/as of [-\d]+ [\d:]+ UTC/, "as of 2026-11-29 22:30 UTC"),
  );
  const { steps, ...leaving } = leavingIn(jsonOf(answer));
  expect(leaving).toMatchObject({
    ...{ left: true, gone: false, blocked: false, unread: [] },
    connections: ["Username-Password-Authentication", "partner-directory"],
    sessions: { more: false, items: [{ lastUsed: "2025-06-02T15:20:00.000Z" }] },
    refreshTokens: {
      items: [
        { id: "aGtk8Zmqz5bKx2nWfYpQ", client: "mobileApp", lastExchanged: "2025-06-01T07:30:00.000Z" },
        { client: "desktopApp", lastExchanged: null },
      ],
    },
    deviceCredentials: {
      items: [{ type: "public_key", device: "tablet", client: "mobileApp", lastUsed: null }, {}, {}],
    },
    groups: [
      { id: CONTRACTORS, name: "contractors", roles: [AUDITOR, AGENT], others: { count: 0, more: false } },
      { id: SUPPORT, roles: [`${ACME}/${VIEWER}`, AGENT], others: { count: 7 } },
    ],
  });
  expect(steps.map(({ where, by }) => [where, ...by.map(({ resource }) => resource)].join(" "))).toEqual([
    ...["account", "directory support", "directory acme support"],
    ...["tenant", "tenant", "tenant", "program viewer", "program"],
  ]);
});

const stepsIn = (json: AccessJson) => leavingIn(json).steps.map(({ where, text }) => `${where}: ${text}`);
const judged = (answer: Awaited<ReturnType<typeof ask>>) => {
  const findings = findingsIn(answer);
  return findings.map((finding) => (isCertain(finding, answer) ? finding : `perhaps ${finding}`));
};

/** Signed in nowhere, blocked, and without any role or permission. */
const NOTHING: SeedInput = {
  users: [{ user_id: USER_ID, blocked: true }, ...others],
  organizations: [],
  device_credentials: [],
  sessions: [],
  refresh_tokens: [],
};

test("it asks all organizations of the user, each question once, and sends nothing but reads", async () => {
  const { organizations, otherOrganizations, complete } = jsonOf(await ask());
  expect(organizations).toEqual([ACME, GLOBEX]);
  expect([otherOrganizations, complete]).toEqual([undefined, true]);
  const sent = simulator.log();
  expect(new Set(sent).size).toBe(sent.length);
  expect(sent.filter((line) => !line.startsWith("GET "))).toEqual(["POST /oauth/token 200"]);
  expect(sent.filter((line) => line.includes("org_4hNkVx8QmTz2bRcW"))).toEqual([]);
});

test("somebody who has nothing any more has nothing left, and nothing to do", async () => {
  const answer = await ask(NOTHING);
  expect(leavingIn(jsonOf(answer))).toMatchObject({ left: false, gone: false, blocked: true, steps: [] });
  expect(judged(answer)).toEqual([]);
  expect(formatted(answer, "text")).toContain("  Nothing is left\n  The account is blocked\n");
});

describe("nothing is left of an account that may sign in", () => {
  const person = { user_id: USER_ID };
  const identities = [{ connection: "partner-directory", provider: "samlp", user_id: "1" }];
  test.each<[string, SeedInput, string]>([
    [
      "it isn't blocked",
      { users: [person] },
      "Nothing is left, but the account isn't blocked: it can still sign in",
    ],
    [
      "it isn't blocked, and its directory may have disabled it",
      { users: [{ ...person, identities }] },
      "Nothing is left, but the account isn't blocked: unless it's disabled in partner-directory, it can still sign in",
    ],
    [
      "it isn't blocked, and not all could be read",
      { users: [person], clients: clientsWithout("read:sessions") },
      "Nothing is left in what was read, but the account isn't blocked: it can still sign in",
    ],
  ])("%s", async (_, seed, remark) => {
    const answer = await ask({ ...NOTHING, ...seed });
    expect(formatted(answer, "text")).toContain(`\n  ${remark}\n`);
    expect(formatted(answer, "text")).not.toContain("Nothing is left\n");
    expect(judged(answer)).toEqual(seed.clients ? ["perhaps left"] : []);
    expect(stepsIn(jsonOf(answer))[0]).toMatch(/^account: Disable the account/);
  });

  test("nobody knows if it is blocked", async () => {
    access.seed({ ...SEED, ...NOTHING });
    const path = `/api/v2/users/${encodeURIComponent(USER_ID)}?*`;
    const action = { status: 404, body: { statusCode: 404, error: "Not Found", message: "No." } };
    simulator.fail({ method: "GET", path, action });
    const answer = await access.ask(RESOURCES, { user: USER_ID, leave: true });
    expect(formatted(answer, "text")).toContain(
      "\n  Nothing is left, but the command couldn't read whether the account is blocked\n",
    );
    expect(stepsIn(jsonOf(answer))[0]).toMatch(/ The command couldn't read whether it's blocked\.$/);
  });
});

describe("one thing alone is left", () => {
  const session = { id: "s1", user_id: USER_ID };
  const token = { id: "t1", user_id: USER_ID, client_id: "app" };
  const device = { id: "dcr_1", type: "public_key" as const, user_id: USER_ID };
  const permission = {
    resource_server_identifier: "https://api.example.com/",
    permission_name: "read",
    sources: [{ source_id: "", source_name: "", source_type: "DIRECT" }],
  };
  const person = { user_id: USER_ID, blocked: true };
  const acme = { id: ACME, name: "acme", members: [USER_ID] };
  test.each<[string, SeedInput]>([
    ["a role through a group", { users: [{ ...person, groups: [SUPPORT] }] }],
    ["a role directly", { users: [{ ...person, roles: [VIEWER] }] }],
    [
      "a role in an organization",
      { organizations: [{ ...acme, roles: [{ id: AGENT, members: [USER_ID] }] }] },
    ],
    ["a permission", { users: [{ ...person, permissions: [permission] }] }],
    ["a session", { sessions: [session] }],
    ["a refresh token", { refresh_tokens: [token] }],
    ["a device credential", { device_credentials: [device] }],
  ])("%s", async (_, seed) => {
    const answer = await ask({ ...NOTHING, ...seed });
    expect(leavingIn(jsonOf(answer)).left).toBe(true);
    expect(judged(answer)).toEqual(["left"]);
    expect(leavingIn(jsonOf(answer)).steps).toHaveLength(1);
  });
});

describe("what could not be read is not called taken", () => {
  test.each([
    ["read:sessions", "sessions were not read (needs read:sessions)"],
    ["read:refresh_tokens", "refresh tokens were not read (needs read:refresh_tokens)"],
    ["read:device_credentials", "device credentials were not read (needs read:device_credentials)"],
  ])("without %s", async (scope, reason) => {
    const answer = await ask({ ...NOTHING, clients: clientsWithout(scope) });
    const json = jsonOf(answer);
    expect(leavingIn(json)).toMatchObject({ left: null, unread: [reason] });
    expect(json.complete).toBe(false);
    expect(judged(answer)).toEqual(["perhaps left"]);
    expect(formatted(answer, "text")).toContain(
      `  Not complete: ${reason}\n  Nothing is left in what was read\n`,
    );
    // It may be signed in after all.
    expect(stepsIn(json)).toEqual([expect.stringMatching(/^program: Sign the user out\./)]);
  });

  test.each(["read:user_effective_roles", "read:organizations"])("without %s", async (scope) => {
    const answer = await ask({ ...NOTHING, clients: clientsWithout(scope) });
    expect(leavingIn(jsonOf(answer)).left).toBeNull();
    expect(judged(answer)).toEqual(["perhaps left"]);
  });

  test("without read:organization_member_effective_roles", async () => {
    const organizations = [{ id: ACME, name: "acme", members: [USER_ID] }];
    const clients = clientsWithout("read:organization_member_effective_roles");
    const answer = await ask({ ...NOTHING, organizations, clients });
    expect(leavingIn(jsonOf(answer)).left).toBeNull();
    expect(formatted(answer, "text")).toContain("The user's roles in acme could not be read (");
  });

  test.each<[BehaviourInput, string]>([
    [{ user_sessions: "not_served" }, "404: the tenant does not know this list"],
    [{ user_sessions: "not_entitled" }, "the tenant's plan doesn't allow it"],
  ])("on a tenant without the calls: %j", async (behaviour, reason) => {
    const answer = await ask({ ...NOTHING, behaviour });
    const json = jsonOf(answer);
    expect(leavingIn(json)).toMatchObject({
      left: null,
      sessions: null,
      refreshTokens: null,
      deviceCredentials: { items: [], more: false },
      unread: [`sessions were not read (${reason})`, `refresh tokens were not read (${reason})`],
    });
    expect(judged(answer)).toEqual(["perhaps left"]);
  });

  const SOURCES = ["read:user_role_source_groups", "read:organization_member_role_source_groups"];
  test("which groups are behind a role: the step says so, and names no group as the user's", async () => {
    const json = jsonOf(await ask({ clients: clientsWithout(...SOURCES) }));
    expect(leavingIn(json)).toMatchObject({ left: true, groups: [] });
    const through = (role: string, scope: string) =>
      `directory: The tenant doesn't say which groups give ${role} (needs ${scope}). End the memberships in its groups.`;
    expect(stepsIn(json).slice(1, 5)).toEqual([
      through("auditor", "read:user_role_source_groups"),
      through("billing-viewer in acme", "read:organization_member_role_source_groups"),
      through("support-agent", "read:user_role_source_groups"),
      "tenant: Take auditor from the user: in the dashboard, or in the program whose `auth0.UserRoles` gives it. No state that was read does.",
    ]);
  });

  test("if a role is direct", async () => {
    const json = jsonOf(await ask({ clients: clientsWithout("read:user_effective_roles") }));
    expect(stepsIn(json)).toContain(
      "directory: The tenant doesn't say which groups give support-agent (needs read:user_effective_roles). End the memberships in its groups, and look at the user's own roles in the dashboard.",
    );
  });

  test("who else is in a group: nobody is told to take its line", async () => {
    const json = jsonOf(await ask({ clients: clientsWithout("read:group_members") }));
    expect(json.complete).toBe(false);
    expect(leavingIn(json).groups.map(({ others: all }) => all)).toEqual([null, null]);
    expect(stepsIn(json).filter((step) => step.includes("contractors"))).toEqual([
      expect.stringMatching(
        /^directory: End .* Don't take the group out of support in access\/prod index\.ts:1 for one person: who else is in it could not be read \(needs read:group_members\)\.$/,
      ),
    ]);
  });

  test("a part of the device credentials", async () => {
    const device_credentials = Array.from({ length: 120 }, (_, index) => ({
      id: `dcr_${index}`,
      type: "public_key" as const,
      user_id: USER_ID,
    }));
    const answer = await ask({ ...NOTHING, device_credentials, behaviour: { max_numbered_entries: 100 } });
    const json = jsonOf(answer);
    expect(leavingIn(json).deviceCredentials).toMatchObject({ more: true });
    expect(leavingIn(json).deviceCredentials?.items).toHaveLength(100);
    expect(json.incomplete).toHaveLength(1);
    expect(formatted(answer, "text")).toContain("Left: at least 100 device credentials");
  });

  test("more sessions than are read", async () => {
    const sessions = Array.from({ length: 1_001 }, (_, index) => ({ id: `s${index}`, user_id: USER_ID }));
    const answer = await ask({ ...NOTHING, sessions });
    expect(leavingIn(jsonOf(answer)).sessions).toMatchObject({ more: true });
    expect(formatted(answer, "text")).toMatch(/Left: at least 1,000 sessions[^]*\n {2}and more/);
  });
});

describe("a user who is gone", () => {
  const GONE: SeedInput = { users: others };

  test("has nothing left but device credentials, each with the line that removes it", async () => {
    const answer = await ask(GONE);
    const json = jsonOf(answer);
    expect(leavingIn(json)).toMatchObject({ gone: true, left: true, sessions: null, unread: [] });
    expect(formatted(answer, "text")).toContain(`
  The tenant has no such user: deleted, or the id is mistyped
  Left: 3 device credentials
`);
    expect(leavingIn(json).steps.map(({ write }) => write?.typescript)).toContain(
      'new DeviceCredentialRemoval("dcr_6XnTb4kWq9ZpHs2V", { deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V" });',
    );
  });

  test("without these has nothing left, and that is no error", async () => {
    const answer = await ask({ ...GONE, device_credentials: [] });
    expect(leavingIn(jsonOf(answer))).toMatchObject({ gone: true, left: false, steps: [] });
    expect(judged(answer)).toEqual([]);
    expect(formatted(answer, "text"))
      .toBe(`What ${USER_ID} still has on ${host()}, ${/as of .*/.exec(formatted(answer, "text"))?.[0]}
  The tenant has no such user: deleted, or the id is mistyped
  Nothing is left
  Compared with access/prod (2 assignments)
`);
  });

  test("one of the two answers is not enough to believe it", async () => {
    access.seed({ ...SEED, ...NOTHING });
    const id = encodeURIComponent(USER_ID);
    const path = (end: string) => `/api/v2/users/${id}${end}`;
    const action = { status: 404, body: { statusCode: 404, error: "Not Found", message: "No." } };
    simulator.fail({ method: "GET", path: `${path("")}?*`, action });
    const answer = await access.ask(RESOURCES, { user: USER_ID, leave: true });
    expect(leavingIn(jsonOf(answer))).toMatchObject({ gone: false, blocked: null });
    simulator.reset();
    simulator.fail({ method: "GET", path: `${path("/permissions")}?*`, action });
    await expect(access.ask(RESOURCES, { user: USER_ID, leave: true })).rejects.toThrow("check --user");
  });
});

describe("lines of the program", () => {
  const alone: Partial<SeedInput> = {
    ...NOTHING,
    users: [{ user_id: USER_ID, blocked: true, groups: [CONTRACTORS] }],
    roles: [{ id: AGENT, name: "support-agent", groups: [CONTRACTORS, SUPPORT] }],
    sessions: DEFAULT_SEED.sessions,
  };
  const withLine = async (support: object, seed: Partial<SeedInput> = {}) => {
    access.seed({ ...SEED, ...alone, ...seed });
    const { steps } = leavingIn(
      jsonOf(await access.ask({ "the-support desk": support }, { user: USER_ID, leave: true })),
    );
    return steps.map(({ where, text, write }) => ({ where, text, code: write?.typescript }));
  };
  const NAME = "sign-out-auth0-64c1f0a2b7d83e5f9a1b2c3d";

  test("a group of which the user is the only member leaves its assignment, and the sign-out waits", async () => {
    expect(await withLine(assignment(AGENT, [CONTRACTORS, SUPPORT]))).toEqual([
      {
        where: "program",
        text: `Take contractors ${CONTRACTORS} out of the-support desk in access/prod index.ts:1, which takes support-agent: nobody else is in the group. If others will join it, end the membership in the directory instead.`,
      },
      {
        where: "program",
        text: "Sign the user out: `dependsOn` makes it wait for the-support desk. It can't be undone, and doesn't notice later sign-ins.",
        code: `new UserSignOut("${NAME}", { userId: "${USER_ID}" }, { dependsOn: [theSupportDesk] });`,
      },
    ]);
  });

  test("an assignment of this group alone is deleted, which Pulumi does after a sign-out in the same run", async () => {
    const [first, second] = await withLine(assignment(AGENT, [CONTRACTORS]));
    expect(first?.text).toMatch(/^Delete the-support desk in access\/prod index\.ts:1, or take contractors /);
    expect(second?.text).toContain("in an `up` of its own, after the one that deletes");
    expect(second?.code).toBe(`new UserSignOut("${NAME}", { userId: "${USER_ID}" });`);
  });

  test("of several lines, only those of this group alone are deleted: others keep what theirs give", async () => {
    const roles = [
      { id: AGENT, name: "support-agent", groups: [CONTRACTORS] },
      { id: VIEWER, name: "billing-viewer", groups: [CONTRACTORS, SUPPORT] },
    ];
    access.seed({ ...SEED, ...alone, roles });
    const lines = {
      agents: assignment(AGENT, [CONTRACTORS]),
      viewers: assignment(VIEWER, [CONTRACTORS, SUPPORT]),
    };
    const answer = await access.ask(lines, { user: USER_ID, leave: true });
    expect(stepsIn(jsonOf(answer))).toEqual([
      `program: Delete agents in access/prod index.ts:1, and take contractors ${CONTRACTORS} out of viewers in access/prod index.ts:2, which takes billing-viewer and support-agent: nobody else is in the group. If others will join it, end the membership in the directory instead.`,
      expect.stringContaining("in an `up` of its own, after the one that deletes"),
    ]);
  });

  describe("lines of several stacks", () => {
    const roles = [
      { id: AGENT, name: "support-agent", groups: [CONTRACTORS] },
      { id: VIEWER, name: "billing-viewer", groups: [CONTRACTORS] },
    ];
    const signOutAfter = async (viewers: object) => {
      access.seed({ ...SEED, ...alone, roles });
      const agents = access.stateOf({ agents: assignment(AGENT, [CONTRACTORS, SUPPORT]) });
      const exports = [agents, access.stateOf({ viewers }, "billing/live")];
      const json = jsonOf(await access.ask({}, { user: USER_ID, leave: true, exports }));
      const { text, write } = leavingIn(json).steps.at(-1) ?? {};
      return [text, write?.typescript, write?.yaml];
    };

    test("the sign-out depends on those of one, and follows the others", async () => {
      const [text, ...code] = await signOutAfter(assignment(VIEWER, [CONTRACTORS, SUPPORT]));
      expect(text).toMatch(
        /^Sign the user out in billing\/live, after the `up` of access\/prod: `dependsOn` makes it wait for viewers\. /,
      );
      expect(code).toEqual([
        expect.stringContaining("{ dependsOn: [viewers] }"),
        expect.stringContaining('{ dependsOn: ["${viewers}"] }'),
      ]);
    });

    test("the sign-out follows all of them if one deletes", async () => {
      const [text] = await signOutAfter(assignment(VIEWER, [CONTRACTORS]));
      expect(text).toMatch(/ in an `up` of its own, after those of billing\/live and access\/prod: Pulumi/);
    });
  });

  test.each([
    ["default", "default_"],
    ["await", "await_"],
    ["2nd line", "_2ndLine"],
    ["½ support", "support"],
    ["größe", "größe"],
    ["--", "_"],
  ])("a line named %s has a variable's name: %s", async (name, variable) => {
    access.seed({ ...SEED, ...alone });
    const line = { [name]: assignment(AGENT, [CONTRACTORS, SUPPORT]) };
    const json = jsonOf(await access.ask(line, { user: USER_ID, leave: true }));
    const { write } = leavingIn(json).steps.at(-1) ?? {};
    expect(write?.typescript).toContain(`{ dependsOn: [${variable}] }`);
    expect(() => new Script(`"use strict"; async () => { const ${variable} = 1; }`)).not.toThrow();
  });

  test("one that leaves the role in place when it is deleted is no way", async () => {
    for (const support of [
      assignment(AGENT, [CONTRACTORS], { deleteOnDestroy: false }),
      assignment(AGENT, [CONTRACTORS], {}, { retainOnDelete: true }),
    ])
      expect((await withLine(support))[0]).toMatchObject({
        where: "directory",
        text: `End the membership in contractors ${CONTRACTORS}, which gives support-agent. Nobody else is in it.`,
      });
  });

  test("one that has expired goes with the next up", async () => {
    const [first] = await withLine(assignment(AGENT, [CONTRACTORS], { until: "2025-01-01" }));
    expect(first).toMatchObject({
      where: "program",
      text: `Run \`pulumi up\`, which takes support-agent from contractors ${CONTRACTORS}: the-support desk in access/prod index.ts:1 has expired.`,
    });
  });

  test("a group that gives another role by hand is left to the directory", async () => {
    const roles = [
      { id: AGENT, name: "support-agent", groups: [CONTRACTORS] },
      { id: VIEWER, name: "billing-viewer", groups: [CONTRACTORS] },
    ];
    const [first] = await withLine(assignment(AGENT, [CONTRACTORS, SUPPORT]), { roles });
    expect(first).toMatchObject({
      where: "directory",
      text: `End the membership in contractors ${CONTRACTORS}, which gives billing-viewer and support-agent. Nobody else is in it.`,
    });
  });

  test("what @pulumi/auth0 gives in a state is taken there, and what it gives others isn't named", async () => {
    const api = "https://tickets.example.com/";
    const resources = {
      all: auth0("userPermissions:UserPermissions", {
        userId: USER_ID,
        permissions: [
          { name: "close:tickets", resourceServerIdentifier: api },
          { name: "read:reports", resourceServerIdentifier: "https://reports.example.com/" },
        ],
      }),
      globex: auth0("organizationMemberRole:OrganizationMemberRole", {
        organizationId: GLOBEX,
        userId: USER_ID,
        roleId: AGENT,
      }),
      one: auth0("userRole:UserRole", { userId: USER_ID, roleId: AUDITOR }),
      // Not known to be this user's.
      two: auth0("userRole:UserRole", {
        userId: { "4dabf18193072939515e22adb298388d": "x" },
        roleId: VIEWER,
      }),
      three: auth0("userRole:UserRole", { userId: "auth0|another", roleId: VIEWER }),
    };
    access.seed(SEED);
    const json = jsonOf(await access.ask(resources, { user: USER_ID, leave: true }));
    expect(stepsIn(json).filter((step) => /^(tenant|program): (Take|Delete)/.test(step))).toEqual([
      "tenant: Take billing-viewer from the user: in the dashboard, or in the program whose `auth0.UserRoles` gives it. No state that was read does.",
      "program: Delete one in access/prod index.ts:3, which gives auditor: `auth0.UserRole`.",
      "program: Delete globex in access/prod index.ts:2, which gives support-agent in globex: `auth0.OrganizationMemberRole`.",
      `program: Take read:reports of https://reports.example.com/ and close:tickets of ${api} out of all in access/prod index.ts:1, or delete it: \`auth0.UserPermissions\`.`,
    ]);
  });
});

describe("@pulumi/auth0", () => {
  const directly = async (resources: Record<string, object>) => {
    access.seed({ ...SEED, ...NOTHING, users: [{ user_id: USER_ID, blocked: true, roles: [AUDITOR] }] });
    return stepsIn(jsonOf(await access.ask(resources, { user: USER_ID, leave: true })));
  };
  const one = auth0("userRole:UserRole", { userId: USER_ID, roleId: AUDITOR });
  const list = auth0("userRoles:UserRoles", { userId: USER_ID, roles: [AUDITOR, VIEWER] });
  const isDone = "program: Delete one in access/prod index.ts:1, which gives auditor: `auth0.UserRole`.";
  const isElsewhere =
    "tenant: Take auditor from the user: in the dashboard, or in the program whose `auth0.UserRoles` gives it. No state that was read does.";

  test("a list and a single resource that give the same are two steps", async () => {
    expect(await directly({ one, list })).toEqual([
      "program: Take auditor out of list in access/prod index.ts:2, or delete it: `auth0.UserRoles`.",
      isDone,
    ]);
  });

  test("two resources that give it are deleted together", async () => {
    expect(await directly({ one, two: one })).toEqual([
      "program: Delete one in access/prod index.ts:1 and two in access/prod index.ts:2, which give auditor: `auth0.UserRole`.",
    ]);
  });

  const PROVIDER = "urn:pulumi:prod::access::pulumi:providers:auth0::auth0";
  test.each<[string, () => unknown, string]>([
    ["this tenant's", host, isDone],
    ["another tenant's", () => "other.example.com", isElsewhere],
    ["one that nobody tells", () => undefined, isDone],
    ["a secret one", () => ({ "4dabf18193072939515e22adb298388d": "x" }), isDone],
  ])("a provider's domain is %s", async (_, domainOf, step) => {
    const provider = { type: "pulumi:providers:auth0", id: "1", inputs: { domain: domainOf() } };
    expect(
      await directly({ one: { ...one, provider: `${PROVIDER}::1` }, auth0: { ...provider, outputs: {} } }),
    ).toEqual([step]);
  });
});

describe("after a sign-out", () => {
  const signOut = (id: string, outputs: object = {}) => ({
    type: "pulumi-nodejs:dynamic/identity:UserSignOut",
    id,
    outputs: { userId: USER_ID, ...outputs },
  });
  const steps = async (id: string, seed: Partial<SeedInput>, outputs: object = {}) => {
    access.seed({ ...SEED, ...NOTHING, ...seed });
    const answer = await access.ask({ leaver: signOut(id, outputs) }, { user: USER_ID, leave: true });
    return stepsIn(jsonOf(answer));
  };
  const again = DEFAULT_SEED.sessions;

  test("what is left is signed out by the same resource, which is replaced", async () => {
    expect(await steps(USER_ID, { sessions: again })).toEqual([
      "program: leaver in access/prod index.ts:1 has signed the user out. If something is still left in a minute, run it again: " +
        "`pulumi up --replace` urn:pulumi:prod::access::pulumi-nodejs:dynamic/identity:UserSignOut::leaver",
    ]);
  });

  test.each([[["sessions"]], [{ "4dabf18193072939515e22adb298388d": "x" }]])(
    "one that has not finished is run as it is: %j is unfinished",
    async (unfinished) => {
      const finish = [
        "program: leaver in access/prod index.ts:1 hasn't finished: some of what it signs out has failed. Run `pulumi up`, which does the rest.",
      ];
      expect(await steps(USER_ID, { sessions: again }, { unfinished })).toEqual(finish);
      // Where nobody can see, the state still knows.
      const behaviour: BehaviourInput = { user_sessions: "not_served" };
      expect(await steps(USER_ID, { behaviour }, { unfinished })).toEqual(finish);
      expect(await steps(USER_ID, {}, { unfinished })).toEqual([]);
    },
  );

  test("of two, the one that has not finished is named", async () => {
    access.seed({ ...SEED, ...NOTHING, sessions: again });
    const lines = { done: signOut(USER_ID), half: signOut(USER_ID, { unfinished: ["sessions"] }) };
    const answer = await access.ask(lines, { user: USER_ID, leave: true });
    expect(stepsIn(jsonOf(answer))).toEqual([
      expect.stringMatching(/^program: half in .* hasn't finished: /),
    ]);
  });

  test("nothing is to do if nothing is seen, also where not all can be", async () => {
    expect(await steps(USER_ID, {})).toEqual([]);
    expect(await steps(USER_ID, { behaviour: { user_sessions: "not_served" } })).toEqual([]);
  });

  test.each([`${USER_ID}/mobileApp`, "auth0|another"])("one of %s doesn't count", async (id) => {
    expect(await steps(id, { sessions: again })).toEqual([
      expect.stringMatching(/^program: Sign the user out\./),
    ]);
  });
});

test("names of strangers are no markup, and no id ends a line", async () => {
  const id = 'oidc|"${x}\\ <b>';
  const answer = await ask(
    {
      ...NOTHING,
      users: [{ user_id: id, identities: [{ connection: "<i>`x`", provider: "oidc", user_id: "1" }] }],
      device_credentials: [
        {
          id: "dcr_1",
          type: "public_key",
          user_id: id,
          device_name: "a|b`c` <img src=x>\n::add-mask::",
          client_id: "<s>",
        },
      ],
    },
    { user: id },
  );
  const { write } = leavingIn(jsonOf(answer)).steps.at(-1) ?? {};
  const [resource] = Object.entries(
    parse(write?.yaml ?? "") as Record<string, { properties: { userId: string } }>,
  );
  expect(resource?.[0]).toBe("sign-out-oidc-x-b-");
  expect(resource?.[1].properties.userId).toBe(id.replace("${", "$${"));
  expect(write?.typescript).toBe(`new UserSignOut("sign-out-oidc-x-b-", { userId: ${JSON.stringify(id)} });`);
  const markdown = formatted(answer, "markdown");
  for (const line of markdown.split("\n"))
    expect(line.replace(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, "")).not.toMatch(/<|`x|::/);
});

test("a page has the same sections, and says that no role is known", async () => {
  const [shown] = pageData(formatted(await ask(), "html")).documents;
  expect(
    shown?.sections.map(({ id, place }) => `${place} ${id}`).filter((text) => !/^matrix/.test(text)),
  ).toEqual([
    "after permissions",
    "after Sessions",
    "after Refresh tokens",
    "after Device credentials",
    "before steps outside",
    "before steps in the program",
    "before notes",
  ]);
});

describe("the command", () => {
  const folder = useFolder();
  const before = { ...process.env };
  let said = "";
  beforeAll(() => {
    Object.assign(process.env, environmentOf(simulator));
    jest.spyOn(process.stderr, "write").mockImplementation((text) => {
      said += String(text);
      return true;
    });
  });
  afterAll(() => {
    jest.restoreAllMocks();
    for (const name of Object.keys(environmentOf(simulator))) delete process.env[name];
    Object.assign(process.env, before);
  });

  async function run(options: string[], seed: Partial<SeedInput> = {}) {
    access.seed({ ...SEED, ...seed });
    said = "";
    const { file, text } = access.stateOf(RESOURCES);
    const at = join(folder, file);
    writeFileSync(at, text);
    const output = join(folder, "answer.txt");
    await accessCommand()
      .exitOverride()
      .parseAsync(["--state", at, "--output", output, ...options], { from: "user" });
    const code = Number(process.exitCode ?? 0);
    process.exitCode = 0;
    return { code, said, text: readFileSync(output, "utf8") };
  }
  const LEFT = ["--user", USER_ID, "--leave", "--fail-on", "left"];

  test("exits with 3 while something is left, so that it can close a ticket", async () => {
    expect(await run(LEFT)).toMatchObject({ code: 3, said: "Found what --fail-on names: left.\n" });
    expect(await run(LEFT, NOTHING)).toMatchObject({ code: 0, said: "" });
    expect(await run(LEFT, { users: others, device_credentials: [] })).toMatchObject({
      code: 0,
      said: `The tenant ${host()} has no user ${USER_ID}: deleted, or --user is mistyped.\n`,
    });
    expect(await run(LEFT.slice(0, 3))).toMatchObject({ code: 0 });
  });

  test("exits with 3 if it can't rule that out", async () => {
    const { code, said: stderr } = await run(LEFT, {
      ...NOTHING,
      behaviour: { user_sessions: "not_served" },
    });
    expect([code, stderr]).toEqual([
      3,
      "Can't rule out left: the answer says what was not asked or not read.\n",
    ]);
  });

  test.each([
    [["--leave"], "--leave needs --user ID: the person who leaves."],
    [["--fail-on", "left"], "--fail-on left needs --user ID --leave."],
    [["--user", "a", "--fail-on", "left"], "--fail-on left needs --user ID --leave."],
    [
      ["--user", "a", "--leave", "--fail-on", "left,drift"],
      "--fail-on with --user takes only left, with --leave: the others are findings about all of the tenant.",
    ],
    [["--user", "a", "--leave", "--format", "csv"], "--leave has no --format csv: take json for a program."],
  ])("refuses %j", async (options, sentence) => {
    await expect(run(options)).rejects.toThrow(new CommandError(sentence));
    expect(simulator.log()).toEqual([]);
  });
});
