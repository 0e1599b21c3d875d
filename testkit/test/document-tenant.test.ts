import {
  type Choices,
  describeChoices,
  type DocumentTenant,
  drawChoices,
  OPEN,
  startDocumentTenant,
} from "../document-tenant";
import { FIXED_SEED, NEW_SEED } from "../properties";

/* Rules of the document that the provider never breaks; tests/contract/document.test.ts has what it sends. */

const INDEXES = Array.from({ length: 40 }, (_, index) => index);
/** So many have each value of each choice. */
const LONGEST = Math.max(...Object.values(OPEN).map(({ length }) => length));
const GROUP_ID = /^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/;
/** Nothing that comes between a test and what the document describes. */
const UNDISTURBED = { bucket: "generous", gateway: "none" } as const;

/** Sends as JSON what isn't a form. */
async function send(
  tenant: DocumentTenant,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<number> {
  const isForm = body instanceof URLSearchParams;
  const { status } = await fetch(tenant.url + path, {
    method,
    headers: {
      authorization: `Bearer ${tenant.accessToken}`,
      ...(!isForm && body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
  return status;
}

const at = (...segments: string[]) => `/api/v2/${segments.map(encodeURIComponent).join("/")}`;

/** Prints the choices of a tenant that a test fails with. */
async function withTenant(
  given: Parameters<typeof startDocumentTenant>[0],
  test: (tenant: DocumentTenant) => Promise<void>,
) {
  const tenant = await startDocumentTenant({ ...given, ...UNDISTURBED });
  try {
    await test(tenant);
  } catch (error) {
    if (error instanceof Error) error.message += `\n\n${describeChoices(tenant.choices)}`;
    throw error;
  } finally {
    await tenant.close();
  }
}

describe.each([
  [FIXED_SEED, INDEXES.slice(0, LONGEST)],
  [NEW_SEED, INDEXES.slice(0, 4)],
])("with seed %i", (seed, tenantsToStart) => {
  test("the first tenants have each value of each choice, and forty differ and come again", () => {
    const tenants = INDEXES.map((index) => drawChoices(seed, index));
    for (const [name, values] of Object.entries<readonly unknown[]>(OPEN)) {
      const drawn = tenants.slice(0, LONGEST).map((choices) => choices[name as keyof Choices]);
      expect(new Set(drawn)).toEqual(new Set(values));
    }
    expect(INDEXES.map((index) => drawChoices(seed, index))).toEqual(tenants);
    expect(new Set(tenants.map((choices) => describeChoices({ ...choices, index: 0 }))).size).toBe(40);
  });

  describe.each(tenantsToStart)("tenant %i", (index) => {
    const scene = (title: string, run: (tenant: DocumentTenant) => Promise<void>) =>
      test(title, () => withTenant({ seed, index }, run));

    scene("assigns groups to a role (4.3)", async (tenant) => {
      const { assignStatus, assignedAgain, brokenRule, missingGroup } = tenant.choices;
      const [role = ""] = tenant.ids.roles;
      const [one = "", two = "", three = ""] = tenant.ids.groups;
      const assign = (body: unknown, to = role, headers = {}) =>
        send(tenant, "POST", at("roles", to, "groups"), body, headers);
      for (const id of [...tenant.ids.groups, tenant.missing.group]) expect(id).toMatch(GROUP_ID);
      expect(await assign({ groups: [one] })).toBe(assignStatus);
      expect(await assign(new URLSearchParams(`groups=${two}&groups=${three}`))).toBe(assignStatus);
      expect(await assign({ groups: [one] })).toBe(assignedAgain === 409 ? 409 : assignStatus);
      const bad = [{}, [], ...[[], one, [`${one}0`], ["grp_short"]].map((groups) => ({ groups }))];
      for (const body of bad) expect([body, await assign(body)]).toEqual([body, brokenRule]);
      expect(await assign({ groups: [one] }, role, { "content-type": "text/plain" })).toBe(brokenRule);
      expect(await assign({ groups: [tenant.missing.group] })).toBe(missingGroup);
      expect(await assign({ groups: [one] }, tenant.missing.role)).toBe(404);
      expect(tenant.state().roles[role]).toEqual([one, two, three]);
    });

    scene("updates a connection profile (4.4)", async (tenant) => {
      const { brokenRule, nestedObjects, nullFields, unknownFields, updateStatus } = tenant.choices;
      const [, id = ""] = tenant.ids.profiles;
      const update = (body: unknown, of = id) => send(tenant, "PATCH", at("connection-profiles", of), body);
      const before = tenant.state().profiles[id];
      const name = "😀".repeat(50);
      const known = { name, connection_config: { retries: 1 } };
      expect([await update({}), await update(known)]).toEqual([updateStatus, updateStatus]);
      const kept = nestedObjects === "merged" ? { timeout: 30 } : {};
      expect(tenant.state().profiles[id]).toEqual({
        ...before,
        name,
        connection_config: { ...kept, retries: 1 },
      });
      expect(await update({ organization: null })).toBe(nullFields === "cleared" ? updateStatus : brokenRule);
      expect(await update({ surprise: 1 })).toBe(unknownFields === "refused" ? brokenRule : updateStatus);
      expect("surprise" in (tenant.state().profiles[id] ?? {})).toBe(unknownFields === "kept");

      const after = tenant.state();
      const bad = [
        [],
        { id },
        ...["", null, "😀".repeat(51)].map((name) => ({ name })),
        { organization: "x" },
        ...["-a", "a--b", "{other}", "abcdefghijklmnop"].map((text) => ({
          connection_name_prefix_template: text,
        })),
        { enabled_features: ["scim", "other"] },
        { connection_config: [] },
        ...[{ enabled_features: ["other"] }, []].map((ad) => ({ strategy_overrides: { ad } })),
      ];
      for (const body of bad) expect([body, await update(body)]).toEqual([body, brokenRule]);
      expect(await update({}, tenant.missing.profile)).toBe(404);
      expect(tenant.state()).toEqual(after);
    });

    scene("gives a token for the client's secret, and asks for one (5)", async (tenant) => {
      const { audience, clientAuthentication, tokenPath, tokenStatus, otherTokenPath } = tenant.choices;
      const { wrongAudience, wrongCredentials } = tenant.choices;
      const path = tokenPath === "both" ? "/oauth/token" : tokenPath;
      const known = audience === "absolute" ? `${tenant.url}/api/v2/` : "/api/v2/";
      const ask = (secret = tenant.clientSecret, audience = known, address = path) => {
        const isHeader = clientAuthentication === "header";
        const { clientId } = tenant;
        const form = new URLSearchParams({
          grant_type: "client_credentials",
          audience,
          ...(!isHeader && { client_id: clientId, client_secret: secret }),
        });
        const authorization = isHeader ? `Basic ${btoa(`${clientId}:${secret}`)}` : "";
        return send(tenant, "POST", address, form, { authorization });
      };
      expect(await ask()).toBe(tokenStatus);
      expect(await ask("wrong")).toBe(wrongCredentials.status);
      expect(await ask(tenant.clientSecret, "/api/v3/")).toBe(wrongAudience.status);
      const other = path === "/oauth/token" ? "/oauth/token/" : "/oauth/token";
      expect(await ask(tenant.clientSecret, known, other)).toBe(
        tokenPath === "both" ? tokenStatus : otherTokenPath,
      );
      const [user = ""] = tenant.ids.users;
      for (const authorization of ["", "Bearer other"])
        expect(await send(tenant, "GET", at("users", user), undefined, { authorization })).toBe(401);
    });
  });
});
