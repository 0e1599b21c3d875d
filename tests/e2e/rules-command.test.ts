import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rulesCommand } from "../../cli/rules/command";
import { runCommand } from "../../testkit/cli/in-process";
import { useFolder } from "../../testkit/folder";

/* The command as a pipeline runs it: without a tenant, a stack, or any setting. */

const folder = useFolder();

function run(text: string | undefined) {
  if (text !== undefined) writeFileSync(join(folder, "rules.yaml"), text);
  return runCommand(rulesCommand(), ["rules.yaml"], { env: { PATH: process.env["PATH"] }, cwd: folder });
}

const RULES = "allow:\n  admin: [directory-admins]\ntests:\n";

test("the example's cases pass", async () => {
  const example = resolve(__dirname, "../../examples/rules/rules.yaml");
  // Its exception ends some day, and the command says so.
  expect(await run(readFileSync(example, "utf8"))).toMatchObject({ code: 0, stderr: "" });
});

test("a case that fails is exit 3, with its line and why", async () => {
  expect(await run(`${RULES}  - { group: contractors, has: [admin], ok: true }\n`)).toEqual({
    code: 3,
    stdout: `Rules of rules.yaml
⛔ 1 of 1 case fails

Fails:
  - rules.yaml:4: contractors with admin should break nothing, and breaks allow (contractors has admin, which rules.yaml:2 doesn't allow)
`,
    stderr: "",
  });
});

test.each([
  ["isn't there", undefined, "rules.yaml could not be read (no such file).\n"],
  ["can't be used", "alow: {}\n", 'rules.yaml:1: "alow" is no rule. Did you mean "allow"?\n'],
  [
    "has a case that can't be tried",
    `${RULES}  - { group: a, has: [admin, admin], ok: true }\n`,
    "rules.yaml:4: the case names one role twice.\n",
  ],
])("a file that %s is exit 1, with a sentence", async (_, text, stderr) => {
  expect(await run(text)).toEqual({ code: 1, stdout: "", stderr });
});
