#!/usr/bin/env node
/*
 * The provider as a plugin, which the engine starts for programs in any language. It never loads
 * `@pulumi/pulumi` itself, only the protocol in its folder, and only the parts of this package that a call
 * needs.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DATA_SOURCES, RESOURCES } from "./contents";
import { type PackageContents } from "./pulumi/plugin/server";
import { serve } from "./pulumi/plugin/serve";

const contents: PackageContents = {
  resources: RESOURCES,
  dataSources: DATA_SOURCES,
  schema: () => readFileSync(join(__dirname, "..", "..", "schema.json"), "utf8"),
};

void serve(contents, process.argv.slice(2));
