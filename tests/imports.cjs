/*
 * What tests may import of provider/, cli/ and page/, for .dependency-cruiser.cjs. A test of anything else
 * breaks with each change inside, and proves what no user can see: reach it through an entry.
 */

/** What users and Pulumi enter by, and the parts that have a front of their own. */
const ENTRIES = [
  "provider/(index|runtime|plugin|plugin-classes|contents)",
  "cli/(index|token)",
  "cli/[^/]+/command",
  // The HTTP client, and the service's operations by it.
  "provider/http/client",
  "provider/service/(connection-profiles|device-credentials|groups|organizations|roles|users)",
  // A review of previews, an audit of a tenant, and rules, as their commands make them.
  "cli/review/(review|rules)",
  "cli/access/(ask|roles|user|compare|claims)",
  "cli/rules/(file|cases|judge|names)",
];

/** Functions of their arguments, and data. */
const PURE = [
  "provider/(border|kinds|near-names|seen|sentence|zod)",
  "provider/access/(change|edge|grants|people|until)",
  "provider/review/(act|facts|model|permits|preview-lines|raw-inputs|review-file)",
  "provider/service/(ids|profile-fields|record|scopes)",
  "provider/http/(call|credentials|debug-log|errors|package-version|settings|shape)",
  "provider/http/rate-limit/headers",
  "provider/data-sources/records",
  "provider/pulumi/(hidden-inputs|input-problems|plugin-source|reserved|settings|settings-table)",
  "provider/pulumi/plugin/(differences|values)",
  "provider/pulumi/program/data-source-error",
  "provider/resources/[^/]+/(assignment|lines|next|plan|schema|settle|values)",
  "cli/(ends|errors|escape|places|stack-export|terminal)",
  "cli/(access|review)/(csv|decisions|document|ends|fingerprint|formats|model)",
  "cli/adopt/(contents|profile|program|text)",
  "cli/doctor/(callers|report)",
  "cli/init/edited-yaml",
  "cli/output/[^/]+",
  "cli/html/(packed|page)",
  "cli/review/input/(preview|raw-preview)",
  "cli/review/kinds/effects",
  "cli/review/tenant/answers",
  "cli/review/output/(annotate|counts|document|findings|json|markdown|marker|sarif|text)",
  "cli/rules/(breach|sentences)",
  "page/[^/]+",
];

/** With effects, and known to one test each, which has the last proof of a promise. Add none. */
const INSIDE = [
  "cli/(files|gone-stacks|project|pulumi-cli|stack-client|stack-settings|workplace)",
  "cli/review/input/sources",
  "cli/tenant/client",
];

/** Folders whose tests know the parts of one layer, each of which has a protocol of its own to keep. */
const OWN_LAYER = { "tests/http/": "provider/http/" };

const files = (names) => names.map((name) => `^${name}\\.tsx?$`);

module.exports = { ALLOWED: files([...ENTRIES, ...PURE, ...INSIDE]), OWN_LAYER };
