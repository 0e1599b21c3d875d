/*
 * How messages speak of profiles that are on the tenant already, and have the name that a create wants.
 */

export interface Namesake {
  id: string;
}

/** A resource under another name is another one to the engine, which creates it before it deletes the former one. */
const RENAMED = 'If the resource was only renamed, give it aliases: [{ name: "<its former name>" }].';

/** `The tenant t.example.com already holds the connection profile cop_… named "a". To manage it …` */
export function tellNamesakes(
  tenant: string,
  name: unknown,
  namesakes: readonly [Namesake, ...Namesake[]],
): string {
  return `The tenant ${tenant} already holds ${listed(namesakes)} named ${JSON.stringify(name)}. ${howToAdopt(namesakes[0])} ${RENAMED}`;
}

export function listed(profiles: readonly Namesake[]): string {
  const ids = profiles.map(({ id }) => id).join(", ");
  return profiles.length === 1 ? `the connection profile ${ids}` : `the connection profiles ${ids}`;
}

export function howToAdopt({ id }: Namesake): string {
  return `To manage it with this resource, add adopt: ${JSON.stringify(id)}; otherwise choose another name.`;
}
