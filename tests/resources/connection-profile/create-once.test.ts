import { setTimeout as pause } from "node:timers/promises";
import { ApiError, IdentityError, InsufficientScopeError, NetworkError } from "../../../provider/http/errors";
import { createOnce } from "../../../provider/resources/connection-profile/writes";
import { connectionProfiles } from "../../../provider/service/connection-profiles";
import { type SeedInput } from "../../../simulator";
import { CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED } from "../../../simulator/default-seed";
import { closeAll, failure, startTenant } from "../../../testkit/client";

// The pauses between looks last seconds: here they end at once.
jest.mock("node:timers/promises", () => ({
  ...jest.requireActual<object>("node:timers/promises"),
  setTimeout: jest.fn(() => Promise.resolve()),
}));
const pauses = () => jest.mocked(pause).mock.calls.map(([ms]) => ms);

beforeEach(() => jest.mocked(pause).mockClear());
afterEach(closeAll);

const SETTINGS = {
  name: "enterprise",
  enabledFeatures: ["universal_logout", "scim"],
  connectionConfig: {},
};
const BODY = {
  name: "enterprise",
  enabled_features: ["universal_logout" as const, "scim" as const],
  connection_config: {},
};
const POST = "/api/v2/connection-profiles";
const TOKEN = "POST /oauth/token 200";
const LOOK = "GET /api/v2/connection-profiles?take=10 200";

const TWIN = { id: "cop_2GjRf8mYd5LcVt7K9sPmZa", ...BODY };
const withProfiles = (...profiles: SeedInput["connection_profiles"] & object): SeedInput => ({
  ...DEFAULT_SEED,
  connection_profiles: profiles,
});

/** A tenant whose client waits this many seconds for an answer. */
const tenantWithin = (seconds: number, options: Parameters<typeof startTenant>[0] = {}) =>
  startTenant({ ...options, limits: { requestTimeoutSeconds: seconds } });

test.each([
  ["the connection broke", { drop: "after" }, 0],
  ["a gateway gave up", { status: 504, processed: true }, 504],
  ["the answer was unreadable", { garbage: "invalid-json" }, 201],
] as const)(
  "a profile whose answer was lost because %s is found, not made twice",
  async (_, action, status) => {
    const { simulator, client } = await tenantWithin(4);
    simulator.fail({ method: "POST", path: POST, action });
    const { record } = await createOnce(client, SETTINGS);
    const { id } = record;
    expect(simulator.log()).toEqual([TOKEN, `POST ${POST} ${status}`, LOOK]);
    expect(simulator.state().connection_profiles.map((profile) => profile.id)).toEqual([id]);
  },
);

test("a profile that was not made, as three looks show, is posted once more", async () => {
  const { simulator, client } = await tenantWithin(4);
  simulator.fail({ method: "POST", path: POST, action: { drop: "before" } });
  await createOnce(client, SETTINGS);
  expect(simulator.log()).toEqual([TOKEN, `POST ${POST} 0`, LOOK, LOOK, LOOK, `POST ${POST} 201`]);
  expect(pauses()).toEqual([0, 1_000, 3_000]);
  expect(simulator.state().connection_profiles).toHaveLength(1);
});

test("the last look before a second POST comes as late as an answer might have come", async () => {
  const { simulator, client } = await tenantWithin(6);
  simulator.fail({ method: "POST", path: POST, action: { drop: "before" } });
  await createOnce(client, SETTINGS);
  expect(simulator.log()).toEqual([TOKEN, `POST ${POST} 0`, LOOK, LOOK, LOOK, LOOK, `POST ${POST} 201`]);
  expect(pauses()).toEqual([0, 1_000, 3_000, 2_000]);
});

const MAY_BE_THERE =
  /An earlier try had no answer\. The connection profile may have been created, although no list shows it yet\. Look for it before the next run, which would make another one: `npx --no pulumi-identity adopt --only "enterprise"` prints its id for adopt\.$/;

test("a second try that is refused says what the first one may have made", async () => {
  const { simulator, client } = await tenantWithin(4, { behaviour: { read_lag: 100 } });
  simulator.fail(
    { method: "POST", path: POST, action: { drop: "after" } },
    { method: "POST", path: POST, action: { status: 403 } },
  );
  expect((await failure(createOnce(client, SETTINGS))).message).toMatch(MAY_BE_THERE);
  expect(simulator.state().connection_profiles).toHaveLength(1);
});

test("it is not posted a third time", async () => {
  const { simulator, client } = await tenantWithin(4);
  simulator.fail({ method: "POST", path: POST, times: 2, action: { drop: "before" } });
  expect((await failure(createOnce(client, SETTINGS))).message).toMatch(MAY_BE_THERE);
  const posted = [`POST ${POST} 0`, LOOK, LOOK, LOOK];
  expect(simulator.log()).toEqual([TOKEN, ...posted, ...posted]);
});

test("it is not posted again after an answer that lacks the profile, though no look finds it", async () => {
  const { simulator, client } = await tenantWithin(4);
  simulator.fail({ method: "POST", path: POST, action: { status: 200, body: {} } });
  const message = (await failure(createOnce(client, SETTINGS))).message;
  expect(message).toMatch(/ The connection profile may have been created, although no list shows it yet\./);
  expect(message).not.toContain("An earlier try");
  expect(simulator.log()).toEqual([TOKEN, `POST ${POST} 200`, LOOK, LOOK, LOOK]);
});

/** Looks that come too early to see the profile. */
const tooEarly = (times: number) => ({
  method: "GET" as const,
  times,
  action: { status: 200, body: { connection_profiles: [] } },
});

test("a profile that a slow service makes late is found by looking again, not made twice", async () => {
  const { simulator, client } = await tenantWithin(4, { behaviour: { profile_name_conflict: "allow" } });
  simulator.fail({ method: "POST", path: POST, action: { drop: "after" } }, tooEarly(2));
  const { record, wasFound } = await createOnce(client, SETTINGS);
  expect(wasFound).toBe(true);
  expect(simulator.log()).toEqual([TOKEN, `POST ${POST} 0`, LOOK, LOOK, LOOK]);
  expect(simulator.state().connection_profiles.map((profile) => profile.id)).toEqual([record.id]);
});

test("a conflict after a lost answer is with the profile that the lost request made", async () => {
  const { simulator, client } = await tenantWithin(4);
  simulator.fail({ method: "POST", path: POST, action: { drop: "after" } }, tooEarly(3));
  const { record } = await createOnce(client, SETTINGS);
  expect(simulator.log()).toEqual([TOKEN, `POST ${POST} 0`, LOOK, LOOK, LOOK, `POST ${POST} 409`, LOOK]);
  expect(simulator.state().connection_profiles.map((profile) => profile.id)).toEqual([record.id]);
});

test("a profile of the same name that differs is not taken for it", async () => {
  const { simulator, client } = await tenantWithin(4, {
    seed: withProfiles({ ...TWIN, enabled_features: ["scim"] }),
  });
  simulator.fail({ method: "POST", path: POST, action: { drop: "before" } });
  const error = await failure(createOnce(client, SETTINGS));
  expect(error).toBeInstanceOf(IdentityError);
  expect(error.message).toBe(
    `POST /api/v2/connection-profiles on ${simulator.url} failed: the connection broke before an answer came. Check the ` +
      `network and run this again. It is unclear if it was created: the tenant ${client.tenant} has the connection ` +
      `profile ${TWIN.id} named "enterprise". To manage it with this resource, add adopt: "${TWIN.id}"; otherwise choose ` +
      "another name.",
  );
  expect(simulator.log()).toEqual([TOKEN, `POST ${POST} 0`, LOOK]);
});

test("a profile that was known before is not taken for it", async () => {
  const { simulator, client } = await tenantWithin(4, { seed: withProfiles(TWIN) });
  simulator.fail({ method: "POST", path: POST, action: { drop: "before" } });
  const error = await failure(createOnce(client, SETTINGS, new Set([TWIN.id])));
  expect(error.message).toContain("It is unclear if it was created");
});

test("of two profiles none is taken for it", async () => {
  const second = { ...TWIN, id: "cop_3KzLp8fGt6NvXeJw4uQhCy" };
  const { simulator, client } = await tenantWithin(4, {
    seed: { ...withProfiles(TWIN, second), behaviour: { profile_name_conflict: "allow" } },
  });
  simulator.fail({ method: "POST", path: POST, action: { drop: "before" } });
  expect((await failure(createOnce(client, SETTINGS))).message).toContain(
    `the connection profiles ${TWIN.id}, ${second.id} named "enterprise"`,
  );
});

test("two creates with lost answers don't share one profile", async () => {
  const { simulator, client } = await tenantWithin(4, { behaviour: { profile_name_conflict: "allow" } });
  simulator.fail(
    { method: "POST", path: POST, action: { drop: "after" } },
    { method: "POST", path: POST, action: { drop: "before" } },
  );
  const known = new Set<string>();
  const outcomes = await Promise.allSettled([
    createOnce(client, SETTINGS, known),
    createOnce(client, SETTINGS, known),
  ]);
  const ids = outcomes.flatMap((outcome) =>
    outcome.status === "fulfilled" ? [outcome.value.record.id] : [],
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
});

test("when looking fails, the error says that the profile may be there", async () => {
  const { simulator, client } = await tenantWithin(4, {
    seed: {
      ...DEFAULT_SEED,
      clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: "create:connection_profiles" }],
    },
  });
  simulator.fail({ method: "POST", path: POST, action: { drop: "after" } });
  const error = await failure(createOnce(client, SETTINGS));
  expect(error).not.toBeInstanceOf(InsufficientScopeError);
  expect(error.message).toContain(
    "may have been created all the same; looking for it failed: GET /connection-profiles",
  );
});

test("a request that was never sent is repeated without looking", async () => {
  const { simulator, client } = await tenantWithin(4);
  const { url } = simulator;
  await simulator.close();
  const error = await failure(createOnce(client, SETTINGS));
  expect(error).toBeInstanceOf(NetworkError);
  expect(error.message).toContain(`POST /oauth/token on ${url} failed: the connection was refused,`);
});

test("an existing profile of the same name is named, with the way to adopt it", async () => {
  const { simulator, client } = await tenantWithin(4, { seed: withProfiles(TWIN) });
  const error = await failure(createOnce(client, SETTINGS));
  expect(error).toBeInstanceOf(ApiError);
  expect(error.message).toBe(
    "POST /connection-profiles answered 409: A connection profile with the same name already exists. The tenant " +
      `${client.tenant} already holds the connection profile ${TWIN.id} named "enterprise". To manage it with this ` +
      `resource, add adopt: "${TWIN.id}"; otherwise choose another name. If the resource was only renamed, give it ` +
      'aliases: [{ name: "<its former name>" }].',
  );
  expect(simulator.log()).toEqual([TOKEN, `POST ${POST} 409`, LOOK]);
});

test("a conflict of which nothing else is known is told as it is", async () => {
  const { simulator, client } = await tenantWithin(4);
  simulator.fail(
    { method: "POST", path: POST, action: { status: 409 } },
    { method: "GET", times: 4, action: { status: 503 } },
  );
  const error = await failure(createOnce(client, SETTINGS));
  expect(error.message).toBe(
    "POST /connection-profiles answered 409: Conflict. Something on the tenant stands in the way: change one of the two.",
  );
  expect((await connectionProfiles(client).page(undefined)).items).toEqual([]);
});

test("a create that is repeated in the run, as by a hook, looks for what the first one may have made", async () => {
  const { simulator, client } = await tenantWithin(4, {
    seed: { ...withProfiles(), behaviour: { profile_name_conflict: "allow" } },
  });
  const open = new Set<unknown>();
  simulator.fail(
    { method: "POST", path: POST, action: { drop: "after" } },
    { method: "GET", path: POST, times: 2, action: { status: 403 } },
  );
  const error = await failure(createOnce(client, SETTINGS, new Set(), open));
  expect(error.message).toContain(
    '`npx --no pulumi-identity adopt --only "enterprise"` prints its id for adopt.',
  );
  await expect(createOnce(client, SETTINGS, new Set(), open)).rejects.toThrow("An earlier try to create it");
  simulator.reset();

  const { wasFound } = await createOnce(client, SETTINGS, new Set(), open);

  expect(wasFound).toBe(true);
  expect(simulator.log().filter((line) => line.startsWith("POST /api"))).toEqual([]);
  expect(simulator.state().connection_profiles).toHaveLength(1);
});
