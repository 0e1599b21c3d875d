import { ADMINS, VIEWER } from "../../../../simulator/default-seed";
import { adds, AskedTenant } from "../../../../testkit/cli/asked";

/* What a review asks for two files of rules. */

const tenant = AskedTenant.forTests();
const NAMED = "allow:\n  support-agent: [directory-admins]\n";
const OTHERS = `${NAMED}  billing-viewer: []\n`;

async function asked(...files: string[]): Promise<string[]> {
  tenant.seed({});
  const clients = tenant.clients();
  for (const rules of files) await tenant.reviewedAlone([adds("a", VIEWER, [ADMINS])], { rules, clients });
  return tenant.simulator.log();
}

test("two files of rules are judged by one client: nothing is asked twice", async () => {
  const both = await asked(NAMED, OTHERS);
  expect(both.sort()).toEqual((await asked(NAMED)).sort());
  expect(new Set(both).size).toBe(both.length);
});
