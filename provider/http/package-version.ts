/** By the package's own name: sources and build don't lie equally deep. A bundler inlines it. */
// An import would pull the manifest into the build's root.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const manifest = require("pulumi-identity/package.json") as { version: string };

export const PACKAGE_VERSION = manifest.version;
