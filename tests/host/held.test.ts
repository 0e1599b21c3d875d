import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPreview } from "../../cli/review/input/preview";
import { reviewOf } from "../../cli/review/review";
import { toJson } from "../../cli/review/output/json";
import { type ReviewJson } from "../../provider/review/model";
import { ADMINS, AGENT, BILLING, CONTRACTORS, LAPTOP, PHONE, VIEWER } from "../../simulator/default-seed";
import {
  assignment,
  Engine,
  type EngineOptions,
  failed,
  later,
  profile,
  type Program,
  removal,
  secret,
} from "../../testkit/engine";
import { catchLines, HostInProcess, inProcess } from "../../testkit/hosts/host-in-process";
import { assigned, unassigned, viewers } from "../../testkit/assignments";
import { json, TOKEN, useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";
import { within, withoutVariables } from "./environment";
import { environmentOf } from "../../testkit/simulator";

/* A run held to its review sends only what is in it; tests/e2e/held.long.ts has it with the real CLI. */

const tenant = useTenant();
catchLines();
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "pulumi-identity-held-"))));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

function written(review: unknown): string {
  const file = join(folder, `review-${++files}.json`);
  writeFileSync(file, typeof review === "string" ? review : JSON.stringify(review));
  return file;
}

async function reviewed(engine: Engine, program: Program, unknownAccepted = false): Promise<ReviewJson> {
  const preview = readPreview(await engine.previewJson(program));
  const review = reviewOf(preview, false);
  tenant.sent();
  return toJson(review, { made: new Date(), unknownAccepted, environmentTenant: undefined });
}

afterEach(withoutVariables);

const engineOf = (options: EngineOptions = {}) => engineWith({}, options);
const engineWith = (env: Record<string, string>, options: EngineOptions = {}) =>
  new Engine(tenant, { startHost: within(env, inProcess), ...options });

function holdTo(engine: Engine, review: unknown): void {
  engine.config = { ...engine.config, "identity:reviewFile": written(review) };
}

async function made(program: Program, engine = engineOf()): Promise<Engine> {
  await engine.up(program);
  tenant.sent();
  return engine;
}

const writes = () => tenant.sent().filter((line) => !/^(GET|token)/.test(line));
const PROFILE = { name: "enterprise", enabledFeatures: ["scim"], organization: { showAsButton: "none" } };

describe("what the review holds is done", () => {
  test("a change of everything, with all its requests", async () => {
    const before = { a: viewers(ADMINS, BILLING), p: profile(PROFILE) };
    const engine = await made(before);
    const { id } = engine.resource("p");
    const program = {
      a: viewers(ADMINS, CONTRACTORS),
      p: profile({ ...PROFILE, enabledFeatures: ["universal_logout"] }),
      q: profile({ name: "partners" }),
      x: removal(PHONE),
    };
    holdTo(engine, await reviewed(engine, program));
    engine.parallel = 1;
    await engine.up(program);
    expect(tenant.sent().sort()).toEqual(
      [
        TOKEN,
        assigned(CONTRACTORS),
        unassigned(BILLING),
        `PATCH /connection-profiles/${id} {"enabled_features":["universal_logout"]} 200`,
        'POST /connection-profiles {"name":"partners"} 201',
        `DELETE /device-credentials/${PHONE} 204`,
      ].sort(),
    );
    // The same file again: nothing is left to do.
    await engine.up(program);
    expect(tenant.sent()).toEqual([]);
  });

  test("requests that are repeated, and what a failed run has left", async () => {
    const engine = await made({ a: viewers(ADMINS) });
    const program = { a: viewers(ADMINS, BILLING), p: profile({ name: "partners" }) };
    holdTo(engine, await reviewed(engine, program));
    tenant.fail(
      { method: "POST", path: "/api/v2/roles/*", times: 1, action: { drop: "before" } },
      { method: "POST", path: "/api/v2/connection-profiles", times: 1, action: { status: 403 } },
    );
    await failed(engine.up(program));
    expect(tenant.groupsOf(VIEWER).sort()).toEqual([ADMINS, BILLING].sort());
    await engine.up(program);
    expect(tenant.profiles().map(({ name }) => name)).toContain("partners");
  });

  test("refresh and data sources are no writes, and a destroy does what its review holds", async () => {
    const engine = await made({ a: viewers(ADMINS), p: profile(PROFILE) });
    const { id } = engine.resource("p");
    const review = await reviewed(engine, {});
    holdTo(engine, "no review at all");
    await engine.refresh();
    holdTo(engine, review);
    await engine.destroy();
    expect(writes().sort()).toEqual([unassigned(ADMINS), `DELETE /connection-profiles/${id} 204`].sort());
  });

  test("what the review calls unknown, to the resource that it named, once that is accepted", async () => {
    const program = {
      a: assignment({ roleId: VIEWER, groupIds: later([ADMINS]) }),
      x: removal(later(LAPTOP) as string),
      p: profile({ name: secret("enterprise") }),
    };
    const engine = engineOf();
    const review = await reviewed(engine, program);
    holdTo(engine, review);
    const { errors } = await failed(engine.up(program));
    for (const error of errors)
      expect(error).toContain("It calls this unknown, and was made without --accept-unknown.");
    expect(tenant.sent()).toEqual([]);

    holdTo(engine, { ...review, unknownAccepted: true });
    // Neither for another resource, nor in another category.
    const other = {
      ...program,
      b: assignment({ roleId: AGENT, groupIds: [ADMINS] }),
      y: removal(PHONE),
    };
    for (const name of ["b", "y"] as const) {
      const { errors } = await failed(engine.up({ ...program, [name]: other[name] }));
      expect(errors).toEqual([expect.stringMatching(`^${name}: .* doesn't allow that`)]);
    }
    expect(writes().sort()).toEqual(
      [
        assigned(ADMINS),
        `DELETE /device-credentials/${LAPTOP} 204`,
        'POST /connection-profiles {"name":"enterprise"} 201',
      ].sort(),
    );
  });
});

/** Groups that have the role although no state knows it. */
function leftBehind(engine: Engine): string[] {
  const known = [...engine.state.values()].flatMap(({ outputs }) => outputs["groupIds"]);
  return tenant.groupsOf(VIEWER).filter((group) => !known.includes(group));
}

describe.each(ways(tenant))("a held run believes only what it has checked itself: %s", (_, start) => {
  const [A, C] = [ADMINS, CONTRACTORS];
  const ignoring = { ...viewers(C), ignoreChanges: ["groupIds"] };
  const revocations = () => writes().filter((line) => line.startsWith("DELETE"));

  test("a destroy after a reviewed rename checks nothing, and spares nobody", async () => {
    const engine = await made({ a: viewers(A) }, start());
    const program = { b: viewers(A) };
    holdTo(engine, await reviewed(engine, program));
    await engine.up(program);
    const { errors, messages } = await failed(engine.destroy());
    expect(errors).toEqual([expect.stringMatching(/would lose it, but .*which this run hasn't checked yet/)]);
    expect(messages.join()).not.toContain("keeps");
    expect(writes()).toEqual([assigned(A)]);
    expect(leftBehind(engine)).toEqual([]);
  });

  test.each<[string, Program, Program]>([
    ["a rename", { a: viewers(A) }, { b: viewers(A) }],
    [
      "a move to an assignment whose groups are ignored",
      { a: viewers(A, C) },
      { b: ignoring, a: viewers(A) },
    ],
  ])("%s takes nothing away", async (_, there, program) => {
    const engine = await made(there, start());
    holdTo(engine, await reviewed(engine, program));
    await engine.up(program);
    expect(revocations()).toEqual([]);
    expect(leftBehind(engine)).toEqual([]);
    expect((await engine.preview(program)).steps).toEqual([]);
  });
});

const a = viewers(ADMINS);
const p = profile(PROFILE);
const HOLDS =
  "review-\\d+\\.json \\(fingerprint [0-9a-f]{32}, made \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\) doesn't allow that";
describe("a write outside the review is not sent", () => {
  test("the preview of the run is refused already", async () => {
    const engine = await made({ a });
    holdTo(engine, await reviewed(engine, { a: viewers(ADMINS, BILLING) }));
    for (const program of [{ p }, { a: viewers(CONTRACTORS) }] as Program[]) {
      const { errors } = await failed(engine.preview(program));
      expect(errors).toEqual([expect.stringMatching(HOLDS)]);
    }
    expect(tenant.sent()).toEqual([]);
  });

  test("a shared call: what was reviewed is done, and what was not is refused by itself", async () => {
    const engine = await made({ a, b: viewers(BILLING) });
    const review = await reviewed(engine, { a, c: viewers(CONTRACTORS) });
    holdTo(engine, review);
    // A preview doesn't check deletes.
    const { errors } = await failed(engine.up({}));
    expect(errors).toEqual([expect.stringContaining(`role ${VIEWER}: ${ADMINS} would lose it, but`)]);
    expect(writes()).toEqual([unassigned(BILLING)]);
  });
});

describe("a file that can't be used: nothing is sent, with the reason", () => {
  // tests/review/review-file.test.ts has the other reasons.
  test.each<[string, (review: ReviewJson) => unknown, string]>([
    ["not JSON", () => "grant everything", "is not JSON"],
    [
      "of another stack",
      (review) => ({ ...review, stack: "test/other" }),
      "is that of test/other, and this is test/test",
    ],
  ])("%s", async (_, change, why) => {
    const program = { a };
    const engine = engineOf();
    holdTo(engine, change(await reviewed(engine, program)));
    for (const run of ["preview", "up"] as const) {
      const { errors } = await failed(engine[run](program));
      expect(errors[0]).toContain("a: Nothing is sent: the review ");
      expect(errors[0]).toContain(why);
    }
    expect(tenant.sent()).toEqual([]);
  });

  test("a tenant of which the preview does not tell is that of the environment in which the review was made", async () => {
    const env = environmentOf(tenant);
    const run = async (environmentTenant: string | null) => {
      const IDENTITY_REVIEW_FILE = written({ ...review, environmentTenant });
      return engineWith({ ...env, IDENTITY_REVIEW_FILE }, { config: {} }).up({ a });
    };
    const review = await reviewed(engineWith(env, { config: {} }), { a });
    expect(review.access).toMatchObject([{ tenant: null }]);
    for (const other of [null, "other.example.com"]) {
      const { errors } = await failed(run(other));
      expect(errors[0]).toContain(
        "It doesn't name its tenant: make it with IDENTITY_DOMAIN in the environment.",
      );
    }
    expect(tenant.sent()).toEqual([]);
    await run(tenant.host);
    expect(writes()).toEqual([assigned(ADMINS)]);
  });
});

describe("a profile of the review is made once", () => {
  /** As a resource hook does after an error. */
  class TryingTwice extends HostInProcess {
    override create(inputs: Parameters<HostInProcess["create"]>[0]) {
      return super.create(inputs).catch(() => super.create(inputs));
    }
  }
  const startHost = within({}, (address, moment) => new TryingTwice(address, moment));

  test("by another try where the first was refused", async () => {
    const engine = engineOf({ startHost });
    holdTo(engine, await reviewed(engine, { p }));
    tenant.fail({ method: "POST", path: "/api/v2/*", action: { status: 403 } });
    await engine.up({ p });
    expect(tenant.profiles()).toHaveLength(1);
  });

  test("by no other where the first may have made it", async () => {
    const engine = engineOf({ startHost });
    holdTo(engine, await reviewed(engine, { p }));
    tenant.fail(
      { method: "POST", path: "/api/v2/*", action: { drop: "after" } },
      { method: "GET", path: "/api/v2/*", times: 9, action: { status: 503 } },
    );
    const { errors } = await failed(engine.up({ p }));
    expect(errors).toEqual([expect.stringContaining("would be created with these settings, but")]);
    expect(tenant.profiles()).toHaveLength(1);
  });
});

test("a call that no operation has planned is refused, whoever sends it", async () => {
  const hosts: HostInProcess[] = [];
  const startHost = within({}, (address, moment) => {
    const host = new HostInProcess(address, moment);
    hosts.push(host);
    return host;
  });
  const engine = engineOf({ startHost });
  holdTo(engine, await reviewed(engine, { p }));
  await engine.up({ p });
  const [client] = hosts.at(-1)?.clients ?? [];
  tenant.sent();
  for (const call of [
    { method: "POST", path: "/connection-profiles", body: { name: PROFILE.name } },
    { method: "DELETE", path: "/users/{id}", ids: { id: "auth0|1" } },
  ] as const) {
    await expect(client?.send({ ...call, scopes: [] })).rejects.toThrow(
      `${call.method} ${call.path} would be sent, but review-`,
    );
  }
  expect(tenant.sent()).toEqual([]);
});

describe("who chooses the review", () => {
  const config = () => engineOf().config;
  const under = (env: Record<string, string>, more: Record<string, string> = {}) =>
    engineWith(env, { config: { ...config(), ...more }, providers: { eu: { ...config(), ...more } } });
  const ofProvider = { a: { ...a, provider: "eu" } };

  test.each([
    ["the stack", { a }],
    ["an explicit provider", ofProvider],
  ])("no run without a review: %s can't switch it off, nor name a file of its own", async (_, program) => {
    const own = written(await reviewed(engineOf({ providers: { eu: config() } }), program));
    const off = { "identity:requireReview": "false", "identity:reviewFile": own };
    const engine = under({ IDENTITY_REQUIRE_REVIEW: "true" }, off);
    const { errors } = await failed(engine.up(program));
    expect(errors).toEqual([
      "a: Nothing is sent without a review: identity:requireReview (IDENTITY_REQUIRE_REVIEW) is set, and " +
        "IDENTITY_REVIEW_FILE is not. Preview and review the change, and give the review's JSON.",
    ]);
    // A preview needs none: the review is made from it.
    expect((await engine.preview(program)).steps).toEqual(["create a"]);
    expect(tenant.sent()).toEqual([]);
  });

  test.each([
    ["the stack", { a }],
    ["an explicit provider", ofProvider],
  ])(
    "%s names a review that is about to be made: its preview isn't held, and sends nothing",
    async (_, program) => {
      const engine = under(
        { PULUMI_IDENTITY_FOR_REVIEW: "true" },
        { "identity:reviewFile": "not-made-yet.json" },
      );
      expect((await engine.preview(program)).steps).toEqual(["create a"]);
      expect((await failed(engine.up(program))).errors[0]).toContain("Nothing is sent without a review");
      expect(tenant.sent()).toEqual([]);
    },
  );

  test("by its SHA-256: a file that was replaced is not used", async () => {
    const file = written(await reviewed(engineOf(), { a }));
    const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
    const env = { IDENTITY_REVIEW_FILE: file, IDENTITY_REVIEW_DIGEST: digest };
    const program = { a: viewers(ADMINS, BILLING) };
    const other = await reviewed(engineOf(), program);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, json(other));
    const { errors } = await failed(under(env).up(program));
    expect(errors[0]).toContain(
      "is not the file whose SHA-256 identity:reviewDigest (IDENTITY_REVIEW_DIGEST) gives",
    );
    expect(tenant.sent()).toEqual([]);
    const without = await failed(under({ IDENTITY_REVIEW_DIGEST: digest }).up(program));
    expect(without.errors[0]).toContain(
      "Nothing is sent without a review: identity:reviewDigest (IDENTITY_REVIEW_DIGEST) is set, and IDENTITY_REVIEW_FILE is not.",
    );
    expect(tenant.sent()).toEqual([]);
    writeFileSync(file, text);
    await under(env).up({ a });
    expect(writes()).toEqual([assigned(ADMINS)]);
  });
});

describe("what ends", () => {
  test.each([
    ["goes", "2199-12-31", undefined, "2200-01-31", "later"],
    ["comes", undefined, "2199-12-31", "2199-12-30", "earlier"],
    ["moves", "2199-12-31", "2200-12-31", undefined, "later"],
  ])(
    "an end that %s is allowed as the review shows it, and no other one",
    async (_, before, after, other, ends) => {
      const until = (end?: string) => ({
        a: assignment({ roleId: VIEWER, groupIds: [ADMINS], ...(end !== undefined && { until: end }) }),
      });
      const engine = await made(until(before));
      const review = await reviewed(engine, until(after));
      expect(review).toMatchObject({ access: [{ effect: "keeps", group: ADMINS, ends }] });
      expect(review.categories).toEqual([ends === "later" ? "grant" : "revoke"]);
      holdTo(engine, review);
      const { errors } = await failed(engine.up(until(other)));
      expect(errors).toEqual([
        expect.stringContaining(
          `${ADMINS} would have it ${other === undefined ? "without an end" : `until ${other}`}, but`,
        ),
      ]);
      await engine.up(until(after));
      expect(engine.resource("a").outputs["until"]).toBe(after);
      expect(writes()).toEqual([]);
    },
  );
});
