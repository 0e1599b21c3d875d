import { type Call } from "../../provider/http/call";
import { type Act, grants, keyOf, keysOfCall, revocations } from "../../provider/review/act";

/* What a call does. A call of another act, edge or object never has a key that was allowed for this one. */

const HERE = { role: "r" };
const THERE = { organization: "o", role: "r" };
/** The objects have one id, so that only their kind tells them apart. */
const ID = "x";

const TENANT_GROUPS = "/roles/{id}/groups";
const ORGANIZATION_ROLES = "/organizations/{organization}/groups/{group}/roles";
const call = (method: Call<unknown>["method"], path: string, ids: Record<string, string>, body?: object) => ({
  method,
  path,
  ids,
  ...(body !== undefined && { body }),
  scopes: [],
});
const ofTenant = (method: "POST" | "DELETE", role: string, ...groups: string[]) =>
  call(method, TENANT_GROUPS, { id: role }, { groups });
const ofOrganization = (
  method: "POST" | "DELETE",
  [organization, group]: [string, string],
  ...roles: string[]
) => call(method, ORGANIZATION_ROLES, { organization, group }, { roles });

const CALLS: [Call<unknown>, Act[]][] = [
  [ofTenant("POST", "r", "g", "h"), grants(HERE, ["g", "h"], undefined)],
  [ofTenant("DELETE", "r", "g", "h"), revocations(HERE, ["g", "h"])],
  [ofTenant("POST", "s", "g"), grants({ role: "s" }, ["g"], undefined)],
  [ofOrganization("POST", ["o", "g"], "r"), grants(THERE, ["g"], undefined)],
  [ofOrganization("DELETE", ["o", "g"], "r"), revocations(THERE, ["g"])],
  [ofOrganization("DELETE", ["o", "h"], "r"), revocations(THERE, ["h"])],
  [call("POST", "/connection-profiles", {}), [{ act: "create profile", wanted: {} }]],
  [
    call("PATCH", "/connection-profiles/{id}", { id: ID }),
    [{ act: "change profile", id: ID, wanted: {}, had: {} }],
  ],
  [call("DELETE", "/connection-profiles/{id}", { id: ID }), [{ act: "delete profile", id: ID }]],
  [call("DELETE", "/connection-profiles/{id}", { id: "y" }), [{ act: "delete profile", id: "y" }]],
  [call("DELETE", "/device-credentials/{id}", { id: ID }), [{ act: "remove credential", id: ID }]],
];

test.each(CALLS.map(([call, acts]) => ({ name: `${call.method} ${call.path}`, call, acts })))(
  "$name has the keys of its acts",
  ({ call, acts }) => {
    expect(keysOfCall(call)).toEqual(acts.map(keyOf));
  },
);

test("each act has its own key", () => {
  const keys = CALLS.flatMap(([, acts]) => acts.map(keyOf));
  expect(new Set(keys).size).toBe(keys.length);
});

test("what no call tells is in no key: ends, certainty, settings", () => {
  const wanted = { name: "a" };
  const pairs: [Act, Act][] = [
    ...grants(HERE, ["g"], undefined).map((act): [Act, Act] => [act, { ...act, until: "2030-12-31" } as Act]),
    ...revocations(HERE, ["g"]).map((act): [Act, Act] => [act, { ...act, when: "perhaps" } as Act]),
    [
      { act: "create profile", wanted: {} },
      { act: "create profile", wanted },
    ],
    [
      { act: "change profile", id: ID, wanted: {}, had: {} },
      { act: "change profile", id: ID, wanted, had: wanted },
    ],
  ];
  for (const [one, other] of pairs) expect(keyOf(one)).toBe(keyOf(other));
});

test.each<[string, Call<unknown>]>([
  ["several roles of a group", ofOrganization("POST", ["o", "g"], "r", "s")],
  ["no role", ofOrganization("DELETE", ["o", "g"])],
  ["another path", call("DELETE", "/users/{id}", { id: ID })],
  ["another method", call("PATCH", "/device-credentials/{id}", { id: ID })],
])("no act has a call of %s", (_, call) => {
  expect(keysOfCall(call)).toBeUndefined();
});
