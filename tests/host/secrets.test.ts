import { ADMINS, VIEWER } from "../../simulator/default-seed";
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

/** Like a SAML metadata document: many lines, with characters that encodings change. */
function metadata(length: number): string {
  const lines = ['<?xml version="1.0"?>'];
  for (let i = 0, size = 0; size < length; size += (lines.at(-1) as string).length + 1, i++) {
    const certificate = Buffer.from(`${i * 7_919} ${i * 104_729} ${i}`).toString("base64");
    lines.push(`  <md:KeyDescriptor use="signing & more" id='_${i}'>${certificate}é</md:KeyDescriptor>`);
  }
  return lines.join("\n").slice(0, length);
}

/** tests/border.test.ts has other lengths, and all spellings. */
describe("a secret of 20,000 characters is in no message", () => {
  const document = metadata(20_000);
  const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  const mine = (name: string, more = {}) =>
    profile({ name, strategyOverrides: { okta: { provisioning: { note: secret(document) } } }, ...more });

  /** No 64 characters may appear, plain or as in JSON, with or without line breaks. */
  function expectHidden(...texts: string[]): void {
    for (const text of texts) {
      for (let at = 0; at + 64 <= document.length; at += 16) {
        const piece = document.slice(at, at + 64);
        if (text.includes(piece) || text.includes(JSON.stringify(piece).slice(1, -1)))
          throw new Error(`characters ${at} to ${at + 64} are shown`);
      }
    }
  }

  /** The service repeats the request, from the beginning or whole. */
  function refuse(method: string, quoted = document): void {
    tenant.fail({
      method,
      path: "/api/v2/connection-profiles*",
      action: { status: 400, body: { statusCode: 400, error: "Bad", message: `Not good: ${quoted}` } },
    });
  }

  test("when a create or an update fails", async () => {
    const engine = start();
    refuse("POST");
    const created = await failed(engine.up({ p: mine("p") }));
    expect(created.errors).toEqual([
      expect.stringContaining("POST /connection-profiles answered 400: Not good: [secret]"),
    ]);
    expectHidden(shown(created));

    await engine.up({ p: mine("p") });
    for (const quoted of [document, document.slice(0, 1_000)]) {
      refuse("PATCH", quoted);
      const updated = await failed(engine.up({ p: mine("other") }));
      expect(updated.errors).toEqual([expect.stringContaining("answered 400: Not good: [secret]")]);
      expectHidden(shown(updated));
    }
  });

  test("when an answer is cut in the middle of it", async () => {
    const engine = start();
    for (const length of [940, 955, 962, 965]) {
      refuse("POST", `${"-".repeat(length)}${document}${"y".repeat(500)}`);
      const { errors } = await failed(engine.up({ p: mine("p") }));
      expect(errors.join()).toMatch(/: -+(?:\[secret\]y*)?… \(cut: \d+ characters\)\./);
    }
  });

  test("when it is the name, which the line of an adoption and a refused input show", async () => {
    tenant.seed({ connection_profiles: [{ id, name: "theirs" }] });
    const named = profile({ name: secret(document), adopt: id });
    const preview = await start()
      .preview({ p: named })
      .catch(
        (error: unknown) => (error as { run: { messages: string[]; errors: string[]; stderr: string } }).run,
      );
    expect([...preview.messages, ...preview.errors].length).toBeGreaterThan(0);
    expectHidden(shown(preview));
  });

  test("when an adoption brings it", async () => {
    tenant.seed({ connection_profiles: [{ id, name: "theirs" }] });
    const preview = await start().preview({
      p: mine("p", { adopt: id }),
    });
    expect(preview.messages).toEqual([expect.stringContaining(`adopts connection profile ${id}`)]);
    expectHidden(shown(preview));
  });
});
