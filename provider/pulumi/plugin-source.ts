import { PACKAGE_VERSION } from "../http/package-version";

/** Where Pulumi finds the plugin's archives, as in the schema. */
export const PLUGIN_URL = "github://api.github.com/pulumi-identity/pulumi-identity";

/** Options of a resource by which Pulumi fetches the plugin that its class was made for. */
export const PLUGIN_SOURCE = { version: PACKAGE_VERSION, pluginDownloadURL: PLUGIN_URL } as const;
