import { USER_ID } from "../../simulator/default-seed";
import { startSimulator, type Simulator } from "../../simulator/index";
import { type Answer, type Call, caller } from "../../testkit/test-client";

const ID = "auth0|a b/c";
const PATH = `/users/${encodeURIComponent(ID)}`;
const PERMISSIONS = Array.from({ length: 120 }, (_, index) => ({
  resource_server_identifier: "https://api.example.com/",
  permission_name: `read:${index}`,
}));
const IDENTITY = { connection: "directory", provider: "oidc", user_id: 7, isSocial: false };
const PROVIDER_TOKENS = { access_token: "pat", access_token_secret: "pats", refresh_token: "prt" };

let simulator: Simulator;
let as: Record<"users" | "idp" | "self" | "stranger", Call>;

beforeAll(async () => {
  simulator = await startSimulator({
    seed: {
      users: [
        {
          user_id: ID,
          email: "a@example.com",
          name: "A",
          blocked: false,
          identities: [{ ...IDENTITY, ...PROVIDER_TOKENS }],
          permissions: PERMISSIONS,
        },
        { user_id: "bare" },
      ],
      tokens: [
        { access_token: "users", scope: "read:users" },
        { access_token: "idp", scope: "read:user_idp_tokens" },
        { access_token: "self", scope: "read:current_user", subject: ID },
        { access_token: "stranger", scope: "read:current_user", subject: "bare" },
      ],
    },
  });
  as = {
    users: caller(simulator, "users"),
    idp: caller(simulator, "idp"),
    self: caller(simulator, "self"),
    stranger: caller(simulator, "stranger"),
  };
});
afterAll(() => simulator.close());

describe("GET /users/{id}", () => {
  const all = { user_id: ID, email: "a@example.com", name: "A", blocked: false, identities: [IDENTITY] };

  test("answers the user; what is unset is absent, and permissions are no field of it", async () => {
    expect((await as.users("GET", PATH)).body).toEqual(all);
    expect((await as.users("GET", "/users/bare")).body).toEqual({ user_id: "bare" });
  });

  test("identity tokens appear only with read:user_idp_tokens", async () => {
    expect((await as.idp("GET", PATH)).body).toEqual({
      ...all,
      identities: [{ ...IDENTITY, ...PROVIDER_TOKENS }],
    });
    for (const call of [as.users, as.self]) expect((await call("GET", PATH)).body).toEqual(all);
  });

  test("read:current_user reads oneself only", async () => {
    expect((await as.self("GET", PATH)).status).toBe(200);
    for (const path of [PATH, "/users/nobody"]) {
      const answer = await as.stranger("GET", path);
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({
        statusCode: 403,
        error: "Forbidden",
        message: "User to be acted on does not match subject in bearer token.",
      });
    }
  });

  test.each([
    ["fields=", all],
    ["fields=&include_fields=false", all],
    ["include_fields=false", all],
    ["fields=email,name", { email: "a@example.com", name: "A" }],
    ["fields=email,name&include_fields=true", { email: "a@example.com", name: "A" }],
    ["fields=email&include_fields=true", { email: "a@example.com" }],
    ["fields=nickname", {}],
    ["fields=email,name,identities&include_fields=false", { user_id: ID, blocked: false }],
  ])("?%s", async (query, expected) => {
    expect((await as.users("GET", `${PATH}?${query}`)).body).toEqual(expected);
  });

  test.each([
    ["include_fields=yes", "Expected type boolean but found type string' on property include_fields"],
    ["include_fields=", "Expected type boolean but found type string' on property include_fields"],
    ["page=1", "Additional properties not allowed: page' on property page"],
    ["fields=a&fields=b", "Expected type string but found type array' on property fields"],
  ])("?%s: 400", async (query, message) => {
    const answer = await as.users("GET", `${PATH}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      statusCode: 400,
      error: "Bad Request",
      message: `Query validation error: '${message}.`,
      errorCode: "invalid_query_string",
    });
  });

  test("an unknown user: 404", async () => {
    const answer = await as.users("GET", "/users/nobody");
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      statusCode: 404,
      error: "Not Found",
      message: "The user does not exist.",
      errorCode: "inexistent_user",
    });
  });

  test("a path that can't be decoded: 400", async () => {
    const answer = await as.users("GET", "/users/auth0%zz");
    expect(answer.body).toMatchObject({ statusCode: 400, errorCode: "invalid_uri" });
    expect(answer.headers.get("x-ratelimit-limit")).toBe("50");
    expect(simulator.log().at(-1)).toBe("GET /api/v2/users/auth0%zz 400");
  });

  test("a long id is no different", async () => {
    const { body } = await as.users("GET", `/users/${"x".repeat(600)}`);
    expect(body).toMatchObject({ errorCode: "inexistent_user" });
  });
});

describe("GET /users/{id}/permissions", () => {
  const names = ({ body }: Answer) =>
    (body as { permission_name: string }[]).map((item) => item.permission_name);
  const list = (query = "") => as.users("GET", `${PATH}/permissions${query}`);

  test("answers a plain array of 50 unless told otherwise", async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(PERMISSIONS.slice(0, 50));
  });

  test("pages", async () => {
    expect((await list("?per_page=100&page=1")).body).toEqual(PERMISSIONS.slice(100));
    expect(names(await list("?per_page=1&page=119"))).toEqual(["read:119"]);
    expect((await list("?per_page=100&page=2")).body).toEqual([]);
  });

  test("include_totals wraps the page", async () => {
    expect((await list("?include_totals=true&per_page=50&page=2")).body).toEqual({
      permissions: PERMISSIONS.slice(100),
      start: 100,
      limit: 50,
      total: 120,
    });
    expect((await list("?include_totals=true&page=9")).body).toMatchObject({ permissions: [], total: 120 });
    expect(Array.isArray((await list("?include_totals=false")).body)).toBe(true);
  });

  test.each([
    ["per_page=0", "Value 0 is less than minimum 1' on property per_page"],
    ["per_page=101", "Value 101 is greater than maximum 100' on property per_page"],
    ["page=-1", "Value -1 is less than minimum 0' on property page"],
    ["page=1.5", "Expected type integer but found type string' on property page"],
    ["include_totals=1", "Expected type boolean but found type string' on property include_totals"],
    ["take=5", "Additional properties not allowed: take' on property take"],
  ])("?%s: 400", async (query, message) => {
    expect((await list(`?${query}`)).body).toMatchObject({
      statusCode: 400,
      message: `Query validation error: '${message}.`,
      errorCode: "invalid_query_string",
    });
  });

  test("a user without permissions has an empty list, an unknown one is a 404", async () => {
    expect((await as.users("GET", "/users/bare/permissions")).body).toEqual([]);
    expect((await as.users("GET", "/users/nobody/permissions")).body).toMatchObject({
      errorCode: "inexistent_user",
    });
  });
});

test("the default tenant's user has permissions from a role, given directly, and both", async () => {
  const { users } = await startSimulator().then(async (one) => {
    await one.close();
    return one.state();
  });
  const sources = users
    .find((user) => user.user_id === USER_ID)!
    .permissions.map((permission) => permission.sources!.map((source) => source.source_type));
  expect(sources).toEqual([["ROLE"], ["DIRECT"], ["DIRECT", "ROLE"]]);
});
