// Draws docs/page.png and docs/page-dark.png: the page of a tenant. node --import tsx tests/page/picture.mjs
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launchChromium } from "../../docs/site/chromium.mjs";
import { accessPage, largeTenant } from "../../testkit/cli/pages.ts";

const docs = resolve(dirname(fileURLToPath(import.meta.url)), "../../docs");
const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-page-"));
const NAMES = [
  "admin",
  "auditor",
  "billing-editor",
  "billing-viewer",
  "catalog-editor",
  "data-analyst",
  "payments-operator",
  "support-agent",
  "support-agent in acme",
  "support-lead",
];
const large = largeTenant({ roles: NAMES.length, groups: 19, people: 240, share: 0.4 });
const ACME = { id: "org_5vJmTq8XbRz3kWcY", name: "acme" };
const roles = large.roles.map((each, index) => {
  const [own = "", where] = (NAMES[index] ?? "").split(" in ");
  const there = { organization: ACME, role: { id: each.id, name: own }, id: `${ACME.id}/${each.id}` };
  return { ...each, name: NAMES[index] ?? null, ...(where !== undefined && there) };
});
const json = { ...large, roles };
const role = json.roles.find(({ name }) => name === "billing-viewer");
const group = role?.groups.find(({ status }) => status === "managed");
const breach = {
  rule: "allow",
  rulesLine: 7,
  roles: [role?.id],
  groups: [group?.id],
  by: group?.by.map(({ stack, resource, line }) => ({ stack, resource, line })),
  reason: `${group?.name} ${group?.id} has ${role?.name} ${role?.id}, which rules.yaml:7 doesn't allow`,
};
const file = join(folder, "page.html");
writeFileSync(file, accessPage({ ...json, rules: { file: "rules.yaml", gaps: [], breaches: [breach] } }));
const browser = await launchChromium();
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1000, height: 900 });
  for (const [mode, name] of [
    ["light", "page.png"],
    ["dark", "page-dark.png"],
  ]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: mode }]);
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector("td.on");
    await page.screenshot({ path: join(docs, name), fullPage: true });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
