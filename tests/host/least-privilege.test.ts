import { SCOPED_OPERATIONS } from "../../testkit/scopes";
import { ADMINS, AGENT, ALL_SCOPES, BILLING, PHONE, SUPPORT, USER_ID } from "../../simulator/default-seed";
import {
  assignment,
  Engine,
  organizationAssignment,
  profile,
  type Program,
  removal,
  signOut,
  type Resource,
  type Run,
  RunFailed,
} from "../../testkit/engine";
import { goOnFrom, leftBy } from "../../testkit/left";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { type Values } from "../../testkit/hosts/host";

/* SECURITY.md, "Least privilege": each operation, with exactly its scopes and without each of them. */

const tenant = useTenant();
catchLines();
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const ORGANIZATION = "org_5vJmTq8XbRz3kWcY";

beforeEach(() =>
  tenant.seed({
    connection_profiles: [{ id: ID, name: "by hand" }],
    organizations: [
      {
        id: ORGANIZATION,
        name: "acme",
        groups: [ADMINS, BILLING, SUPPORT],
        roles: [{ id: AGENT, groups: [SUPPORT] }],
      },
    ],
  }),
);

interface Scenario {
  /** The starting point, created with all scopes. */
  before?: Program;
  act: (engine: Engine) => Promise<Run>;
}

const up = (program: Program) => (engine: Engine) => engine.up(program);
const refresh = (engine: Engine) => engine.refresh();
const destroy = (engine: Engine) => engine.destroy();

const made = { p: profile({ name: "a", enabledFeatures: ["scim"] }) };
const adopted = { p: profile({ name: "a", adopt: ID }) };
/** The operations of one kind of assignment; `id`: what `get` reads. */
function ofAssignments(
  kind: Resource["kind"],
  assign: (inputs: Values) => Resource,
  id: string,
): Record<string, Scenario> {
  const list = (groupIds: string[], more: Values = {}) => ({ a: assign({ groupIds, ...more }) });
  const ending = list([ADMINS], { until: "2099-12-31" });
  const exclusive = { exclusive: true };
  return {
    [`${kind}: create`]: { act: up(list([ADMINS])) },
    [`${kind}: create with \`exclusive\``]: { act: up(list([ADMINS], exclusive)) },
    [`${kind}: add groups`]: { before: list([ADMINS]), act: up(list([ADMINS, BILLING])) },
    [`${kind}: remove groups`]: { before: list([ADMINS, BILLING]), act: up(list([ADMINS])) },
    [`${kind}: add and remove groups with \`exclusive\``]: {
      before: list([ADMINS], exclusive),
      act: up(list([BILLING], exclusive)),
    },
    [`${kind}: end, after \`until\``]: {
      before: ending,
      act: (engine) => {
        engine.moment = Date.parse("2100-01-01T00:00:00Z");
        return engine.up(ending);
      },
    },
    [`${kind}: refresh`]: { before: list([ADMINS]), act: refresh },
    [`${kind}: get`]: { act: up({ a: { kind, inputs: {}, get: id } }) },
    [`${kind}: destroy`]: { before: list([ADMINS]), act: destroy },
  };
}
const removed = { r: removal(PHONE) };
const signedOut = { s: signOut(USER_ID) };

const SCENARIOS: Record<string, Scenario> = {
  "ConnectionProfile: create": { act: up(made) },
  "ConnectionProfile: adopt": { act: up(adopted) },
  "ConnectionProfile: update": {
    before: made,
    act: up({ p: profile({ name: "b", connectionNamePrefixTemplate: "x" }) }),
  },
  "ConnectionProfile: update a setting that is an object, such as `organization`": {
    before: made,
    act: up({ p: profile({ name: "a", strategyOverrides: { okta: { enabledFeatures: ["scim"] } } }) }),
  },
  "ConnectionProfile: refresh": { before: made, act: refresh },
  "ConnectionProfile: get": { act: up({ p: profile({}, { get: ID }) }) },
  "ConnectionProfile: destroy": { before: made, act: destroy },
  "ConnectionProfile: destroy one that was adopted": { before: adopted, act: destroy },
  ...ofAssignments("RoleGroupAssignment", (inputs) => assignment({ roleId: AGENT, ...inputs }), AGENT),
  ...ofAssignments(
    "OrganizationRoleGroupAssignment",
    (inputs) => organizationAssignment({ organizationId: ORGANIZATION, roleId: AGENT, ...inputs }),
    `${ORGANIZATION}/${AGENT}`,
  ),
  "DeviceCredentialRemoval: create": { act: up(removed) },
  "DeviceCredentialRemoval: refresh": { before: removed, act: refresh },
  "DeviceCredentialRemoval: destroy": { before: removed, act: destroy },
  "UserSignOut: create": { act: up(signedOut) },
  "UserSignOut: create with `clientId`": { act: up({ s: signOut(USER_ID, { clientId: "mobileApp" }) }) },
  "UserSignOut: refresh": { before: signedOut, act: refresh },
  "UserSignOut: destroy": { before: signedOut, act: destroy },
};

const ROWS = SCOPED_OPERATIONS.filter(({ subject }) => !subject.startsWith("get"));

/** A run's messages. Without scopes, an operation may also go on and report what it could not do. */
async function said({ act }: Scenario, engine: Engine): Promise<{ text: string; ok: boolean }> {
  const [{ messages, errors }, ok] = await act(engine).then(
    (run) => [run, true] as const,
    (error: unknown) => {
      if (error instanceof RunFailed) return [error.run, false] as const;
      throw error;
    },
  );
  return { text: [...messages, ...errors].join("\n"), ok };
}

test("the table has the operations that are tested here", () => {
  expect(ROWS.map(({ title }) => title)).toEqual(Object.keys(SCENARIOS));
});

test.each(ROWS)(
  "$title: $scopes suffice; without one of them it fails, and names it",
  async ({ title, scopes }) => {
    const scenario = SCENARIOS[title] as Scenario;
    const engine = new Engine(tenant, { startHost: inProcess });
    if (scenario.before !== undefined) await engine.up(scenario.before);
    const left = leftBy(engine, tenant);

    tenant.withoutScopes(...ALL_SCOPES.split(" ").filter((scope) => !scopes.includes(scope)));
    const { text, ok } = await said(scenario, engine);
    expect(text).not.toMatch(/could not be read|Grant|scope/);
    expect(ok).toBe(true);

    for (const missing of scopes) {
      const again = goOnFrom(left, new Engine(tenant, { startHost: inProcess }), tenant);
      tenant.withoutScopes(missing);
      const { text, ok } = await said(scenario, again);
      expect(text).toContain(`Grant ${missing} to the client`);
      expect(ok).toBe(false);
    }
  },
);
