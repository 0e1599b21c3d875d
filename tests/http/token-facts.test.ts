import { tokenFacts } from "../../provider/http/token";
import { closeAll, GIVEN_TOKEN, startTenant } from "../../testkit/client";

afterEach(closeAll);

function jsonWebToken(claims: unknown): string {
  const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url");
  return `${part({ alg: "RS256" })}.${part(claims)}.c2ln`;
}

test.each([
  [
    "what the answer says counts",
    jsonWebToken({ scope: "read:a", permissions: ["read:b"] }),
    "read:c read:d",
    ["read:c", "read:d"],
  ],
  ["an answer may grant nothing", jsonWebToken({ scope: "read:a" }), "", []],
  [
    "otherwise the claims",
    jsonWebToken({ scope: "read:a read:b", permissions: ["read:b", "read:c"] }),
    undefined,
    ["read:a", "read:b", "read:c"],
  ],
  ["permissions alone", jsonWebToken({ permissions: ["read:a"] }), undefined, ["read:a"]],
  ["no claims", jsonWebToken({ sub: "me" }), undefined, undefined],
  ["claims of another shape", jsonWebToken({ scope: 7, permissions: "read:a" }), undefined, undefined],
  ["no JSON Web Token", GIVEN_TOKEN, undefined, undefined],
  ["claims that are no object", jsonWebToken([1]), undefined, undefined],
])("scopes: %s", async (_, token, scope, scopes) => {
  expect((await tokenFacts(token, undefined, scope)).scopes).toEqual(scopes);
});

test("when it ends and for whom it is", async () => {
  const facts = await tokenFacts(
    jsonWebToken({ exp: 1_700_000_000, aud: "https://a/" }),
    undefined,
    undefined,
  );
  expect(facts).toMatchObject({ expiresAt: 1_700_000_000_000, audiences: ["https://a/"] });
  expect((await tokenFacts(jsonWebToken({ aud: ["a", "b"] }), undefined, undefined)).audiences).toEqual([
    "a",
    "b",
  ]);
});

test("the client tells where the token came from, asks for one token, and tells of each answer", async () => {
  const { simulator, client } = await startTenant({ behaviour: { audience: "relative" } });
  const facts = await client.tokenFacts();
  expect(facts).toMatchObject({ asked: { path: "/oauth/token", audience: "/api/v2/" } });
  expect(facts.scopes).toContain("read:users");
  await client.tokenFacts();
  expect(simulator.log()).toEqual(["POST /oauth/token 403", "POST /oauth/token 200"]);
});
