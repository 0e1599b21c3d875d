import { setTimeout as pause } from "node:timers/promises";
import { providerText } from "../../provider/pulumi/hidden-inputs";
import { type Fault, type SeedInput } from "../../simulator";
import { CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import { Engine, failed, profile, type Run, RunFailed } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";

/* A create whose answer is lost: it's looked for, and sent again only when nothing may have been made. */

// The pauses between looks last seconds: here they end at once.
jest.mock("node:timers/promises", () => ({
  ...jest.requireActual<object>("node:timers/promises"),
  setTimeout: jest.fn(() => Promise.resolve()),
}));
const pauses = () => jest.mocked(pause).mock.calls.map(([ms]) => ms);
beforeEach(() => jest.mocked(pause).mockClear());

const tenant = useTenant();
catchLines();

const TWIN = {
  id: "cop_2GjRf8mYd5LcVt7K9sPmZa",
  name: "enterprise",
  enabled_features: ["universal_logout" as const, "scim" as const],
};
const SECOND = { ...TWIN, id: "cop_3KzLp8fGt6NvXeJw4uQhCy" };
const p = profile({ name: "enterprise", enabledFeatures: ["universal_logout", "scim"] });

const post = (action: Fault["action"], times = 1): Fault => ({
  method: "POST",
  path: "/api/v2/connection-profiles",
  times,
  action,
});
const LOST = post({ drop: "after" });
const NEVER_THERE = post({ drop: "before" });
/** Looks that come too early to see the profile. */
const tooEarly = (times: number): Fault => ({
  method: "GET",
  times,
  action: { status: 200, body: { connection_profiles: [] } },
});
const MAY_BE_THERE =
  /An earlier try had no answer\. The connection profile may have been created, although no list shows it yet\. Look for it before the next run, which would make another one: `npx --no pulumi-identity adopt --only "enterprise"` prints its id for adopt\.$/;
const ALLOWED = { profile_name_conflict: "allow" } as const;

function engineWaiting(seconds: number): Engine {
  const engine = new Engine(tenant, { startHost: inProcess });
  engine.config = { ...engine.config, "identity:requestTimeoutSeconds": String(seconds) };
  return engine;
}

async function ended(running: Promise<Run>): Promise<Run> {
  return running.catch((error: unknown) => {
    if (error instanceof RunFailed) return error.run;
    throw error;
  });
}

/** Methods and statuses, without those that were answered as usual. */
const sent = () =>
  tenant
    .sent()
    .filter((line) => line.includes("/connection-profiles"))
    .map((line) => `${line.split(" ")[0]} ${line.split(" ").at(-1)}`.replace("GET 200", "GET"))
    .join(", ");

interface Row {
  seed?: SeedInput;
  faults: Fault[];
  seconds?: number;
  sends: string;
  pauses?: number[];
  /** Default: it's found, and so counts as adopted, unless `isMade`. */
  error?: RegExp;
  isMade?: true;
  /** Profiles on the tenant afterwards. Default: 1. */
  count?: number;
}

test.each<[string, Row]>([
  ["the connection broke: found, not made twice", { faults: [LOST], sends: "POST 0, GET" }],
  [
    "a gateway gave up: found, not made twice",
    { faults: [post({ status: 504, processed: true })], sends: "POST 504, GET" },
  ],
  [
    "the answer was unreadable: found, not made twice",
    { faults: [post({ garbage: "invalid-json" })], sends: "POST 201, GET" },
  ],
  [
    "not made, as three looks show: posted once more",
    {
      faults: [NEVER_THERE],
      sends: "POST 0, GET, GET, GET, POST 201",
      pauses: [0, 1_000, 3_000],
      isMade: true,
    },
  ],
  [
    "… and the last look comes as late as an answer might have come",
    {
      faults: [NEVER_THERE],
      seconds: 6,
      sends: "POST 0, GET, GET, GET, GET, POST 201",
      pauses: [0, 1_000, 3_000, 2_000],
      isMade: true,
    },
  ],
  [
    "a second try that is refused says what the first one may have made",
    {
      seed: { behaviour: { read_lag: 100 } },
      faults: [LOST, post({ status: 403 })],
      sends: "POST 0, GET, GET, GET, POST 403",
      error: MAY_BE_THERE,
    },
  ],
  [
    "it is not posted a third time",
    {
      faults: [post({ drop: "before" }, 2)],
      sends: "POST 0, GET, GET, GET, POST 0, GET, GET, GET",
      error: MAY_BE_THERE,
      count: 0,
    },
  ],
  [
    "an answer that lacks the profile: it is not posted again, though no look finds it",
    {
      faults: [post({ status: 200, body: {} })],
      sends: "POST 200, GET, GET, GET",
      error:
        /^(?!.*An earlier try).* The connection profile may have been created, although no list shows it yet\./,
      count: 0,
    },
  ],
  [
    "a slow service makes it late: found by looking again",
    { seed: { behaviour: ALLOWED }, faults: [LOST, tooEarly(2)], sends: "POST 0, GET, GET, GET" },
  ],
  [
    "a conflict with the second try is with what the first one made",
    { faults: [LOST, tooEarly(3)], sends: "POST 0, GET, GET, GET, POST 409, GET" },
  ],
  [
    "one of the same name that differs is not taken for it",
    {
      seed: { connection_profiles: [{ ...TWIN, enabled_features: ["scim"] }] },
      faults: [NEVER_THERE],
      sends: "POST 0, GET",
      error: new RegExp(
        `failed: the connection broke before an answer came\\. .*It is unclear if it was created: the tenant \\S+ has the connection ` +
          `profile ${TWIN.id} named "enterprise"\\. To manage it with this resource, add adopt: "${TWIN.id}"; otherwise choose another name\\.$`,
      ),
    },
  ],
  [
    "of two none is taken for it",
    {
      seed: { connection_profiles: [TWIN, SECOND], behaviour: ALLOWED },
      faults: [NEVER_THERE],
      sends: "POST 0, GET",
      error: new RegExp(`the connection profiles ${TWIN.id}, ${SECOND.id} named "enterprise"`),
      count: 2,
    },
  ],
  [
    "when looking fails, the error says that the profile may be there",
    {
      seed: {
        clients: [
          { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: "create:connection_profiles" },
        ],
      },
      faults: [LOST],
      sends: "POST 0, GET 403",
      error: /may have been created all the same; looking for it failed: GET \/connection-profiles/,
    },
  ],
  [
    "a conflict of which nothing else is known is told as it is",
    {
      faults: [post({ status: 409 }), { method: "GET", times: 4, action: { status: 503 } }],
      sends: "POST 409, GET 503, GET 503, GET 503, GET 503",
      error: /answered 409: Conflict\. Something on the tenant stands in the way: change one of the two\.$/,
      count: 0,
    },
  ],
])("%s", async (_title, { seed = {}, faults, seconds = 4, error, isMade, count = 1, ...expected }) => {
  tenant.seed(seed);
  const engine = engineWaiting(seconds);
  tenant.fail(...faults);

  const { errors } = await ended(engine.up({ p }));

  expect(errors).toEqual(error === undefined ? [] : [expect.stringMatching(error)]);
  expect(sent()).toBe(expected.sends);
  if (expected.pauses !== undefined) expect(pauses()).toEqual(expected.pauses);
  expect(tenant.profiles()).toHaveLength(count);
  if (error === undefined)
    expect(engine.resource("p")).toMatchObject({
      id: tenant.profiles()[0]?.id,
      outputs: { adopted: isMade === undefined },
    });
});

test("a profile that state knows is not taken for it, nor do two creates share one", async () => {
  tenant.behave(ALLOWED);
  const engine = engineWaiting(4);
  await engine.up({ q: p });
  tenant.fail(NEVER_THERE);
  const { errors } = await failed(engine.up({ q: p, p }));
  expect(errors.join()).toContain("It is unclear if it was created");
  engine.state.clear();

  tenant.behave(ALLOWED);
  tenant.fail(LOST, NEVER_THERE);
  const both = await failed(engine.up({ p, q: p }));
  expect(both.errors).not.toEqual([]);
  const ids = [...engine.state.values()].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a create that is repeated in the run, as by a hook, looks for what the first one may have made", async () => {
  tenant.behave(ALLOWED);
  const host = inProcess("");
  await host.configure(engineWaiting(4).config);
  const create = () => host.create({ ...p.inputs, __provider: providerText("ConnectionProfile") });
  tenant.fail(LOST, {
    method: "GET",
    path: "/api/v2/connection-profiles",
    times: 2,
    action: { status: 403 },
  });
  await expect(create()).rejects.toThrow("prints its id for adopt.");
  await expect(create()).rejects.toThrow("An earlier try to create it");
  tenant.clear();

  const { id } = await create();

  expect(tenant.profiles().map((profile) => profile.id)).toEqual([id]);
  expect(sent()).toBe("GET");
});
