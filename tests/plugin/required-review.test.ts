import { ADMINS } from "../../simulator/default-seed";
import { Engine, failed } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { viewers } from "../../testkit/assignments";
import { useTenant } from "../../testkit/tenant";
import { PluginHost } from "../../testkit/hosts/plugin-host";

const tenant = useTenant();
catchLines();

const DIGEST = "0123456789abcdef".repeat(4);
const a = viewers(ADMINS);

describe("a SHA-256 in IDENTITY_REQUIRE_REVIEW is never taken for false", () => {
  const env = { IDENTITY_REQUIRE_REVIEW: DIGEST };
  test.each([
    ["the SDK's host", () => new Engine(tenant, { env })],
    ["the plugin", () => new Engine(tenant, { startHost: () => PluginHost.start({ env }) })],
  ])("%s", async (_, start) => {
    const made = new Engine(tenant, { startHost: inProcess });
    await made.up({ a });
    tenant.sent();
    const engine = start();
    made.state.forEach((resource, name) => engine.state.set(name, resource));
    for (const run of [() => engine.up({ a, b: viewers() }), () => engine.destroy()]) {
      const { errors } = await failed(run());
      expect(errors.join()).toContain(
        "identity:requireReview (IDENTITY_REQUIRE_REVIEW) must be true or false",
      );
    }
    expect(tenant.sent()).toEqual([]);
  });
});
