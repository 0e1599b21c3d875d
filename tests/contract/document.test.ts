import { getUser, getUserPermissions, NotFoundError } from "../../provider";
import { environmentName, type SettingName } from "../../provider/pulumi/settings-table";
import { clientOf, closeAll, failure } from "../../testkit/client";
import {
  type Answer,
  type Choices,
  describeChoices,
  drawChoices,
  type DocumentTenant,
  OPEN,
  startDocumentTenant,
  type TenantState,
} from "../../testkit/document-tenant";
import {
  assignment,
  Engine,
  profile,
  type Program,
  removal,
  type Run,
  RunFailed,
  signOut,
} from "../../testkit/engine";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { FIXED_SEED, NEW_SEED, runsOf } from "../../testkit/properties";
import { hostsOfWays, type WayName } from "../../testkit/ways";
import { withoutVariables, withVariables } from "../host/environment";

/*
 * What the source document has, on tenants that somebody has drawn from it without a look at the client. Each
 * choice that it leaves open is another one from tenant to tenant.
 */

const TENANTS = runsOf(24);
const hosts = hostsOfWays();
catchLines();
afterEach(closeAll);
afterEach(withoutVariables);

/** We don't take a client's secret in a header, and errors without a JSON object, which any host has. */
const SHAPES = OPEN.errorShape.filter((shape) => shape !== "text");
const SECRETS = OPEN.clientAuthentication.filter((place) => place !== "header");

interface Scene {
  tenant: DocumentTenant;
  engine: Engine;
  isAlone: boolean;
}

const inTurn = <Item>(items: readonly Item[], index: number) => items[index % items.length] as Item;
const first = <Item>([item]: readonly Item[]) => item as Item;

const scenes = [FIXED_SEED, NEW_SEED].flatMap((seed) =>
  Array.from({ length: TENANTS }, (_, index) => ({
    seed,
    index,
    way: inTurn(Object.keys(hosts) as WayName[], index),
    scheme: index % 2 === 0 ? ("client credentials" as const) : ("a given token" as const),
  })),
);

async function play(
  { seed, index, way, scheme }: (typeof scenes)[number],
  story: (scene: Scene) => Promise<void>,
): Promise<void> {
  const tenant = await startDocumentTenant({
    seed,
    index,
    bucket: "generous",
    // A redirect in place of an answer fails the read, as it should.
    gateway: drawChoices(seed, index).gateway === "error pages" ? "error pages" : "none",
    errorShape: inTurn(SHAPES, index),
    clientAuthentication: inTurn(SECRETS, index),
  });
  const credentials: Record<string, string> = {
    "client credentials": {
      "identity:clientId": tenant.clientId,
      "identity:clientSecret": tenant.clientSecret,
    },
    "a given token": { "identity:accessToken": tenant.accessToken },
  }[scheme];
  const engine = new Engine(tenant, { startHost: hosts[way] });
  engine.config = {
    "identity:domain": tenant.url,
    "identity:requestTimeoutSeconds": "5",
    ...credentials,
  };
  try {
    await story({ tenant, engine, isAlone: tenant.choices.operations === "documented" });
  } catch (error) {
    const log = tenant
      .requests()
      .map(({ method, path, status, body }) => `${method} ${path} ${body} ${status}`);
    (error as Error).message += `\n\n${describeChoices(tenant.choices)}\n${log.slice(-20).join("\n")}`;
    throw error;
  } finally {
    await tenant.close();
  }
}

async function attempt(run: Promise<Run>): Promise<Run> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof RunFailed) return error.run;
    throw error;
  }
}

/** The program and its tenant agree, and a second run has nothing to do. */
async function settles({ engine }: Scene, program: Program): Promise<void> {
  await engine.up(program);
  expect((await engine.preview(program)).steps).toEqual([]);
}

const title = "tenant $index of seed $seed, $way, $scheme";

describe("an assignment", () => {
  test.each(scenes)(title, (scene) =>
    play(scene, async (playing) => {
      const { tenant, engine, isAlone } = playing;
      const roleId = first(tenant.ids.roles);
      const [one = "", two = "", three = ""] = tenant.ids.groups;
      const groups = () => [...(tenant.state().roles[roleId] ?? [])].sort();

      await settles(playing, { a: assignment({ roleId, groupIds: [one, two] }) });
      expect(groups()).toEqual([one, two].sort());
      const all = { a: assignment({ roleId, groupIds: [one, two, three] }) };
      await settles(playing, all);
      expect(groups()).toEqual([one, two, three].sort());

      // A role or a group that isn't there is refused in words, and takes nothing along.
      const wrong = assignment({ roleId: tenant.missing.role, groupIds: [one] });
      expect((await attempt(engine.up({ ...all, b: wrong }))).errors).toHaveLength(1);
      expect(engine.state.has("b")).toBe(false);
      const some = { a: assignment({ roleId, groupIds: [one, two, three, tenant.missing.group] }) };
      expect((await attempt(engine.up(some))).errors.join()).toContain(tenant.missing.group);
      await settles(playing, all);

      const refreshed = await attempt(engine.refresh());
      expect(refreshed.errors).toHaveLength(isAlone ? 1 : 0);
      const fewer = { a: assignment({ roleId, groupIds: [one] }) };
      const left = isAlone ? [one, two, three].sort() : [one];
      expect((await attempt(engine.up(fewer))).errors).toHaveLength(isAlone ? 1 : 0);
      expect(groups()).toEqual(left);
      expect(engine.resource("a").outputs["groupIds"]).toEqual(left);
      expect((await attempt(engine.destroy())).errors).toHaveLength(isAlone ? 1 : 0);
      expect(groups()).toEqual(isAlone ? left : []);
      expect([...engine.state.keys()]).toEqual(isAlone ? ["a"] : []);
    }),
  );

  test.each(scenes)(`whose answer is lost: ${title}`, (scene) =>
    play(scene, async ({ tenant, engine }) => {
      const roleId = first(tenant.ids.roles);
      const [one = "", two = ""] = tenant.ids.groups;
      const program = { a: assignment({ roleId, groupIds: [one, two] }) };
      tenant.fail({ method: "POST", path: `/roles/${roleId}/groups`, processed: true, action: "drop" });
      const isRefusedAgain = tenant.choices.assignedAgain !== "success";
      const { errors } = await attempt(engine.up(program));
      const known = engine.state.get("a")?.outputs["groupIds"];
      // What the tenant has, state knows: a later destroy would take it away.
      expect(known).toEqual([one, two].sort());
      if (errors.length > 0) await attempt(engine.up(program));
      expect([...(tenant.state().roles[roleId] ?? [])].sort()).toEqual([one, two].sort());
      expect(engine.resource("a").outputs["groupIds"]).toEqual([one, two].sort());
      if (!isRefusedAgain) expect((await engine.preview(program)).steps).toEqual([]);
    }),
  );
});

describe("a profile that is adopted", () => {
  test.each(scenes)(title, (scene) =>
    play(scene, async (playing) => {
      const { tenant, engine, isAlone } = playing;
      const [bare = "", full = ""] = tenant.ids.profiles;
      const held = (id: string) => tenant.state().profiles[id];
      const before = held(full);
      const of = (name: string, enabledFeatures: string[]) => ({
        p: profile({ adopt: full, name, enabledFeatures }),
        q: profile({ adopt: bare, name: `${name} 2` }),
      });

      await settles(playing, of("Renamed", ["universal_logout"]));
      expect(held(full)).toEqual({ ...before, name: "Renamed", enabled_features: ["universal_logout"] });
      await settles(playing, of("Again", ["scim", "universal_logout"]));
      expect(held(full)).toEqual({
        ...before,
        name: "Again",
        enabled_features: ["scim", "universal_logout"],
      });
      expect(held(bare)?.["name"]).toBe("Again 2");

      tenant.fail({ method: "PATCH", processed: true, action: "drop" });
      await attempt(engine.up(of("Lost", ["scim"])));
      await attempt(engine.up(of("Lost", ["scim"])));
      expect(held(full)?.["name"]).toBe("Lost");
      expect(engine.resource("p").outputs["name"]).toBe("Lost");

      const missing = profile({ adopt: tenant.missing.profile, name: "Nobody" });
      const program = { ...of("Lost", ["scim"]), m: missing };
      expect((await attempt(engine.up(program))).errors).toHaveLength(1);
      expect(engine.state.has("m")).toBe(false);

      const refreshed = await attempt(engine.refresh());
      expect(refreshed.errors.length > 0).toBe(isAlone);
      expect([...engine.state.keys()].sort()).toEqual(["p", "q"]);
      await engine.destroy();
      expect(held(full)?.["name"]).toBe("Lost");
    }),
  );
});

describe("a profile of its own", () => {
  test.each(scenes)(title, (scene) =>
    play(scene, async (playing) => {
      const { tenant, engine, isAlone } = playing;
      const count = () => Object.keys(tenant.state().profiles).length;
      const before = count();
      const program = { p: profile({ name: "New", enabledFeatures: ["scim"] }) };
      if (isAlone) {
        expect((await attempt(engine.up(program))).errors).toHaveLength(1);
        expect(engine.state.size).toBe(0);
        return;
      }
      await settles(playing, program);
      await settles(playing, { p: profile({ name: "Newer" }) });
      expect(tenant.state().profiles[engine.resource("p").id]?.["name"]).toBe("Newer");
      expect((await engine.refresh()).steps).toEqual([]);
      await engine.destroy();
      expect(count()).toBe(before);
    }),
  );
});

/** False where nothing shows that the service itself, and no gateway, says that a credential isn't there. */
function saysGone({ choices }: DocumentTenant): boolean {
  const { errorShape, missingCredential, otherRoutesNeedToken } = choices;
  return missingCredential === "success" || errorShape === inTurn(SHAPES, 0) || otherRoutesNeedToken;
}

/** The document has only the scopes of its other calls, so the tenant serves none of these. */
describe("a sign-out", () => {
  test.each(scenes)(title, (scene) =>
    play(scene, async (playing) => {
      const { tenant, engine, isAlone } = playing;
      const users = Object.fromEntries(tenant.ids.users.map((user) => [user, signOut(user)] as const));
      if (isAlone) {
        // No list has a user's credentials, so nothing can end.
        expect((await attempt(engine.up(users))).errors).toHaveLength(tenant.ids.users.length);
        expect(engine.state.size).toBe(0);
        expect(tenant.state().credentials).toEqual(tenant.ids.credentials);
        return;
      }
      await settles(playing, users);
      expect(tenant.state().credentials).toEqual([]);
    }),
  );
});

describe("a removal", () => {
  test.each(scenes)(title, (scene) =>
    play(scene, async (playing) => {
      const { tenant, engine } = playing;
      const [phone = "", laptop = ""] = tenant.ids.credentials;
      await settles(playing, { a: removal(phone) });
      expect(tenant.state().credentials).not.toContain(phone);

      const both = { a: removal(phone), b: removal(laptop) };
      if (saysGone(tenant)) tenant.fail({ method: "DELETE", processed: true, action: "drop" });
      await settles(playing, both);
      expect(tenant.state().credentials).not.toContain(laptop);

      const more = { ...both, c: removal(tenant.missing.credential) };
      if (saysGone(tenant)) await settles(playing, more);
      else expect((await attempt(engine.up(more))).errors.join()).toMatch(/^c: .* A gateway may have said/);
      expect(engine.state.has("c")).toBe(saysGone(tenant));
      await engine.refresh();
      await engine.destroy();
      expect(engine.state.size).toBe(0);
    }),
  );
});

describe("data sources", () => {
  test.each(scenes)(title, (scene) =>
    play(scene, async ({ tenant, engine: { config } }) => {
      // As in a script.
      const variables = Object.entries(config).map(([key, value]): [string, string] => {
        return [environmentName(key.replace("identity:", "") as SettingName), value];
      });
      withVariables(Object.fromEntries(variables));
      const userId = first(tenant.ids.users);
      const { user = {}, permissions = [] } = tenant.state().users[userId] ?? {};

      const read = await getUser({ userId });
      expect(read?.email).toEqual(user["email"]);
      expect(read?.additionalProperties["score"]).toEqual(user["score"]);
      const some = await getUser({ userId, fields: ["email", "nickname"], includeFields: false });
      expect(some).toMatchObject({ additionalProperties: expect.any(Object) as object });
      expect(some?.email).toBeUndefined();

      const missing = { userId: tenant.missing.user };
      expect(await getUser({ ...missing, required: false })).toBeUndefined();
      expect(await failure(getUser(missing))).toBeInstanceOf(NotFoundError);

      const all = await getUserPermissions({ userId });
      expect(all.permissions).toHaveLength(permissions.length);
      expect(all.total).toBe(permissions.length);
      const page = { userId, page: 10, perPage: 10, includeTotals: true };
      const last = await getUserPermissions(page);
      expect([last.permissions.length, last.total]).toEqual([4, permissions.length]);
      const plain = await getUserPermissions({ userId, page: 1, perPage: 50 });
      expect(plain.permissions).toHaveLength(50);
      expect(await failure(getUserPermissions(missing))).toBeInstanceOf(NotFoundError);
    }),
  );
});

/** What becomes of nine reads at once where only a few may be sent; the tenant tells so in this unit. */
async function readsInTime(unit: Pick<Choices, "resetUnit" | "rateHeaders">): Promise<string[]> {
  const choices = { operations: "documented", gateway: "none", clientAuthentication: "form" } as const;
  const tenant = await startDocumentTenant({
    seed: FIXED_SEED,
    index: 0,
    ...choices,
    ...unit,
    bucket: "small",
  });
  const credentials = { type: "access-token", accessToken: tenant.accessToken } as const;
  // A unit that is taken for another one would make a wait longer than that.
  const client = clientOf(tenant, { credentials, limits: { maxWaitSeconds: 20 } });
  const reads = Array.from({ length: 9 }, () =>
    client.send({ method: "GET", path: "/users/{id}", ids: { id: first(tenant.ids.users) }, scopes: [] }),
  );
  try {
    return (await Promise.allSettled(reads)).map(({ status }) => status);
  } finally {
    await tenant.close();
  }
}

// They wait for real, so all at once.
test("a small rate limit lets all requests through in the end, whatever its unit", async () => {
  const units = OPEN.resetUnit.flatMap((resetUnit) =>
    (["always", "on 429"] as const).map((rateHeaders) => ({ resetUnit, rateHeaders })),
  );
  const outcomes = await Promise.all(
    units.map(async (unit) => ({ ...unit, reads: await readsInTime(unit) })),
  );
  expect(outcomes).toEqual(units.map((unit) => ({ ...unit, reads: Array(9).fill("fulfilled") as string[] })));
});

const HTML = "<!doctype html><title>Sign in</title>";
/** Answers of which none tells that anything was done, or that anything is gone. */
const FOREIGN: Record<string, Answer> = {
  "a page with 200": { status: 200, text: HTML, type: "text/html" },
  "a text with 200": { status: 200, text: "OK", type: "text/plain" },
  "an error with 200": { status: 200, body: { statusCode: 403, message: "No." } },
  "a redirect": { status: 302, headers: { location: "/login" } },
  ...Object.fromEntries(
    [401, 403, 404, 500].flatMap((status): [string, Answer][] => [
      [`a page with ${status}`, { status, text: HTML, type: "text/html" }],
      [`no body with ${status}`, { status }],
      [`another status in ${status}`, { status, body: { status: status + 1, title: "No." } }],
    ]),
  ),
};

const SHARES = 4;

describe("what is nobody's word", () => {
  test.each(scenes)(title, (scene) =>
    play(scene, async ({ tenant, engine }) => {
      const [roleId, adopt] = [first(tenant.ids.roles), first(tenant.ids.profiles)];
      const phone = first(tenant.ids.credentials);
      const operations: Record<string, [program: Program, isDone: (state: TenantState) => boolean]> = {
        POST: [
          { a: assignment({ roleId, groupIds: [first(tenant.ids.groups)] }) },
          ({ roles }) => roles[roleId]?.includes(first(tenant.ids.groups)) === true,
        ],
        PATCH: [
          { p: profile({ adopt, name: "Renamed" }) },
          ({ profiles }) => profiles[adopt]?.["name"] === "Renamed",
        ],
        DELETE: [{ r: removal(phone) }, ({ credentials }) => !credentials.includes(phone)],
      };
      // Each tenant has its share of them.
      const share = Object.entries(FOREIGN).filter((_, at) => at % SHARES === scene.index % SHARES);
      for (const [name, action] of share) {
        for (const [method, [program, isDone]] of Object.entries(operations)) {
          tenant.reset();
          engine.state.clear();
          tenant.fail({ method, action });
          const { errors } = await attempt(engine.up(program));
          const isSaid = { name, method, isDone: isDone(tenant.state()) };
          expect(isSaid).toEqual({ ...isSaid, isDone: errors.length === 0 });
          await engine.up(program);
          expect({ name, method, isDone: isDone(tenant.state()) }).toEqual({ name, method, isDone: true });
        }
      }
    }),
  );
});

describe("credentials that are refused", () => {
  test.each(scenes.filter(({ scheme }) => scheme === "client credentials"))(title, (scene) =>
    play(scene, async ({ tenant, engine }) => {
      engine.config["identity:clientSecret"] = "wrong-secret";
      const { errors } = await attempt(engine.up({ a: removal(first(tenant.ids.credentials)) }));
      expect(errors).toHaveLength(1);
      expect(tenant.requests().length).toBeLessThanOrEqual(5);
      expect(engine.state.size).toBe(0);
    }),
  );
});
