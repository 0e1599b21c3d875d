import { type AskedBy, type Source } from "../../../../cli/review/input/sources";
import { readPreview } from "../../../../cli/review/input/preview";
import { askAhead, askTenants } from "../../../../cli/review/tenant/ask-all";
import { Tenants } from "../../../../cli/review/tenant/tenants";
import { readRules } from "../../../../cli/rules/file";
import { Progress } from "../../../../cli/terminal";
import { readSettings } from "../../../../provider/pulumi/settings";
import { ADMINS, VIEWER } from "../../../../simulator/default-seed";
import { adds, AskedTenant } from "../../../../testkit/cli/asked";
import { previewText, TENANT } from "../../../../testkit/cli/previews";
import { environmentOf } from "../../../../testkit/simulator";

/* What a review asks before its preview is made, and for two files of rules. */

const tenant = AskedTenant.forTests();
const rulesOf = (text: string) => readRules({ file: "rules.yaml", text });
const NAMED = rulesOf("allow:\n  support-agent: [directory-admins]\n");
const OTHERS = rulesOf("allow:\n  support-agent: [directory-admins]\n  billing-viewer: []\n");

function by(more: NodeJS.ProcessEnv = {}): AskedBy {
  const settings = readSettings(() => undefined, {
    ...environmentOf(tenant.simulator),
    IDENTITY_FORMER_DOMAINS: TENANT,
    ...more,
  });
  return { settings, source: { from: "environment" } };
}

/** Without how the lists are paged. */
const paths = () =>
  tenant.simulator
    .requests()
    .map(({ path }) => path.replace(/^\/api\/v2|[?&](take|page|per_page|include_totals)=\w+/g, ""));

/** Until nothing more is asked. */
async function settled(): Promise<string[]> {
  for (let before = -1; before < paths().length;) {
    before = paths().length;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return paths();
}

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

test("rules with names: what these need is asked ahead, and not again", async () => {
  const alone = await asked((tenants) => review(tenants, NAMED));
  tenant.seed({});
  let ahead: string[] = [];
  const all = await asked(async (tenants) => {
    askAhead(by(), NAMED, tenants);
    ahead = await settled();
    await review(tenants, NAMED);
  });
  expect(ahead).toEqual(["/oauth/token", "/roles", "/groups?name=directory-admins"]);
  expect(all.sort()).toEqual(alone.sort());
});

test.each([
  ["no rules", undefined, {}],
  ["ids alone", rulesOf(`allow:\n  ${VIEWER}: [${ADMINS}]\n`), {}],
  ["no client", NAMED, { IDENTITY_CLIENT_ID: "", IDENTITY_CLIENT_SECRET: "" }],
  ["settings that make no client", NAMED, { IDENTITY_CLIENT_SECRET: "" }],
])("nothing is asked ahead, not even a token: %s", async (_, rules, given) => {
  const all = await asked(async (tenants) => {
    askAhead(by(given), rules, tenants);
    await settled();
  });
  expect(all).toEqual([]);
});

test("names that the tenant doesn't have are an error when they judge, not before", async () => {
  const wrong = rulesOf("allow:\n  nobody: []\n");
  await asked(async (tenants) => {
    askAhead(by(), wrong, tenants);
    await settled();
    await expect(review(tenants, wrong)).rejects.toThrow("no role of 127.0.0.1");
  });
});

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
