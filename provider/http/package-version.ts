/** Both the source file and the built file are two folders below the manifest; a bundler inlines what is required so. */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would pull the manifest into the build's root
const manifest = require("../../package.json") as { version: string };

export const PACKAGE_VERSION = manifest.version;
