import { type IdentityClient } from "../../../provider/http/client";
import { changeProfile } from "../../../provider/resources/connection-profile/writes";
import { PROFILES, ProfilesOfRun } from "../../../provider/resources/connection-profile/profiles-of-run";
import { type Context } from "../../../provider/pulumi/resource-kind";

/**
 * A service that holds one profile, whatever is in it; the simulated one takes no key of connection_config.
 */
function service(profile: Record<string, unknown>) {
  const sent: string[] = [];
  const send = ({ method, path, body }: { method: string; path: string; body?: object }) => {
    sent.push(`${method} ${path}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`);
    Object.assign(profile, body);
    return Promise.resolve(profile);
  };
  const profiles = new ProfilesOfRun({
    folder: undefined,
    tenant: undefined,
    formerTenants: [],
    knownIds: () => new Set(),
  });
  const run = { recall: (memory: unknown) => (memory === PROFILES ? profiles : undefined) };
  const client = { send } as unknown as IdentityClient;
  return { context: { client, run, tell: () => undefined } as unknown as Context, sent, profile };
}

test("somebody else's keys of connectionConfig survive a change beside them", async () => {
  const { context, sent, profile } = service({
    id: "cop_1",
    name: "a",
    connection_config: { ours: { depth: 1, theirs: true }, theirs: [1] },
  });

  await changeProfile(context, {
    id: "cop_1",
    live: { name: "a", connectionConfig: { ours: { depth: 1 } } },
    isFresh: false,
    owned: ["/name", "/connectionConfig/ours/depth"],
    wanted: { name: "a", connectionConfig: { ours: { depth: 2 } } },
  });

  const whole = { ours: { depth: 2, theirs: true }, theirs: [1] };
  expect(sent).toEqual([
    "GET /connection-profiles/{id}",
    `PATCH /connection-profiles/{id} ${JSON.stringify({ connection_config: whole })}`,
  ]);
  expect(profile["connection_config"]).toEqual(whole);
});

test("nothing is patched when the look shows that all is as wanted", async () => {
  const { context, sent } = service({ id: "cop_1", name: "a", connection_config: { ours: 2, theirs: 1 } });

  await changeProfile(context, {
    id: "cop_1",
    live: { name: "a", connectionConfig: { ours: 1 } },
    isFresh: false,
    owned: ["/name", "/connectionConfig/ours"],
    wanted: { name: "a", connectionConfig: { ours: 2 } },
  });

  expect(sent).toEqual(["GET /connection-profiles/{id}"]);
});
