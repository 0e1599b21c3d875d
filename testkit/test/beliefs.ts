import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type UpOptions } from "../engine";

/*
 * The behaviour that the tests' engine assumes of the real one: a story of runs, each starting from the state
 * left by the previous one, with the resulting calls of handlers. engine.test.ts runs it on the tests'
 * engine, and engine-beliefs.long.ts on the real one. Resources depend on each other wherever the
 * order of calls counts; others are registered in any order.
 */

/** A resource of the story. Default: the value `1`, and the default provider. */
export interface Thing {
  /**
   * `diff` wants a value `new…` to replace the resource, and to delete it first; `check` refuses `invalid`.
   */
  value?: string;
  dependsOn?: string[];
  provider?: (typeof PROVIDERS)[number];
  replaceOnChanges?: string[];
  deleteBeforeReplace?: boolean;
  deletedWith?: string;
  replaceWith?: string[];
  replacementTrigger?: string;
}

export interface Belief {
  title: string;
  /** A program means `up`. */
  run: "refresh" | "destroy" | Record<string, Thing>;
  options?: Omit<UpOptions, "transform">;
  /** Default 1. */
  parallel?: number;
  /** The handlers' view of the things. */
  world?: World;
  /**
   * For `check` and `diff` with the values in state and in the program, for deletes with the deleted value.
   */
  calls: string[];
  /** The order of calls differs each time, but deletes come last. */
  anyOrder?: boolean;
  /** Part of the error that ends the run. */
  error?: RegExp;
  /** Groups of things; each group shares a host. */
  hosts?: string[][];
  /** The resources in state afterwards, by name. */
  left?: Record<string, string>;
}

interface World {
  /** Failing calls, such as `create a`. */
  failing?: string[];
  /** Milliseconds that a call takes. */
  slow?: Record<string, number>;
  /** Things for which `read` returns the value `drifted`. */
  drifted?: string[];
  /** Things that `read` doesn't find. */
  gone?: string[];
}

export const PROVIDERS = ["eu", "us"] as const;

export const BELIEFS: Belief[] = [
  {
    title: "up checks and creates one after the other",
    run: { a: {}, b: { dependsOn: ["a"] }, c: { dependsOn: ["b"] } },
    calls: ["check a ->1", "create a", "check b ->1", "create b", "check c ->1", "create c"],
  },
  {
    title: "up --refresh refreshes all of state before the first check, in the same host",
    run: { a: {}, b: { dependsOn: ["a"] } },
    options: { refresh: true },
    world: { drifted: ["b"] },
    calls: [
      ...["read a", "diff a 1->1", "read b", "diff b drifted->1", "read c", "diff c 1->1"],
      ...["check a 1->1", "diff a 1->1", "check b drifted->1", "diff b drifted->1", "update b", "delete c 1"],
    ],
    hosts: [["a", "b", "c"]],
    left: { a: "1", b: "1" },
  },
  {
    title: "up --refresh --run-program refreshes a resource after others were checked",
    run: { a: {}, c: { dependsOn: ["a"] }, b: { value: "2", dependsOn: ["c"] } },
    options: { refresh: true, runProgram: true },
    calls: [
      ...["read a", "diff a 1->1", "check a 1->1", "diff a 1->1", "check c ->1", "create c"],
      ...["read b", "diff b 1->1", "check b 1->2", "diff b 1->2", "update b"],
    ],
  },
  {
    title: "up --refresh --run-program creates what is gone, and does not read what was removed",
    run: { a: {}, b: { value: "2", dependsOn: ["a"] } },
    options: { refresh: true, runProgram: true },
    world: { gone: ["a"] },
    calls: [
      ...["read a", "check a ->1", "create a"],
      ...["read b", "diff b 2->2", "check b 2->2", "diff b 2->2", "delete c 1"],
    ],
  },
  {
    title: "up --target leaves the rest alone, and creates nothing else",
    run: { a: { value: "2" }, b: { value: "3", dependsOn: ["a"] }, n: {} },
    options: { target: ["a"] },
    calls: ["check a 1->2", "diff a 1->2", "update a"],
    left: { a: "2", b: "2" },
  },
  {
    title: "up --target refuses what depends on something new that is no target",
    run: { n: {}, e: { dependsOn: ["n"] } },
    options: { target: ["e"] },
    calls: ["check e ->1"],
    error: /was not specified in --target list/,
    left: { a: "2", b: "2" },
  },
  {
    title: "destroy --target refuses what others depend on",
    run: "destroy",
    options: { target: ["a"] },
    calls: [],
    error: /will be destroyed but was not specified in --target list/,
  },
  {
    title: "refresh --target reads nothing else",
    run: "refresh",
    options: { target: ["b"] },
    calls: ["read b", "diff b 2->2"],
  },
  {
    title: "replaceOnChanges checks twice, the second time without olds",
    run: {
      a: { value: "3", replaceOnChanges: ["value"] },
      b: { value: "3", replaceOnChanges: ["*"], deleteBeforeReplace: true, dependsOn: ["a"] },
    },
    calls: [
      ...["check a 2->3", "diff a 2->3", "check a ->3", "create a"],
      ...["check b 2->3", "diff b 2->3", "check b ->3", "delete b 2", "create b", "delete a 2"],
    ],
  },
  {
    title: "up --replace checks once, without olds, and does not ask diff",
    run: { a: { value: "3" }, b: { value: "3", dependsOn: ["a"] }, g: { dependsOn: ["b"] } },
    options: { replace: ["a"] },
    calls: [
      ...["check a ->3", "create a", "check b 3->3", "diff b 3->3", "check g ->1", "create g", "delete a 3"],
    ],
  },
  {
    title: "a failure lets what is in flight finish, begins nothing new and deletes nothing",
    run: {
      a: { value: "3" },
      s: { dependsOn: ["a"] },
      f: { dependsOn: ["a"] },
      d: { dependsOn: ["f"] },
      b: { value: "3", dependsOn: ["a"] },
    },
    parallel: 8,
    world: { failing: ["create f"], slow: { "create f": 700, "create s": 1400 } },
    calls: [
      ...["check a 3->3", "diff a 3->3", "check s ->1", "create s", "check f ->1", "create f"],
      ...["check b 3->3", "diff b 3->3"],
    ],
    anyOrder: true,
    error: /create f/,
    left: { a: "3", b: "3", g: "1", s: "1" },
  },
  {
    title: "--continue-on-error does and deletes all but what depends on a failure, which it doesn't check",
    run: {
      f: {},
      d: { dependsOn: ["f"] },
      b: { value: "4", dependsOn: ["d"] },
      s: { value: "2" },
      o: {},
    },
    options: { continueOnError: true },
    parallel: 8,
    world: { failing: ["create f", "update s"] },
    calls: [
      ...["check f ->1", "create f"],
      ...["check s 1->2", "diff s 1->2", "update s", "check o ->1", "create o", "delete g 1"],
    ],
    anyOrder: true,
    error: /create f/,
    // The thing that s depended on.
    left: { a: "3", b: "3", o: "1", s: "1" },
  },
  {
    title: "a create that fails leaves what was deleted for it deleted",
    run: {
      a: { value: "3" },
      s: { dependsOn: ["a"] },
      o: { dependsOn: ["s"] },
      b: { value: "new", dependsOn: ["o"] },
    },
    options: { continueOnError: true },
    world: { failing: ["create b"] },
    calls: [
      ...["check a 3->3", "diff a 3->3", "check s 1->1", "diff s 1->1", "check o 1->1", "diff o 1->1"],
      ...["check b 3->new", "diff b 3->new", "check b ->new", "delete b 3", "create b"],
    ],
    error: /create b/,
    left: { a: "3", b: "3, pending replacement", o: "1", s: "1" },
  },
  {
    title: "what was deleted for a replacement is made again when its program is reverted",
    run: {
      a: { value: "3" },
      s: { dependsOn: ["a"] },
      o: { dependsOn: ["s"] },
      b: { value: "3", dependsOn: ["o"] },
    },
    calls: [
      ...["check a 3->3", "diff a 3->3", "check s 1->1", "diff s 1->1", "check o 1->1", "diff o 1->1"],
      ...["check b 3->3", "diff b 3->3", "check b ->3", "create b"],
    ],
  },
  {
    title: "invalid inputs end the run, also with --continue-on-error",
    run: { a: { value: "3" }, s: { value: "invalid", dependsOn: ["a"] }, o: { dependsOn: ["a", "s"] } },
    options: { continueOnError: true },
    calls: ["check a 3->3", "diff a 3->3", "check s 1->invalid"],
    error: /refused/,
  },
  {
    title: "each explicit provider has a host, and dependents are deleted first",
    run: {
      a: { value: "3" },
      p: { provider: "eu", dependsOn: ["a"] },
      q: { provider: "us", dependsOn: ["p"] },
    },
    calls: [
      ...["check a 3->3", "diff a 3->3", "check p ->1", "create p", "check q ->1", "create q"],
      ...["delete b 3", "delete o 1", "delete s 1"],
    ],
    hosts: [["a", "b", "o", "s"], ["p"], ["q"]],
    left: { a: "3", p: "1", q: "1" },
  },
  {
    title: "destroy --refresh refreshes all, and checks nothing",
    run: "destroy",
    options: { refresh: true },
    calls: [
      ...["read a", "diff a 3->3", "read p", "diff p 1->1", "read q", "diff q 1->1"],
      ...["delete q 1", "delete p 1", "delete a 3"],
    ],
    hosts: [["a"], ["p"], ["q"]],
    left: {},
  },
  {
    title: "up creates what is deleted and replaced with something",
    run: {
      a: { replacementTrigger: "1" },
      w: { deletedWith: "a" },
      x: { replaceWith: ["a"], dependsOn: ["w"] },
      y: { deletedWith: "x" },
    },
    calls: ["a", "w", "x", "y"].flatMap((name) => [`check ${name} ->1`, `create ${name}`]),
  },
  {
    title: "another trigger replaces without asking diff, and what is deleted or replaced with that follows",
    run: {
      a: { replacementTrigger: "2" },
      w: { deletedWith: "a" },
      x: { value: "2", replaceWith: ["a"], dependsOn: ["w"] },
      y: { deletedWith: "x" },
    },
    calls: [
      ...["check a 1->1", "check a ->1", "create a", "check w 1->1", "check w ->1", "create w"],
      ...["check x 1->2", "check x ->2", "create x", "check y 1->1", "check y ->1", "create y"],
      // Resources deleted with another one get no delete of their own.
      ...["delete x 1", "delete a 1"],
    ],
  },
  {
    title: "what is deleted first takes with it what is deleted or replaced with it, before",
    run: {
      a: { value: "new", replacementTrigger: "2" },
      w: { deletedWith: "a" },
      x: { value: "2", replaceWith: ["a"], dependsOn: ["w"] },
      y: { deletedWith: "x" },
    },
    calls: [
      ...["check a 1->new", "diff a 1->new", "check a ->new", "delete x 2", "delete a 1", "create a"],
      ...["check w ->1", "create w", "check x ->2", "create x"],
      // Only resources deleted with it go first, directly or indirectly.
      ...["check y 1->1", "check y ->1", "create y", "delete y 1"],
    ],
  },
  {
    title:
      "what is deleted with something, and the program no longer has, is not deleted where that is replaced",
    run: { a: { value: "new2", deleteBeforeReplace: false }, x: { value: "2" } },
    calls: [
      ...[
        "check a new->new2",
        "diff a new->new2",
        "check a ->new2",
        "create a",
        "check x 2->2",
        "diff x 2->2",
      ],
      ...["delete y 1", "delete a new"],
    ],
    anyOrder: true,
    left: { a: "new2", x: "2" },
  },
];

/**
 * Text of handlers that write their calls to the folder named in the inputs, and look up there how to behave.
 */
const HANDLERS = `
const { appendFileSync, readFileSync } = require("node:fs");
const { setTimeout } = require("node:timers/promises");
async function called(values, call, detail = "") {
  appendFileSync(values.folder + "/calls", JSON.stringify({ line: call + detail, name: values.name, host: process.pid }) + "\\n");
  const world = JSON.parse(readFileSync(values.folder + "/world", "utf8"));
  await setTimeout(world.slow?.[call] ?? 0);
  if (world.failing?.includes(call)) throw new Error("The world refused " + call + ".");
  return world;
}
const values = (olds, news) => " " + (olds.value ?? "") + "->" + news.value;
exports.handler = () => ({
  async check(olds, news) {
    await called(news, "check " + news.name, values(olds, news));
    return { inputs: news, failures: news.value === "invalid" ? [{ property: "", reason: "The value is refused." }] : [] };
  },
  async diff(id, olds, news) {
    await called(news, "diff " + news.name, values(olds, news));
    if (olds.value === news.value) return { changes: false };
    return news.value.startsWith("new") ? { replaces: ["value"], deleteBeforeReplace: true } : {};
  },
  async create(news) {
    await called(news, "create " + news.name);
    return { id: news.name, outs: news };
  },
  async read(id, props) {
    const { gone = [], drifted = [] } = await called(props, "read " + props.name);
    if (gone.includes(id)) return {};
    const found = drifted.includes(id) ? { ...props, value: "drifted" } : props;
    return { id, props: found, inputs: found };
  },
  async update(id, olds, news) {
    await called(news, "update " + news.name);
    return { outs: news };
  },
  async delete(id, props) {
    await called(props, "delete " + props.name, " " + props.value);
  },
});`;

/** The folder of a story. */
export class Story {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  inputsOf(name: string, { value = "1" }: Thing) {
    return { name, value, folder: this.folder, __provider: HANDLERS };
  }

  begin({ world = {} }: Belief): void {
    writeFileSync(join(this.folder, "world"), JSON.stringify(world));
    writeFileSync(join(this.folder, "calls"), "");
  }

  /** Expects the run's calls to match the belief. */
  expectBelieved({ calls, anyOrder = false, hosts }: Belief): void {
    const made = readFileSync(join(this.folder, "calls"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { line: string; name: string; host: number });
    const lines = made.map(({ line }) => line);
    expect(anyOrder ? deletesLast(lines) : lines).toEqual(anyOrder ? deletesLast(calls) : calls);
    if (hosts === undefined) return;
    const groups = new Map<number, Set<string>>();
    for (const { name, host } of made) groups.set(host, (groups.get(host) ?? new Set()).add(name));
    expect([...groups.values()].map((group) => [...group].sort())).toEqual(hosts);
  }
}

/** Sorts calls whose order doesn't count. */
function deletesLast(calls: string[]): string[] {
  const first = calls.findIndex((call) => call.startsWith("delete "));
  const end = first < 0 ? calls.length : first;
  return [...calls.slice(0, end).sort(), ...calls.slice(end).sort()];
}
