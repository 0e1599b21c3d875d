import { type Simulator, startSimulator } from "../../simulator";
import { Stack, succeeded } from "../../testkit/stack";

const USER = "auth0|everywhere";
const PERMISSIONS = `/api/v2/users/auth0%7Ceverywhere/permissions?page=0&per_page=100&include_totals=true`;

let eu: Simulator;
let us: Simulator;
let stack: Stack | undefined;

const tenant = (name: string, permissions: string[]) =>
  startSimulator({
    seed: {
      clients: [
        {
          client_id: `client-${name}`,
          client_secret: `hush-${name}`,
          scope:
            "read:users create:connection_profiles read:connection_profiles update:connection_profiles delete:connection_profiles",
        },
      ],
      users: [
        {
          user_id: USER,
          name,
          permissions: permissions.map((permission_name) => ({
            resource_server_identifier: "https://api.example.com/",
            permission_name,
          })),
        },
      ],
    },
  });

beforeEach(async () => {
  [eu, us] = await Promise.all([tenant("eu", ["one"]), tenant("us", ["one", "two"])]);
});

afterEach(async () => {
  stack?.remove();
  stack = undefined;
  await Promise.all([eu.close(), us.close()]);
});

const provider = (name: string, { url, clientId, clientSecret }: Simulator) =>
  `new Provider("${name}", { domain: "${url}", clientId: "${clientId}", clientSecret: "${clientSecret}", audience: "" })`;

const program = (body: string) => `
  const pulumi = require("@pulumi/pulumi");
  const { ConnectionProfile, getUser, getUserOutput, getUserPermissionsOutput, Provider } = require("pulumi-identity");
  const userId = "${USER}";
  ${body}`;

async function start(body: string): Promise<Stack> {
  stack = await Stack.create({ program: program(body) });
  return stack;
}

const calls = (simulator: Simulator) =>
  simulator.log().filter((line) => !line.startsWith("POST /oauth/token"));

test("each resource and data source talks to the tenant of its provider, without any configuration of the stack", async () => {
  const body = `
    const eu = ${provider("eu", eu)};
    const us = ${provider("us", us)};
    class Region extends pulumi.ComponentResource {
      constructor(name, options) {
        super("test:index:Region", name, {}, options);
        new ConnectionProfile(name, { name: "profile-of-" + name }, { parent: this });
        this.count = getUserPermissionsOutput({ userId }, { parent: this }).total;
      }
    }
    exports.eu = getUser({ userId }, { provider: eu }).then(({ name }) => name);
    exports.us = getUserOutput({ userId }, { provider: us }).name;
    exports.euCount = new Region("eu-region", { providers: [eu] }).count;
    exports.usCount = new Region("us-region", { provider: us }).count;`;
  const stack = await start(body);
  succeeded(await stack.up());
  expect(await stack.outputs()).toEqual({ eu: "eu", us: "us", euCount: 1, usCount: 2 });
  for (const [name, simulator] of [
    ["eu", eu],
    ["us", us],
  ] as const) {
    expect(simulator.state().connection_profiles.map((profile) => profile.name)).toEqual([
      `profile-of-${name}-region`,
    ]);
    expect(calls(simulator).sort()).toEqual([
      "GET /api/v2/users/auth0%7Ceverywhere 200",
      `GET ${PERMISSIONS} 200`,
      "POST /api/v2/connection-profiles 201",
    ]);
  }

  // Only the providers keep credentials, encrypted; results don't become secret through them.
  const state = JSON.stringify(await stack.state());
  for (const secret of ["hush-eu", "hush-us", ...eu.state().access_tokens, ...us.state().access_tokens]) {
    expect(state).not.toContain(secret);
  }
  expect((await stack.pulumi(["stack", "output", "--json"])).stdout).not.toContain("[secret]");
});

describe("arguments of a provider that are not known in a preview", () => {
  const planned = () => `
    const first = new ConnectionProfile("first", { name: "first" }, { provider: ${provider("eu", eu)} });
    const later = new Provider("later", {
      domain: first.id.apply(() => "${us.url}"), clientId: "${us.clientId}", clientSecret: "${us.clientSecret}",
    });`;

  test("leave the Output form unknown, and the update asks", async () => {
    const stack = await start(`${planned()}
      exports.name = getUserOutput({ userId }, { provider: later }).name;`);
    const preview = succeeded(await stack.preview());
    expect(preview.all).toMatch(/name *: (\[unknown\]|output<string>)/);
    expect(us.requests()).toEqual([]);
    succeeded(await stack.up());
    expect(await stack.outputs()).toEqual({ name: "us" });
  });

  test("are refused by the plain form with a sentence", async () => {
    const stack = await start(`${planned()}
      exports.name = getUser({ userId }, { provider: later }).then(({ name }) => name);`);
    const preview = await stack.preview();
    expect(preview.code).toBeGreaterThan(0);
    expect(preview.all).toContain(
      'An argument of the Provider "later" is not known during this preview. Use the Output form of the data source',
    );
  });
});

test("what is missing is named as an argument of the provider", async () => {
  const stack = await start(`
    const bare = new Provider("bare", { domain: "${eu.url}", clientId: "", clientSecret: undefined });
    exports.name = getUser({ userId }, { provider: bare });`);
  const preview = await stack.preview();
  expect(preview.code).toBeGreaterThan(0);
  expect(preview.all).toContain('clientId of the Provider "bare"');
});
