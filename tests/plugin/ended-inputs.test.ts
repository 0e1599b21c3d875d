import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { getUser, IdentityError } from "../../provider";
import { ADMINS, USER_ID } from "../../simulator/default-seed";
import { Engine, failed } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { structOf, type Values } from "../../testkit/hosts/host";
import { viewers } from "../../testkit/assignments";
import { useTenant } from "../../testkit/tenant";
import { PluginHost } from "../../testkit/hosts/plugin-host";

/* Former inputs: both doors refuse each with what to write instead, and send nothing. */

const tenant = useTenant();
catchLines();

const DIGEST = "0123456789abcdef".repeat(4);
const a = viewers(ADMINS);

describe("a SHA-256 in requireReview", () => {
  const env = { IDENTITY_REQUIRE_REVIEW: DIGEST };
  test.each([
    ["the SDK's host", () => new Engine(tenant, { env })],
    ["the plugin", () => new Engine(tenant, { startHost: () => PluginHost.start({ env }) })],
  ])("%s: of the environment, also for a destroy", async (_, start) => {
    const made = new Engine(tenant, { startHost: inProcess });
    await made.up({ a });
    tenant.sent();
    const engine = start();
    made.state.forEach((resource, name) => engine.state.set(name, resource));
    for (const run of [() => engine.up({ a, b: viewers() }), () => engine.destroy()]) {
      const { errors } = await failed(run());
      expect(errors.join()).toContain(
        "IDENTITY_REQUIRE_REVIEW is true or false, and no longer a SHA-256. Set IDENTITY_REVIEW_DIGEST to it instead",
      );
    }
    expect(tenant.sent()).toEqual([]);
  });

  test("recorded by the last up, it holds a destroy", async () => {
    const engine = new Engine(tenant, { startHost: inProcess });
    await engine.up({ a });
    tenant.sent();
    engine.config = { ...engine.config, "identity:requireReview": DIGEST };
    const { errors } = await failed(engine.destroy());
    expect(errors).toEqual([expect.stringContaining("Nothing is sent without a review")]);
    expect(tenant.sent()).toEqual([]);
  });
});

describe("arguments of data sources", () => {
  test.each([
    [
      getUser,
      { ifMissing: "undefined" },
      'ifMissing: is no longer an input; write required: false in place of "undefined", and nothing in place of "error".',
    ],
  ])("%p %j", async (call, ended, sentence) => {
    const args = { userId: USER_ID, ...ended };
    const expected = `${call.name} was called with invalid arguments. ${sentence}`;
    await expect(call(args as never)).rejects.toThrow(new IdentityError(expected));
    const host = await PluginHost.start();
    try {
      await expect(invoke(host, call.name, args)).rejects.toThrow(expected);
    } finally {
      await host.stop();
    }
    expect(tenant.sent()).toEqual([]);
  });
});

async function invoke(host: PluginHost, name: string, args: Values): Promise<unknown> {
  const configure = new rpc.ConfigureRequest();
  configure.setUrn("urn:pulumi:dev::access::pulumi:providers:identity::default");
  const { url, clientId, clientSecret } = tenant;
  configure.setArgs(structOf({ domain: url, clientId, clientSecret }));
  await host.call("configure", configure);
  const request = new rpc.InvokeRequest();
  request.setTok(`identity:index:${name}`);
  request.setArgs(structOf(args));
  return host.call("invoke", request);
}
