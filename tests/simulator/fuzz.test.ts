import fc from "../../testkit/properties";
import { AGENT, USER_ID } from "../../simulator/default-seed";
import { useSimulator } from "../../testkit/simulator";
import { type Call, call, caller, tokenRequest } from "../../testkit/test-client";

const simulator = useSimulator();
let api: Call;

beforeAll(async () => {
  const { body } = await call(simulator.url, "POST", "/oauth/token", tokenRequest(simulator));
  api = caller(simulator, (body as { access_token: string }).access_token);
});

const id = fc.oneof(fc.constantFrom(USER_ID, AGENT), fc.string({ unit: "binary", maxLength: 30 }));
const target = fc
  .tuple(
    fc.constantFrom(
      "/users/:/permissions",
      "/users/:",
      "/users/:/effective-roles",
      "/users/:/effective-roles/sources/groups",
      "/roles",
      "/roles/:/groups",
      "/groups/:",
      "/groups/:/roles",
      "/connection-profiles/:",
      "/connection-profiles",
      "/device-credentials",
      "/device-credentials/:",
    ),
    id,
    fc.dictionary(
      fc.constantFrom(
        "fields",
        "include_fields",
        "page",
        "per_page",
        "include_totals",
        "from",
        "take",
        "role_id",
        "name_filter",
        "type",
        "x",
      ),
      fc.string({ maxLength: 8 }),
      { maxKeys: 3 },
    ),
  )
  .map(
    ([path, value, query]) =>
      `${path.replace(":", () => encodeURIComponent(value))}?${new URLSearchParams(query).toString()}`,
  );
const profile = fc.record(
  {
    name: fc.oneof(fc.string(), fc.constant(null)),
    organization: fc.dictionary(fc.constantFrom("show_as_button", "__proto__", "x"), fc.jsonValue()),
    connection_name_prefix_template: fc.string({ unit: fc.constantFrom("a", "-", "{org_id}", "_") }),
    strategy_overrides: fc.dictionary(fc.constantFrom("oidc", "__proto__"), fc.jsonValue()),
    provisioning: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(fc.jsonValue(), profile, fc.record({ groups: fc.array(fc.string()) }));

test("no input makes the simulator fail: its answers stay below 500 and carry the rate limit", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PATCH", "DELETE"),
      target,
      body,
      async (method, path, json) => {
        const {
          status,
          headers,
          body: answer,
        } = await api(method, path, method === "GET" ? undefined : JSON.stringify(json), {
          "content-type": "application/json",
        });
        expect(status).toBeLessThan(500);
        expect(headers.get("x-ratelimit-limit")).toBe("1000000");
        if (status >= 400)
          expect(answer).toMatchObject({ statusCode: status, message: expect.any(String) as string });
      },
    ),
    { numRuns: 500 },
  );
});
