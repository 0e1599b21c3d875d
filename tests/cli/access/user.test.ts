import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { type AccessJson } from "../../../cli/access/model";
import { type SeedInput } from "../../../simulator";
import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { assignment, encrypted, jsonOf, lines, useAccess } from "../../../testkit/cli/access";

const USER = "auth0|a b";
const API = "https://api.example.com/";
const DIRECT = { source_id: "", source_name: "", source_type: "DIRECT" };
const role = (source_id: string) => ({ source_id, source_name: `name of ${source_id}`, source_type: "ROLE" });
type User = NonNullable<SeedInput["users"]>[number];
type Permission = NonNullable<User["permissions"]>[number];

const permission = (permission_name: string, sources?: Permission["sources"]): Permission => ({
  resource_server_identifier: API,
  permission_name,
  ...(sources && { sources }),
});

const { simulator, ...access } = useAccess();

/** SUPPORT and BILLING are agents, BILLING are viewers. */
function seed(user: Partial<User>): void {
  const has = { [AGENT]: [SUPPORT, BILLING], [VIEWER]: [BILLING] };
  access.holders(has, { users: [{ user_id: USER, ...user }] });
}

type Told = AccessJson & { user: NonNullable<AccessJson["user"]> };

async function told(resources: Record<string, object>, more: AccessRequest["exports"] = []): Promise<Told> {
  const exports = [access.stateOf(resources), ...more];
  return jsonOf(await access.ask(resources, { user: USER, exports })) as Told;
}

const ends = ({ user }: Told) =>
  user.ends.map(({ by, role: id, ends, permissions, reason }) =>
    [
      by.resource,
      ends === null ? "?" : ends ? "loses" : "keeps",
      id === AGENT ? "agent" : "viewer",
      permissions.map(({ name }) => name).join(),
      reason,
    ].join(" | "),
  );

test("what a user may do, through which role, group, assignment and line, and what would end", async () => {
  seed({
    groups: [SUPPORT],
    permissions: [
      permission("write", [role(AGENT)]),
      permission("read", [role(AGENT), DIRECT]),
      permission("close", [DIRECT]),
    ],
  });
  const json = await told({ support: assignment(AGENT, [SUPPORT, ADMINS]) });
  expect(lines(json)).toEqual(["support-agent: support-desk managed by support:1 in access/prod"]);
  expect(json.roles[0]).toMatchObject({ direct: false });
  expect(json.user.permissions.map(({ name, sources }) => [name, sources?.map(({ kind }) => kind)])).toEqual([
    ["close", ["direct"]],
    ["read", ["role", "direct"]],
    ["write", ["role"]],
  ]);
  expect(ends(json)).toEqual(["support | loses | agent | write | "]);
  expect(json.complete).toBe(true);
  const path = `/api/v2/users/${encodeURIComponent(USER)}`;
  expect(simulator.log()).toEqual([
    "POST /oauth/token 200",
    `GET ${path}/permissions?page=0&per_page=100&include_totals=true 200`,
    `GET ${path}/effective-roles?take=100 200`,
    `GET ${path}/effective-roles/sources/groups?role_id=${AGENT}&take=100 200`,
    `GET ${path}/organizations?page=0&per_page=100&include_totals=true 200`,
  ]);
});

describe("what keeps a role for the user, though an assignment is destroyed", () => {
  test.each<[string, Partial<User>, Record<string, object>, string[]]>([
    [
      "it is also direct",
      { groups: [SUPPORT], roles: [AGENT] },
      { a: assignment(AGENT, [SUPPORT]) },
      ["a | keeps | agent |  | also given to the user directly"],
    ],
    [
      "another group has it, by hand",
      { groups: [SUPPORT, BILLING] },
      { a: assignment(AGENT, [SUPPORT]), b: assignment(VIEWER, [BILLING]) },
      ["b | loses | viewer |  | ", `a | keeps | agent |  | still through billing-team ${BILLING}`],
    ],
    [
      "another assignment of the stack lists the group, too",
      { groups: [SUPPORT] },
      { a: assignment(AGENT, [SUPPORT]), b: assignment(AGENT, [SUPPORT, ADMINS]) },
      [
        `a | keeps | agent |  | still through support-desk ${SUPPORT}`,
        `b | keeps | agent |  | still through support-desk ${SUPPORT}`,
      ],
    ],
    [
      "it leaves the role to its groups",
      { groups: [SUPPORT] },
      { a: assignment(AGENT, [SUPPORT], { deleteOnDestroy: false }) },
      ["a | keeps | agent |  | deleteOnDestroy is false: its groups keep the role"],
    ],
    [
      "it is retained",
      { groups: [SUPPORT] },
      { a: assignment(AGENT, [SUPPORT], {}, { retainOnDelete: true }) },
      ["a | keeps | agent |  | retainOnDelete is true: its groups keep the role"],
    ],
    [
      "whether it takes the role away is secret",
      { groups: [SUPPORT] },
      { a: assignment(AGENT, [SUPPORT], { deleteOnDestroy: encrypted }) },
      ["a | ? | agent |  | its deleteOnDestroy is secret"],
    ],
    [
      "all of the user's groups go with it",
      { groups: [SUPPORT, BILLING] },
      { a: assignment(AGENT, [SUPPORT, BILLING]) },
      ["a | loses | agent |  | "],
    ],
  ])("%s", async (_, user, resources, expected) => {
    seed(user);
    expect(ends(await told(resources))).toEqual(expected);
  });

  test("the program of another stack would give it again", async () => {
    seed({ groups: [SUPPORT] });
    const other = access.stateOf({ b: assignment(AGENT, [SUPPORT]) }, "access/dev");
    expect(ends(await told({ a: assignment(AGENT, [SUPPORT]) }, [other]))).toEqual([
      "b | loses | agent |  | the next up of access/prod after a refresh would give it again",
      "a | loses | agent |  | the next up of access/dev after a refresh would give it again",
    ]);

    const over = access.stateOf({ b: assignment(AGENT, [SUPPORT], { until: "2020-01-01" }) }, "access/dev");
    expect(ends(await told({ a: assignment(AGENT, [SUPPORT]) }, [over]))).toContain(
      "a | loses | agent |  | ",
    );
  });
});

test("a permission that another role gives, too, stays", async () => {
  seed({
    groups: [BILLING],
    permissions: [permission("read", [role(AGENT), role(VIEWER)]), permission("see", [role(VIEWER)])],
  });
  const json = await told({ a: assignment(AGENT, [BILLING]), b: assignment(VIEWER, [BILLING]) });
  expect(ends(json)).toEqual(["b | loses | viewer | see | ", "a | loses | agent |  | "]);
});

test("a role that the user has directly comes from no assignment", async () => {
  seed({ roles: [VIEWER] });
  const json = await told({ a: assignment(VIEWER, [BILLING]) });
  expect(json.roles).toMatchObject([{ id: VIEWER, direct: true, groups: [] }]);
  expect(ends(json)).toEqual([]);
});

describe("where the tenant does not tell through which groups", () => {
  const resources = { a: assignment(AGENT, [SUPPORT]) };
  beforeEach(() => seed({ groups: [SUPPORT], permissions: [permission("read", [role(AGENT)])] }));

  test.each([
    [
      "the list of roles is not there",
      "*/effective-roles?*",
      404,
      false,
      "404: the tenant does not know this list",
    ],
    ["the list of roles is refused", "*/effective-roles?*", 403, false, "403"],
    ["the list of groups is refused", "*/sources/groups*", 403, true, "403"],
  ])(
    "%s: all groups of the role are named, and nothing is claimed to end",
    async (_, path, status, allRoles, unread) => {
      simulator.fail({ path, action: { status } });
      const json = await told(resources);
      expect(json.user).toMatchObject({ unread, allRoles });
      expect(lines(json).map((line) => line.replace(/^.*?: /, ""))).toEqual([
        "billing-team unmanaged",
        "support-desk managed by a:1 in access/prod",
      ]);
      expect(ends(json)).toEqual(["a | ? | agent |  | the groups behind the role are unknown"]);
      expect(json.complete).toBe(false);
    },
  );

  test("since the client lacks the scope: it is named", async () => {
    const { users, roles } = simulator.state();
    access.seed({ users, roles, clients: clientsWithout("read:user_effective_roles") });
    const answer = await access.ask(resources, { user: USER });
    expect(jsonOf(answer).user?.unread).toBe("needs read:user_effective_roles");
    expect(formatted(answer, "text")).toContain(
      "The user's roles, and the groups behind them, could not be read (needs read:user_effective_roles). " +
        "Only roles that give a permission are listed.",
    );
  });

  test("the tenant fails: so does the command", async () => {
    simulator.fail({ path: "*/effective-roles*", times: 20, action: { status: 500 } });
    await expect(told(resources)).rejects.toThrow("/effective-roles answered 500");
  });
});

test("sources in other forms: what is no role of the tenant is elsewhere, and what can't be read is not known", async () => {
  seed({
    permissions: [
      permission("a", [{ source_id: "org_1", source_name: "acme", source_type: "ORGANIZATION" }]),
      permission("b", [{ source_id: VIEWER, source_name: "of acme", source_type: "ORGANIZATION_ROLE" }]),
      permission("c", [role(AGENT)]),
      permission("d"),
      permission("e", [{ source_id: "7", source_name: "seven", source_type: "ROLE" }]),
      permission("f", [{ source_id: VIEWER, source_name: "viewer", source_type: "" }]),
      permission("g", [{ source_id: "7", source_name: "of any kind", source_type: "" }]),
    ],
  });
  const json = await told({ a: assignment(AGENT, [SUPPORT]) });
  expect(
    json.user.permissions.map(({ sources }) => sources?.map(({ kind, name }) => `${kind} ${name}`) ?? null),
  ).toEqual([
    ["other acme"],
    ["other of acme"],
    [`role name of ${AGENT}`],
    null,
    ["role seven"],
    ["role viewer"],
    ["other of any kind"],
  ]);
  // The user's own roles don't have it: it comes from an organization.
  expect(json.roles.map(({ id, name, direct, groups }) => [id, name, direct, groups])).toEqual(
    expect.arrayContaining([[AGENT, `name of ${AGENT}`, null, []]]),
  );
  expect([json.complete, ends(json)]).toEqual([false, []]);
});

test("a user who is not there", async () => {
  await expect(access.ask({}, { user: "nobody" })).rejects.toThrow(
    `The user nobody is not on the tenant ${access.host()}: check --user.`,
  );
});
