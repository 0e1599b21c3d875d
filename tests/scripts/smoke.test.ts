import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { GROUP_BILLING, GROUP_SUPPORT, ROLE_ID } from "../../simulator/default-seed";
import { type Simulator, startSimulator } from "../../simulator";

/* The live smoke test, on a simulated tenant. */

jest.setTimeout(60_000);

const root = resolve(__dirname, "../..");

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ rate: { burst: 1_000, perSecond: 1_000 } });
});
afterEach(() => simulator.close());

function smoke(...args: string[]) {
  const env = {
    PATH: process.env["PATH"],
    IDENTITY_CLIENT_ID: simulator.clientId,
    IDENTITY_CLIENT_SECRET: simulator.clientSecret,
  };
  const words = ["--import", "tsx", "scripts/smoke.ts", "--domain", simulator.url, ...args];
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((done) =>
    execFile(process.execPath, words, { cwd: root, env }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );
}

const methods = () => simulator.requests().map(({ method, path }) => `${method} ${path.split("?")[0]}`);

test("it reads first, then makes and deletes one profile, and leaves groups alone", async () => {
  const before = simulator.state();
  const { code, stdout, stderr } = await smoke();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^ok {5}a token: given$/m);
  expect(stdout).toMatch(/\nAll of it worked\.\n$/);
  const sent = methods();
  const firstWrite = sent.findIndex((line) => !/^(GET|POST \/oauth)/.test(line));
  expect(sent.slice(0, firstWrite)).toContain(`GET /api/v2/roles`);
  expect(sent.slice(firstWrite).map((line) => line.split("/").slice(0, 4).join("/"))).toEqual([
    "POST /api/v2/connection-profiles",
    "GET /api/v2/connection-profiles",
    "PATCH /api/v2/connection-profiles",
    "DELETE /api/v2/connection-profiles",
  ]);
  const { connection_profiles, roles } = simulator.state();
  expect({ connection_profiles, roles }).toEqual({
    connection_profiles: before.connection_profiles,
    roles: before.roles,
  });
});

test("a group that is named gets the role and loses it again; one that has it already is left alone", async () => {
  const groups = () => simulator.state().roles.find(({ id }) => id === ROLE_ID)?.groups;
  expect(await smoke("--role", ROLE_ID, "--group", GROUP_BILLING)).toMatchObject({ code: 0 });
  expect(methods()).toContain(`DELETE /api/v2/roles/${ROLE_ID}/groups`);
  expect(groups()).toEqual([GROUP_SUPPORT]);
  simulator.reset();
  const refused = await smoke("--role", ROLE_ID, "--group", GROUP_SUPPORT);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stdout).toContain("it has the role already");
  expect(groups()).toEqual([GROUP_SUPPORT]);
});

test("a profile is deleted also where a step before that fails, and nothing is written where a read fails", async () => {
  simulator.fail({ method: "PATCH", times: 9, action: { status: 403 } });
  expect(await smoke()).toMatchObject({ code: 1 });
  expect(simulator.state().connection_profiles).toEqual([]);
  simulator.reset();
  simulator.fail({ path: "/api/v2/groups", times: 9, action: { status: 403 } });
  const { code, stdout } = await smoke();
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^error {2}groups: .*403/m)]);
  expect(methods().filter((line) => !/^(GET|POST \/oauth)/.test(line))).toEqual([]);
});

test.each([[["--role", ROLE_ID]], [["--no-such"]]])("%j: exit 2", async (args) =>
  expect(await smoke(...args)).toMatchObject({ code: 2, stdout: "" }),
);
