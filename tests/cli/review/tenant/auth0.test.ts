import { documentOf } from "../../../../cli/review/output/document";
import { reviewText } from "../../../../cli/review/output/text";
import { type Review } from "../../../../cli/review/review";
import { ADMINS, AGENT, DEFAULT_SEED, SUPPORT, VIEWER } from "../../../../simulator/default-seed";
import { appearanceOf, AskedTenant, assignment, clientsWithout } from "../../../../testkit/cli/asked";
import { auth0, step } from "../../../../testkit/cli/previews";

/* Changes by `@pulumi/auth0` of which the tenant was asked: the people behind them, and the rules. */

const API = "https://api.example.com";
const CAROL = "auth0|carol";
const DAN = "auth0|dan";

const tenant = AskedTenant.forTests();
beforeEach(() =>
  tenant.seed({
    users: [
      { user_id: CAROL, groups: [SUPPORT] },
      { user_id: DAN, roles: [AGENT] },
    ],
  }),
);

const gives = (user: string, roleId: string) =>
  auth0("userRole:UserRole", user.replace("auth0|", ""), { after: { userId: user, roleId } });
const takes = (user: string, roleId: string) =>
  auth0("userRole:UserRole", user.replace("auth0|", ""), { before: { userId: user, roleId } });
const allows = (roleId: string, permission: string) =>
  auth0("rolePermission:RolePermission", "p", {
    after: { roleId, permission, resourceServerIdentifier: API },
  });

const reviewed = (...given: Parameters<AskedTenant["reviewedAlone"]>) => tenant.reviewedAlone(...given);

function textOf(review: Review, title: string): string[] {
  const text = reviewText([documentOf(review, [])], appearanceOf(review));
  const section = text.split("\n\n").find((part) => part.startsWith(title)) ?? "";
  return section
    .split("\n")
    .slice(1)
    .map((line) => line.trim().replace(/ {2,}/g, "  "));
}
const rows = (review: Review) => textOf(review, "Who gains");
const allowed = (review: Review) => textOf(review, "What roles and users may do:");

test("a user who has the role through a group, and one who has it directly", async () => {
  const review = await reviewed([gives(CAROL, AGENT), gives(DAN, AGENT)]);
  expect(rows(review)).toEqual([
    `support-agent ${AGENT}  ➕ gains  ${CAROL}, has it already through support-desk ${SUPPORT}  carol`,
    `support-agent ${AGENT}  keeps  ${DAN}  dan adds it; it has the role already`,
  ]);
});

test("the people of a group lose less if they gain it directly, and more if they lose that too", async () => {
  const leaves = step({
    name: "a",
    id: AGENT,
    before: assignment(AGENT, [SUPPORT, ADMINS]),
    after: assignment(AGENT, [ADMINS]),
  });
  const directOf = async (...more: object[]) => {
    const review = await reviewed([leaves, ...more]);
    const [row] = review.access.filter(({ holder }) => "group" in holder);
    return review.people.get(row!)?.direct;
  };
  tenant.seed({
    users: [
      { user_id: CAROL, groups: [SUPPORT] },
      { user_id: DAN, groups: [SUPPORT], roles: [AGENT] },
    ],
  });
  expect(await directOf()).toEqual({ count: 1 });
  expect(await directOf(gives(CAROL, AGENT))).toEqual({ count: 2 });
  expect(await directOf(takes(DAN, AGENT))).toEqual({ count: 0 });
});

test("a permission counts whoever has the role then: through groups, and directly, net with what else changes", async () => {
  const members = tenant.simulator.state().users.filter(({ groups }) => groups?.includes(SUPPORT)).length;
  const people = async (...more: object[]) =>
    allowed(await reviewed([allows(AGENT, "delete:tickets"), ...more]));
  const says = (count: number) => [
    `- ➕ support-agent ${AGENT} can now delete:tickets of ${API}: ${count} people, through p`,
  ];
  expect(await people()).toEqual(says(members + 1));
  expect(await people(gives("auth0|eve", AGENT), takes(DAN, AGENT))).toEqual(says(members + 1));
  expect(await people(gives("auth0|eve", AGENT))).toEqual(says(members + 2));
});

test("… in an organization too, where a group only moves to another assignment", async () => {
  const [ACME, ERIN] = ["org_acme", "auth0|erin"];
  tenant.seed({
    users: [{ user_id: CAROL, groups: [SUPPORT] }, { user_id: DAN, roles: [AGENT] }, { user_id: ERIN }],
    organizations: [
      {
        id: ACME,
        name: "acme",
        groups: [SUPPORT],
        roles: [{ id: AGENT, groups: [SUPPORT], members: [ERIN] }],
      },
    ],
  });
  const inAcme = { ...assignment(AGENT, [SUPPORT]), organizationId: ACME };
  const id = `${ACME}/${AGENT}`;
  const kind = "OrganizationRoleGroupAssignment";
  const review = await reviewed([
    allows(AGENT, "delete:tickets"),
    step({ kind, name: "old", id, before: inAcme }),
    step({ kind, name: "new", after: inAcme }),
  ]);
  expect(allowed(review)[0]).toMatch(/: 3 people, through p$/);
});

test("without the scopes, it says that there may be more", async () => {
  tenant.seed({ clients: clientsWithout("read:role_members", "read:users") });
  expect(allowed(await reviewed([allows(AGENT, "delete:tickets")]))[0]).toMatch(
    /: at least \d+ people, through p$/,
  );
});

const RULES = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;

test("a rule that only a user's role breaks is broken", async () => {
  const review = await reviewed([gives(CAROL, VIEWER)], { rules: RULES });
  expect(review.rules?.breaches.map(({ isNew, reason }) => [isNew, reason.toString()])).toEqual([
    [true, expect.stringContaining("rules.yaml:2")],
  ]);
  expect(review.categories).toContain("rules");
  expect((await reviewed([takes(DAN, AGENT)], { rules: RULES })).rules?.breaches).toEqual([]);
});

test("so is one that an unchanged user's role breaks together with a group's, without asking anybody", async () => {
  const before = { userId: CAROL, roleId: VIEWER };
  const held = auth0("userRole:UserRole", "carol", { op: "same", before, after: before });
  const also = auth0("userRole:UserRole", "other", { after: { userId: CAROL, roleId: AGENT } });
  const review = await reviewed([held, also], { rules: RULES, asks: false });
  expect(review.rules?.breaches.map(({ by }) => by.map(({ name }) => name).sort())).toEqual([
    ["carol", "other"],
  ]);
});

test("a user who is deleted breaks nothing any more, through groups neither", async () => {
  tenant.seed({
    users: [{ user_id: CAROL, groups: [SUPPORT, ADMINS] }],
    roles: [{ id: AGENT, groups: [SUPPORT] }, { id: VIEWER }],
  });
  const change = step({ name: "a", id: VIEWER, after: assignment(VIEWER, [ADMINS]) });
  const broken = async (...more: object[]) =>
    (await reviewed([change, ...more], { rules: RULES })).rules?.breaches.map(({ people }) => people);
  expect(await broken()).toEqual([[CAROL]]);
  const gone = { op: "delete", id: CAROL, before: { name: "carol" } };
  expect(await broken(auth0("user:User", "carol", gone))).toEqual([]);
  const kept = { ...gone, old: { retainOnDelete: true } };
  expect(await broken(auth0("user:User", "carol", kept))).toEqual([[CAROL]]);
});

test("what a rule forbids to have directly", async () => {
  const rules = `direct:\n  ${VIEWER}: forbid\n`;
  const review = await reviewed([gives(CAROL, VIEWER)], { rules });
  expect(review.rules?.breaches.map(({ rule, isNew, people }) => [rule, isNew, people])).toEqual([
    ["direct", true, [CAROL]],
  ]);
});

const ends = (id: string) => auth0("role:Role", "role", { id, before: { name: "role" } });
const losers = ({ access }: Review) => access.map(({ effect, holder }) => [effect, holder]);

test("a deleted role lists everybody who has it today", async () => {
  expect(losers(await reviewed([ends(AGENT)]))).toEqual([
    ["loses", { group: SUPPORT }],
    ["loses", { user: DAN }],
  ]);
});

test("… also who has a role of that id on another tenant, through this package", async () => {
  const elsewhere = assignment(AGENT, [SUPPORT], { tenant: "eu.example.com" });
  const state = step({ name: "eu", op: "same", id: AGENT, before: elsewhere });
  expect(losers(await reviewed([ends(AGENT), state]))).toEqual([
    ["loses", { group: SUPPORT }],
    ["loses", { user: DAN }],
  ]);
});

test("… also if no group has it, or nobody may read its groups", async () => {
  tenant.seed({ users: [{ user_id: DAN, roles: [VIEWER] }] });
  expect(losers(await reviewed([ends(VIEWER)]))).toEqual([["loses", { user: DAN }]]);
  tenant.seed({
    users: [{ user_id: DAN, roles: [AGENT] }],
    clients: clientsWithout("read:group_roles"),
  });
  expect(losers(await reviewed([ends(AGENT)]))).toEqual([["loses", { user: DAN }]]);
});

test("a permission that the role has already is none that it gains", async () => {
  const permissions = [
    {
      permission_name: "delete:tickets",
      description: "",
      resource_server_identifier: API,
      resource_server_name: "API",
    },
  ];
  const roles = DEFAULT_SEED.roles?.map((role) => (role.id === AGENT ? { ...role, permissions } : role));
  tenant.seed({ roles });
  expect((await reviewed([allows(AGENT, "delete:tickets")])).permissions).toEqual([]);
  expect((await reviewed([allows(AGENT, "edit:tickets")])).permissions).toHaveLength(1);
});

test("a user's role is asked about as one that changes; a permission asks for all groups with the role, too", async () => {
  const pathsOf = async (...steps: object[]) => {
    tenant.simulator.reset();
    await reviewed(steps);
    const reads = tenant.simulator.log().filter((line) => line.startsWith("GET"));
    const paths = reads.map((line) => line.replace(/\?.*| .*$|^\S+ \/api\/v2/g, ""));
    return [...new Set(paths.map((path) => path.replace(AGENT, "ROLE").replace(SUPPORT, "GROUP")))].sort();
  };
  const asked = [
    "/groups/GROUP/members",
    "/roles",
    "/roles/ROLE/groups",
    "/roles/ROLE/permissions",
    "/roles/ROLE/users",
  ];
  expect(await pathsOf(gives(CAROL, AGENT))).toEqual(asked);
  expect(await pathsOf(allows(AGENT, "delete:tickets"))).toEqual(asked);
});
