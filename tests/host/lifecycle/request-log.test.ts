import { GROUP_ADMINS, OTHER_ROLE_ID } from "../../../simulator/default-seed";
import { assignment, Engine, secret } from "../../../testkit/engine";
import { PluginHost } from "../../../testkit/hosts/plugin-host";
import { useTenant } from "../../../testkit/tenant";

const tenant = useTenant();

describe("IDENTITY_LOG", () => {
  const engineWith = (IDENTITY_LOG: string) =>
    new Engine(tenant, { startHost: () => PluginHost.start({ env: { IDENTITY_LOG } }) });
  const program = (roleId: unknown) => ({ a: assignment({ roleId, groupIds: [GROUP_ADMINS] }) });

  test("json prints JSON, without the ids that the program gives as secrets", async () => {
    const engine = engineWith("json");
    const { messages } = await engine.up(program(secret(OTHER_ROLE_ID)));
    const [preview, ...json] = messages;
    expect(preview).toBe(`a: role [secret]: + ${GROUP_ADMINS}`);
    const lines = json.map((line) => JSON.parse(line) as { event: string; path?: string });
    expect(lines.filter(({ event }) => event === "request").map(({ path }) => path)).toEqual([
      "/oauth/token",
      "/roles/[secret]/groups",
    ]);
    const destroyed = (await engine.destroy()).messages.join("\n");
    expect(destroyed).toContain("/roles/[secret]/groups");
    expect(destroyed).not.toContain(OTHER_ROLE_ID);
  });

  test("of another value is told, and nothing is logged", async () => {
    const engine = engineWith("verbose\u001b");
    const { messages } = await engine.up(program(OTHER_ROLE_ID));
    expect(messages.slice(1)).toEqual([
      'IDENTITY_LOG must be debug or json; it is "verbose\\u001b", and requests are not logged.',
    ]);
  });
});
