import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { type SeedInput } from "../../../simulator";
import { AGENT, SUPPORT } from "../../../simulator/default-seed";
import { assignment, jsonOf, rules, useAccess } from "../../../testkit/cli/access";
import { clientsWithout } from "../../../testkit/cli/asked";
import { pageJson } from "../../../testkit/cli/pages";

/* What the roles allow, and who is in the groups: for a page, and for JSON. */

const { simulator, ...access } = useAccess();

const OTHER = "rol_2kVpYs6TgLc8dJmE";
const ALLOWED = {
  resource_server_identifier: "https://tickets.example.com/",
  permission_name: "read:tickets",
};

function ask(request: Partial<AccessRequest>, seed: Partial<SeedInput> = {}) {
  const roles = [
    { id: AGENT, name: "support-agent", groups: [SUPPORT], permissions: [ALLOWED] },
    { id: OTHER, name: "auditor" },
  ];
  const users = ["auth0|two", "auth0|one"].map((user_id) => ({ user_id, groups: [SUPPORT], roles: [OTHER] }));
  access.seed({ roles, users, ...seed });
  return access.ask({ a: assignment(AGENT, [SUPPORT]) }, { direct: false, ...request });
}

const sent = (part: string) => simulator.log().filter((line) => line.includes(part)).length;

test("are left out unless they are asked for", async () => {
  const json = jsonOf(await ask({}));
  expect(json.members).toBeUndefined();
  expect(json.roles.some(({ permissions }) => permissions !== undefined)).toBe(false);
  expect([sent("/permissions"), sent("/members")]).toEqual([0, 0]);
});

test("come with a request for each role, and for each group that has one", async () => {
  const json = jsonOf(await ask({ permissions: true, members: true }));
  expect(json.members).toEqual([
    { id: SUPPORT, people: { count: 2, more: false, ids: ["auth0|one", "auth0|two"] } },
  ]);
  expect(json.roles.map(({ name, permissions }) => [name, permissions])).toEqual([
    ["auditor", []],
    ["support-agent", [{ resourceServer: "https://tickets.example.com/", name: "read:tickets" }]],
  ]);
  expect(json.complete).toBe(true);
  expect([sent("/permissions"), sent("/members")]).toEqual([2, 1]);
});

test("are unknown without the scope, after one refusal", async () => {
  const clients = clientsWithout("read:group_members");
  const json = jsonOf(await ask({ members: true }, { clients }));
  expect(json.members).toEqual([{ id: SUPPORT, people: null }]);
  expect(json).toMatchObject({ complete: false, incomplete: [] });
  expect(json.unreadDetails).toEqual(["who is in some groups was not read (needs read:group_members)"]);
});

test("a page without people has no id of one, not even of those who break a rule", async () => {
  const forbid = rules(`direct:\n  ${OTHER}: forbid\n`);
  const answer = await ask({ rules: forbid, direct: true });
  expect(formatted(answer, "json")).toContain("auth0|one");
  const page = formatted(answer, "html");
  expect(pageJson(page)).toMatchObject({ rules: { breaches: [{ rule: "direct" }] } });
  expect(page).not.toContain("auth0|");
  expect(formatted(await ask({ rules: forbid, direct: true, people: true }), "html")).toContain("auth0|one");
});
