import * as pulumi from "@pulumi/pulumi";

/** Members that the SDK leaves out of its types, and has had since 3.216; tried with 3.248.0. */
interface OutputInternals<T> {
  isKnown: Promise<boolean>;
  promise(): Promise<T>;
  allResources(): Promise<Set<pulumi.Resource>>;
}

interface ComponentInternals {
  /** Settles when the component's `initialize` has ended. */
  __data: Promise<unknown>;
  __childResources?: Set<pulumi.Resource>;
  __remote?: boolean;
}

function internals<T>(output: pulumi.Output<T>): OutputInternals<T> {
  return output as unknown as OutputInternals<T>;
}

/** Returns the value of an Output, or undefined while it isn't known; rejects if the Output fails. */
export async function knownValue<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  const value = await internals(output).promise();
  return (await internals(output).isKnown) ? value : undefined;
}

export function resourcesOf(output: pulumi.Output<unknown>): Promise<Set<pulumi.Resource>> {
  return internals(output).allResources();
}

/** Returns the names of values that are secret, as a whole or in part. */
export async function secretNamesIn(values: object): Promise<string[]> {
  const names = Object.entries(values).map(async ([name, value]: [string, unknown]) =>
    (await pulumi.isSecret(pulumi.output(value))) ? [name] : [],
  );
  return (await Promise.all(names)).flat();
}

/**
 * Becomes known, as the URNs, only once all resources exist: before that, their ids are unknown. For a
 * component its children count, as in the SDK's own functions.
 */
export function whenCreated(resources: Iterable<pulumi.Resource>): pulumi.Output<string[]> {
  return pulumi
    .output(withoutComponents(resources).then((all) => [...all]))
    .apply((all) => pulumi.all(all.map((resource) => [resource.urn, idOf(resource)] as const)))
    .apply((all) => all.map(([urn]) => urn));
}

function idOf(resource: pulumi.Resource): pulumi.Output<string> | undefined {
  // A reference to a resource from elsewhere is a custom resource without an id.
  return pulumi.CustomResource.isInstance(resource) ? resource.id : undefined;
}

/**
 * Replaces components by their children; if another process creates those, the component counts as existing.
 */
async function withoutComponents(
  resources: Iterable<pulumi.Resource>,
  found = new Set<pulumi.Resource>(),
): Promise<Set<pulumi.Resource>> {
  for (const resource of resources) {
    const component = resource as unknown as ComponentInternals;
    if (pulumi.ComponentResource.isInstance(resource) && component.__remote !== true) {
      await component.__data;
      await withoutComponents(component.__childResources ?? [], found);
    } else {
      found.add(resource);
    }
  }
  return found;
}
