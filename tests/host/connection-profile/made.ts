import { Engine, profile } from "../../../testkit/engine";
import { type Values } from "../../../testkit/hosts/host";
import { inProcess } from "../../../testkit/hosts/host-in-process";
import { type Tenant } from "../../../testkit/tenant";

export const full: Values = {
  name: "enterprise",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" },
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  connectionConfig: {},
  strategyOverrides: { okta: { enabledFeatures: ["scim"] }, oidc: { connectionConfig: {} } },
};

/** An engine that has made the resource `p`, and the id of its profile. For files with `catchLines`. */
export async function made(
  tenant: Tenant,
  inputs: Values,
): Promise<{ engine: Engine; id: string; url: string }> {
  const engine = new Engine(tenant, { startHost: inProcess });
  await engine.up({ p: profile(inputs) });
  tenant.sent();
  const { id } = engine.resource("p");
  return { engine, id, url: `/connection-profiles/${id}` };
}
