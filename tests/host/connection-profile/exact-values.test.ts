import { type BehaviourInput } from "../../../simulator";
import { Engine, profile } from "../engine";
import { type Values } from "../host";
import { json, TOKEN, useTenant } from "../tenant";
import { made } from "./made";

const tenant = useTenant();

const program = (okta?: Values) => ({
  p: profile({ name: "a", ...(okta !== undefined && { strategyOverrides: { okta } }) }),
});
const inputsWith = (okta: Values) => ({ name: "a", strategyOverrides: { okta } });
const overrides = (id: string) => tenant.profile(id)?.["strategy_overrides"];
const wire = (okta: unknown) => ({ strategy_overrides: { okta } });

/** Each is a value in its own right, different from none. */
const EMPTY: [what: string, ours: Values, theirs: Values][] = [
  ["a list that the table knows", { enabledFeatures: [] }, { enabled_features: [] }],
  ["an object that the table knows", { connectionConfig: {} }, { connection_config: {} }],
  ["a list", { provisioning: { list: [] } }, { provisioning: { list: [] } }],
  ["an object", { provisioning: { object: {} } }, { provisioning: { object: {} } }],
  ["a text", { provisioning: { text: "" } }, { provisioning: { text: "" } }],
  ["all of an override", {}, {}],
];

describe.each(EMPTY)("inside an override, %s that is empty", (_what, ours, theirs) => {
  test("is sent by an update, once", async () => {
    const { engine, id, url } = await made(tenant, { name: "a" });

    await engine.up(program(ours));

    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${json(wire(theirs))} 200`]);
    expect(overrides(id)).toEqual({ okta: theirs });
    expect((await engine.refresh()).steps).toEqual([]);
    tenant.sent();
    expect((await engine.up(program(ours))).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("is taken back when the program no longer says so", async () => {
    const { engine, id } = await made(tenant, inputsWith(ours));
    expect(overrides(id)).toEqual({ okta: theirs });

    const { messages } = await engine.up(program());

    expect(messages).toEqual([]);
    expect(overrides(id) ?? {}).toEqual({});
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("is drift where somebody has taken it away", async () => {
    const { engine, id, url } = await made(tenant, inputsWith(ours));
    await tenant.outside("PATCH", url, { strategy_overrides: {} });

    expect((await engine.refresh()).steps).toEqual(["drift p: strategyOverrides"]);
    await engine.up(program(ours));

    expect(overrides(id)).toEqual({ okta: theirs });
    expect((await engine.refresh()).steps).toEqual([]);
  });
});

test("a list that the program wants empty, and that somebody has filled, is drift", async () => {
  const wanted = inputsWith({ enabledFeatures: [] });
  const { engine, id, url } = await made(tenant, wanted);
  await tenant.outside("PATCH", url, wire({ enabled_features: ["scim"] }));

  expect((await engine.refresh()).steps).toEqual(["drift p: strategyOverrides"]);
  await engine.up({ p: profile(wanted) });

  expect(overrides(id)).toEqual({ okta: { enabled_features: [] } });
});

const SERVICES: BehaviourInput[] = (["replace", "merge"] as const).flatMap((nested_patch) =>
  (["clear", "keep", "reject"] as const).map((null_in_patch) => ({ nested_patch, null_in_patch })),
);
test.each(SERVICES)("an empty list is taken back, or told, where the service has %j", async (behaviour) => {
  tenant.behave(behaviour);
  const { engine, id } = await made(tenant, inputsWith({ enabledFeatures: [], provisioning: { x: 1 } }));

  const { messages } = await engine.up(program({ provisioning: { x: 1 } }));

  const keeps = behaviour.nested_patch === "merge" && behaviour.null_in_patch !== "clear";
  expect(overrides(id)).toEqual({ okta: { ...(keeps && { enabled_features: [] }), provisioning: { x: 1 } } });
  expect(
    messages.filter((line) => line.includes("kept strategyOverrides.okta.enabledFeatures")),
  ).toHaveLength(keeps ? 1 : 0);
});

describe("the order of a list", () => {
  const steps = (...order: string[]) => inputsWith({ provisioning: { order } });

  test("is sent where the list is free-form", async () => {
    const { engine, id, url } = await made(tenant, steps("a", "b"));

    expect((await engine.up({ p: profile(steps("b", "a")) })).steps).toEqual(["update p: strategyOverrides"]);

    const held = { provisioning: { order: ["b", "a"] } };
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${json(wire(held))} 200`]);
    expect(overrides(id)).toEqual({ okta: held });
    expect((await engine.preview({ p: profile(steps("b", "a")) })).steps).toEqual([]);
  });

  test("is drift where the list is free-form", async () => {
    const { engine, id, url } = await made(tenant, steps("a", "b"));
    await tenant.outside("PATCH", url, wire({ provisioning: { order: ["b", "a"] } }));

    expect((await engine.refresh()).steps).toEqual(["drift p: strategyOverrides"]);
    await engine.up({ p: profile(steps("a", "b")) });

    expect(overrides(id)).toEqual({ okta: { provisioning: { order: ["a", "b"] } } });
  });

  test("means nothing where the list is a set, also beside what differs", async () => {
    const both = ["universal_logout", "scim"];
    const { engine, url } = await made(tenant, inputsWith({ enabledFeatures: both, provisioning: { x: 1 } }));
    await tenant.outside("PATCH", url, wire({ enabled_features: both, provisioning: { x: 2 } }));

    await engine.refresh();

    expect(engine.resource("p").inputs["strategyOverrides"]).toEqual({
      okta: { enabledFeatures: ["scim", "universal_logout"], provisioning: { x: 2 } },
    });
  });
});

describe("a key that is an empty text", () => {
  const keyed = (value: unknown) => inputsWith({ provisioning: { "": value, x: 1 } });

  test.each([
    ["a value", 1],
    ["an object", { "": { a: 1 } }],
    ["an empty list", []],
    ["an empty object", {}],
  ])("with %s, is removed with the input", async (_what, value) => {
    const { engine, id } = await made(tenant, keyed(value));
    expect(overrides(id)).toEqual({ okta: { provisioning: { "": value, x: 1 } } });
    expect((await engine.refresh()).steps).toEqual([]);

    await engine.up(program({ provisioning: { x: 1 } }));

    expect(overrides(id)).toEqual({ okta: { provisioning: { x: 1 } } });
  });
});

test("empty as a whole is not set: the service may answer null, nothing or the empty value", async () => {
  const empty = {
    organization: {},
    connectionNamePrefixTemplate: "",
    enabledFeatures: [],
    connectionConfig: {},
    strategyOverrides: {},
  };
  const { engine } = await made(tenant, { name: "a" });

  await engine.up({ p: profile({ name: "a", ...empty }) });
  expect(tenant.sent().filter((line) => line.startsWith("PATCH"))).toEqual([]);
  expect((await engine.refresh()).steps).toEqual([]);
  expect((await new Engine(tenant).preview({ p: profile({ name: "b", ...empty }) })).errors).toEqual([]);
});
