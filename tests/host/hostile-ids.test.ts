import { HOSTILE_IDS } from "../../testkit/hostile-ids";
import { ADMINS, BILLING, PHONE, VIEWER } from "../../simulator/default-seed";
import { assignment, Engine, failed, profile, removal } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { TOKEN, useTenant } from "../../testkit/tenant";

type Spoil = (id: string) => string;

const tenant = useTenant();
catchLines();
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const PROFILES = "/api/v2/connection-profiles";
const GROUPS = `/api/v2/roles/${VIEWER}/groups`;
const viewers = assignment({ roleId: VIEWER, groupIds: [ADMINS] });

/** tests/service/ids.test.ts has all of them; here they come from every side. */
const [control, command, path] = ["a control character", "a CI command", "a path"].map(
  (name) => HOSTILE_IDS.find(([what]) => what === name)![1],
) as [Spoil, Spoil, Spoil];

/**
 * Messages may quote the given value, but a terminal or a CI system must not act on it, and it must not fill
 * the screen.
 */
function expectHarmless(texts: readonly string[]): void {
  expect(texts.join("\n")).not.toMatch(/\p{Cc}(?<!\n)|::[a-z-]+::|\u200b|x{81}/u);
}

describe("an answer with a hostile id", () => {
  test.each([
    ["a control character", control],
    ["a path", path],
  ])("is not believed by a create, %s: neither state nor a path has the id", async (_, of) => {
    const record = { id: of(ID), name: "enterprise" };
    const list = { connection_profiles: [record] };
    tenant.fail(
      { method: "POST", path: PROFILES, times: 9, action: { status: 201, body: record } },
      { method: "GET", path: PROFILES, times: 9, action: { status: 200, body: list } },
    );
    const engine = new Engine(tenant, { startHost: inProcess });

    const { errors, messages } = await failed(engine.up({ p: profile({ name: "enterprise" }) }));

    expect(errors).toEqual([
      expect.stringMatching(
        /^p: POST \/connection-profiles answered 201 with an unexpected body: id: must be the id of/,
      ),
    ]);
    expect(errors[0]).toContain("may have been created all the same");
    expectHarmless([...errors, ...messages]);
    expect(errors.join("\n")).not.toMatch(/<script|fields=x|con_2G/);
    expect(engine.state.size).toBe(0);
    // Requested once: the outcome is unknown, and a second request could create a second profile.
    expect(tenant.sent()).toEqual([
      TOKEN,
      "POST /connection-profiles 201",
      "GET /connection-profiles?take=10 200",
    ]);
  });

  test("is not believed by a refresh", async () => {
    tenant.seed({ connection_profiles: [{ id: ID, name: "enterprise" }] });
    const engine = new Engine(tenant, { startHost: inProcess });
    await engine.up({ p: profile({ name: "enterprise", adopt: ID }), a: viewers });
    const before = structuredClone([...engine.state]);
    tenant.fail(
      {
        method: "GET",
        path: `${PROFILES}/${ID}`,
        action: { status: 200, body: { id: path(ID), name: "enterprise" } },
      },
      {
        method: "GET",
        path: GROUPS,
        action: { status: 200, body: { groups: [{ id: command(BILLING) }] } },
      },
    );

    const { errors, messages } = await failed(engine.refresh());

    expect([...errors].sort()).toEqual([
      expect.stringMatching(/^a: GET .* unexpected body: groups\.0\.id: must be the id of a group/),
      expect.stringMatching(/^p: GET .* unexpected body: id: /),
    ]);
    expectHarmless([...errors, ...messages]);
    expect(errors.join("\n")).not.toMatch(/<script|fields=x|con_2G/);
    expect([...engine.state]).toEqual(before);
  });
});

test.each([
  ["adopt", profile({ name: "a", adopt: control(ID) }), "adopt"],
  ["roleId", assignment({ roleId: command(VIEWER), groupIds: [ADMINS] }), "roleId"],
  ["groupIds", assignment({ roleId: VIEWER, groupIds: [path(ADMINS)] }), "groupIds[0]"],
  ["deviceCredentialId", removal(control(PHONE)), "deviceCredentialId"],
])("a program that gives a hostile id is told before any call: %s", async (_input, resource, path) => {
  const { errors } = await failed(new Engine(tenant, { startHost: inProcess }).preview({ r: resource }));

  expect(errors).toEqual([expect.stringContaining(`${path}: must be `)]);
  expect(errors[0]).toMatch(/; received (".*|\d+ characters\.$)/);
  expectHarmless(errors);
  expect(tenant.sent()).toEqual([]);
});

test.each([
  ["ConnectionProfile", profile({}, { get: path(ID) })],
  ["RoleGroupAssignment", assignment({}, { get: control(VIEWER) })],
  ["DeviceCredentialRemoval", { ...removal(""), inputs: {}, get: command(PHONE) }],
])("get with a hostile id is refused before any call: %s", async (kind, resource) => {
  const engine = new Engine(tenant, { startHost: inProcess });

  const { errors } = await failed(engine.up({ r: resource }));

  expect(errors).toEqual([expect.stringContaining(`${kind}.get: id: must be the id of a`)]);
  expectHarmless(errors);
  expect(tenant.sent()).toEqual([]);
  expect(engine.state.size).toBe(0);
});
