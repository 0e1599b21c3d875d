/* global AbortController */
// Runs the installer of the Pulumi SDK in a process of its own, because no caller can bound or stop it otherwise:
// node official-installer.mjs VERSION FOLDER
import { subscribe } from "node:diagnostics_channel";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const answerSeconds = 20;
const [version, root] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { PulumiCommand } = require("@pulumi/pulumi/automation");
const semver = createRequire(require.resolve("@pulumi/pulumi"))("semver");

const answered = new AbortController();
subscribe("undici:request:headers", () => answered.abort());
const silence = sleep(answerSeconds * 1000, undefined, { signal: answered.signal }).then(
  () => Promise.reject(new Error(`Pulumi's download site did not answer within ${answerSeconds} s`)),
  () => new Promise(() => {}),
);

try {
  await Promise.race([PulumiCommand.install({ version: semver.parse(version), root }), silence]);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
