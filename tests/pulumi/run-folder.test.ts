import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Fact, RunFolder } from "../../provider/pulumi/run-folder";

const FACT: Fact = ["role-groups has", "tenant.example.com", "rol_1", "hash"];
const ENGINE = "127.0.0.1:43117";
/** No process has it. */
const GONE = 2 ** 22 + 1;

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "run-folder-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const root = () => join(folder, readdirSync(folder)[0] ?? "");
const files = () =>
  readdirSync(root(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
const of = (engine = ENGINE, processId?: number) => {
  const made = RunFolder.of(engine, processId, folder);
  if (made === undefined) throw new Error("There is no folder.");
  const facts: Fact[] = [];
  made.subscribe((fact) => facts.push(fact));
  return {
    leave: (fact: Fact) => made.leave(fact),
    subscribe: (onFact: (fact: Fact) => void) => made.subscribe(onFact),
    found: () => {
      made.listen();
      return facts.splice(0);
    },
  };
};

test("each process finds once what the others of its run have left, and nothing of its own", () => {
  const [one, other, foreign] = [of(), of(), of("127.0.0.1:43118")];
  one.leave(FACT);
  one.leave(["role-groups took", "tenant.example.com", "rol_1"]);

  expect(other.found()).toEqual([FACT, ["role-groups took", "tenant.example.com", "rol_1"]]);
  expect(other.found()).toEqual([]);
  expect(one.found()).toEqual([]);
  expect(foreign.found()).toEqual([]);
});

test("who subscribes late is told of all", () => {
  const [one, other] = [of(), of()];
  one.leave(FACT);
  other.found();
  const told: Fact[] = [];
  other.subscribe((fact) => told.push(fact));
  expect(told).toEqual([FACT]);
});

test("what a process has left that is gone says nothing", () => {
  of(ENGINE, GONE).leave(FACT);
  expect(of().found()).toEqual([]);
});

test("a line that is not complete is read later, and one that is no fact never", () => {
  const one = of();
  one.leave(FACT);
  const [file = ""] = files();
  writeFileSync(file, 'nonsense\n{"a":1}\n["one"]\n[1,2]\n["role-groups has","tenant.exam');
  const other = of();
  expect(other.found()).toEqual([]);
  writeFileSync(file, 'ple.com","rol_1","hash"]\n', { flag: "a" });
  expect(other.found()).toEqual([FACT]);
});

test("nobody else can read the folder", () => {
  of().leave(FACT);
  for (const path of [root(), ...files()]) expect(statSync(path).mode & 0o077).toBe(0);
});

test.each(["770", "707", "720"])(
  "a folder of the mode %s, which others can write to, is not used",
  (mode) => {
    of();
    chmodSync(root(), Number.parseInt(mode, 8));
    expect(RunFolder.of(ENGINE, process.pid, folder)).toBeUndefined();
  },
);

test("a folder that others can only read is used, and what is in it stays unreadable", () => {
  of();
  chmodSync(root(), 0o755);
  const one = RunFolder.of(ENGINE, process.pid, folder);
  one?.leave(FACT);
  expect(of().found()).toEqual([FACT]);
  for (const path of files()) expect(statSync(path).mode & 0o077).toBe(0);
});

test("the locks of the set-up are elsewhere", () => {
  const script = `import { withLock } from ${JSON.stringify(pathToFileURL(resolve("scripts/process.mjs")).href)};
    import { readdirSync } from "node:fs";
    await withLock("a", () => {}, () => console.log(readdirSync(${JSON.stringify(folder)}).join()));`;
  const locks = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    env: { ...process.env, TMPDIR: folder },
    encoding: "utf8",
  }).trim();
  expect(locks).toMatch(/^pulumi-identity-\w+-/);
  rmSync(join(folder, locks), { recursive: true });
  of();
  expect(readdirSync(folder)).not.toEqual([locks]);
});

test("a link in place of the folder is not followed", () => {
  of();
  const name = root();
  rmSync(name, { recursive: true });
  symlinkSync(folder, name);
  expect(RunFolder.of(ENGINE, process.pid, folder)).toBeUndefined();
});

test("without a temporary folder there is none", () => {
  expect(RunFolder.of(ENGINE, process.pid, join(folder, "missing"))).toBeUndefined();
});

test("what is a day old is removed, and what an earlier run has left under the address", () => {
  of("127.0.0.1:1").leave(FACT);
  const [old = ""] = files();
  const yesterday = Date.now() / 1000 - 25 * 60 * 60;
  utimesSync(old, yesterday, yesterday);
  utimesSync(join(old, ".."), yesterday, yesterday);
  of().leave(FACT);
  expect(files()).toHaveLength(1);

  RunFolder.remove(ENGINE, folder);
  expect(files()).toEqual([]);
});
