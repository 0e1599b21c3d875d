import { type Program, type Resource } from "../engine";
import { Later, Secret } from "../engine/program";
import { type Act, type Judged, type RulesText, type World } from "./world";

/** Finds the smallest failing world, by leaving out one thing after the other while it still fails. */
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
      if (await fails(candidate)) {
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
  const { earlier, judged, foreign, behaviour } = world;
  if (judged.rules !== undefined) {
    yield { ...world, judged: { ...judged, rules: undefined } };
    for (const rules of smallerRules(judged.rules)) yield { ...world, judged: { ...judged, rules } };
  }
  for (const place of judged.auth0.keys()) {
    const left = judged.auth0.filter((_, other) => other !== place);
    yield { ...world, judged: { ...judged, auth0: left } };
  }
  if (Object.keys(behaviour).length > 0) yield { ...world, behaviour: {} };
  if (foreign.main.length + foreign.eu.length > 0) yield { ...world, foreign: { main: [], eu: [] } };
  if (earlier.length > 0) yield { ...world, earlier: [] };
  const acts = [...earlier, judged];
  if (acts.some(({ outside }) => outside.length > 0))
    yield mapActs(world, (act) => ({ ...act, outside: [] }));
  if (acts.some(({ taint }) => taint.length > 0)) yield mapActs(world, (act) => ({ ...act, taint: [] }));
  if (acts.some(({ options }) => Object.keys(options).length > 1 || options.parallel !== 1))
    yield mapActs(world, (act) => ({ ...act, options: { parallel: 1 } }));
  for (const option of OPTIONS)
    if (acts.some(({ program }) => Object.values(program).some((resource) => resource[option] !== undefined)))
      yield mapPrograms(world, (program) =>
        Object.fromEntries(
          Object.entries(program).map(([key, resource]) => [key, withoutMember(resource, option)]),
        ),
      );
  for (const place of earlier.keys())
    yield { ...world, earlier: earlier.filter((_, other) => other !== place) };
  for (const key of keysOf(world)) yield mapPrograms(world, (program) => without(program, key));
  for (const [place, act] of earlier.entries()) {
    for (const smaller of smallerActs(act))
      yield { ...world, earlier: earlier.map((one, other) => (other === place ? smaller : one)) };
    if (act.fault !== undefined)
      yield {
        ...world,
        earlier: earlier.map((one, other) => (other === place ? { ...one, fault: undefined } : one)),
      };
    if (act.killAt !== undefined)
      yield {
        ...world,
        earlier: earlier.map((one, other) => (other === place ? { ...one, killAt: undefined } : one)),
      };
  }
  for (const smaller of smallerActs(judged)) yield { ...world, judged: smaller };
  if (judged.read) yield { ...world, judged: { ...judged, read: false } };
  for (const tenant of ["main", "eu"] as const)
    for (const place of foreign[tenant].keys())
      yield {
        ...world,
        foreign: { ...foreign, [tenant]: foreign[tenant].filter((_, other) => other !== place) },
      };
  for (const name of Object.keys(behaviour))
    yield {
      ...world,
      behaviour: Object.fromEntries(Object.entries(behaviour).filter(([other]) => other !== name)),
    };
  for (const key of keysOf(world))
    for (const change of resourceChanges(world, key))
      yield mapPrograms(world, (program) => {
        const resource = program[key];
        return resource === undefined ? program : { ...program, [key]: change(resource) };
      });
  for (const [place, act] of [...earlier, judged].entries())
    for (const [key, resource] of Object.entries(act.program))
      for (const smaller of smallerResources(resource)) {
        const changed = { ...act, program: { ...act.program, [key]: smaller } };
        if (place === earlier.length) yield { ...world, judged: changed as Judged };
        else
          yield {
            ...world,
            earlier: earlier.map((one, other) => (other === place ? (changed as Act) : one)),
          };
      }
}

function lacking<T>(record: Record<string, T>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function* smallerRules(text: string): Generator<string> {
  const rules = JSON.parse(text) as RulesText;
  const { allow, conflicts, end, direct, require = {} } = rules;
  const smaller = (change: Partial<RulesText>) => JSON.stringify({ ...rules, ...change }, null, 1);
  if (rules.default === "closed") yield smaller({ default: "free" });
  for (const role of Object.keys(allow)) yield smaller({ allow: lacking(allow, role) });
  for (const place of conflicts.keys())
    yield smaller({ conflicts: conflicts.filter((_, other) => other !== place) });
  for (const role of Object.keys(end)) yield smaller({ end: lacking(end, role) });
  for (const role of Object.keys(direct)) yield smaller({ direct: lacking(direct, role) });
  for (const role of Object.keys(require)) yield smaller({ require: lacking(require, role) });
}

function* smallerActs<One extends Act | Judged>(act: One): Generator<One> {
  for (const place of act.outside.keys())
    yield { ...act, outside: act.outside.filter((_, other) => other !== place) };
  if (act.refresh) yield { ...act, refresh: false };
  for (const key of act.taint) yield { ...act, taint: act.taint.filter((other) => other !== key) };
  for (const option of ["target", "exclude", "replace"] as const) {
    const keys = act.options[option];
    if (keys === undefined) continue;
    const { [option]: _, ...options } = act.options;
    yield { ...act, options };
    for (const key of keys)
      if (keys.length > 1)
        yield { ...act, options: { ...act.options, [option]: keys.filter((other) => other !== key) } };
  }
  if (act.options.parallel !== 1) yield { ...act, options: { ...act.options, parallel: 1 } };
  for (const key of Object.keys(act.program)) yield { ...act, program: without(act.program, key) };
}

function keysOf({ earlier, judged }: World): string[] {
  return [...new Set([...earlier, judged].flatMap(({ program }) => Object.keys(program)))];
}

function mapActs(world: World, change: <One extends Act | Judged>(act: One) => One): World {
  return { ...world, earlier: world.earlier.map(change), judged: change(world.judged) };
}

function withoutMember(resource: Resource, member: string): Resource {
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => name !== member),
  ) as unknown as Resource;
}

function mapPrograms(world: World, change: (program: Program) => Program): World {
  const { earlier, judged } = world;
  return {
    ...world,
    earlier: earlier.map((act) => ({ ...act, program: change(act.program) })),
    judged: { ...judged, program: change(judged.program) },
  };
}

/** Leaves out a resource, and everything that refers to it. */
function without(program: Program, key: string): Program {
  return Object.fromEntries(
    Object.entries(program)
      .filter(([other]) => other !== key)
      .map(([other, { dependsOn, deletedWith, replaceWith, ...resource }]): [string, Resource] => {
        const others = (list: readonly string[] = []) => list.filter((one) => one !== key);
        const [left, replacers] = [others(dependsOn), others(replaceWith)];
        return [
          other,
          {
            ...resource,
            ...(left.length > 0 && { dependsOn: left }),
            ...(deletedWith !== undefined && deletedWith !== key && { deletedWith }),
            ...(replacers.length > 0 && { replaceWith: replacers }),
          },
        ];
      }),
  );
}

const OPTIONS = [
  ...([
    "dependsOn",
    "deletedWith",
    "replaceWith",
    "replacementTrigger",
    "aliases",
    "protect",
    "retainOnDelete",
    "ignoreChanges",
    "ignoredByTransform",
    "replaceOnChanges",
  ] as const),
  ...(["deleteBeforeReplace", "provider"] as const),
];

/** Changes of a resource in all programs at once. */
function* resourceChanges(world: World, key: string): Generator<(resource: Resource) => Resource> {
  const all = [...world.earlier, world.judged].flatMap(({ program }) => program[key] ?? []);
  for (const option of OPTIONS)
    if (all.some((resource) => resource[option] !== undefined))
      yield (resource) => withoutMember(resource, option);
  for (const input of ["exclusive", "enabledFeatures", "organization", "deleteOnDestroy", "adopt"])
    if (all.some(({ inputs }) => input in inputs))
      yield (resource) => ({
        ...resource,
        inputs: Object.fromEntries(Object.entries(resource.inputs).filter(([name]) => name !== input)),
      });
  if (all.some(({ inputs }) => Object.values(inputs).some(isMarked)))
    yield (resource) => ({ ...resource, inputs: unmarked(resource.inputs) as Resource["inputs"] });
}

function* smallerResources(resource: Resource): Generator<Resource> {
  for (const option of OPTIONS) if (resource[option] !== undefined) yield withoutMember(resource, option);
  for (const [name, value] of Object.entries(resource.inputs)) {
    const withInput = (changed: unknown): Resource => ({
      ...resource,
      inputs: { ...resource.inputs, [name]: changed },
    });
    if (["exclusive", "enabledFeatures", "organization", "deleteOnDestroy", "adopt"].includes(name))
      yield {
        ...resource,
        inputs: Object.fromEntries(Object.entries(resource.inputs).filter(([other]) => other !== name)),
      };
    if (isMarked(value)) yield withInput(unmarked(value));
    if (name === "groupIds") {
      const list = inner(value);
      if (!Array.isArray(list) || list.length < 2) continue;
      const half = Math.ceil(list.length / 2);
      if (list.length > 4) {
        yield withInput(rewrapped(value, list.slice(0, half)));
        yield withInput(rewrapped(value, list.slice(half)));
      } else
        for (const place of list.keys())
          yield withInput(
            rewrapped(
              value,
              list.filter((_, other) => other !== place),
            ),
          );
    }
  }
}

function isMarked(value: unknown): boolean {
  if (value instanceof Secret || value instanceof Later) return true;
  return Array.isArray(value) && value.some(isMarked);
}

function unmarked(value: unknown): unknown {
  if (value instanceof Secret || value instanceof Later) return unmarked(value.value);
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, unmarked(child)]));
}

function inner(value: unknown): unknown {
  return value instanceof Secret || value instanceof Later ? inner(value.value) : value;
}

function rewrapped(value: unknown, list: unknown[]): unknown {
  if (value instanceof Secret) return new Secret(rewrapped(value.value, list));
  return value instanceof Later ? new Later(rewrapped(value.value, list)) : list;
}
