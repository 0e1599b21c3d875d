import { say, type Sentence } from "../../pulumi/sentence";
import { hiddenIn, type Side, type Step } from "../../pulumi/step";

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

/** What is made under the name of what is deleted looks like a resource that was renamed. */
export function renamedTo({ name }: Step, { tenant, inputs }: Side, own: readonly Step[]): Sentence {
  const successor = own.find(
    ({ op, after }) =>
      op === "create" &&
      after?.inputs["adopt"] === undefined &&
      after?.tenant === tenant &&
      hiddenIn(inputs["name"]) === undefined &&
      after?.inputs["name"] === inputs["name"],
  );
  if (successor === undefined) return say``;
  return say`has the same name as ${successor.name}: renamed? ${`aliases: [{ name: ${JSON.stringify(name)} }]`}`;
}
