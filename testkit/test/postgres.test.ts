import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { installedPrograms, type Postgres, startPackagedPostgres, startPostgres } from "../postgres";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "pulumi-identity-programs-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function installed(...path: string[]): string {
  const programs = join(folder, ...path);
  mkdirSync(programs, { recursive: true });
  for (const name of ["initdb", "postgres"]) writeFileSync(join(programs, name), "");
  return programs;
}

async function answer({ url, password }: Postgres): Promise<unknown> {
  const address = new URL(url);
  address.password = password;
  const client = new Client({ connectionString: address.href });
  await client.connect();
  const { rows } = await client.query<{ answer: number }>("select 6 * 7 as answer");
  await client.end();
  return rows[0]?.answer;
}

test.each([
  ["the one that this machine has, or else that of npm", startPostgres],
  ["that of npm, which is always there", startPackagedPostgres],
])("a server works, and leaves nothing behind: %s", async (_, start) => {
  const postgres = await start();
  try {
    expect(postgres.version).toMatch(/^postgres \(PostgreSQL\) \d+/);
    expect(await answer(postgres)).toBe(42);
    await expect(answer({ ...postgres, password: "another" })).rejects.toThrow(/authentication failed/);
  } finally {
    await postgres.stop();
  }
  await expect(answer(postgres)).rejects.toThrow("ECONNREFUSED");
  expect(existsSync(postgres.home)).toBe(false);
});

describe("an installed server", () => {
  test("on the PATH comes first, then the newest of Debian's", () => {
    const onPath = installed("bin");
    installed("debian", "9", "bin");
    const newest = installed("debian", "15", "bin");
    const debian = join(folder, "debian");

    expect(installedPrograms(`${join(folder, "nothing")}:${onPath}`, debian)).toBe(onPath);
    expect(installedPrograms("", debian)).toBe(newest);
    expect(installedPrograms("", join(folder, "nothing"))).toBeUndefined();
  });

  test("without initdb, as a client's package leaves it, is none", () => {
    rmSync(join(installed("bin"), "initdb"));
    expect(installedPrograms(join(folder, "bin"), folder)).toBeUndefined();
  });
});
