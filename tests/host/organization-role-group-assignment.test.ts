import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPreview } from "../../cli/review/input/preview";
import { toJson } from "../../cli/review/output/json";
import { reviewOf } from "../../cli/review/review";
import { type SeedInput } from "../../simulator";
import {
  DEFAULT_SEED,
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../simulator/default-seed";
import { manyGroups } from "../../testkit/assignments";
import {
  assignment,
  Engine,
  failed,
  later,
  organizationAssignment,
  type Program,
} from "../../testkit/engine";
import { json, TOKEN, useTenant } from "../../testkit/tenant";

/* What differs from an assignment in the tenant: the calls, one a group, and the key of everything. */

const tenant = useTenant();

const ACME = "org_5vJmTq8XbRz3kWcY";
const GLOBEX = "org_9sJdYp3LfGe7uXaK";
const MANAGER = "rol_2kCvRw7ZtMh9sPxE";
const FOREIGN = "rol_6dFgHj1KlQw4eRtY";
const ALL = [ADMINS, BILLING, CONTRACTORS, SUPPORT];

type Organization = NonNullable<SeedInput["organizations"]>[number];
const acme = (more: Partial<Organization> = {}): Organization => ({
  id: ACME,
  name: "acme",
  groups: ALL,
  ...more,
});
const seed = (more: SeedInput = {}) =>
  tenant.seed({
    roles: [
      ...(DEFAULT_SEED.roles ?? []),
      { id: MANAGER, name: "order-manager", type: "organization", owner_id: ACME },
      { id: FOREIGN, name: "order-manager", type: "organization", owner_id: GLOBEX },
    ],
    organizations: [acme(), { id: GLOBEX, name: "globex", groups: ALL }],
    ...more,
  });
beforeEach(() => seed());

const orders = (...groupIds: string[]) =>
  organizationAssignment({ organizationId: ACME, roleId: MANAGER, groupIds });
const url = (group: string) => `/organizations/${ACME}/groups/${group}/roles`;
const call = (method: string, group: string, status = 204, role = MANAGER) =>
  `${method} ${url(group)} ${json({ roles: [role] })} ${status}`;
const LISTED = `GET /organizations/${ACME}/roles/${MANAGER}/groups?take=100 200`;
const groupsIn = (organization = ACME, role = MANAGER) =>
  [
    ...(tenant.simulator
      .state()
      .organizations.find(({ id }) => id === organization)
      ?.roles.find(({ id }) => id === role)?.groups ?? []),
  ].sort();
const WHERE = `role ${MANAGER} in ${ACME}`;

async function made(...groupIds: string[]): Promise<Engine> {
  const engine = new Engine(tenant);
  await engine.up({ a: orders(...groupIds) });
  tenant.sent();
  return engine;
}

describe("its life", () => {
  test("create: a preview that names the organization, then a call for each group", async () => {
    const engine = new Engine(tenant);
    const program = { a: orders(ADMINS, BILLING, ADMINS) };

    const { steps, messages } = await engine.preview(program);
    expect(steps).toEqual(["create a"]);
    expect(messages).toEqual([`a: ${WHERE}: + ${BILLING}, ${ADMINS}`]);
    expect(tenant.sent()).toEqual([]);

    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, call("POST", BILLING), call("POST", ADMINS)]);
    expect(engine.resource("a")).toMatchObject({
      id: `${ACME}/${MANAGER}`,
      outputs: {
        organizationId: ACME,
        roleId: MANAGER,
        groupIds: [BILLING, ADMINS],
        exclusive: false,
        tenant: tenant.host,
      },
    });
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("update, refresh, drift and destroy", async () => {
    const engine = await made(ADMINS, BILLING);
    const program = { a: orders(ADMINS, CONTRACTORS) };
    expect((await engine.preview(program)).messages).toEqual([`a: ${WHERE}: + ${CONTRACTORS}; − ${BILLING}`]);
    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, call("POST", CONTRACTORS), call("DELETE", BILLING)]);

    await tenant.outside("POST", url(SUPPORT), { roles: [MANAGER] });
    expect((await engine.refresh()).steps).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, LISTED]);

    await tenant.outside("DELETE", url(ADMINS), { roles: [MANAGER] });
    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds"]);
    tenant.sent();
    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, call("POST", ADMINS)]);

    await engine.destroy();
    expect(tenant.sent()).toEqual([TOKEN, call("DELETE", ADMINS), call("DELETE", CONTRACTORS)]);
    expect(groupsIn()).toEqual([SUPPORT]);
  });

  test.each([
    ["organizationId", { organizationId: GLOBEX, roleId: AGENT }],
    ["roleId", { organizationId: ACME, roleId: VIEWER }],
  ])("a change of %s replaces it", async (name, ids) => {
    const engine = new Engine(tenant);
    await engine.up({
      a: organizationAssignment({ organizationId: ACME, roleId: AGENT, groupIds: [ADMINS] }),
    });
    const program = { a: organizationAssignment({ ...ids, groupIds: [ADMINS] }) };
    expect((await engine.preview(program)).steps).toEqual([`replace a: ${name}`, "delete replaced a"]);
    await engine.up(program);
    expect(groupsIn(ids.organizationId, ids.roleId)).toEqual([ADMINS]);
    expect(groupsIn(ACME, AGENT)).toEqual([]);
    expect(engine.resource("a").id).toBe(`${ids.organizationId}/${ids.roleId}`);
  });

  test("get and import read the groups by the ids of both", async () => {
    await tenant.outside("POST", url(SUPPORT), { roles: [MANAGER] });
    const engine = new Engine(tenant);
    await engine.up({ a: organizationAssignment({}, { get: `${ACME}/${MANAGER}` }) });
    expect(engine.resource("a").outputs).toMatchObject({
      organizationId: ACME,
      roleId: MANAGER,
      groupIds: [SUPPORT],
    });
    const { errors } = await failed(engine.up({ b: organizationAssignment({}, { get: MANAGER }) }));
    expect(errors[0]).toContain("must be the ids of an organization and of a role: org_…/rol_…");
  });

  test("an organization that is gone: gone on refresh, done on destroy", async () => {
    const engine = await made(ADMINS);
    const destroyed = new Engine(tenant);
    destroyed.state.set("a", structuredClone(engine.resource("a")));
    seed({ organizations: [] });
    expect((await engine.refresh()).steps).toEqual(["gone a"]);
    await destroyed.destroy();
    expect(destroyed.state.size).toBe(0);
  });

  test("after its end, the groups lose the role there", async () => {
    const engine = new Engine(tenant);
    const program = {
      a: organizationAssignment({
        organizationId: ACME,
        roleId: MANAGER,
        groupIds: [ADMINS],
        until: "2099-12-31",
      }),
    };
    await engine.up(program);
    engine.moment = Date.parse("2100-01-01T00:00:00Z");
    await engine.up(program);
    expect(groupsIn()).toEqual([]);
    expect(engine.resource("a").outputs["ended"]).toBe(true);
  });

  test("with deleteOnDestroy: false, the groups keep it, and a line says so", async () => {
    const engine = new Engine(tenant);
    const inputs = { organizationId: ACME, roleId: MANAGER, groupIds: [ADMINS], deleteOnDestroy: false };
    await engine.up({ a: organizationAssignment(inputs) });
    const { messages } = await engine.destroy();
    expect(messages.join()).toContain(`${WHERE}: stays with ${ADMINS}, because deleteOnDestroy is false`);
    expect(groupsIn()).toEqual([ADMINS]);
  });
});

describe("beside other assignments", () => {
  test("a group that moves keeps the role throughout", async () => {
    const engine = await made(ADMINS, BILLING);
    const program = { a: orders(BILLING), b: orders(ADMINS) };
    expect((await engine.preview(program)).messages).toContain(`a: ${WHERE}: hands over ${ADMINS}`);
    await engine.up(program);
    expect(tenant.sent().filter((line) => line.startsWith("DELETE"))).toEqual([]);
    expect((await engine.up(program)).steps).toEqual([]);
  });

  test("the same role in the tenant, or in another organization, is another one", async () => {
    const engine = new Engine(tenant);
    const program = {
      a: assignment({ roleId: AGENT, groupIds: [ADMINS], exclusive: true }),
      b: organizationAssignment({ organizationId: ACME, roleId: AGENT, groupIds: [ADMINS], exclusive: true }),
      c: organizationAssignment({
        organizationId: GLOBEX,
        roleId: AGENT,
        groupIds: [ADMINS],
        exclusive: true,
      }),
    };
    expect((await engine.up(program)).errors).toEqual([]);
    expect([tenant.groupsOf(AGENT), groupsIn(ACME, AGENT), groupsIn(GLOBEX, AGENT)]).toEqual([
      [ADMINS],
      [ADMINS],
      [ADMINS],
    ]);
    await engine.up({ a: program.a, c: program.c });
    expect([tenant.groupsOf(AGENT), groupsIn(ACME, AGENT), groupsIn(GLOBEX, AGENT)]).toEqual([
      [ADMINS],
      [],
      [ADMINS],
    ]);
  });

  test("two that list a group of one role there are refused, with both names and the organization", async () => {
    const engine = new Engine(tenant);
    const { errors } = await failed(engine.preview({ a: orders(ADMINS), b: orders(ADMINS, BILLING) }));
    expect(errors).toEqual([
      `b: OrganizationRoleGroupAssignment "a" and "b" both list ${ADMINS} for the ${WHERE}. ` +
        "Let one of them own it: list the groups in one assignment.",
    ]);
  });

  test("a role of the tenant that isn't known yet keeps no listing in an organization from being whole", async () => {
    const engine = await made(ADMINS, BILLING);
    const program = {
      a: orders(BILLING),
      b: assignment({ roleId: later(AGENT), groupIds: [CONTRACTORS] }),
    };
    expect((await engine.preview(program)).messages).toContain(`a: ${WHERE}: − ${ADMINS}`);
  });

  test("an organization that isn't known yet leaves it open which groups lose the role", async () => {
    const engine = await made(ADMINS, BILLING);
    const program = {
      a: orders(BILLING),
      b: organizationAssignment({ organizationId: later(GLOBEX), roleId: AGENT, groupIds: [CONTRACTORS] }),
    };
    expect((await engine.preview(program)).messages).toContain(
      `a: ${WHERE}: − ${ADMINS}, unless the program still lists them`,
    );
  });
});

describe("exclusive", () => {
  const exactly = (...groupIds: string[]) => {
    const { inputs } = orders(...groupIds);
    return organizationAssignment({ ...inputs, exclusive: true });
  };

  test("the preview names the groups that lose the role there, read by pages", async () => {
    const many = manyGroups(130);
    seed({
      groups: [...(DEFAULT_SEED.groups ?? []), ...many.map((id) => ({ id }))],
      organizations: [acme({ groups: [...ALL, ...many], roles: [{ id: MANAGER, groups: many }] })],
    });
    const engine = new Engine(tenant);
    const { messages } = await engine.preview({ a: exactly(ADMINS) });
    expect(messages).toContainEqual(
      expect.stringContaining(`${WHERE}: exclusive, takes the role from 130 groups that others gave it to: `),
    );
    expect(tenant.sent()).toHaveLength(3);
    await engine.up({ a: exactly(ADMINS) });
    expect(groupsIn()).toEqual([ADMINS]);
  });
});

describe("what the service refuses", () => {
  test("a group outside of the organization: all others get the role, and the error names both", async () => {
    seed({ organizations: [acme({ groups: [ADMINS, CONTRACTORS] })] });
    const engine = new Engine(tenant);
    const { errors } = await failed(engine.up({ a: orders(ADMINS, BILLING, CONTRACTORS) }));
    expect(errors).toEqual([
      `a: Group ${BILLING} isn't in the organization ${ACME}: POST ${url(BILLING)} answered 404: The group ${BILLING} is ` +
        "not in the organization. Add it to the organization, or take the id out of the program. 2 other groups got the role.",
    ]);
    expect(groupsIn()).toEqual([ADMINS, CONTRACTORS].sort());
    expect(engine.resource("a").outputs["groupIds"]).toEqual([CONTRACTORS, ADMINS].sort());
    const sent = tenant.sent();
    expect(sent.filter((line) => line.startsWith("POST"))).toHaveLength(3);
    expect(sent.filter((line) => line.startsWith("GET"))).toHaveLength(1);
  });

  test("a role of another organization: its words, and nothing in state", async () => {
    const engine = new Engine(tenant);
    const program = {
      a: organizationAssignment({ organizationId: ACME, roleId: FOREIGN, groupIds: [ADMINS, BILLING] }),
    };
    const { errors } = await failed(engine.up(program));
    expect(errors[0]).toMatch(/^a: Groups .* didn't get the role: .*belongs to another organization/);
    expect(engine.state.size).toBe(0);
  });

  test("20 refused groups don't keep the last one from getting the role", async () => {
    const many = manyGroups(21);
    const [last = ""] = many.slice(-1);
    seed({
      groups: many.map((id) => ({ id })),
      users: [],
      roles: [{ id: MANAGER }],
      organizations: [acme({ groups: [last] })],
    });
    const engine = new Engine(tenant);
    const { errors } = await failed(engine.up({ a: orders(...many) }));
    expect(groupsIn()).toEqual([last]);
    expect(errors[0]).toContain("1 other group got the role.");
    // One look after the first refusal, and one at the end.
    expect(tenant.sent().filter((line) => line.startsWith("GET"))).toHaveLength(2);
  });

  test("409 for a group that has the role is done, as the list shows", async () => {
    seed({
      organizations: [acme({ roles: [{ id: MANAGER, groups: [ADMINS] }] })],
      behaviour: { assign_assigned_group: "error" },
    });
    const engine = new Engine(tenant);
    expect((await engine.up({ a: orders(ADMINS, BILLING) })).errors).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, call("POST", BILLING), call("POST", ADMINS, 409), LISTED]);
    expect(engine.resource("a").outputs["groupIds"]).toEqual([BILLING, ADMINS]);
  });

  test("409 for one that the list lacks is the service's refusal", async () => {
    const engine = new Engine(tenant);
    tenant.fail({
      method: "POST",
      path: `*${url(ADMINS)}`,
      action: { status: 409, body: { statusCode: 409, message: "The connection is busy." } },
    });
    const { errors } = await failed(engine.up({ a: orders(ADMINS, BILLING) }));
    expect(errors[0]).toMatch(
      /Group .* didn't get the role: .*409.*The connection is busy\..* 1 other group got/,
    );
    expect(groupsIn()).toEqual([BILLING]);
  });
});

describe("an answer that was lost", () => {
  test("of a grant is resolved by the list", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: `*${url(BILLING)}`, action: { drop: "after" } });
    expect((await engine.up({ a: orders(ADMINS, BILLING) })).errors).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, call("POST", BILLING, 0), LISTED, call("POST", ADMINS)]);
  });

  test("that nothing resolves leaves the group in state, and the next up finishes", async () => {
    const engine = await made(ADMINS);
    tenant.fail({ method: "POST", path: `*${url(BILLING)}`, action: { drop: "after" } });
    tenant.fail({ method: "GET", path: "*/organizations/*", times: 10, action: { status: 403 } });
    await failed(engine.up({ a: orders(ADMINS, BILLING, CONTRACTORS) }));
    expect(engine.resource("a").outputs).toMatchObject({
      groupIds: [BILLING, ADMINS],
      unconfirmed: [BILLING],
    });
    tenant.clear();
    await engine.up({ a: orders(ADMINS) });
    expect(groupsIn()).toEqual([ADMINS]);
  });
});

test("identity:maxRevocations counts a group's role in each organization", async () => {
  const engine = new Engine(tenant);
  engine.config = { ...engine.config, "identity:maxRevocations": "1" };
  const both = {
    a: organizationAssignment({ organizationId: ACME, roleId: AGENT, groupIds: [ADMINS] }),
    b: organizationAssignment({ organizationId: GLOBEX, roleId: AGENT, groupIds: [ADMINS] }),
  };
  await engine.up(both);
  const { errors } = await failed(engine.destroy());
  expect(errors.join()).toContain("this run would revoke at least 2 grants");
  expect([...groupsIn(ACME, AGENT), ...groupsIn(GLOBEX, AGENT)]).toHaveLength(1);
});

describe("held to a review", () => {
  async function reviewed(engine: Engine, program: Program): Promise<object> {
    const review = reviewOf(readPreview(await engine.previewJson(program)), false);
    tenant.sent();
    return toJson(review, { made: new Date(), unknownAccepted: false, environmentTenant: undefined });
  }
  async function heldTo(engine: Engine, program: Program): Promise<void> {
    const file = join(mkdtempSync(join(tmpdir(), "pulumi-identity-held-")), "review.json");
    writeFileSync(file, JSON.stringify(await reviewed(engine, program)));
    engine.config = { ...engine.config, "identity:reviewFile": file };
  }

  test("what was reviewed is done: grants and losses there", async () => {
    const engine = await made(ADMINS, BILLING);
    const program = { a: orders(ADMINS, CONTRACTORS) };
    await heldTo(engine, program);
    expect((await engine.up(program)).errors).toEqual([]);
    expect(groupsIn()).toEqual([ADMINS, CONTRACTORS].sort());
  });

  test("a grant reviewed for another organization, or for the tenant, is refused, and nothing is sent", async () => {
    for (const other of [
      assignment({ roleId: AGENT, groupIds: [ADMINS] }),
      organizationAssignment({ organizationId: GLOBEX, roleId: AGENT, groupIds: [ADMINS] }),
    ]) {
      const engine = new Engine(tenant);
      await heldTo(engine, { a: other });
      const program = {
        a: organizationAssignment({ organizationId: ACME, roleId: AGENT, groupIds: [ADMINS] }),
      };
      const { errors } = await failed(engine.up(program));
      expect(errors.join()).toContain(`role ${AGENT} in ${ACME}: ${ADMINS} would gain it, but review.json`);
    }
    expect([tenant.groupsOf(AGENT), groupsIn(ACME, AGENT)]).toEqual([[SUPPORT], []]);
  });

  test("a loss that the review doesn't have is refused", async () => {
    const engine = await made(ADMINS, BILLING);
    await heldTo(engine, { a: orders(ADMINS, BILLING) });
    const { errors } = await failed(engine.up({ a: orders(ADMINS) }));
    expect(errors.join()).toContain(`${WHERE}: ${BILLING} would lose it, but review.json`);
    expect(groupsIn()).toEqual([ADMINS, BILLING].sort());
    const { errors: destroyed } = await failed(engine.destroy());
    expect(destroyed.join()).toContain("would lose it, but review.json");
  });
});

test.each<[what: string, inputs: object, message: string]>([
  ["no organization", { roleId: AGENT, groupIds: [ADMINS] }, "organizationId: is required"],
  [
    "a name in place of its id",
    { organizationId: "acme", roleId: AGENT, groupIds: [ADMINS] },
    "getOrganization({ name }) finds it by the name",
  ],
  [
    "swapped ids",
    { organizationId: AGENT, roleId: ACME, groupIds: [ADMINS] },
    "organizationId: must be the id of an organization, and not of a role: perhaps two ids are swapped",
  ],
])("%s is refused in the preview", async (_, inputs, message) => {
  const { errors } = await failed(new Engine(tenant).preview({ a: organizationAssignment({ ...inputs }) }));
  expect(errors.join()).toContain(message);
  expect(tenant.sent()).toEqual([]);
});
