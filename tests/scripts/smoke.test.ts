import { type ChildProcess, execFile } from "node:child_process";
import { resolve } from "node:path";
import { AGENT, BILLING, SUPPORT } from "../../simulator/default-seed";
import { type Simulator, startSimulator } from "../../simulator";

/* The live smoke test, on a simulated tenant. */

const root = resolve(__dirname, "../..");

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ rate: { burst: 1_000, perSecond: 1_000 } });
});
afterEach(() => simulator.close());

interface Ended {
  code: unknown;
  stdout: string;
  stderr: string;
}

const smoke = (...args: string[]) => start(...args).ended;

function start(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const env = {
    PATH: process.env["PATH"],
    IDENTITY_CLIENT_ID: simulator.clientId,
    IDENTITY_CLIENT_SECRET: simulator.clientSecret,
  };
  const words = ["--import", "tsx", "scripts/smoke.ts", "--domain", simulator.url, ...args];
  let end: (result: Ended) => void;
  const ended = new Promise<Ended>((done) => (end = done));
  const child = execFile(process.execPath, words, { cwd: root, env }, (error, stdout, stderr) =>
    end({ code: error?.code ?? 0, stdout, stderr }),
  );
  return { child, ended };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((later) => setTimeout(later, 20));
}

const methods = () => simulator.requests().map(({ method, path }) => `${method} ${path.split("?")[0]}`);

const ROLE_GROUPS = `/api/v2/roles/${AGENT}/groups`;
const PROFILES = "/api/v2/connection-profiles";
const groupsOfRole = () => simulator.state().roles.find(({ id }) => id === AGENT)?.groups;

const isAssigned = () => groupsOfRole()?.includes(BILLING) === true;
const profile = () => simulator.state().connection_profiles[0];

test("--help says what it does and changes, and sends nothing", async () => {
  const { code, stdout, stderr } = await smoke("--help");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const word of ["--domain", "--role", "--group", "--read-only", "IDENTITY_CLIENT_ID", "creates"])
    expect(stdout).toContain(word);
  expect(simulator.log()).toEqual([]);
});

test("it reads first, then makes and deletes one profile, and gives a group a role and takes it back", async () => {
  const before = simulator.state();
  const { code, stdout, stderr } = await smoke("--role", AGENT, "--group", BILLING);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^ok {5}a token: given$/m);
  expect(stdout).toMatch(/\nAll of it worked\.\n$/);
  const sent = methods();
  const firstWrite = sent.findIndex((line) => !/^(GET|POST \/oauth)/.test(line));
  expect(sent.slice(0, firstWrite)).toContain("GET /api/v2/roles");
  expect(sent.slice(firstWrite).map((line) => line.replace(/(?<=profiles)\/.*/, ""))).toEqual([
    ...["POST", "GET", "PATCH", "DELETE"].map((method) => `${method} ${PROFILES}`),
    ...["GET", "POST", "GET", "DELETE", "GET"].map((method) => `${method} ${ROLE_GROUPS}`),
  ]);
  const { connection_profiles, roles } = simulator.state();
  expect({ connection_profiles, roles }).toEqual({
    connection_profiles: before.connection_profiles,
    roles: before.roles,
  });
});

test("a group that has the role already is left alone", async () => {
  const refused = await smoke("--role", AGENT, "--group", SUPPORT);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stdout).toContain("it has the role already");
  expect(groupsOfRole()).toEqual([SUPPORT]);
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

describe("interrupted", () => {
  test.each([
    ["SIGINT", 130, { method: "POST", path: ROLE_GROUPS }, isAssigned],
    ["SIGTERM", 143, { method: "POST", path: PROFILES }, () => profile() !== undefined],
  ] as const)(
    "by %s, exit %d, while %j has no answer: it takes all back",
    async (signal, code, at, isDone) => {
      simulator.fail({ ...at, action: { delay: 1_500 } });
      const { child, ended } = start("--role", AGENT, "--group", BILLING);
      await until(isDone);
      child.kill(signal);
      // npm hands a Ctrl-C on, so that it comes twice.
      child.kill(signal);
      const result = await ended;
      expect(result).toMatchObject({ code });
      expect(result.stdout).toMatch(/^SIG(INT|TERM): undoing/m);
      expect(result.stdout).not.toContain("All of it worked");
      expect(simulator.state().connection_profiles).toEqual([]);
      expect(groupsOfRole()).toEqual([SUPPORT]);
    },
  );

  test("a second time it ends at once, and says what it leaves", async () => {
    simulator.fail({ method: "POST", path: ROLE_GROUPS, action: { delay: 20_000 } });
    const { child, ended } = start("--role", AGENT, "--group", BILLING);
    await until(isAssigned);
    child.kill("SIGINT");
    await new Promise((later) => setTimeout(later, 1_500));
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain(`left   ${BILLING} may have ${AGENT}. Take it back: curl -X DELETE`);
    expect(isAssigned()).toBe(true);
  });
});

test("a profile whose answer was lost is found by its name", async () => {
  simulator.fail({ method: "POST", path: PROFILES, times: 9, action: { drop: "after" } });
  expect(await smoke()).toMatchObject({ code: 1 });
  expect(simulator.state().connection_profiles).toEqual([]);
});

test("what could not be taken back is tried again", async () => {
  simulator.fail({ method: "DELETE", path: ROLE_GROUPS, action: { status: 403 } });
  const { code, stdout } = await smoke("--role", AGENT, "--group", BILLING);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^error {2}take it back: .*403/m)]);
  expect(groupsOfRole()).toEqual([SUPPORT]);
});

test("what stays is named, with the way to remove it, and the group test is not skipped in silence", async () => {
  simulator.fail({ method: "DELETE", times: 9, action: { status: 403 } });
  const { code, stdout } = await smoke("--role", AGENT, "--group", BILLING);
  expect(code).toBe(1);
  expect(stdout).toContain(
    `left   the connection profile ${profile()?.name}. Delete it: curl -X DELETE -H "Authorization: Bearer $TOKEN" ` +
      `${simulator.url}${PROFILES}/${profile()?.id}\n`,
  );
  expect(stdout).toMatch(/^- {6}the role: skipped, because something above failed$/m);
  expect(methods()).not.toContain(`POST ${ROLE_GROUPS}`);
});

test.each([[["--role", AGENT]], [["--no-such"]]])("%j: exit 2", async (args) =>
  expect(await smoke(...args)).toMatchObject({ code: 2, stdout: "" }),
);
