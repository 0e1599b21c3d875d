#!/usr/bin/env node
/*
 * The provider as a plugin, which the engine starts for programs in any language. The build bundles it with
 * all that it needs into one file, for npm's command and for the executable. It loads the parts that a call
 * needs, and never `@pulumi/pulumi` itself, only the protocol in its folder.
 */

import { DATA_SOURCES, RESOURCES } from "./contents";
import { type PackageContents } from "./pulumi/plugin/server";
import { serve } from "./pulumi/plugin/serve";

const contents: PackageContents = {
  resources: RESOURCES,
  dataSources: DATA_SOURCES,
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it with every run
  schema: () => JSON.stringify(require("pulumi-identity/schema.json")),
};

void serve(contents, process.argv.slice(2));
