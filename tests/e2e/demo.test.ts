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
    "1. What would happen?",
    "2. What does that do to access?",
    "3. Do that, and nothing else.",
    "4. Again, with nothing to do.",
    "5. Meanwhile somebody changes the tenant by hand.",
    "6. Who has lost access?",
    "7. Who has which role, and why?",
    "8. Held to the first review, a run refuses anything else.",
    "9. Give it back.",
    "10. Another program, in YAML, gives a role until tomorrow.",
    "11. Who has that role, why, and how long?",
    "12. The same line with yesterday's date, as if time had passed.",
    "13. Clean up.",
  ]);
  expect(chapter(stdout, 2).replace(/127\.0\.0\.1:\d+/g, "tenant.example.com")).toContain(`
  Access review of identity-quickstart/test, tenant tenant.example.com
  ➕ 2 grants · ⛔ 1 permanent removal · 1 profile created
  This can't be undone:
    - device credential dcr_6XnTb4kWq9ZpHs2V is removed, by lost-phone
      (index.ts:24): the refresh token of auth0|64c1f0a2b7d83e5f9a1b2c3d on lost
      phone
  Who gains and who loses access:
    support-agent rol_4hNkVx8QmTz2bRcW
      ➕ gains  billing-team grp_5BmRd9aSj2WqTgFx7cUkEn, 4 people
          support (index.ts:12)
      ➕ gains  directory-admins grp_7TqWc2nYx5RkHbVd9sPmZa, 3 people
          support (index.ts:12)
`);
  expect(chapter(stdout, 3)).toContain("  That is what the review said, and nothing else.\n");
  expect(chapter(stdout, 6)).toMatch(
    /^ {4}support-agent \S+\n {6}➖ has lost {2}directory-admins \S+, 3 people\n {10}support \(index\.ts:12\)$/m,
  );
  expect(chapter(stdout, 7)).toMatch(
    /^ {4}– {2}grp_\w+\n {6}claimed, not there: support in identity-quickstart\/test \(index\.ts:12\)$/m,
  );
  expect(chapter(stdout, 11)).toMatch(
    /^ {4}contractors {2}grp_\w+\n {6}contractors in test\/contractors, until \S+ \(within 14 days\)$/m,
  );
  expect(chapter(stdout, 12)).toMatch(
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
