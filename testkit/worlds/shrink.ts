import { type Program, type Resource } from "../engine";
import { Later, Secret } from "../engine/program";
import { type World } from "./world";

/**
 * Finds the smallest failing world, by leaving out one thing after the other while it still fails. A world
 * that can't be lived through, since something else needs what was left out, doesn't count as failing.
 */
export async function shrink(
  world: World,
  fails: (smaller: World) => Promise<boolean>,
  limitMs: number,
): Promise<World> {
  const end = performance.now() + limitMs;
  let smallest = world;
  let isSmaller = true;
  while (isSmaller) {
    isSmaller = false;
    // Continue where something could be left out, because everything before was tried already.
    for (let place = 0; ;) {
      const candidate = nth(smallerOnes(smallest), place);
      if (candidate === undefined) break;
      if (performance.now() > end) return smallest;
      if (await fails(candidate).catch(() => false)) {
        smallest = candidate;
        isSmaller = true;
      } else place++;
    }
  }
  return smallest;
}

function nth<T>(items: Iterable<T>, place: number): T | undefined {
  let left = place;
  for (const item of items) if (left-- === 0) return item;
  return undefined;
}

function* smallerOnes(world: World): Generator<World> {
  const acts = [...world.earlier, world.judged];
  for (const key of new Set(acts.flatMap(({ program }) => Object.keys(program)))) {
    const change = <One extends { program: Program }>(act: One) => ({
      ...act,
      program: without(act.program, key),
    });
    yield { ...world, earlier: world.earlier.map(change), judged: change(world.judged) };
  }
  yield* smaller(world) as Generator<World>;
}

/** Leaves out a resource, and everything that refers to it. */
function without(program: Program, key: string): Program {
  const others = Object.entries(program).filter(([other]) => other !== key);
  return Object.fromEntries(
    others.map(
      ([other, { dependsOn = [], deletedWith, replaceWith = [], ...resource }]): [string, Resource] => [
        other,
        {
          ...resource,
          dependsOn: dependsOn.filter((one) => one !== key),
          ...(deletedWith !== undefined && deletedWith !== key && { deletedWith }),
          replaceWith: replaceWith.filter((one) => one !== key),
        },
      ],
    ),
  );
}

/** Members without which nothing of the kind is there. */
const KEPT = new Set([
  ...["behaviour", "eu", "listings", "foreign", "main", "earlier", "judged"],
  ...["outside", "refresh", "taint", "program", "options", "parallel", "read", "auth0"],
  ...["tenant", "method", "path", "role", "group", "kind", "inputs", "name", "type", "of"],
]);

/** The value with one part left out, in all ways; large parts first. */
function* smaller(value: unknown): Generator {
  if (value === true) yield false;
  if (value instanceof Secret || value instanceof Later) yield value.value;
  else if (Array.isArray(value)) {
    const list = value as unknown[];
    if (list.length > 1) yield [];
    for (const place of list.keys()) yield list.filter((_, other) => other !== place);
    for (const [place, child] of list.entries())
      for (const less of smaller(child)) yield list.map((one, other) => (other === place ? less : one));
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    for (const [name] of entries)
      if (!KEPT.has(name)) yield Object.fromEntries(entries.filter(([other]) => other !== name));
    for (const [name, child] of entries.filter(([one]) => one !== "listings"))
      // The rules are a file's text.
      for (const less of smaller(name === "rules" ? parsed(child) : child))
        yield { ...value, [name]: name === "rules" ? JSON.stringify(less) : less };
  }
}

function parsed(text: unknown): unknown {
  return typeof text === "string" ? JSON.parse(text) : text;
}
