import { profile } from "../../../testkit/engine";
import { catchLines } from "../../../testkit/hosts/host-in-process";
import { useTenant } from "../../../testkit/tenant";
import { made } from "./made";

/* Settings that were added to the API later. */

const tenant = useTenant();
catchLines();

const status = { default_value: "disabled", allowed_values: ["disabled", "enabled"] };
const tokens = { scopes: ["get:users", "post:users"], default_expiry: 3600 };
const inputs = {
  name: "a",
  enabledFeatures: ["directory_sync", "scim"],
  crossAppAccessResourceApp: { status },
  provisioning: { scim: { tokens } },
  strategyOverrides: { okta: { provisioning: { scim: { tokens } } } },
};

test("are set, and lists in another order or null in an answer are no change", async () => {
  const { engine, id, url } = await made(tenant, inputs);
  const live = {
    scim: { tokens: { ...tokens, scopes: ["post:users", "get:users"], max_allowed_expiry: null } },
  };
  expect(tenant.profile(id)).toMatchObject({
    enabled_features: ["directory_sync", "scim"],
    cross_app_access_resource_app: { status },
    provisioning: { scim: { tokens } },
    strategy_overrides: { okta: { provisioning: { scim: { tokens } } } },
  });
  await tenant.outside("PATCH", url, {
    cross_app_access_resource_app: { status: { ...status, allowed_values: ["enabled", "disabled"] } },
    provisioning: live,
    strategy_overrides: { okta: { provisioning: live } },
  });

  expect((await engine.refresh()).steps).toEqual([]);
  expect((await engine.preview({ p: profile(inputs) })).steps).toEqual([]);
});
