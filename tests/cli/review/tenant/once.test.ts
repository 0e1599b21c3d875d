import { type AskedBy, type Source } from "../../../../cli/review/input/sources";
import { readPreview } from "../../../../cli/review/input/preview";
import { askTenants } from "../../../../cli/review/tenant/ask-all";
import { Tenants } from "../../../../cli/review/tenant/tenants";
import { readRules } from "../../../../cli/rules/file";
import { Progress } from "../../../../cli/terminal";
import { readSettings } from "../../../../provider/pulumi/settings";
import { ADMINS, VIEWER } from "../../../../simulator/default-seed";
import { adds, AskedTenant } from "../../../../testkit/cli/asked";
import { previewText, TENANT } from "../../../../testkit/cli/previews";
import { environmentOf } from "../../../../testkit/simulator";

/* What a review asks for two files of rules. */

const tenant = AskedTenant.forTests();
const rulesOf = (text: string) => readRules({ file: "rules.yaml", text });
const NAMED = rulesOf("allow:\n  support-agent: [directory-admins]\n");
const OTHERS = rulesOf("allow:\n  support-agent: [directory-admins]\n  billing-viewer: []\n");

function by(): AskedBy {
  const settings = readSettings(() => undefined, {
    ...environmentOf(tenant.simulator),
    IDENTITY_FORMER_DOMAINS: TENANT,
  });
  return { settings, source: { from: "environment" } };
}

/** Without how the lists are paged. */
const paths = () =>
  tenant.simulator
    .requests()
    .map(({ path }) => path.replace(/^\/api\/v2|[?&](take|page|per_page|include_totals)=\w+/g, ""));

async function asked(ask: (tenants: Tenants) => Promise<unknown>): Promise<string[]> {
  const tenants = new Tenants(new Progress(process.stderr));
  try {
    await ask(tenants);
  } finally {
    await tenants.close();
  }
  return paths();
}

function review(tenants: Tenants, rules: ReturnType<typeof rulesOf>) {
  const source: Source = {
    preview: readPreview(previewText([adds("a", VIEWER, [ADMINS])])),
    askedBy: () => Promise.resolve(by()),
  };
  return askTenants([source], { read: true, sampleUser: [] }, tenants, rules);
}

test("two files of rules are judged by one client: nothing is asked twice", async () => {
  const first = await asked((tenants) => review(tenants, NAMED));
  tenant.seed({});
  const both = await asked(async (tenants) => {
    await review(tenants, NAMED);
    await review(tenants, OTHERS);
  });
  expect(both).toEqual(first);
  expect(new Set(both).size).toBe(both.length);
});
