/** A resource in state, as far as its bytes are told apart. */
interface StateResource {
  inputs?: object;
  outputs?: object;
  propertyDependencies?: object;
}

/** Outputs that the provider adds to the program's inputs. */
const OWN = ["tenant", "__written", "adopted"];
/** Names by which resources are told apart, and the stack: added after the commit 97cacd3. */
const NAMES = ["__name", "__stack", "__sets"];

/**
 * Mean bytes of these resources by what they are for. `checkout`: its path stands in state, and counts as one
 * character.
 */
export function sharesOfState(resources: readonly StateResource[], checkout: string): Record<string, number> {
  const place = checkout.replace(/^\//, "");
  const mean = (bytesOf: (resource: StateResource) => number) =>
    resources.reduce((sum, one) => sum + bytesOf(one), 0) / resources.length;
  const all = mean((one) => JSON.stringify(one).replaceAll(place, "C").length);
  const names = mean((one) => bytesIn(one, (name) => NAMES.includes(name)));
  const own = mean(({ outputs = {} }) => bytesIn({ outputs }, (name) => OWN.includes(name)));
  const program = mean(({ inputs = {}, outputs = {} }) =>
    bytesIn({ inputs, outputs }, (name) => !name.startsWith("__") && !OWN.includes(name)),
  );
  return {
    all,
    "without the names added since": all - names,
    "the provider's own: tenant, time, adopted": own,
    "the program's inputs": program,
    "the engine's and the SDK's": all - names - own - program,
  };
}

/** Bytes of the members with such names, each with a comma. */
function bytesIn(
  { inputs = {}, outputs = {}, propertyDependencies = {} }: StateResource,
  isCounted: (name: string) => boolean,
): number {
  const members = [inputs, outputs, propertyDependencies].flatMap((values) => Object.entries(values));
  return members
    .filter(([name]) => isCounted(name))
    .reduce((sum, [name, value]) => sum + JSON.stringify({ [name]: value as unknown }).length - 1, 0);
}
