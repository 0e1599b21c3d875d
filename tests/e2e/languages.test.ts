import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  ADMINS,
  AGENT,
  ALL_SCOPES,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  PHONE,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";
import { succeeded } from "../../testkit/stack";
import { usePluginStacks } from "./plugin-stacks";

/* The plugin as the real engine starts it for programs in YAML, which no test of the protocol can show. */

const { simulator, start, requests, writes } = usePluginStacks();

const PROGRAM = `
variables:
  viewer:
    fn::identity:getRole: { name: billing-viewer }
  user:
    fn::identity:getUserPermissions: { userId: "${USER_ID}" }
  page:
    fn::identity:getUserPermissions: { userId: "${USER_ID}", page: 1, perPage: 2, includeTotals: true }
  record:
    fn::identity:getUser: { userId: "${USER_ID}", fields: [shoeSize] }
resources:
  support:
    type: identity:RoleGroupAssignment
    properties:
      roleId: \${viewer.id}
      groupIds: [{ fn::secret: ${BILLING} }, ${ADMINS}]
  enterprise:
    type: identity:ConnectionProfile
    properties:
      name: enterprise
      enabledFeatures: [universal_logout, scim]
  lost:
    type: identity:DeviceCredentialRemoval
    properties: { deviceCredentialId: ${PHONE} }
outputs:
  id: \${enterprise.id}
  permissions: \${user.total}
  page: \${page.permissions[0].permissionName} of \${page.total}
  shoeSize: \${record.additionalProperties["shoeSize"]}
  alone: \${support.exclusive}
`;

test("the whole life of a stack in YAML, to its destroy without the program", async () => {
  const [owner, ...others] = DEFAULT_SEED.users ?? [];
  simulator.seed({ ...DEFAULT_SEED, users: [{ ...owner, user_id: USER_ID, shoeSize: 43 }, ...others] });
  const stack = await start(PROGRAM);
  const preview = succeeded(await stack.preview()).stdout;
  expect(preview).toContain(`lost: permanently removes device credential ${PHONE}`);
  expect(preview).not.toContain(BILLING);
  expect(preview).toMatch(/^ *alone *: false$/m);
  expect(writes()).toEqual([]);

  succeeded(await stack.up());
  expect(writes()).toEqual([
    `DELETE /api/v2/device-credentials/${PHONE} 204`,
    "POST /api/v2/connection-profiles 201",
    `POST /api/v2/roles/${VIEWER}/groups 204`,
  ]);
  expect(await stack.outputs()).toMatchObject({
    permissions: 3,
    page: "read:reports of 3",
    shoeSize: 43,
  });
  const state = JSON.stringify(await stack.state());
  expect(state).not.toContain(BILLING);
  expect(state).not.toContain(simulator.clientSecret);
  expect(state).toContain(ADMINS);

  succeeded(await stack.preview({ args: ["--refresh", "--expect-no-changes"] }));
  requests();

  // The secret was rotated, so the one recorded by the last `up` no longer works.
  simulator.seed({
    ...simulator.state(),
    clients: [
      { client_id: simulator.clientId, client_secret: "rotated-secret-of-a-test", scope: ALL_SCOPES },
    ],
  });
  await stack.config("identity:clientSecret", "rotated-secret-of-a-test", { secret: true });
  succeeded(await stack.destroy());
  expect(simulator.state().connection_profiles).toEqual([]);
});

test("the quickstart runs as it stands, and a change shows each group as a member of a set", async () => {
  const example = readFileSync(resolve(__dirname, "../../examples/yaml/Pulumi.yaml"), "utf8");
  const program = example.slice(example.indexOf("\nvariables:"));
  const stack = await start(program);

  // The program looks them up by name.
  expect(succeeded(await stack.up()).stdout).toContain(`${AGENT} is "support-agent"`);

  expect(writes()).toEqual([
    "POST /api/v2/connection-profiles 201",
    `POST /api/v2/roles/${AGENT}/groups 204`,
  ]);
  expect(simulator.state().connection_profiles).toMatchObject([{ name: "enterprise" }]);
  expect(
    simulator
      .state()
      .roles.find(({ id }) => id === AGENT)
      ?.groups.sort(),
  ).toEqual([ADMINS, BILLING, SUPPORT].sort());

  stack.write(program.replace("${billing.id}", CONTRACTORS));
  expect(succeeded(await stack.preview({ args: ["--diff"] })).stdout).toMatch(
    /~ groupIds: \[\n(.*"grp_\w+"( => "grp_\w+")?\n){1,2} *\]\n/,
  );
});
