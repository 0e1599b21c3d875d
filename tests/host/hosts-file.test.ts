import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { unassigned, viewers } from "../../testkit/assignments";
import { assignment, Engine, type Program, type Resource } from "../../testkit/engine";
import { useFolder } from "../../testkit/folder";
import { catchLines, HostInProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";

/*
 * Each provider of a run has a host of its own. They know each other's wishes by a file, so that a group that
 * moves from one to the other keeps its role.
 */

const tenant = useTenant();
catchLines();
const temporary = useFolder();
beforeEach(() => jest.spyOn(os, "tmpdir").mockReturnValue(temporary));

/** No process has this id. */
const GONE = 2 ** 22 + 1;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Leaves the file of its run, as the SDK's host does. */
class StayingHost extends HostInProcess {
  override stop(): Promise<void> {
    return Promise.resolve();
  }
}

const engineAt = (address: string) =>
  new Engine(tenant, {
    providers: { eu: new Engine(tenant).config },
    startHost: (_, moment) => new StayingHost(address, moment),
  });
const eu = (resource: Resource): Resource => ({ ...resource, provider: "eu" });
const BOTH: Program = { a: viewers(ADMINS, BILLING) };
/** One of the groups goes to an assignment under the other provider. */
const MOVED: Program = { b: eu(viewers(ADMINS)) };

let path: string;
const root = () => join(temporary, readdirSync(temporary)[0] ?? "");
const file = () => join(root(), readdirSync(root())[0] ?? "");
const taken = () => tenant.sent().filter((line) => line.startsWith("DELETE"));

/** An engine with this in its state. Its next run is another one, at the same address. */
async function after(program: Program): Promise<Engine> {
  const engine = engineAt("127.0.0.1:1");
  await engine.up(program);
  path = file();
  rmSync(path);
  tenant.sent();
  return engine;
}

test("a host keeps what the other one wants; the file holds names and hashes, for nobody else to read", async () => {
  const engine = await after(BOTH);
  await engine.up(MOVED);
  expect(taken()).toEqual([unassigned(BILLING)]);
  expect(statSync(root()).mode & 0o777).toBe(0o700);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const text = readFileSync(file(), "utf8");
  expect(text).toContain('"b"');
  expect(text).not.toMatch(/rol_|grp_|127\.0\.0\.1/);
});

test("what is only read leaves no file", async () => {
  const engine = await after(BOTH);
  rmSync(root(), { recursive: true });
  await engine.destroy();
  expect(readdirSync(temporary)).toEqual([]);
});

test("what a resource wants now takes the place of what it wanted before", async () => {
  const b = { roleId: AGENT, groupIds: [SUPPORT], until: "2199-12-31" };
  const engine = await after({ ...BOTH, b: eu(assignment(b)) });
  // It's checked first with the end from state and then, because its role changes, with the program's.
  const ended = { roleId: VIEWER, groupIds: [ADMINS], until: "2020-02-29" };
  await engine.up({ b: eu(assignment(ended, { ignoreChanges: ["until"] })) });
  expect(taken()).toContain(unassigned(BILLING, ADMINS));
});

test.each<[string, (text: string) => string, string[]]>([
  ["the same run count", (text) => text, []],
  [
    "an earlier run at the same address don't",
    (text) => text.replaceAll(/^\["\d+/gm, `["${GONE}`),
    [unassigned(BILLING, ADMINS)],
  ],
])("lines of hosts of %s", async (_, change, expected) => {
  const engine = engineAt("127.0.0.1:1");
  await engine.up(BOTH);
  writeFileSync(file(), change(readFileSync(file(), "utf8")));
  tenant.sent();
  await engine.destroy();
  expect(taken()).toEqual(expected);
});

test.each<[string, () => void]>([
  ["a folder that others can write to", () => chmodSync(root(), 0o777)],
  [
    "a link in place of the file",
    () => {
      const elsewhere = join(temporary, "z-elsewhere");
      writeFileSync(elsewhere, "");
      symlinkSync(elsewhere, path);
    },
  ],
  [
    "a temporary folder that is none",
    () => {
      rmSync(root(), { recursive: true });
      jest.spyOn(os, "tmpdir").mockReturnValue(join(temporary, "not", "there\0"));
    },
  ],
])("without trust in %s each host knows of itself alone, and none fails", async (_, prepare) => {
  const engine = await after(BOTH);
  prepare();
  await engine.up(MOVED);
  expect(taken()).toEqual([unassigned(BILLING, ADMINS)]);
});

test("files of yesterday go with the first one of today, whatever the clock of the host says", async () => {
  await engineAt("127.0.0.1:1").up(BOTH);
  const ahead = engineAt("127.0.0.1:2");
  ahead.moment = Date.now() + 3 * DAY_MS;
  await ahead.up({ a: assignment({ roleId: AGENT, groupIds: [SUPPORT] }) });
  expect(readdirSync(root())).toHaveLength(2);
  const long = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const name of readdirSync(root())) utimesSync(join(root(), name), long, long);
  await engineAt("127.0.0.1:3").up({ a: assignment({ roleId: AGENT, groupIds: [BILLING] }) });
  expect(readdirSync(root())).toHaveLength(1);
});
