import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPreview } from "../../cli/review/input/preview";
import { toJson } from "../../cli/review/output/json";
import { reviewOf } from "../../cli/review/review";
import { isPast } from "../../provider/access/until";
import { STACK } from "../../provider/pulumi/hidden-inputs";
import { type ReviewJson } from "../../provider/review/model";
import { PROFILE_SETTINGS } from "../../provider/service/profile-fields";
import { type Fault, type SeedInput } from "../../simulator";
import { LAPTOP, PHONE, TABLET, VIEWER } from "../../simulator/default-seed";
import { groupsUrl } from "../../testkit/assignments";
import {
  type DestroyOptions,
  Engine,
  type EngineOptions,
  failed,
  plainInputs,
  type Program,
  type RefreshOptions,
  type ResourceState,
  type Run,
  RunFailed,
  type UpOptions,
} from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { Host } from "../../testkit/hosts/host";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { PluginHost } from "../../testkit/hosts/plugin-host";
import { type Line, type Tenant, TOKEN, useTenant } from "../../testkit/tenant";
import { hostsOfWays, type WayName } from "../../testkit/ways";
import { wordsOf } from "../../testkit/facts";

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
  /** Names of explicit providers, with the settings of the stack. */
  providers?: readonly string[];
  /** Hit the operation. */
  faults?: readonly Fault[];
  /** Hit the review, the operations and their previews: all that comes after `since`. */
  throughout?: readonly Fault[];
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
  steps?: readonly Said[];
  /**
   * In their order, without the token's; where they are many, the number of writes. `{p}` stands for the id
   * that the service gave the profile of the resource `p`, here and in all other texts. Default: none.
   */
  requests?: readonly Said[] | { writes: number };
  /** What lines say to the person at the CLI: facts.test.ts has the facts that some end in. Default: none. */
  lines?: readonly Said[];
  /** True if the lines come in any order, as those of a check do while the resource before it is changed. */
  isMixed?: true;
  /** A preview comes first, and sends nothing but GET: its lines, or `the same` as those of the run. */
  preview?: readonly Said[] | "the same";
  /** Default: none. */
  errors?: readonly Said[];
  /**
   * Of each resource in state: its groups, or these outputs (`undefined`: none). Default: what the program
   * says, with nothing that is left to do; after a destroy, nothing; where there are errors, or nothing is to
   * be changed, as it was.
   */
  state?: Readonly<Record<string, readonly string[] | Values>>;
  /** The names of all outputs of these resources, hidden ones among them. */
  outputs?: Readonly<Record<string, readonly string[]>>;
  /** Groups with the role on the tenant afterwards. Default: those that state has, or as it was. */
  groups?: readonly string[];
  /** Groups with a role in an organization afterwards, by `org_…/rol_…`. Default: the same. */
  organizations?: Readonly<Record<string, readonly string[]>>;
  /**
   * The tenant's profiles afterwards, without ids and unset fields. Default: as it was. Where requests write
   * some, they say all of it.
   */
  profiles?: readonly Values[];
  /** Device credentials that the tenant no longer has. Default: as it was. */
  removed?: readonly string[];
  /** What the next preview would still do, after a run without errors. Default: nothing. */
  left?: readonly string[];
}

export interface Row {
  title: string;
  given?: Given;
  when: Operation;
  then: Outcome;
  /** What a second operation makes of what the first one leaves. Default of `when`: the same again. */
  next?: { when?: Operation; then: Outcome };
  notFor?: NotFor;
  /**
   * Runs in the processes that Pulumi starts, too: the SDK's own host, and the plugin. A row an operation of
   * the assignment, and what other kinds have beside it.
   */
  sample?: true;
}

/** For tables of what has no listing: the classes of /plugin make the calls that YAML makes. */
export const WITHOUT_LISTING: NotFor = {
  "the classes of /plugin": "only assignments come with a listing, so these calls are YAML's",
};

interface FileOfTables {
  tenant: Tenant;
  folder: string;
  hosts: ReturnType<typeof hostsOfWays>;
}

/** Tables of one file share a tenant, and what runs hosts. */
let shared: FileOfTables | undefined;

function useFile(): FileOfTables {
  if (shared !== undefined) return shared;
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-contract-"));
  shared = { tenant: useTenant(), folder, hosts: hostsOfWays() };
  catchLines();
  afterAll(() => rmSync(folder, { recursive: true }));
  return shared;
}

type StartHost = NonNullable<EngineOptions["startHost"]>;

/** Starts the processes of Pulumi. A host takes part of a second, so only the operation itself has one. */
const OWN_PROCESS: Partial<Record<WayName, [where: string, startHost: StartHost]>> = {
  "the classes": ["in the SDK's own host", (engine, moment) => Host.warm("", engine, moment)],
  YAML: ["in the plugin's own process", () => PluginHost.start()],
};

/**
 * Runs each row through each way in, in this process, and a sample in the processes that Pulumi starts.
 * `except`: the ways in that none of the rows is for.
 */
export function table(operation: string, rows: readonly Row[], except: NotFor = {}): void {
  const file = useFile();
  const rowsFor = (way: WayName, all = rows) =>
    all.filter(({ notFor = {} }) => notFor[way] === undefined && except[way] === undefined);
  const sample = rows.filter(({ sample }) => sample === true);
  describe(operation, () => {
    for (const [name, startHost] of Object.entries(file.hosts)) {
      const way = name as WayName;
      if (rowsFor(way).length === 0) continue;
      describe(`through ${way}`, () => {
        test.each(rowsFor(way))("$title", (row) => play(row, way, file, startHost));
        const [where = "", startProcess] = OWN_PROCESS[way] ?? [];
        const sampled = startProcess === undefined ? [] : rowsFor(way, sample);
        if (sampled.length > 0)
          test.each(sampled)(`$title, ${where}`, (row) => play(row, way, file, startHost, startProcess));
      });
    }
  });
}

let reviews = 0;

/** `startLast`: the host of the operation itself. */
async function play(
  { given = {}, when, then, next }: Row,
  way: WayName,
  { tenant, folder }: FileOfTables,
  startFirst: StartHost,
  startLast = startFirst,
): Promise<void> {
  let startHost = startFirst;
  const engine = new Engine(tenant, { startHost: (...args) => startHost(...args) });
  const scene = { engine, tenant };
  for (const name of given.providers ?? []) engine.providers[name] = engine.config;
  await prepare(given, scene, folder);
  await operate(scene, given, way, when, then, async (operation) => {
    tenant.fail(...(given.faults ?? []));
    startHost = startLast;
    const result = await ended(run(engine, operation));
    startHost = startFirst;
    return result;
  });
  if (next === undefined) return;
  clear(tenant, given);
  await operate(scene, given, way, next.when ?? when, next.then, (operation) =>
    ended(run(engine, operation)),
  );
}

/** Compares all that comes of an operation. */
async function operate(
  { engine, tenant }: Scene,
  given: Given,
  way: WayName,
  { parallel = 1, at, ...operation }: Operation,
  then: Outcome,
  runs: (operation: Operation) => Promise<Run>,
): Promise<void> {
  [engine.parallel, engine.moment] = [parallel, at];
  const before = new Map(engine.state);
  const expected = then.state ?? expectedState(operation, then, at);
  const was = { state: stateOf(engine, expected), ...tenantNow(tenant) };
  if (then.preview !== undefined && "up" in operation) {
    const { up, ...options } = operation;
    const { messages } = await ended(engine.preview(up, options));
    const said = then.preview === "the same" ? (then.lines ?? []) : then.preview;
    expect(messages.map(wordsOf).map(namer(given, before))).toEqual(textsFor(way, said));
    expect(tenant.sent().filter((line) => line !== TOKEN && !line.startsWith("GET"))).toEqual([]);
  }

  const { steps, errors, messages } = await runs(operation);

  const named = namer(given, before, engine.state);
  const ordered = (lines: unknown[]) => (then.isMixed === true ? [...lines].sort() : lines);
  const sent = tenant.sent();
  const { requests = [], lines = [], groups, organizations, removed } = then;
  const now = tenantNow(tenant);
  const isWritten = sent.some((line) => /^(POST|PATCH|DELETE) \/connection-profiles.* 20\d$/.test(line));
  const { profiles = isWritten ? now.profiles : was.profiles } = then;
  expect({
    ...(then.steps !== undefined && { steps }),
    errors: errors.map(named),
    requests: "writes" in requests ? { writes: writesIn(sent) } : withoutToken(sent).map(named),
    lines: ordered(messages.map(wordsOf).map(named)),
    ...(then.outputs !== undefined && { outputs: outputsIn(engine, then.outputs) }),
    state: stateOf(engine, expected),
    ...now,
  }).toEqual({
    ...(then.steps !== undefined && { steps: textsFor(way, then.steps) }),
    errors: textsFor(way, then.errors ?? []),
    requests: "writes" in requests ? requests : textsFor(way, requests),
    lines: ordered(textsFor(way, lines)),
    ...(then.outputs !== undefined && { outputs: then.outputs }),
    ...was,
    ...(expected !== undefined && { state: expected }),
    ...(expected !== undefined && writesIn(sent) > 0 && heldIn(engine)),
    ...(groups !== undefined && { groups: [...groups].sort() }),
    ...(organizations !== undefined && { organizations }),
    profiles: profiles.map(stored),
    ...(removed !== undefined && { removed }),
  });
  if (!("up" in operation) || errors.length > 0) return;
  clear(tenant, given);
  const { steps: left } = await ended(engine.preview(operation.up));
  expect({ left }).toEqual({ left: then.left ?? [] });
}

/** What a resource has in state if its program doesn't say otherwise, and nothing is left to do. */
const SETTLED: Record<"assignment" | "profile", Values> = {
  assignment: {
    exclusive: false,
    until: undefined,
    deleteOnDestroy: undefined,
    unconfirmed: undefined,
    unfinished: undefined,
  },
  profile: Object.fromEntries(
    [...PROFILE_SETTINGS, "adopt", "deleteOnDestroy"].map((name) => [name, undefined]),
  ),
};

function expectedState(
  operation: Operation,
  { steps, errors = [] }: Outcome,
  now = Date.now(),
): Outcome["state"] {
  if ("destroy" in operation && errors.length === 0) return {};
  if (!("up" in operation) || errors.length > 0 || steps?.length === 0) return undefined;
  return Object.fromEntries(
    Object.keys(operation.up).map((name) => {
      const { groupIds, until, ...inputs } = plainInputs(name, operation.up);
      if (groupIds === undefined) return [name, { ...SETTLED.profile, ...inputs }];
      const isOver = typeof until === "string" && isPast(until, now);
      const listed = isOver
        ? { groupIds: [], exclusive: false }
        : { groupIds: [...new Set(groupIds as string[])].sort() };
      return [name, { ...SETTLED.assignment, ...inputs, until, ...listed }];
    }),
  );
}

/** Replaces ids that the service has chosen, which differ in each run. */
function namer(given: Given, ...states: ReadonlyMap<string, ResourceState>[]): (text: string) => string {
  const seeded = JSON.stringify(given.tenant ?? {});
  const ids = new Map(
    states
      .flatMap((state) => [...state])
      .filter(([, { kind, id }]) => kind === "ConnectionProfile" && !seeded.includes(id))
      .map(([name, { id }]) => [id, `{${name}}`]),
  );
  return (text) => [...ids].reduce((named, [id, name]) => named.replaceAll(id, name), text);
}

function tenantNow(
  tenant: Tenant,
): Pick<Required<Outcome>, "groups" | "organizations" | "profiles" | "removed"> {
  const { organizations } = tenant.simulator.state();
  const roles = organizations.flatMap(({ id, roles: all }) =>
    all
      .filter(({ groups }) => groups.length > 0)
      .map((role): [string, string[]] => [`${id}/${role.id}`, [...role.groups].sort()]),
  );
  const profiles = tenant.profiles().map(({ id }) => {
    const { id: _, ...fields } = tenant.profile(String(id)) ?? {};
    return stored(fields);
  });
  const credentials = tenant.credentials();
  return {
    groups: tenant.groupsOf(VIEWER),
    organizations: Object.fromEntries(roles),
    profiles,
    removed: CREDENTIALS.filter((id) => !credentials.includes(id)),
  };
}

/** The service adds an empty `connection_config` to what lacks one. */
function stored({ connection_config: config = {}, ...fields }: Values): Values {
  return { ...fields, connection_config: config };
}

const CREDENTIALS = [LAPTOP, PHONE, TABLET];

function outputsIn(engine: Engine, wanted: NonNullable<Outcome["outputs"]>): Outcome["outputs"] {
  return Object.fromEntries(
    Object.keys(wanted).map((name) => [
      name,
      // Only the SDK's own host, in a project's folder, adds the stack.
      Object.keys(engine.resource(name).outputs)
        .filter((output) => output !== STACK)
        .sort(),
    ]),
  );
}

/** Forgets the log and the faults, except for those that last. */
function clear(tenant: Tenant, { throughout = [] }: Given): void {
  tenant.clear();
  tenant.fail(...throughout);
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
  clear(tenant, given);
  if (given.reviewed !== undefined) {
    const review = await reviewed(engine, given.reviewed, given.unknownAccepted === true);
    const file = join(folder, `review-${++reviews}.json`);
    writeFileSync(file, JSON.stringify(review));
    engine.config = { ...engine.config, "identity:reviewFile": file };
    await happen(given.afterwards);
    clear(tenant, given);
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

/** One token at most, before anything else. A row names the requests of one that was refused. */
function withoutToken(sent: readonly Line[]): readonly Line[] {
  const [first, ...rest] = sent;
  if (first === undefined || first.startsWith(`${TOKEN} `)) return sent;
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

/** Returns the outputs in state that a row names, for each resource, or else all of them. */
function stateOf(engine: Engine, wanted: Outcome["state"]): NonNullable<Outcome["state"]> {
  return Object.fromEntries(
    [...engine.state].map(([key, { outputs }]): [string, readonly string[] | Values] => {
      if (wanted === undefined) return [key, structuredClone(outputs)];
      const named = wanted[key];
      if (named === undefined || Array.isArray(named))
        return [key, (outputs["groupIds"] as string[] | undefined) ?? outputs];
      return [key, Object.fromEntries(Object.keys(named).map((name) => [name, outputs[name]]))];
    }),
  );
}

/** Returns the groups that the tenant has because of the resources in state. */
function heldIn(engine: Engine): Pick<Required<Outcome>, "groups" | "organizations"> {
  const held: Record<string, string[]> = {};
  for (const { outputs } of engine.state.values()) {
    const { organizationId, roleId, groupIds } = outputs as Record<string, string> & {
      groupIds?: string[];
    };
    if (groupIds === undefined) continue;
    const key = organizationId === undefined ? roleId : `${organizationId}/${roleId}`;
    held[key ?? ""] = [...(held[key ?? ""] ?? []), ...groupIds].sort();
  }
  const organizations = Object.entries(held).filter(([key]) => key.startsWith("org_"));
  return { groups: held[VIEWER] ?? [], organizations: Object.fromEntries(organizations) };
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
  (program: Program): Happening =>
  ({ engine }) =>
    engine.up(program);

/** A change of state by hand. */
export const damaged =
  (name: string, outputs: Values): Happening =>
  ({ engine }) => {
    const sound = engine.resource(name);
    engine.state.set(name, { ...sound, outputs: { ...sound.outputs, ...outputs } });
  };

/** Rows of damaged state, by a pattern of the place: an update and a destroy name it, and send nothing. */
export const damagedRows = (
  name: string,
  { made, change }: { made: Program; change: Program },
  places: Readonly<Record<string, Values>>,
  more: Partial<Outcome> = {},
): Row[] =>
  Object.entries(places).flatMap(([place, outputs]) =>
    ([{ up: change }, { destroy: {} }] as const).map((when) => ({
      title: `state, by hand, ${place.replaceAll("\\", "")}: nothing is sent (${Object.keys(when).join()})`,
      given: { made, since: damaged(name, outputs) },
      when,
      then: {
        errors: [
          new RegExp(`^${name}: The state of this ${place}.*so nothing was sent\\. Restore an earlier state`),
        ],
        state: { [name]: outputs },
        ...more,
      },
    })),
  );

/** An earlier run that these faults have hit. */
export const failedUp =
  (program: Program, ...faults: Fault[]): Happening =>
  async ({ engine, tenant }) => {
    tenant.fail(...faults);
    await failed(engine.up(program));
    tenant.clear();
  };
