import { type BehaviourInput } from "../../simulator/index";
import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

const numbered = (prefix: string, index: number) => `${prefix}${String(index + 111).replaceAll("0", "Z")}`;
const GROUPS = Array.from({ length: 120 }, (_, index) => numbered("grp_AAAAAAAAAAAA", index));
const [A, B, C] = GROUPS as [string, string, string];
const UNKNOWN = "grp_zzzzzzzzzzzzzz";
const PATH = "/roles/rol_one/groups";

const simulator = useSimulator();
const api = caller(simulator, "all");
beforeEach(() => seed());

function seed(roles: { id: string; groups?: string[] }[] = [], behaviour: BehaviourInput = {}) {
  simulator.seed({
    tokens: [{ access_token: "all", scope: "create:group_roles read:group_roles delete:group_roles" }],
    groups: GROUPS.map((id) => ({ id, name: `group ${id}` })),
    roles: [{ id: "rol_one", groups: [A] }, { id: "rol_two" }, ...roles],
    behaviour,
  });
}

const assigned = (role = "rol_one") => simulator.state().roles.find(({ id }) => id === role)!.groups;

describe("POST /roles/{id}/groups", () => {
  test("assigns: 204 without a body", async () => {
    const answer = await api("POST", PATH, { groups: [B, C] });
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect(assigned()).toEqual([A, B, C]);
    expect(assigned("rol_two")).toEqual([]);
  });

  test.each([
    ["one", [["groups", B]], [A, B]],
    [
      "several",
      [
        ["groups", B],
        ["groups", C],
      ],
      [A, B, C],
    ],
    ["one with brackets", [["groups[]", B]], [A, B]],
    [
      "several with brackets",
      [
        ["groups[]", B],
        ["groups[]", C],
      ],
      [A, B, C],
    ],
  ])("takes a form: %s", async (_what, form, expected) => {
    const body = new URLSearchParams(form as [string, string][]);
    expect((await api("POST", PATH, body)).status).toBe(204);
    expect(assigned()).toEqual(expected);
  });

  test.each([
    ["no list", {}, "Missing required property: groups' on property groups"],
    ["an empty list", { groups: [] }, "Array is too short (0), minimum 1' on property groups"],
    ["no list but a text", { groups: A }, "Expected type array but found type string' on property groups"],
    [
      "a short id",
      { groups: [B, "grp_1"] },
      "String is too short (5 chars), minimum 18' on property groups.1",
    ],
    [
      "a long id",
      { groups: [`grp_${"1".repeat(23)}`] },
      "String is too long (27 chars), maximum 26' on property groups.0",
    ],
    [
      "a sign that is not in the alphabet",
      { groups: ["grp_AAAAAAAAAAAAA0"] },
      "String does not match pattern /^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/' on property groups.0",
    ],
    [
      "another field",
      { groups: [B], role: "x" },
      "Additional properties not allowed: role' on property role",
    ],
  ])("%s: 400", async (_what, body, message) => {
    const answer = await api("POST", PATH, body);
    expect(answer.body).toEqual({
      statusCode: 400,
      error: "Bad Request",
      message: `Payload validation error: '${message}.`,
      errorCode: "invalid_body",
    });
    expect(assigned()).toEqual([A]);
  });

  test("no body, or one that is neither JSON nor a form: 400 and 415", async () => {
    expect((await api("POST", PATH)).body).toMatchObject({ statusCode: 400, errorCode: "invalid_body" });
    expect((await api("POST", PATH, "{", { "content-type": "application/json" })).body).toMatchObject({
      statusCode: 400,
      message: "Invalid request payload JSON format",
    });
    expect((await api("POST", PATH, "<a/>", { "content-type": "application/xml" })).status).toBe(415);
  });

  test("an unknown group: 404, and nothing is assigned", async () => {
    expect((await api("POST", PATH, { groups: [B, UNKNOWN] })).status).toBe(404);
    expect(assigned()).toEqual([A]);
  });

  test("a group has at most 10 roles", async () => {
    seed(Array.from({ length: 9 }, (_, index) => ({ id: `rol_${index}`, groups: [B] })));
    expect((await api("POST", PATH, { groups: [B] })).status).toBe(204);
    const answer = await api("POST", "/roles/rol_two/groups", { groups: [C, B] });
    expect(answer.body).toMatchObject({ statusCode: 403, errorCode: "insufficient_entitlement" });
    expect(assigned("rol_two")).toEqual([]);
    expect((await api("POST", PATH, { groups: [B] })).status).toBe(204);
  });

  test("at most 100 distinct roles are on groups", async () => {
    seed(Array.from({ length: 99 }, (_, index) => ({ id: `rol_${index}`, groups: [GROUPS[index + 3]!] })));
    expect((await api("POST", "/roles/rol_two/groups", { groups: [B] })).body).toMatchObject({
      statusCode: 403,
      errorCode: "insufficient_entitlement",
    });
    expect((await api("POST", PATH, { groups: [B] })).status).toBe(204);
  });

  test("assign_assigned_group", async () => {
    expect((await api("POST", PATH, { groups: [A, B] })).status).toBe(204);
    expect(assigned()).toEqual([A, B]);
    seed([], { assign_assigned_group: "error" });
    expect((await api("POST", PATH, { groups: [B, A] })).status).toBe(400);
    expect(assigned()).toEqual([A]);
  });

  test("max_groups_per_call", async () => {
    expect((await api("POST", PATH, { groups: GROUPS })).status).toBe(204);
    seed([], { max_groups_per_call: 2 });
    expect((await api("POST", PATH, { groups: [A, B, C] })).body).toMatchObject({
      statusCode: 400,
      message: "Payload validation error: 'Array is too long (3), maximum 2' on property groups.",
    });
    expect((await api("POST", PATH, { groups: [B, C] })).status).toBe(204);
    expect((await api("DELETE", PATH, { groups: [A, B, C] })).status).toBe(400);
  });
});

describe("DELETE /roles/{id}/groups", () => {
  test("removes: 204 without a body", async () => {
    await api("POST", PATH, { groups: [B, C] });
    const answer = await api("DELETE", PATH, { groups: [A, C] });
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect(assigned()).toEqual([B]);
  });

  test("needs its body", async () => {
    expect((await api("DELETE", PATH)).body).toMatchObject({ statusCode: 400, errorCode: "invalid_body" });
    expect((await api("DELETE", PATH, { groups: [] })).status).toBe(400);
    expect((await api("DELETE", PATH, new URLSearchParams({ groups: A }))).status).toBe(415);
    expect(assigned()).toEqual([A]);
  });

  test("remove_absent_group", async () => {
    expect((await api("DELETE", PATH, { groups: [B, UNKNOWN] })).status).toBe(204);
    seed([], { remove_absent_group: "error" });
    expect((await api("DELETE", PATH, { groups: [A, B] })).status).toBe(404);
    expect(assigned()).toEqual([A]);
  });
});

describe("GET /roles/{id}/groups", () => {
  type Page = { groups: { id: string; name: string }[]; next?: string };
  const page = async (query = "") => (await api("GET", PATH + query)).body as Page;

  test("answers groups, and no cursor if there are no more", async () => {
    expect(await page()).toEqual({ groups: [{ id: A, name: `group ${A}` }] });
    expect((await api("GET", "/roles/rol_two/groups")).body).toEqual({ groups: [] });
  });

  test("a cursor keeps its place when entries before it go", async () => {
    await api("POST", PATH, { groups: [B, C] });
    const { next } = await page("?take=2");
    await api("DELETE", PATH, { groups: [A, B] });
    expect((await page(`?from=${next}`)).groups.map(({ id }) => id)).toEqual([C]);
  });
});
