import {
  type Choices,
  describeChoices,
  type DocumentTenant,
  drawChoices,
  type Fault,
  OPEN,
  startDocumentTenant,
} from "../document-tenant";
import { FIXED_SEED, NEW_SEED } from "../properties";

const INDEXES = Array.from({ length: 40 }, (_, index) => index);
/** So many have each value of each choice. */
const LONGEST = Math.max(...Object.values(OPEN).map(({ length }) => length));
const GROUP_ID = /^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/;
/** Nothing that comes between a test and what the document describes. */
const UNDISTURBED = { bucket: "generous", gateway: "none" } as const;

interface Sent {
  body?: unknown;
  form?: URLSearchParams;
  token?: string;
  type?: string;
}

async function send(tenant: DocumentTenant, method: string, path: string, sent: Sent = {}) {
  const { body, form, token = tenant.accessToken, type } = sent;
  const headers = new Headers();
  if (token !== "") headers.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) headers.set("Content-Type", type ?? "application/json");
  const response = await fetch(tenant.url + path, {
    method,
    headers,
    body: form ?? (body === undefined ? null : JSON.stringify(body)),
    redirect: "manual",
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function json(tenant: DocumentTenant, method: string, path: string, sent?: Sent): Promise<unknown> {
  return JSON.parse((await send(tenant, method, path, sent)).text);
}

async function status(tenant: DocumentTenant, method: string, path: string, sent?: Sent): Promise<number> {
  return (await send(tenant, method, path, sent)).status;
}

const at = (...segments: string[]) => `/api/v2/${segments.map(encodeURIComponent).join("/")}`;

/** Prints the choices of a tenant that a test fails with. */
async function withTenant(
  given: Parameters<typeof startDocumentTenant>[0],
  test: (tenant: DocumentTenant) => Promise<void>,
) {
  const tenant = await startDocumentTenant(given);
  try {
    await test(tenant);
  } catch (error) {
    if (error instanceof Error) error.message += `\n\n${describeChoices(tenant.choices)}`;
    throw error;
  } finally {
    await tenant.close();
  }
}

function first(ids: readonly string[]): string {
  const [id] = ids;
  if (id === undefined) throw new Error("The tenant holds none.");
  return id;
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
      test(title, () => withTenant({ seed, index, ...UNDISTURBED }, run));

    scene("assigns groups to a role (4.3)", async (tenant) => {
      const { assignStatus, assignedAgain, brokenRule, missingGroup } = tenant.choices;
      const role = first(tenant.ids.roles);
      const path = at("roles", role, "groups");
      const [one = "", two = "", three = ""] = tenant.ids.groups;
      for (const id of [...tenant.ids.groups, tenant.missing.group]) expect(id).toMatch(GROUP_ID);
      expect(await status(tenant, "POST", path, { body: { groups: [one] } })).toBe(assignStatus);
      const form = new URLSearchParams(`groups=${two}&groups=${three}`);
      expect(await status(tenant, "POST", path, { form })).toBe(assignStatus);
      const again = await status(tenant, "POST", path, { body: { groups: [one] } });
      expect(again).toBe(assignedAgain === 409 ? 409 : assignStatus);
      expect(tenant.state().roles[role]).toEqual([one, two, three]);

      const bad = [
        {},
        [],
        { groups: [] },
        { groups: one },
        { groups: [`${one}0`] },
        { groups: ["grp_short"] },
      ];
      for (const body of bad) expect(await status(tenant, "POST", path, { body })).toBe(brokenRule);
      expect(await status(tenant, "POST", path, { body: { groups: [one] }, type: "text/plain" })).toBe(
        brokenRule,
      );
      expect(await status(tenant, "POST", path, { body: { groups: [tenant.missing.group] } })).toBe(
        missingGroup,
      );
      const nobody = at("roles", tenant.missing.role, "groups");
      expect(await status(tenant, "POST", nobody, { body: { groups: [one] } })).toBe(404);
      expect(tenant.state().roles[role]).toEqual([one, two, three]);
    });

    scene("updates a connection profile (4.4)", async (tenant) => {
      const { brokenRule, nestedObjects, nullFields, unknownFields, updateStatus } = tenant.choices;
      const id = tenant.ids.profiles[1] ?? "";
      const path = at("connection-profiles", id);
      const before = tenant.state().profiles[id];
      const change = async (body: unknown) => await json(tenant, "PATCH", path, { body });
      expect(await change({})).toEqual({ ...before, id });
      expect(await status(tenant, "PATCH", path, { body: {} })).toBe(updateStatus);
      expect(await change({ name: "😀".repeat(50) })).toEqual({ ...before, name: "😀".repeat(50) });
      const merged = nestedObjects === "merged" ? { timeout: 30 } : {};
      expect(await change({ connection_config: { retries: 1 } })).toMatchObject({ name: "😀".repeat(50) });
      expect(tenant.state().profiles[id]?.["connection_config"]).toEqual({ ...merged, retries: 1 });
      const cleared = await status(tenant, "PATCH", path, { body: { organization: null } });
      expect(cleared).toBe(nullFields === "cleared" ? updateStatus : brokenRule);
      const unknown = await status(tenant, "PATCH", path, { body: { surprise: 1 } });
      expect(unknown).toBe(unknownFields === "refused" ? brokenRule : updateStatus);
      expect("surprise" in (tenant.state().profiles[id] ?? {})).toBe(unknownFields === "kept");

      const after = tenant.state();
      const bad = [
        [],
        { id },
        { name: "" },
        { name: null },
        { name: "😀".repeat(51) },
        { organization: "x" },
        { connection_name_prefix_template: "-a" },
        { connection_name_prefix_template: "a--b" },
        { connection_name_prefix_template: "{other}" },
        { connection_name_prefix_template: "abcdefghijklmnop" },
        { enabled_features: ["scim", "other"] },
        { connection_config: [] },
        { strategy_overrides: { ad: { enabled_features: ["other"] } } },
        { strategy_overrides: { ad: [] } },
      ];
      for (const body of bad)
        expect([body, await status(tenant, "PATCH", path, { body })]).toEqual([body, brokenRule]);
      const nothing = at("connection-profiles", tenant.missing.profile);
      expect(await status(tenant, "PATCH", nothing, { body: {} })).toBe(404);
      expect(tenant.state()).toEqual(after);
    });

    scene("gives a token for the client's secret, and asks for one (5)", async (tenant) => {
      const { audience, clientAuthentication, tokenPath, tokenStatus, wrongAudience } = tenant.choices;
      const path = tokenPath === "both" ? "/oauth/token" : tokenPath;
      const form = new URLSearchParams({ grant_type: "client_credentials" });
      const ask = async (secret: string, wanted: string, address = path) => {
        const { clientId } = tenant;
        const asked = new URLSearchParams(form);
        asked.set("audience", wanted);
        const headers = new Headers();
        if (clientAuthentication === "header")
          headers.set("Authorization", `Basic ${btoa(`${clientId}:${secret}`)}`);
        else
          new URLSearchParams({ client_id: clientId, client_secret: secret }).forEach((value, name) =>
            asked.set(name, value),
          );
        return await fetch(tenant.url + address, {
          method: "POST",
          headers,
          body: asked,
          redirect: "manual",
        });
      };
      const accepted = audience === "absolute" ? `${tenant.url}/api/v2/` : "/api/v2/";
      const answer = await ask(tenant.clientSecret, accepted);
      expect(answer.status).toBe(tokenStatus);
      const { access_token } = (await answer.json()) as { access_token: string };
      expect(access_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      expect((await ask("wrong", accepted)).status).toBe(tenant.choices.wrongCredentials.status);
      expect((await ask(tenant.clientSecret, "/api/v3/")).status).toBe(wrongAudience.status);
      const other = path === "/oauth/token" ? "/oauth/token/" : "/oauth/token";
      const otherStatus = tokenPath === "both" ? tokenStatus : tenant.choices.otherTokenPath;
      expect((await ask(tenant.clientSecret, accepted, other)).status).toBe(otherStatus);

      const user = at("users", first(tenant.ids.users));
      const tokens = [access_token, tenant.accessToken, "", "other"];
      const statuses = await Promise.all(tokens.map((token) => status(tenant, "GET", user, { token })));
      expect(statuses).toEqual([200, 200, 401, 401]);
      const logged = tenant.requests().filter(({ method }) => method === "GET");
      expect(logged.map(({ authorization }) => authorization).sort()).toEqual(["bad", "none", "ok", "ok"]);
    });
  });
});

test("a planned fault hits the requests that it names, and no others", () =>
  withTenant(
    {
      seed: FIXED_SEED,
      index: 0,
      ...UNDISTURBED,
      operations: "documented",
      missingCredential: 404,
      deleteStatus: 204,
    },
    async (tenant) => {
      const [one = "", two = "", three = "", four = ""] = tenant.ids.credentials;
      const gone = async (id: string) => {
        const answer = await status(tenant, "DELETE", at("device-credentials", id)).catch(() => "no answer");
        return [answer, !tenant.state().credentials.includes(id)];
      };
      const plan = (id: string, fault: Pick<Fault, "action" | "processed">) => {
        tenant.fail({ method: "DELETE", path: `/device-credentials/${id}`, ...fault });
      };
      plan(one, { action: "drop", processed: true });
      plan(two, { action: "drop" });
      plan(three, { action: { status: 503, text: "<p>Back soon</p>", type: "text/html" } });
      expect(await gone(four)).toEqual([204, true]);
      expect(await gone(one)).toEqual(["no answer", true]);
      expect(await gone(two)).toEqual(["no answer", false]);
      expect(await gone(three)).toEqual([503, false]);
      expect([await gone(one), await gone(two), await gone(three)]).toEqual([
        [404, true],
        [204, true],
        [204, true],
      ]);
      const logged = tenant.requests().map((request) => [request.status, request.processed]);
      expect(logged.slice(0, 5)).toEqual([
        [204, true],
        ["dropped", true],
        ["dropped", false],
        [503, false],
        [404, true],
      ]);
    },
  ));
