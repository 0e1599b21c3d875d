import * as pulumi from "@pulumi/pulumi";

/** True under `pulumi.runtime.setMocks`, where nothing of the tenant, the engine or the provider host is there. */
export function isMocked(): boolean {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}
