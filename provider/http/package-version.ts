/** Imported by the package's own name, because sources and build differ in depth. A bundler inlines it. */
// An import would pull the manifest into the build's root.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const manifest = require("pulumi-identity/package.json") as { version: string };

export const PACKAGE_VERSION = manifest.version;
