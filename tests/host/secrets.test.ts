import { ADMINS, AGENT, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { assignment, Engine, failed, profile, removal, secret, type Transform } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";

const tenant = useTenant();
catchLines();

const start = () => new Engine(tenant, { startHost: inProcess });

/** A stack transformation that makes these inputs secret; the program itself gives them in clear. */
const hides =
  (...names: string[]): Transform =>
  (_name, inputs) =>
    Object.fromEntries(
      Object.entries(inputs).map(([key, value]) => [key, names.includes(key) ? secret(value) : value]),
    );

/** Returns everything a person at the CLI sees of a run. */
const shown = (run: { messages: string[]; errors: string[]; stderr: string }) =>
  [...run.messages, ...run.errors, run.stderr].join("\n");

describe("values that a transformation makes secret are in no message", () => {
  test("a group that the service refuses, in the error", async () => {
    const ghost = "grp_9999999999999999zz";
    const program = { a: assignment({ roleId: VIEWER, groupIds: [ghost] }) };

    const open = await failed(start().up(program));
    expect(shown(open)).toContain(ghost);

    const run = await failed(start().up(program, { transform: hides("groupIds") }));
    expect(run.errors).toHaveLength(1);
    expect(shown(run)).not.toContain(ghost);
  });

  test("a name, in the line of an adoption and in errors", async () => {
    const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
    tenant.seed({ connection_profiles: [{ id, name: "theirs" }, { name: "taken by another" }] });
    const program = { p: profile({ name: "taken by another", adopt: id }) };
    const transform = hides("name");

    const preview = await start().preview(program, { transform });
    expect(preview.messages).toEqual([expect.stringContaining(`adopts connection profile ${id}`)]);
    expect(shown(preview)).not.toContain("taken by another");

    const up = await failed(start().up(program, { transform }));
    expect(up.errors).toEqual([expect.stringContaining("answered 409")]);
    expect(shown(up)).not.toContain("taken by another");
  });

  test("an id, in what a refresh or a destroy says, which know nothing but state", async () => {
    const engine = start();
    const [id = ""] = tenant.credentials();

    const runs = [
      await engine.up({ r: removal(id) }, { transform: hides("deviceCredentialId") }),
      await engine.refresh(),
      await engine.destroy(),
    ];

    expect(runs.at(-1)?.messages).toEqual([expect.stringContaining("stays deleted")]);
    for (const run of runs) expect(shown(run)).not.toContain(id);
  });
});

test("a secret input of one resource blanks nothing in another's lines, be it a word or an id", async () => {
  const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  tenant.seed({ connection_profiles: [{ id, name: "none of theirs" }] });
  const engine = start();
  const program = {
    secret: assignment({ roleId: VIEWER, groupIds: secret([ADMINS]) }),
    word: profile({ name: "p", strategyOverrides: { okta: { provisioning: { note: secret("none") } } } }),
    open: assignment({ roleId: AGENT, groupIds: [ADMINS] }),
    adopted: profile({ name: "theirs", adopt: id }),
  };

  const lines = [
    `secret: role ${VIEWER}: + [secret]`,
    `open: role ${AGENT}: + ${ADMINS}`,
    expect.stringContaining(`adopts connection profile ${id}, named "none of theirs"`),
  ];
  expect((await engine.preview(program)).messages).toEqual(expect.arrayContaining(lines));
  expect((await engine.up(program)).messages).toEqual(expect.arrayContaining(lines));
});

test("a group that was secret in state is in no message of the update that revokes it", async () => {
  const engine = start();
  await engine.up({ a: assignment({ roleId: VIEWER, groupIds: secret([ADMINS, SUPPORT]) }) });
  const body = { statusCode: 400, error: "Bad", message: `Not ${ADMINS}` };
  tenant.fail({ method: "DELETE", path: "/api/v2/roles/*", action: { status: 400, body }, times: 9 });

  const run = await failed(engine.up({ a: assignment({ roleId: VIEWER, groupIds: [SUPPORT] }) }));

  expect(run.errors).toEqual([expect.stringContaining("[secret]")]);
  expect(shown(run)).not.toContain(ADMINS);
});

test("what becomes a secret, or ceases to be one, is updated without a request that writes", async () => {
  const engine = start();
  const [id = ""] = tenant.credentials();
  const program = {
    a: assignment({ roleId: VIEWER, groupIds: [ADMINS] }),
    p: profile({ name: "p", enabledFeatures: ["scim"] }),
    r: removal(id),
  };
  const transform = hides("groupIds", "enabledFeatures", "deviceCredentialId");
  const all = ["update a: __secretInputs", "update p: __secretInputs", "update r: __secretInputs"];
  await engine.up(program);
  tenant.sent();

  expect((await engine.preview(program, { transform })).steps.sort()).toEqual(all);
  expect((await engine.up(program, { transform })).steps.sort()).toEqual(all);
  expect((await engine.up(program, { transform })).steps).toEqual([]);
  expect((await engine.up(program)).steps.sort()).toEqual(all);
  expect((await engine.up(program)).steps).toEqual([]);
  expect(tenant.sent()).toEqual([]);

  await engine.up(program, { transform });
  const destroyed = await engine.destroy();
  expect(destroyed.messages).toContainEqual(expect.stringContaining("credential [secret] stays deleted"));
  expect(shown(destroyed)).not.toContain(id);
});
