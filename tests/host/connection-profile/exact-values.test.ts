import { profile } from "../../../testkit/engine";
import { type Values } from "../../../testkit/hosts/host";
import { catchLines } from "../../../testkit/hosts/host-in-process";
import { json, TOKEN, useTenant } from "../../../testkit/tenant";
import { made } from "./made";

/* Inside an override, each of these is a value in its own right, different from none. */

const tenant = useTenant();
catchLines();

const EMPTY = {
  /** A list that the table knows, any other, and all of an override. */
  okta: { enabledFeatures: [] },
  oidc: { provisioning: { list: [] } },
  waad: {},
};
const WIRE = { okta: { enabled_features: [] }, oidc: { provisioning: { list: [] } }, waad: {} };

const inputs = { name: "a", strategyOverrides: EMPTY } satisfies Values;
const overrides = (id: string) => tenant.profile(id)?.["strategy_overrides"];

test("empty values are sent by an update, once", async () => {
  const { engine, id, url } = await made(tenant, { name: "a" });

  await engine.up({ p: profile(inputs) });

  const sent = json({ strategy_overrides: WIRE });
  expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${sent} 200`]);
  expect(overrides(id)).toEqual(WIRE);
  expect((await engine.refresh()).steps).toEqual([]);
  tenant.sent();
  expect((await engine.up({ p: profile(inputs) })).steps).toEqual([]);
  expect(tenant.sent()).toEqual([]);
});

test("empty values are taken back when the program no longer gives them", async () => {
  const { engine, id } = await made(tenant, inputs);
  expect(overrides(id)).toEqual(WIRE);

  const { messages } = await engine.up({ p: profile({ name: "a" }) });

  expect(messages).toEqual([]);
  expect(overrides(id) ?? {}).toEqual({});
  expect((await engine.refresh()).steps).toEqual([]);
});

test.each(Object.keys(EMPTY))(
  "an empty value is drift where somebody has taken it away: %s",
  async (strategy) => {
    const { engine, id, url } = await made(tenant, inputs);
    const rest = Object.fromEntries(Object.entries(WIRE).filter(([name]) => name !== strategy));
    await tenant.outside("PATCH", url, { strategy_overrides: rest });

    expect((await engine.refresh()).steps).toEqual(["drift p: strategyOverrides"]);
    await engine.up({ p: profile(inputs) });

    expect(overrides(id)).toEqual(WIRE);
  },
);
