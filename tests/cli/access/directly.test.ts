import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { findingsIn } from "../../../cli/access/roles";
import { type SeedInput } from "../../../simulator";
import { AGENT, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { assignment, csvRows, jsonOf, rules, useAccess } from "../../../testkit/cli/access";

/* People who have a role directly, without a group. */

const { simulator, ...access } = useAccess();

const USERS = [
  { user_id: "auth0|one", groups: [SUPPORT], roles: [AGENT] },
  { user_id: "auth0|two", roles: [AGENT] },
  { user_id: "auth0|three", groups: [SUPPORT] },
];

function ask(request: Partial<AccessRequest> = {}, seed: Partial<SeedInput> = {}) {
  const roles = [
    { id: AGENT, name: "support-agent", groups: [SUPPORT] },
    { id: VIEWER, name: "billing-viewer" },
  ];
  access.seed({ users: USERS, roles, ...seed });
  return access.ask({ a: assignment(AGENT, [SUPPORT]) }, request);
}

const listed = () => simulator.log().filter((line) => line.includes("/users?"));

test("are counted for every role, after its groups, and counted as no grant of a group", async () => {
  const answer = await ask();
  const json = jsonOf(answer);
  expect(json.roles.map(({ name, people }) => [name, people])).toEqual([
    ["billing-viewer", { count: 0, more: false }],
    ["support-agent", { count: 2, more: false }],
  ]);
  expect(json.complete).toBe(true);
  expect(json.counts).toMatchObject({ grants: 1, managed: 1 });
  expect(listed()).toHaveLength(2);
  const text = formatted(answer, "text");
  expect(text).toMatch(
    /support-desk +grp_\w+ +a in access\/prod \(index\.ts:1\)\n +directly +2 people +by hand: assignments give roles to groups, not to users\n/,
  );
  expect(text).not.toContain("Lists roles granted through groups");
  expect(formatted(answer, "markdown")).toMatch(/\| directly \| 2 people \| by hand: /);
  expect(JSON.stringify(json) + text).not.toContain("auth0|");
});

test("are named with --people", async () => {
  const answer = await ask({ people: true });
  expect(jsonOf(answer).roles[1]?.people?.ids).toEqual(["auth0|one", "auth0|two"]);
  const text = formatted(answer, "text");
  expect(text).toMatch(/directly +auth0\|one +by hand.*\n +directly +auth0\|two +by hand/);
  expect(text).not.toMatch(/directly +2 people/);
  expect(text).toContain("\n2 people have one of these roles directly.\n");
});

test("are rows of a spreadsheet, with the rules that they break", async () => {
  const forbid = rules(`direct:\n  ${AGENT}: forbid\n`);
  const rowsOf = async (request: Partial<AccessRequest>, seed?: Partial<SeedInput>) => {
    const rows = csvRows(await ask(request, seed)).filter(({ status }) => status === "direct");
    return rows.map((row) => ["role_name", "group_id", "people", "breaks"].map((name) => row[name]));
  };
  expect(await rowsOf({ rules: forbid })).toEqual([["support-agent", "", "2", "direct line 2"]]);
  expect(await rowsOf({ rules: forbid, people: true })).toEqual([
    ["support-agent", "", "auth0|one", "direct line 2"],
    ["support-agent", "", "auth0|two", "direct line 2"],
  ]);
  const clients = clientsWithout("read:role_members", "read:users");
  expect((await rowsOf({}, { clients })).map(([name, , people]) => [name, people])).toEqual([
    ["billing-viewer", "unknown"],
    ["support-agent", "unknown"],
  ]);
});

test("are unknown without the scope: the answer says so, after one refusal, and finds nothing else", async () => {
  const answer = await ask({}, { clients: clientsWithout("read:role_members", "read:users") });
  const told = "who has 2 roles directly was not read (needs read:role_members or read:users)";
  const json = jsonOf(answer);
  expect(json).toMatchObject({ complete: false, incomplete: [], unreadPeople: [told] });
  expect(json.roles.map(({ people }) => people)).toEqual([null, null]);
  expect(formatted(answer, "text")).toContain(`Not complete: ${told}`);
  expect(listed()).toHaveLength(1);
  expect(findingsIn(answer)).toEqual([]);
});

test("that are more than 1,000 are not counted further", async () => {
  const users = Array.from({ length: 1_100 }, (_, at) => ({ user_id: `auth0|${at}`, roles: [AGENT] }));
  const answer = await ask({}, { users });
  expect(jsonOf(answer).complete).toBe(false);
  expect(jsonOf(answer).roles[1]?.people).toEqual({ count: 1_000, more: true });
  expect(formatted(answer, "text")).toMatch(/directly +more than 1,000 people /);
  expect(listed()).toHaveLength(1 + 10);
});

test.each([
  ["--no-direct", { direct: false }],
  ["--group", { group: [SUPPORT] }],
])("are not asked for with %s, and a note says what is listed", async (_, request) => {
  const answer = await ask(request);
  expect(jsonOf(answer)).toMatchObject({ complete: true });
  expect(jsonOf(answer).roles.every((role) => !("people" in role))).toBe(true);
  expect(listed()).toEqual([]);
  expect(formatted(answer, "text")).toContain("Lists roles granted through groups.");
});

test("are added up over the roles: people if they are named, or else grants", async () => {
  const users = [
    { user_id: "auth0|one", roles: [AGENT, VIEWER] },
    { user_id: "auth0|two", roles: [AGENT] },
  ];
  const text = async (request: Partial<AccessRequest>) => formatted(await ask(request, { users }), "text");
  expect(await text({ people: true })).toContain("2 people have one of these roles directly.");
  expect(await text({})).toContain("3 direct grants to people; --people tells who has several.");
});
