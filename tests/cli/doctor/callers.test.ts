import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CALLERS, everyScopeOf, isCommand } from "../../../cli/doctor/callers";

const security = readFileSync(join(__dirname, "../../../SECURITY.md"), "utf8");

test.each(CALLERS.filter(isCommand))("SECURITY.md has the scopes of %s, and no others", (command) => {
  const [, text = ""] = new RegExp(`\n\`pulumi-identity ${command}\` ([^]+?)\n\n`).exec(security) ?? [];
  const scopes = [...text.matchAll(/`(read:\w+)`/g)].map(([, scope = ""]) => scope);
  expect([...new Set(scopes)].sort()).toEqual([...everyScopeOf(command)].sort());
});
