import { UNKNOWN_VALUE } from "../../../provider/seen";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readPreview } from "../../../cli/review/input/preview";
import { toJson } from "../../../cli/review/output/json";
import { documentOf } from "../../../cli/review/output/document";
import { reviewMarkdown } from "../../../cli/review/output/markdown";
import { reviewText } from "../../../cli/review/output/text";
import { type Review, reviewOf } from "../../../cli/review/review";
import { grants } from "../../../provider/review/act";
import { permitsOf, problemsOf } from "../../../provider/review/permits";
import { type RawInputs } from "../../../provider/review/raw-inputs";
import { appearanceOf } from "../../../testkit/cli/asked";
import { accessOf, auth0, groups, made, previewText, step, TENANT } from "../../../testkit/cli/previews";

/* What a review says of the steps of `@pulumi/auth0`. tests/e2e/auth0-steps.long.ts makes such previews. */

const API = "https://api.example.com";
const CAROL = "auth0|carol";
const SECRET = "[secret]";
const URN = "urn:pulumi:prod::access::auth0:index/";

const role = { userId: CAROL, roleId: "rol_1" };
const roles = (...all: string[]) => ({ userId: CAROL, roles: all });
const inOrganization = { organizationId: "org_1", ...role };
const permission = (name: string) => ({ roleId: "rol_1", permission: name, resourceServerIdentifier: API });
const permissions = (...names: string[]) => ({
  roleId: "rol_1",
  permissions: names.map((name) => ({ name, resourceServerIdentifier: API })),
});

const permissionsOf = ({ permissions: all }: Review) =>
  all.map(
    ({ effect, holder, permission: name, unless }) =>
      `${effect} ${Object.values(holder).join()} ${name}${unless ? ` unless ${unless.toString()}` : ""}`,
  );

interface Words {
  access?: string[];
  permissions?: string[];
  unknown?: string[];
  categories?: string[];
  others?: number;
}

const one = (name: string, before?: RawInputs, after?: RawInputs, more: object = {}) => {
  const op = before === undefined ? "create" : after === undefined ? "delete" : "update";
  return [name, { op, ...(before && { before }), ...(after && { after }), ...more }] as const;
};
const userRole = (...args: Parameters<typeof one>) => auth0("userRole:UserRole", ...one(...args));
const userRoles = (...args: Parameters<typeof one>) => auth0("userRoles:UserRoles", ...one(...args));
const rolePermissions = (...args: Parameters<typeof one>) =>
  auth0("rolePermissions:RolePermissions", ...one(...args));
const newRole = auth0("role:Role", "support", { after: { name: "support-agent" } });
const ofNewRole = (input: string) => ({
  state: { propertyDependencies: { [input]: [`${URN}role:Role::support`] } },
});

const CASES: Record<string, [steps: object[], words: Words]> = {
  "a role of a user": [
    [userRole("carol", undefined, role)],
    { access: [`gains rol_1 ${CAROL} by carol`], unknown: [], categories: ["grant"], others: 0 },
  ],
  "the same, taken": [
    [userRole("carol", role, undefined)],
    { access: [`loses rol_1 ${CAROL} by carol`], categories: ["revoke"] },
  ],
  "a list only adds when it is created": [
    [userRoles("carol", undefined, roles("rol_1", "rol_2"))],
    { access: [`gains rol_1 ${CAROL} by carol`, `gains rol_2 ${CAROL} by carol`], unknown: [] },
  ],
  "a list takes what state has found beside": [
    [
      auth0("userRoles:UserRoles", "carol", {
        before: roles("rol_1"),
        old: { outputs: roles("rol_1", "rol_by_hand") },
        after: roles("rol_1", "rol_2"),
      }),
    ],
    { access: [`gains rol_2 ${CAROL} by carol`, `loses rol_by_hand ${CAROL} by carol`] },
  ],
  "a deleted list takes all it had": [
    [userRoles("carol", roles("rol_1", "rol_2"), undefined)],
    { access: [`loses rol_1 ${CAROL} by carol`, `loses rol_2 ${CAROL} by carol`] },
  ],
  retained: [[userRole("carol", role, undefined, { old: { retainOnDelete: true } })], { access: [] }],
  "a delete comes last, and takes what another resource has just given": [
    [userRole("carol", role, undefined), userRoles("all", undefined, roles("rol_1"))],
    { access: [`loses rol_1 ${CAROL} by carol`], categories: ["revoke"] },
  ],
  "a retained one doesn't, so the list keeps it": [
    [
      userRole("carol", role, undefined, { old: { retainOnDelete: true } }),
      userRoles("all", undefined, roles("rol_1")),
    ],
    { access: [`keeps rol_1 ${CAROL} by carol, all`], categories: [] },
  ],
  "an update may come before another resource gives it": [
    [userRoles("all", roles("rol_1", "rol_2"), roles("rol_2")), userRole("carol", undefined, role)],
    { access: [`loses rol_1 ${CAROL} by all unless carol gives it again afterwards`] },
  ],
  "… or what doesn't show of another resource": [
    [
      userRoles("all", roles("rol_1", "rol_2"), { userId: CAROL, roles: [] }),
      userRoles("more", undefined, { userId: CAROL, roles: UNKNOWN_VALUE }),
    ],
    {
      access: [
        `loses rol_1 ${CAROL} by all unless more gives it again afterwards`,
        `loses rol_2 ${CAROL} by all unless more gives it again afterwards`,
      ],
      unknown: [`it gives a role to ${CAROL}; the rest of that is known only when the change is made`],
    },
  ],
  "… but not of another person, nor in an organization, nor of a resource that stays as it is": [
    [
      userRoles("all", roles("rol_1", "rol_2"), roles("rol_2")),
      userRoles("dave", undefined, { userId: "auth0|dave", roles: UNKNOWN_VALUE }),
      auth0("organizationMemberRoles:OrganizationMemberRoles", "member", {
        after: { ...roles(UNKNOWN_VALUE), organizationId: UNKNOWN_VALUE },
      }),
      auth0("userRoles:UserRoles", "kept", { op: "same", before: { userId: CAROL, roles: SECRET } }),
    ],
    { access: [`loses rol_1 ${CAROL} by all`] },
  ],
  "a list that is not known yet": [
    [userRoles("carol", roles("rol_1", "rol_2"), { userId: CAROL, roles: ["rol_1", UNKNOWN_VALUE] })],
    {
      access: [`loses rol_2 ${CAROL} by carol unless it is among what is not known yet`],
      unknown: [`it gives a role to ${CAROL}; the rest of that is known only when the change is made`],
      categories: ["grant", "revoke", "unknown"],
    },
  ],
  "a list with a new role in place of an old one": [
    [
      newRole,
      userRoles("carol", roles("rol_1", "rol_2"), roles("rol_1", UNKNOWN_VALUE), {
        ...ofNewRole("roles"),
        diffReasons: ["roles"],
      }),
    ],
    { access: [`loses rol_2 ${CAROL} by carol`] },
  ],
  "a secret user": [
    [userRole("carol", undefined, { ...role, userId: SECRET })],
    { access: [], unknown: ["it gives rol_1 to a user; the rest of that is secret"] },
  ],
  "a secret list that goes": [
    [userRoles("carol", { userId: CAROL, roles: SECRET }, undefined)],
    { access: [], unknown: ["what it gave before is secret"], categories: ["revoke", "unknown"] },
  ],
  "a role of the same run": [
    [newRole, userRole("carol", undefined, { ...role, roleId: UNKNOWN_VALUE }, ofNewRole("roleId"))],
    {
      access: [],
      unknown: [`${CAROL} gains the new role support-agent`],
      categories: ["grant", "other", "unknown"],
      others: 1,
    },
  ],
  "one of two roles of the same run": [
    [
      newRole,
      auth0("role:Role", "other", { after: { name: "other" } }),
      userRole(
        "carol",
        undefined,
        { ...role, roleId: UNKNOWN_VALUE },
        {
          state: {
            propertyDependencies: { roleId: [`${URN}role:Role::support`, `${URN}role:Role::other`] },
          },
        },
      ),
    ],
    { unknown: [`it gives a role to ${CAROL}; the rest of that is known only when the change is made`] },
  ],
  "a group that gets a role of the same run": [
    [
      newRole,
      step({ name: "groups", after: { ...groups("grp_a"), roleId: UNKNOWN_VALUE }, ...ofNewRole("roleId") }),
    ],
    {
      unknown: [
        "the id of the new role support-agent is known only when the change is made; it goes to grp_a",
      ],
    },
  ],
  "permissions of a role": [
    [rolePermissions("p", permissions("read", "write"), permissions("read", "delete"))],
    { permissions: ["gains rol_1 delete", "loses rol_1 write"], categories: ["grant", "revoke"], others: 0 },
  ],
  "permissions of a role of the same run": [
    [
      newRole,
      rolePermissions("p", undefined, { ...permissions("read"), roleId: UNKNOWN_VALUE }, ofNewRole("roleId")),
    ],
    { permissions: ["gains support-agent read"], unknown: [] },
  ],
  "a permission that another resource lists already": [
    [
      auth0("rolePermission:RolePermission", "p", { after: permission("read") }),
      auth0("rolePermissions:RolePermissions", "all", { op: "same", before: permissions("read") }),
    ],
    { permissions: [], categories: [] },
  ],
  "permissions of a user": [
    [
      auth0("userPermissions:UserPermissions", "carol", {
        before: { userId: CAROL, permissions: permissions("read").permissions },
      }),
    ],
    { permissions: [`loses ${CAROL} read`] },
  ],
  "a deleted user": [
    [
      auth0("user:User", "carol", { id: CAROL, before: { email: "carol@example.com" } }),
      auth0("userRole:UserRole", "r", { op: "same", before: role }),
    ],
    {
      access: [`loses rol_1 ${CAROL} by carol`],
      unknown: [
        `the user ${CAROL} is deleted, with every role and permission; only roles that this review lists show`,
      ],
      categories: ["revoke", "unknown"],
      others: 0,
    },
  ],
  "a deleted role takes it from our groups": [
    [
      auth0("role:Role", "support", { id: "rol_1", before: { name: "support-agent" } }),
      step({ name: "a", op: "same", before: groups("grp_a") }),
      step({ name: "b", before: groups("grp_b") }),
    ],
    { access: ["loses rol_1 grp_a by support", "loses rol_1 grp_b by b, support"] },
  ],
  "a deleted organization": [
    [
      auth0("organization:Organization", "acme", { id: "org_1", before: { name: "acme" } }),
      step({
        kind: "OrganizationRoleGroupAssignment",
        name: "a",
        op: "same",
        before: { organizationId: "org_1", ...groups("grp_a") },
      }),
      step({ name: "b", op: "same", before: groups("grp_b") }),
    ],
    {
      access: ["loses rol_1 grp_a by acme"],
      unknown: [
        "everybody loses every role in org_1, which is deleted; only those whom this review lists show",
      ],
    },
  ],
  "members who leave": [
    [
      auth0("organizationMembers:OrganizationMembers", "acme", {
        before: { organizationId: "org_1", members: [CAROL, "auth0|dan", "auth0|eve"] },
        after: { organizationId: "org_1", members: ["auth0|eve", "auth0|fay"] },
      }),
      auth0("organizationMemberRole:OrganizationMemberRole", "r", { op: "same", before: inOrganization }),
    ],
    {
      access: [`loses rol_1 ${CAROL} by acme`],
      unknown: [`${CAROL} and auth0|dan leave org_1 and lose every role there, those through groups too`],
    },
  ],
  "scopes that go, and one that comes": [
    [
      auth0("resourceServerScopes:ResourceServerScopes", "api", {
        before: { resourceServerIdentifier: API, scopes: [{ name: "read" }, { name: "write" }] },
        after: { resourceServerIdentifier: API, scopes: [{ name: "read" }, { name: "delete" }] },
      }),
    ],
    {
      unknown: [`every role and every user loses write of ${API}; who has it wasn't read`],
      categories: ["revoke", "unknown"],
    },
  ],
  "a deleted API": [
    [auth0("resourceServer:ResourceServer", "api", { before: { identifier: API } })],
    { unknown: [`every role and every user loses the permissions of ${API}, which is deleted`] },
  ],
  "connections of an organization, and groups of a directory": [
    [
      auth0("organizationConnection:OrganizationConnection", "c", { after: { organizationId: "org_1" } }),
      auth0("connectionDirectorySynchronizedGroups:ConnectionDirectorySynchronizedGroups", "d", {
        before: { connectionId: "con_1" },
      }),
    ],
    {
      unknown: [
        "changes which connections an organization has: who becomes a member of it by signing in isn't known before",
        "changes which groups are synchronized from a directory: who gains or loses their roles isn't known before",
      ],
      categories: ["grant", "revoke", "unknown"],
    },
  ],
  "what gives nobody anything": [
    [
      newRole,
      auth0("user:User", "carol", { id: CAROL, before: { email: "a" }, after: { email: "b" } }),
      auth0("client:Client", "app", { after: { name: "app" } }),
    ],
    { access: [], unknown: [], categories: ["other"], others: 3 },
  ],
};

test("a row says which other resource lists what a delete takes", () => {
  const { access } = made([userRole("carol", role, undefined), userRoles("all", undefined, roles("rol_1"))]);
  expect(access.flatMap(({ by }) => by.map(({ reason }) => String(reason)))).toEqual([
    "is deleted; all lists it too, but doesn't give it again",
  ]);
});

test.each(Object.entries(CASES))("%s", (_, [steps, expected]) => {
  const review = made(steps);
  const said = {
    access: accessOf(review),
    permissions: permissionsOf(review),
    unknown: review.unknown.map(({ reason }) => reason.toString()),
    categories: review.categories,
    others: review.others,
  };
  expect(
    Object.fromEntries(Object.keys(expected).map((key) => [key, said[key as keyof typeof said]])),
  ).toEqual(expected);
});

const CHANGE = [
  userRole("carol", undefined, role),
  userRole("dan", { ...role, userId: "auth0|dan" }, undefined),
  rolePermissions("p", permissions("read:tickets"), permissions("delete:tickets", "edit:tickets")),
  step({ name: "a", after: groups("grp_a") }),
];

test("users stand beside groups, and the permissions below", () => {
  const review = made(CHANGE);
  const document = documentOf(review, []);
  const text = reviewText([document], appearanceOf(review)).replace(/fingerprint .*\n/, "");
  expect(text).toBe(`Access review of access/prod, tenant ${TENANT}
➕ 2 grants · ➖ 1 revocation · ➕ 2 permissions · ➖ 1 permission

Who gains and who loses access:
  rol_1  ➕ gains  auth0|carol  carol
  rol_1  ➕ gains  grp_a        a
  rol_1  ➖ loses  auth0|dan    dan is deleted

What roles and users may do:
  - ➕ rol_1 can now delete:tickets and edit:tickets of ${API}, through p
  - ➖ rol_1 can no longer read:tickets of ${API}, through p

`);
  expect(reviewMarkdown([document], "", appearanceOf(review))).toContain(
    "| Role | Change | Group or user | Through |",
  );
  expect(reviewMarkdown([documentOf(made(CHANGE.slice(3)), [])], "", appearanceOf(review))).toContain(
    "| Role | Change | Group | Through |",
  );
});

const MAKING = {
  made: new Date("2026-11-26T10:00:00Z"),
  unknownAccepted: true,
  environmentTenant: undefined,
};

test("the JSON has users and permissions apart, so that a held run doesn't take them for its own", () => {
  const json = toJson(made(CHANGE), MAKING);
  expect(json.access.map(({ group }) => group)).toEqual(["grp_a"]);
  expect(json.direct?.map(({ user, effect }) => [user, effect])).toEqual([
    [CAROL, "gains"],
    ["auth0|dan", "loses"],
  ]);
  expect(json.permissions?.map(({ role: of, permission: name }) => [of, name])).toEqual([
    ["rol_1", "delete:tickets"],
    ["rol_1", "edit:tickets"],
    ["rol_1", "read:tickets"],
  ]);
  expect(toJson(made(CHANGE.slice(3)), MAKING)).not.toHaveProperty(["direct"]);
});

test("nothing of it opens a held run: not a deleted role, nor a doubt with the name of an assignment", () => {
  const hidden = userRole("a", undefined, { ...role, userId: UNKNOWN_VALUE });
  const given = permitsOf(toJson(made([hidden, step({ name: "a", after: groups("grp_a") })]), MAKING), {
    file: "review.json",
    tenant: TENANT,
    isDefault: true,
  });
  const grant = (...ids: string[]) =>
    problemsOf(given, { name: "a" }, grants({ role: "rol_1" }, ids, undefined))[0];
  expect(grant("grp_a")).toBeUndefined();
  expect(grant("grp_b")).toMatch(/would gain it, but review\.json .* doesn't allow that/);
});

test("the fingerprint covers all of it: an approval is of everything that the review shows", () => {
  const print = (...steps: object[]) => made(steps).fingerprint;
  const whole = print(...CHANGE);
  expect(print(...[...CHANGE].reverse())).toBe(whole);
  const others = [
    userRole("carol", undefined, { ...role, userId: "auth0|mallory" }),
    userRole("carol", undefined, { ...role, roleId: "rol_2" }),
    rolePermissions("p", permissions("read:tickets"), permissions("delete:tickets", "read:tickets")),
  ];
  for (const other of others) {
    const { urn } = other as { urn: string };
    const changed = CHANGE.map((each) => ((each as { urn: string }).urn === urn ? other : each));
    expect(print(...changed)).not.toBe(whole);
  }
});

const reviewWith = (config: object, steps: readonly object[]) => {
  const preview = JSON.parse(previewText(steps)) as object;
  return reviewOf(readPreview(JSON.stringify({ ...preview, config })), false);
};
const untold = "the tenant of @pulumi/auth0 doesn't show in the preview";

test.each<[string, object, object[], string | undefined, string[]]>([
  ["its own setting", { "auth0:domain": "other.example.com" }, CHANGE, "other.example.com", []],
  [
    "that of the assignments, with a doubt",
    { "identity:domain": TENANT },
    CHANGE,
    TENANT,
    [`${untold}, and was taken to be ${TENANT}: set auth0:domain in the stack's configuration`],
  ],
  ["none", {}, CHANGE.slice(0, 2), undefined, [`${untold}: set auth0:domain in the stack's configuration`]],
])("its tenant is %s", (_, config, steps, tenant, unknown) => {
  const review = reviewWith(config, steps);
  expect(review.access.find(({ holder }) => "user" in holder)?.tenant).toBe(tenant);
  expect(review.unknown.map(({ reason }) => reason.toString())).toEqual(unknown);
});

test("a provider of its own has a tenant of its own", () => {
  const urn = "urn:pulumi:prod::access::pulumi:providers:auth0::eu";
  const provider = {
    op: "same",
    urn,
    newState: { type: "pulumi:providers:auth0", custom: true, inputs: { domain: "eu.example.com" } },
  };
  const [row] = made([
    provider,
    userRole("carol", undefined, role, { state: { provider: `${urn}::id` } }),
  ]).access;
  expect(row?.tenant).toBe("eu.example.com");
});

/* Made by the provider's own plugin, 3.55.1, on state that tests/e2e/auth0 wrote. */
const RECORDED = readFileSync(resolve(__dirname, "../../fuzz/previews/auth0.json"), "utf8");

test("a preview of the provider itself", () => {
  const review = reviewOf(readPreview(RECORDED), false);
  const [AGENT, VIEWER, BY_HAND] = ["rol_4hNkVx8QmTz2bRcW", "rol_9sJdYp3LfGe7uXaK", "rol_byHand000000000"];
  const open = "unless what does not show turns out to be as it is";
  expect(review.tenants).toEqual([TENANT]);
  expect(accessOf(review)).toEqual([
    `loses ${AGENT} ${CAROL} by acme-carol ${open}`,
    `loses ${BY_HAND} ${CAROL} by acme-carol ${open}`,
    `loses ${AGENT} auth0|eve by eve`,
    `loses ${AGENT} auth0|fay by fay`,
    `loses ${VIEWER} ${CAROL} by carol`,
    `gains ${VIEWER} auth0|eve by eve`,
    `loses ${BY_HAND} ${CAROL} by carol`,
  ]);
  expect(permissionsOf(review)).toEqual([
    "gains support-agent read:tickets",
    `gains ${AGENT} delete:tickets`,
    `loses ${AGENT} edit:tickets`,
  ]);
  expect(review.unknown.map(({ name }) => name)).toEqual([
    ...["desk", "acme-carol", "carol", "con", "gil", "acme", "dan", "old", "scopes"],
  ]);
  expect(review.others).toBe(2);
});
