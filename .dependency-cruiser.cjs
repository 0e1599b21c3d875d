/*
 * The layout of provider/ and cli/: which folder may import which. A folder imports what is listed for it and
 * nothing else. `import type` counts, because a type ties two files together as much as a value does.
 */

const { ALLOWED, OWN_LAYER } = require("./tests/imports.cjs");

const OURS = "^(provider|cli)/";
const ENTRIES = String.raw`^provider/(index|runtime|plugin|plugin-classes)\.ts$`;
/** What plugin.ts serves: all resources and data sources. */
const CONTENTS = String.raw`^provider/contents\.ts$`;
/** An entry that exports all of index.ts, with classes of its own. */
const PLUGIN_CLASSES = String.raw`^provider/plugin-classes\.ts$`;
const CLI = "^cli/";
const CLI_ENTRIES = String.raw`^cli/[^/]+\.ts$`;
/** The build makes rules.schema.json of it. */
const BUILT_FROM = String.raw`^cli/rules/schema\.ts$`;
const CODE_HOST = String.raw`^cli/code-host/api\.ts$`;
const RESOURCES = "^provider/resources/";
/** What a preview's steps of a kind do. */
const REVIEWERS = "^cli/review/kinds/";
/** What a kind's reviewer shares with its handlers. */
const PLANS = String.raw`^provider/resources/[^/]+/(assignment|plan|values)\.ts$`;
const DATA_SOURCES = "^provider/data-sources/";
const HOST = "^provider/pulumi/host/";
const PROGRAM = "^provider/pulumi/program/";
const PLUGIN = "^provider/pulumi/plugin/";
/** The files directly in the folder. */
const PULUMI = String.raw`^provider/pulumi/[^/]+\.ts$`;
const ACCESS = "^provider/access/";
const REVIEW = "^provider/review/";
const SERVICE = "^provider/service/";
const HTTP = "^provider/http/";
const RATE_LIMIT = "^provider/http/rate-limit/";
/** What resources, data sources and commands share. */
const SHARED = [PULUMI, ACCESS, REVIEW, SERVICE, HTTP];
const ZOD = String.raw`^provider/zod\.ts$`;
/** What all layers stand on. */
const GROUND = String.raw`^provider/(border|decoded|kinds|near-names|seen|sentence)\.ts$`;
const SENTENCE = String.raw`^provider/sentence\.ts$`;

const SDK = "(^|/)node_modules/@pulumi/|^@pulumi/";
const UNDICI = "(^|/)node_modules/undici/|^undici$";
const ZOD_PACKAGE = "(^|/)node_modules/zod/|^zod$";

const rule = (name, comment, from, to, scope = "module") => ({
  name,
  severity: "error",
  comment,
  scope,
  from,
  to,
});

/** The files of a layer import each other, the ground, and the files below. */
const layer = (name, comment, files, ...below) =>
  rule(name, comment, { path: files }, { path: OURS, pathNot: [files, GROUND, ZOD, ...below] });

module.exports = {
  forbidden: [
    rule(
      "no-circle",
      "Move what both files need into a third file that imports neither.",
      { path: OURS },
      { circular: true },
    ),
    rule(
      "no-circle-of-folders",
      "Move what both folders need into a folder below them.",
      // Between layers, the rules of the layers hold it.
      { path: "^(cli|provider/(?:data-sources|service|http))/" },
      { path: "^$1/", circular: true },
      "folder",
    ),
    rule(
      "no-dead-file",
      "Delete the file, or import it from what needs it: nothing that starts at index.ts, runtime.ts, plugin.ts or cli/ gets here.",
      { path: [ENTRIES, CLI_ENTRIES, BUILT_FROM] },
      { path: OURS, pathNot: [ENTRIES, CLI_ENTRIES, BUILT_FROM], reachable: false },
    ),
    rule(
      "known-layer",
      "Put the file into one of the folders that CONTRIBUTING.md lists, or give its folder a layer in .dependency-cruiser.cjs.",
      {
        path: OURS,
        pathNot: [
          ENTRIES,
          CONTENTS,
          CLI,
          RESOURCES,
          DATA_SOURCES,
          HOST,
          PROGRAM,
          PLUGIN,
          ...SHARED,
          GROUND,
          ZOD,
        ],
      },
      {},
    ),

    rule(
      "entries",
      "Import the file that declares it: nobody imports index.ts, runtime.ts, plugin.ts or a command.",
      { path: [ENTRIES, CONTENTS], pathNot: PLUGIN_CLASSES },
      { path: [ENTRIES, CLI] },
    ),
    layer(
      "cli",
      "Let the command use the fields and rules of a resource, access/, review/, service/, http/ or a file directly in pulumi/, and move down what it lacks there.",
      CLI,
      RESOURCES,
      ...SHARED,
    ),
    rule(
      "cli-without-sdk",
      "Split the file on the way: what a command needs of it has to do without @pulumi/pulumi.",
      { path: CLI },
      { path: SDK, reachable: true },
    ),
    rule(
      "review-knows-no-resource",
      "Say it in the kind's file in kinds/: the review adds up effects, and has no rule of a resource.",
      { path: "^cli/review/", pathNot: REVIEWERS },
      { path: RESOURCES },
    ),
    rule(
      "reviewer-knows-the-plan",
      "Decide it in the resource's plan.ts, which its handlers use, too.",
      { path: REVIEWERS },
      { path: RESOURCES, pathNot: PLANS },
    ),
    rule(
      "effects-cost-little",
      "Take it as an argument: handlers, previews and the review all plan, and the review does without Pulumi and HTTP.",
      { path: [REVIEWERS, PLANS] },
      { path: [HOST, PROGRAM, SDK, UNDICI], reachable: true },
    ),
    layer(
      "resources",
      "Move what a resource shares with a data source or a command into service/ or pulumi/.",
      RESOURCES,
      HOST,
      PROGRAM,
      ...SHARED,
    ),
    rule(
      "resource-stands-alone",
      "Move what two resources need into service/ or pulumi/: each resource tells its story without the others.",
      { path: String.raw`^provider/resources/(?!organization-)([^/]+?)(?:\.ts$|/)` },
      { path: RESOURCES, pathNot: String.raw`^provider/resources/$1(?:\.ts$|/)` },
    ),
    rule(
      "organization-beside-tenant",
      "Import the folder of the same resource in the tenant: the plan stays there.",
      { path: String.raw`^provider/resources/organization-([^/]+)/` },
      { path: RESOURCES, pathNot: String.raw`^provider/resources/(organization-)?$1/` },
    ),
    rule(
      "class-without-host",
      "Move what needs pulumi/host into the resource's kind.ts: its index.ts is the class, which runs in the program.",
      { path: String.raw`^provider/resources/[^/]+/index\.ts$` },
      { path: HOST, reachable: true },
    ),
    rule(
      "kind-without-program",
      "Move what needs pulumi/program into the resource's index.ts: its kind.ts runs in the provider host.",
      { path: String.raw`^provider/resources/[^/]+/kind\.ts$` },
      { path: PROGRAM, reachable: true },
    ),
    layer(
      "data-sources",
      "Move what a data source shares with a resource into service/ or pulumi/; it runs in the program, so pulumi/host is not for it.",
      DATA_SOURCES,
      PROGRAM,
      ...SHARED,
    ),
    layer(
      "pulumi-host",
      "Move what pulumi/host and pulumi/program both need into a file directly in pulumi/; let resources hand in what is theirs.",
      HOST,
      ...SHARED,
    ),
    layer(
      "pulumi-program",
      "Move what pulumi/program and pulumi/host both need into a file directly in pulumi/; let resources and data sources hand in what is theirs.",
      PROGRAM,
      ...SHARED,
    ),
    layer(
      "pulumi-plugin",
      "Hand it in from plugin.ts: the plugin knows Pulumi's protocol, and nothing of a resource or a data source.",
      PLUGIN,
      HOST,
      ...SHARED,
    ),
    layer(
      "pulumi",
      "Take what comes from above as an argument, or move the file into pulumi/host or pulumi/program.",
      ...SHARED,
    ),
    layer(
      "review",
      "Take what comes from above as an argument: review/ is plain data, for commands that load no SDK and for held runs.",
      REVIEW,
      ACCESS,
      SERVICE,
      HTTP,
    ),
    rule(
      "access",
      "Take it as an argument: access/ says who has which role, as plain data and sentences, for all who ask.",
      { path: ACCESS },
      { pathNot: [ACCESS, SENTENCE] },
    ),
    layer(
      "service",
      "Take what comes from above as an argument: service/ knows the service and http/ only.",
      SERVICE,
      HTTP,
    ),
    layer(
      "http",
      "Take what comes from above as an argument: http/ knows nothing of the service's objects.",
      HTTP,
    ),
    layer(
      "rate-limit",
      "Take what comes from http/ as an argument: http/ is built on http/rate-limit.",
      RATE_LIMIT,
    ),
    layer(
      "ground",
      "Take it as an argument: all layers import this file, so it imports none of them.",
      GROUND,
    ),
    rule(
      "zod-by-one-file",
      "Import provider/zod.ts, and add to it what it lacks: the build keeps what it names, and leaves the rest out.",
      { path: OURS, pathNot: ZOD },
      { path: ZOD_PACKAGE },
    ),
    rule(
      "transport-in-http",
      "Send requests by the client of http/client.ts, which authorizes, paces and retries them. Only what asks another service has a client of its own.",
      { path: OURS, pathNot: [HTTP, CODE_HOST] },
      { path: String.raw`^provider/http/transport\.ts$` },
    ),
    rule(
      "undici-in-http",
      "Send requests by the client of http/client.ts, which authorizes, paces and retries them.",
      { path: OURS, pathNot: HTTP },
      { path: UNDICI },
    ),
    rule(
      "sdk-in-pulumi",
      "Move what needs @pulumi/pulumi into pulumi/, resources/ or data-sources/.",
      { path: OURS, pathNot: [PLUGIN_CLASSES, "^provider/pulumi/", RESOURCES, DATA_SOURCES] },
      { path: SDK },
    ),

    rule(
      "tests-by-entries",
      "Reach it through an entry, or by a row of the contract, of a command or of a host: tests/imports.cjs says which files tests may import.",
      { path: "^tests/", pathNot: Object.keys(OWN_LAYER).map((folder) => `^${folder}`) },
      { path: [OURS, "^page/"], pathNot: ALLOWED },
    ),
    ...Object.entries(OWN_LAYER).map(([folder, layerOf]) =>
      rule(
        "tests-of-a-layer",
        "Import only files of the layer, and those that all tests may import.",
        { path: `^${folder}` },
        { path: [OURS, "^page/"], pathNot: [...ALLOWED, `^${layerOf}`] },
      ),
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
  },
};
