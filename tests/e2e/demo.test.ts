import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { useFolder } from "../../testkit/folder";

/*
 * The demo checks its own claims. This checks that it tells its story in order and readably, and leaves
 * nothing behind.
 */

const folder = useFolder();
const repository = resolve(__dirname, "../..");
const program = () => readdirSync(join(repository, "examples/quickstart"));

test("the demo tells the whole story, from a review to a grant that has ended", async () => {
  const files = program();
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "scripts/demo.ts"],
    { cwd: repository, env: { ...process.env, NODE_ENV: undefined, TMPDIR: folder, NO_COLOR: "1" } },
  );
  expect(stderr).toBe("");
  expect(readdirSync(folder).filter((name) => name.startsWith("pulumi-identity-"))).toEqual([]);
  expect(program()).toEqual(files);
  expect(stdout.match(/^\d+\. .+?[.?]/gm)).toEqual([
    "1. What would happen to access?",
    "2. Do that, and nothing else.",
    "3. Again, with nothing to do.",
    "4. Meanwhile somebody changes the tenant by hand.",
    "5. Who has lost access?",
    "6. Who has which role, and why?",
    "7. Held to the first review, a run refuses anything else.",
    "8. Give it back.",
    "9. A phone is lost.",
    "10. A program of its own deletes its credential, which can't be undone.",
    "11. Sign the phone out, for good.",
    "12. Another program, in YAML, gives a role until tomorrow.",
    "13. Who has that role, why, and how long?",
    "14. The same line with yesterday's date, as if time had passed.",
    "15. Clean up.",
  ]);
  expect(chapter(stdout, 1).replace(/127\.0\.0\.1:\d+/g, "tenant.example.com")).toContain(`
  Access review of identity-quickstart/test, tenant tenant.example.com
  ➕ 2 grants · 1 profile created
  Who gains and who loses access:
    support-agent rol_4hNkVx8QmTz2bRcW
      ➕ gains  billing-team grp_5BmRd9aSj2WqTgFx7cUkEn, 4 people
          support (index.ts:6)
      ➕ gains  directory-admins grp_7TqWc2nYx5RkHbVd9sPmZa, 3 people
          support (index.ts:6)
`);
  expect(chapter(stdout, 2)).toContain("  That is what the review said, and nothing else.\n");
  expect(chapter(stdout, 5)).toMatch(
    /^ {4}support-agent \S+\n {6}➖ has lost {2}directory-admins \S+, 3 people\n {10}support \(index\.ts:6\)$/m,
  );
  expect(chapter(stdout, 6)).toMatch(
    /^ {4}– {2}grp_\w+\n {6}claimed, not there: support in identity-quickstart\/test \(index\.ts:6\)$/m,
  );
  expect(chapter(stdout, 9)).toContain("  // Support One may close:tickets, read:reports, read:tickets\n");
  expect(chapter(stdout, 10)).toContain(`
  This can't be undone:
    - device credential dcr_6XnTb4kWq9ZpHs2V is removed, by
      phone-of-support-one (index.ts:9): the refresh token of
      auth0|64c1f0a2b7d83e5f9a1b2c3d on lost phone
`);
  expect(stdout.slice(0, stdout.indexOf("\n9. "))).not.toContain("permanent");
  expect(chapter(stdout, 13)).toMatch(
    /^ {4}contractors {2}grp_\w+\n {6}contractors in test\/contractors, until \S+ \(within 14 days\)$/m,
  );
  expect(chapter(stdout, 14)).toMatch(
    /^ {2}contractors: role rol_\w+: has ended \(until \d{4}-\d\d-\d\d\): it\n {4}gives the role to no group until it is prolonged$/m,
  );
  expect(stdout).not.toContain("warning");
  expect(stdout).toMatch(/^All of this was checked, in \d+ s\./m);
  const lines = stdout.split("\n");
  expect(lines.length).toBeLessThan(200);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

/** Returns the text below a title. */
function chapter(text: string, number: number): string {
  return text.split(/^(?=\d+\. )/m)[number] ?? "";
}
