import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { areGone } from "../../cli/gone-stacks";
import { useFolder } from "../../testkit/folder";

const folder = useFolder();

/** A `pulumi` on the PATH that lists these stacks, whatever the project, and notes what it is asked. */
function pulumiOf(list: string): NodeJS.ProcessEnv {
  const file = join(folder, "pulumi");
  writeFileSync(
    file,
    `#!/bin/sh\necho "$@" >> ${join(folder, "asked")}\ncat <<'END'\n${list}\nEND\ntest -n '${list}'\n`,
  );
  chmodSync(file, 0o755);
  return { PATH: [folder, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter) };
}
const listed = (...names: string[]) => JSON.stringify(names.map((name) => ({ name, current: false })));

test.each<[string, string, string[], boolean]>([
  ["one that isn't listed", listed("prod"), ["access/dev"], true],
  ["by the names of Pulumi Cloud", listed("acme/access/prod", "acme/dev"), ["access/dev"], false],
  ["two, of which one is there", listed("prod", "test"), ["access/dev", "access/test"], false],
  ["a list without this run's own stack", listed("other"), ["access/dev"], false],
  ["no answer", "", ["access/dev"], false],
  ["an answer of another form", '{"stacks":[]}', ["access/dev"], false],
  ["a name without a project", listed("prod"), ["dev"], false],
])("%s", async (_, list, stacks, gone) => {
  expect(await areGone(stacks, ["access/prod"], { folder, environment: pulumiOf(list) })).toBe(gone);
});

test("each project is asked once", async () => {
  const environment = pulumiOf(listed("prod"));
  await areGone(["access/a", "access/b", "other/c"], ["access/prod"], { folder, environment });
  const asked = readFileSync(join(folder, "asked"), "utf8").trim().split("\n");
  expect(asked.map((line) => line.replace(/ --cwd .*/, ""))).toEqual([
    "stack ls --json --project access",
    "stack ls --json --project other",
  ]);
});
