import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostsFile } from "../../provider/pulumi/hosts-file";

const ENGINE = "127.0.0.1:43117";
/** No process has this id. */
const GONE = 2 ** 22 + 1;
const GRANT = "tenant.example.com rol_1 grp_1";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "hosts-file-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const of = (engine = ENGINE, processId = process.pid) => new HostsFile(engine, processId, folder);
const root = () => join(folder, readdirSync(folder)[0] ?? "");
const file = () => join(root(), readdirSync(root())[0] ?? "");
const wish = (owner: string, ...keys: string[]) => ({ owner, name: `the ${owner}`, keys });

test("a host reads what the others of its run want, and nothing of its own or of another run", () => {
  const [one, other, foreign] = [of(), of(), of("127.0.0.1:43118")];
  one.write(wish("a", GRANT, "another"));
  expect(other.wants([GRANT])).toBe("the a");
  expect(other.wants(["nothing", "another"])).toBe("the a");
  expect(other.wants(["nothing"])).toBeUndefined();
  expect(one.wants([GRANT])).toBeUndefined();
  expect(foreign.wants([GRANT])).toBeUndefined();
});

test("a host that has looked before anybody wrote finds what another writes then", () => {
  const [one, other] = [of(), of()];
  expect(one.wants([GRANT])).toBeUndefined();
  other.write(wish("a", GRANT));
  expect(one.wants([GRANT])).toBe("the a");
});

test("a host finds what another wants before, between and after its own lines", () => {
  const [one, other] = [of(), of()];
  other.write(wish("before", "b"));
  one.write(wish("own", GRANT));
  expect(one.wants(["b"])).toBe("the before");
  one.write(wish("own", GRANT));
  expect(one.wants([GRANT, "c"])).toBeUndefined();
  one.write(wish("own", GRANT));
  other.write(wish("between", "c"));
  one.write(wish("own", GRANT));
  expect(one.wants(["c"])).toBe("the between");
  other.write(wish("after", "d"));
  expect(one.wants(["d"])).toBe("the after");
});

test("what a resource wants now takes the place of what it wanted before", () => {
  const [one, other] = [of(), of()];
  one.write(wish("a", GRANT));
  one.write(wish("b", "else"));
  expect(other.wants([GRANT])).toBe("the a");
  one.write(wish("a"));
  expect(other.wants([GRANT])).toBeUndefined();
  expect(other.wants(["else"])).toBe("the b");
});

test("hosts of an earlier run at the same address say nothing, and a line that is cut short waits for its end", () => {
  of(ENGINE, GONE).write(wish("a", GRANT));
  const [one, other] = [of(), of()];
  expect(other.wants([GRANT])).toBeUndefined();
  one.write(wish("b", "else"));
  const text = readFileSync(file(), "utf8");
  writeFileSync(file(), text.slice(0, -5));
  expect(of().wants(["else"])).toBeUndefined();
  writeFileSync(file(), text);
  expect(other.wants(["else"])).toBe("the b");
});

test("the file holds names and hashes, for nobody else to read; reading leaves no file", () => {
  of().wants([GRANT]);
  expect(readdirSync(folder)).toEqual([]);
  of().write(wish("a", GRANT));
  expect(statSync(root()).mode & 0o777).toBe(0o700);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(readFileSync(file(), "utf8")).not.toMatch(/rol_|grp_|tenant/);
});

test("a folder that others can write to is not trusted, nor a link in place of the file", () => {
  const [one, other] = [of(), of()];
  one.write(wish("a", GRANT));
  chmodSync(root(), 0o777);
  expect(other.wants([GRANT])).toBeUndefined();
  chmodSync(root(), 0o700);
  const path = file();
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(elsewhere, readFileSync(path));
  rmSync(path);
  symlinkSync(elsewhere, path);
  expect(of().wants([GRANT])).toBeUndefined();
});

test("files of yesterday go with the first one of today", () => {
  of("127.0.0.1:1").write(wish("a", GRANT));
  const long = new Date(Date.now() - 25 * 60 * 60 * 1000);
  utimesSync(file(), long, long);
  of().write(wish("b", GRANT));
  expect(readdirSync(root())).toHaveLength(1);
  expect(of().wants([GRANT])).toBe("the b");
});

test("a host whose clock is days ahead leaves the files of the others", () => {
  of("127.0.0.1:1").write(wish("a", GRANT));
  const ahead = Date.now() + 3 * 24 * 60 * 60 * 1000;
  const clock = jest.spyOn(Date, "now").mockReturnValue(ahead);
  of().write(wish("b", GRANT));
  clock.mockRestore();
  expect(readdirSync(root())).toHaveLength(2);
});

test("without a temporary folder each host knows of itself alone, and none fails", () => {
  const lost = new HostsFile(ENGINE, process.pid, join(folder, "not", "there\0"));
  lost.write(wish("a", GRANT));
  expect(lost.wants([GRANT])).toBeUndefined();
});
