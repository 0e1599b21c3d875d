import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPreview } from "../../cli/review/input/preview";
import { toJson } from "../../cli/review/output/json";
import { reviewOf } from "../../cli/review/review";
import { type ReviewJson } from "../../provider/review/model";
import { type Fault, type SeedInput } from "../../simulator";
import { OTHER_ROLE_ID as VIEWER } from "../../simulator/default-seed";
import { groupsUrl } from "../../testkit/assignments";
import {
  type DestroyOptions,
  Engine,
  failed,
  type Program,
  type RefreshOptions,
  type Run,
  RunFailed,
  type UpOptions,
} from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { PluginHost } from "../../testkit/hosts/plugin-host";
import { type Line, type Tenant, TOKEN, useTenant } from "../../testkit/tenant";
import { type WayName, ways } from "../../testkit/ways";

/*
 * One table an operation. A row is a state and a tenant, an operation, and all that comes of it: requests,
 * lines, state. Every way in runs every row, unless the row names the way with the reason why it can't.
 */

/** A reason of more than one word. */
type Reason = `${string} ${string}`;

/** The ways in to which a row or a line doesn't apply, each with the reason. */
export type NotFor = Readonly<Partial<Record<WayName, Reason>>>;

/** A text, its pattern, or one of these where it isn't the same through each way in. */
export type Said = string | RegExp | { said: string | RegExp; notFor: NotFor };

/** What a row may change before its operation. */
export interface Scene {
  engine: Engine;
  tenant: Tenant;
}

export interface Given {
  /** The tenant's records. Default: the default seed's. */
  tenant?: SeedInput;
  /** Groups to which somebody else has given the role, before anything else. */
  foreign?: readonly string[];
  /** The program of an earlier run. */
  made?: Program;
  /** The clock of that run. */
  at?: number;
  /** What has happened since. */
  since?: Happening | readonly Happening[];
  /** The program whose review the operation is held to. */
  reviewed?: Program;
  /** True if the review accepts what it can't know: `--accept-unknown`. */
  unknownAccepted?: boolean;
  /** What happens after the review. */
  afterwards?: Happening | readonly Happening[];
  /** Further settings, e.g. `identity:maxRevocations`. */
  config?: Readonly<Record<string, string>>;
  /** Hit the operation. */
  faults?: readonly Fault[];
}

export type Happening = (scene: Scene) => unknown;

export type Operation = { parallel?: number; at?: number } & (
  | ({ up: Program } & UpOptions)
  | ({ preview: Program } & UpOptions)
  | { refresh: RefreshOptions }
  | { destroy: DestroyOptions }
);

export interface Outcome {
  /** E.g. `update a: groupIds`. Default: not compared. */
  steps?: readonly string[];
  /** In their order, without the token's; where they are many, the number of writes. */
  requests: readonly Said[] | { writes: number };
  /** Lines for the person at the CLI; `any` where another table has them. */
  lines: readonly Said[] | "any";
  /** Lines of a preview that comes first. It sends nothing but GET. */
  preview?: readonly Said[];
  /** Default: none. */
  errors?: readonly Said[];
  /** Of each resource in state: its groups, or these outputs, where `undefined` stands for none. */
  state: Readonly<Record<string, readonly string[] | Values>>;
  /** Groups with the role afterwards. */
  groups: readonly string[];
  /** What the next preview would still do, after a run without errors. Default: nothing. */
  left?: readonly string[];
}

export interface Row {
  title: string;
  given?: Given;
  when: Operation;
  then: Outcome;
  notFor?: NotFor;
  /** Runs in the processes that Pulumi starts, too: the SDK's own host, and the plugin. */
  sample?: true;
}

/** Runs each row through each way in, in this process, and a sample in the processes that Pulumi starts. */
export function table(rows: readonly Row[]): void {
  const tenant = useTenant();
  catchLines();
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-contract-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  describe.each(ways(tenant))("%s", (way, start) => {
    const its = rows.filter(({ notFor = {} }) => notFor[way] === undefined);
    test.each(its)("$title", (row) => play(row, way, { engine: start(), tenant }, folder));
  });

  const sample = rows.filter(({ sample }) => sample === true);
  if (sample.length === 0) throw new Error("A table has a row for the SDK's own host.");
  describe("the classes, in the SDK's own host", () => {
    const its = sample.filter(({ notFor = {} }) => notFor["the classes"] === undefined);
    test.each(its)("$title", (row) =>
      play(row, "the classes", { engine: new Engine(tenant), tenant }, folder),
    );
  });
  describe("YAML, in the plugin's own process", () => {
    const its = sample.filter(({ notFor = {} }) => notFor.YAML === undefined);
    const engine = () => new Engine(tenant, { startHost: () => PluginHost.start() });
    test.each(its)("$title", (row) => play(row, "YAML", { engine: engine(), tenant }, folder));
  });
}

let reviews = 0;

async function play(
  { given = {}, when, then }: Row,
  way: WayName,
  scene: Scene,
  folder: string,
): Promise<void> {
  const { engine, tenant } = scene;
  await prepare(given, scene, folder);
  const { parallel = 1, at, ...operation } = when;
  [engine.parallel, engine.moment] = [parallel, at];
  if (then.preview !== undefined && "up" in operation) {
    const { up, ...options } = operation;
    const { messages } = await ended(engine.preview(up, options));
    expect(messages).toEqual(textsFor(way, then.preview));
    expect(tenant.sent().filter((line) => line !== TOKEN && !line.startsWith("GET"))).toEqual([]);
  }
  tenant.fail(...(given.faults ?? []));

  const { steps, errors, messages } = await ended(run(engine, operation));

  const sent = tenant.sent();
  expect({
    ...(then.steps !== undefined && { steps }),
    errors,
    requests: "writes" in then.requests ? { writes: writesIn(sent) } : withoutToken(sent),
    ...(then.lines !== "any" && { lines: messages }),
    state: stateOf(engine, then.state),
    groups: tenant.groupsOf(VIEWER),
  }).toEqual({
    ...(then.steps !== undefined && { steps: then.steps }),
    errors: textsFor(way, then.errors ?? []),
    requests: "writes" in then.requests ? then.requests : textsFor(way, then.requests),
    ...(then.lines !== "any" && { lines: textsFor(way, then.lines) }),
    state: then.state,
    groups: [...then.groups].sort(),
  });
  if (!("up" in operation) || errors.length > 0) return;
  tenant.clear();
  const { steps: left } = await ended(engine.preview(operation.up));
  expect({ left }).toEqual({ left: then.left ?? [] });
}

async function prepare(given: Given, scene: Scene, folder: string): Promise<void> {
  const { engine, tenant } = scene;
  const happen = async (happenings: Happening | readonly Happening[] = []) => {
    for (const happens of [happenings].flat()) {
      tenant.sent();
      await happens(scene);
    }
    tenant.clear();
  };
  if (given.tenant !== undefined) tenant.seed(given.tenant);
  if (given.foreign !== undefined) await tenant.outside("POST", groupsUrl(VIEWER), { groups: given.foreign });
  engine.moment = given.at;
  if (given.made !== undefined) await engine.up(given.made);
  await happen(given.since);
  if (given.reviewed !== undefined) {
    const review = await reviewed(engine, given.reviewed, given.unknownAccepted === true);
    const file = join(folder, `review-${++reviews}.json`);
    writeFileSync(file, JSON.stringify(review));
    engine.config = { ...engine.config, "identity:reviewFile": file };
    await happen(given.afterwards);
  }
  engine.config = { ...engine.config, ...given.config };
}

async function reviewed(engine: Engine, program: Program, unknownAccepted: boolean): Promise<ReviewJson> {
  const review = reviewOf(readPreview(await engine.previewJson(program)), false);
  return toJson(review, { made: new Date(), unknownAccepted, environmentTenant: undefined });
}

function run(engine: Engine, operation: Operation): Promise<Run> {
  if ("up" in operation) {
    const { up, ...options } = operation;
    return engine.up(up, options);
  }
  if ("preview" in operation) {
    const { preview, ...options } = operation;
    return engine.preview(preview, options);
  }
  // `refresh` is an option of `up`, too.
  if ("destroy" in operation) return engine.destroy(operation.destroy);
  return engine.refresh(operation.refresh);
}

async function ended(running: Promise<Run>): Promise<Run> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof RunFailed) return error.run;
    throw error;
  }
}

function writesIn(sent: readonly Line[]): number {
  return sent.filter((line) => line !== TOKEN && !line.startsWith("GET")).length;
}

/** One token at most, before anything else. */
function withoutToken(sent: readonly Line[]): Line[] {
  const [first, ...rest] = sent;
  if (first === undefined) return [];
  expect({ first, tokens: rest.filter((line) => line.startsWith(TOKEN)) }).toEqual({
    first: TOKEN,
    tokens: [],
  });
  return rest;
}

function textsFor(way: WayName, all: readonly Said[]): unknown[] {
  return all.flatMap((said): unknown[] => {
    if (typeof said === "object" && "notFor" in said)
      return said.notFor[way] === undefined ? textsFor(way, [said.said]) : [];
    return [said instanceof RegExp ? (expect.stringMatching(said) as unknown) : said];
  });
}

/** Returns the outputs in state that a row names, for each resource. */
function stateOf(engine: Engine, wanted: Outcome["state"]): Outcome["state"] {
  return Object.fromEntries(
    [...engine.state].map(([key, { outputs }]): [string, readonly string[] | Values] => {
      const named = wanted[key];
      if (named === undefined || Array.isArray(named)) return [key, outputs["groupIds"] as string[]];
      return [key, Object.fromEntries(Object.keys(named).map((name) => [name, outputs[name]]))];
    }),
  );
}

/** Something that somebody else does. */
export const given = (...groups: string[]): Happening => outside("POST", groups);
export const takenAway = (...groups: string[]): Happening => outside("DELETE", groups);

function outside(method: string, groups: readonly string[]): Happening {
  return ({ tenant }) => tenant.outside(method, groupsUrl(VIEWER), { groups });
}

export const at =
  (moment: number): Happening =>
  ({ engine }) =>
    void (engine.moment = moment);

export const refreshed: Happening = ({ engine }) => engine.refresh();

export const upped =
  (program: Program, options: UpOptions = {}): Happening =>
  ({ engine }) =>
    engine.up(program, options);

/** An earlier run that these faults have hit. */
export const failedUp =
  (program: Program, ...faults: Fault[]): Happening =>
  async ({ engine, tenant }) => {
    tenant.fail(...faults);
    await failed(engine.up(program));
    tenant.clear();
  };
