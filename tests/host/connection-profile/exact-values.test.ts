import { profile } from "../engine";
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
  ["a list", { provisioning: { list: [] } }, { provisioning: { list: [] } }],
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
