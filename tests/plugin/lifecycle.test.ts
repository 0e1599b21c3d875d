import { ADMINS, VIEWER } from "../../simulator/default-seed";
import { assignment, Engine, failed, profile, secret } from "../../testkit/engine";
import { viewers } from "../../testkit/assignments";
import { useTenant } from "../../testkit/tenant";
import { PluginHost } from "../../testkit/hosts/plugin-host";

/* Whole runs over the plugin's protocol, as for a program in another language. */

const tenant = useTenant();
const hosts: PluginHost[] = [];

function engineOf(): Engine {
  return new Engine(tenant, {
    startHost: async () => {
      const host = await PluginHost.start();
      hosts.push(host);
      return host;
    },
  });
}

afterEach(() => {
  hosts.length = 0;
});

test("a line of the preview has the URN of its resource", async () => {
  await engineOf().preview({ support: viewers(ADMINS) });

  const [host] = hosts;
  expect(host?.lines).toEqual([
    {
      urn: "urn:pulumi:test::test::identity:index:RoleGroupAssignment::support",
      text: `support: role ${VIEWER}: + ${ADMINS}`,
    },
  ]);
});

test("secrets come to the handlers by name, and leave in nothing", async () => {
  const engine = engineOf();
  const program = {
    a: assignment({ roleId: VIEWER, groupIds: secret([ADMINS]) }),
    p: profile({ name: secret("hidden-name") }),
  };

  const preview = await engine.preview(program);
  const up = await engine.up(program);
  tenant.sent();
  tenant.fail({ method: "DELETE", path: "/api/v2/*", action: { status: 403 }, times: 10 });
  const destroy = await failed(engine.destroy());

  const shown = JSON.stringify([preview.messages, up.messages, destroy.messages, destroy.errors]);
  expect(shown).not.toContain(ADMINS);
  expect(shown).not.toContain("hidden-name");
  expect(preview.messages).toContain(`a: role ${VIEWER}: + [secret]`);
});
