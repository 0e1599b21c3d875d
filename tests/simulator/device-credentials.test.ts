import { startSimulator, type BehaviourInput, type Simulator } from "../../simulator/index";
import { type Answer, type Call, caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

const CREDENTIALS = [
  { id: "dcr_1", type: "refresh_token", user_id: "u1", client_id: "c1", device_name: "lost phone" },
  { id: "dcr_2", type: "public_key", user_id: "u1", client_id: "c2", device_id: "d" },
  { id: "dcr_3", type: "rotating_refresh_token", user_id: "u1", client_id: "c1" },
  { id: "dcr_4", type: "refresh_token", user_id: "u2", client_id: "c1" },
  { id: "dcr_5", type: "refresh_token", user_id: "u1", client_id: "c1" },
] as const;

const simulator = useSimulator();
const api = caller(simulator, "all");
beforeEach(() => seed());

function seed(behaviour: BehaviourInput = {}) {
  simulator.seed({
    tokens: [{ access_token: "all", scope: "read:device_credentials delete:device_credentials" }],
    device_credentials: [...CREDENTIALS],
    behaviour,
  });
}

const list = (query: string) => api("GET", `/device-credentials${query}`);
const ids = ({ body }: Answer) => (body as { id: string }[]).map(({ id }) => id);

describe("GET /device-credentials", () => {
  test("without a type: refresh tokens and public keys, all at once whatever the paging says", async () => {
    const expected = ["dcr_1", "dcr_2", "dcr_4", "dcr_5"];
    expect(ids(await list(""))).toEqual(expected);
    expect(ids(await list("?per_page=1&page=3&include_totals=true"))).toEqual(expected);
  });

  test("filters", async () => {
    expect(ids(await list("?user_id=u1"))).toEqual(["dcr_1", "dcr_2", "dcr_5"]);
    expect(ids(await list("?user_id=u1&client_id=c1"))).toEqual(["dcr_1", "dcr_5"]);
    expect(ids(await list("?type=rotating_refresh_token"))).toEqual(["dcr_3"]);
    expect(ids(await list("?type=refresh_token&user_id=u2"))).toEqual(["dcr_4"]);
    expect(ids(await list("?user_id=nobody"))).toEqual([]);
  });

  test("with a type: pages", async () => {
    expect(ids(await list("?type=refresh_token&per_page=2&page=1"))).toEqual(["dcr_5"]);
    expect((await list("?type=refresh_token&per_page=2&page=7&include_totals=true")).body).toEqual({
      device_credentials: [],
      start: 14,
      limit: 2,
      total: 3,
    });
  });

  test("fields", async () => {
    expect((await list("?type=public_key&fields=id,type")).body).toEqual([
      { id: "dcr_2", type: "public_key" },
    ]);
    expect((await list("?type=public_key&fields=id,type&include_fields=false")).body).toEqual([
      { user_id: "u1", client_id: "c2", device_id: "d" },
    ]);
  });

  test("there is no GET by id", async () => {
    expect((await api("GET", "/device-credentials/dcr_1")).status).toBe(404);
  });
});

describe("DELETE /device-credentials/{id}", () => {
  let one: Simulator;
  let call: Call;
  let now = 0;
  const start = async (options: Parameters<typeof startSimulator>[0] = {}) => {
    one = await startSimulator({ now: () => now, ...options });
    one.seed({
      tokens: [{ access_token: "all", scope: "read:device_credentials delete:device_credentials" }],
      device_credentials: [...CREDENTIALS],
    });
    call = caller(one, "all");
  };
  afterEach(() => one.close());

  test("answers 204, and the credential is gone for good", async () => {
    await start();
    const answer = await call("DELETE", "/device-credentials/dcr_1");
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect(one.state().device_credentials.map(({ id }) => id)).toEqual(["dcr_2", "dcr_3", "dcr_4", "dcr_5"]);
  });

  test("revoke_refresh_token_grant: deletes all refresh tokens of that user and client, and the settings say so", async () => {
    await start({ behaviour: { revoke_refresh_token_grant: true } });
    const of = { user_id: "auth0|1", client_id: "app" };
    one.seed({
      tokens: [{ access_token: "all", scope: "delete:device_credentials read:tenant_settings" }],
      device_credentials: [
        { id: "dcr_1", type: "refresh_token", ...of },
        { id: "dcr_2", type: "rotating_refresh_token", ...of },
        { id: "dcr_3", type: "public_key", ...of },
        { id: "dcr_4", type: "refresh_token", ...of, client_id: "other" },
      ],
    });
    const settings = await call("GET", "/tenants/settings?fields=flags&include_fields=true");
    expect(settings.body).toEqual({ flags: { revoke_refresh_token_grant: true } });
    expect((await call("DELETE", "/device-credentials/dcr_1")).status).toBe(204);
    expect(one.state().device_credentials.map(({ id }) => id)).toEqual(["dcr_3", "dcr_4"]);
  });

  test.each([204, 404] as const)("delete_unknown_device_credential: %i", async (status) => {
    await start({ behaviour: { delete_unknown_device_credential: status } });
    expect((await call("DELETE", "/device-credentials/dcr_none")).status).toBe(status);
  });

  test("can have a bucket of its own", async () => {
    await start({ deviceCredentialRate: { burst: 1, perSecond: 1 } });
    const remove = (id: string) => call("DELETE", `/device-credentials/${id}`);
    const first = await remove("dcr_1");
    expect([first.status, first.headers.get("x-ratelimit-limit")]).toEqual([204, "1"]);
    expect((await remove("dcr_2")).status).toBe(429);
    const listed = await call("GET", "/device-credentials");
    expect([listed.headers.get("x-ratelimit-limit"), listed.headers.get("x-ratelimit-remaining")]).toEqual([
      "50",
      "49",
    ]);
    now += 1000;
    expect((await remove("dcr_2")).status).toBe(204);
  });
});
