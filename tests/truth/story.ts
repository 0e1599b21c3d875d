import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { readPreview } from "../../cli/review/input/preview";
import { type ReviewJson } from "../../provider/review/model";
import { reviewOf } from "../../cli/review/review";
import { toJson } from "../../cli/review/output/json";
import { withRules } from "../../cli/review/rules";
import { noAnswers, type TenantAnswers } from "../../cli/review/tenant/answers";
import { readRules } from "../../cli/rules/file";
import { type Program, type Resource } from "../../testkit/engine";
import { type Json } from "../../testkit/engine/preview-json";
import { Later, Secret } from "../../testkit/engine/program";
import {
  type BehaviourInput,
  recordsOf,
  type Simulator,
  type SimulatorState,
  startSimulator,
} from "../../simulator";
import { ALL_SCOPES, CLIENT_ID } from "../../simulator/default-seed";
import {
  auth0Steps,
  type Auth0Resource,
  directGrants,
  given,
  inState,
  isObject,
  taken,
} from "../../testkit/worlds/auth0";
import { accessClaims, answerOf } from "./access";
import {
  type ClaimName,
  type Concerned,
  edgeKey,
  edgesIn,
  type Holding,
  isInterrupted,
  judge,
  leftOverClaims,
  type Sent,
  type Unseen,
  stateClaims,
  type Violation,
} from "./claims";
import {
  type Known,
  type Limits,
  type Outcome,
  type Settings,
  type Stage,
  StandIn,
} from "../../testkit/worlds/stage";
import { endClaims } from "./ends";
import { assignedRole, inPlaces, isAssignment, roleIn, rolesIn } from "./places";
import { accessRulesClaims, listedIn, rulesClaims, type Standing, standingOf } from "./rules";
import {
  CROWD,
  type Edge,
  EU,
  GROUPS,
  momentIn,
  ORGANIZATIONS,
  OUTSIDER,
  seedOf,
  type TenantName,
} from "../../testkit/worlds/universe";
import { unreviewed } from "./unreviewed";
import { type Act, type Judged, type Options, type Outside } from "../../testkit/worlds/world";

export interface Verdict {
  violations: Violation[];
  /** The result: `judged`, `preview failed`, `up failed`. */
  outcome: string;
  review?: ReviewJson;
  json?: string;
  sent: string[];
}

interface Beginning {
  behaviour?: BehaviourInput;
  eu?: TenantName;
  listings?: boolean;
  foreign?: Partial<Record<TenantName, Edge[]>>;
}

type StageMaker = (main: Settings, eu: Settings) => Stage | Promise<Stage>;

/**
 * Returns claims that nobody makes where a policy pack changes inputs (docs/pulumi.md, docs/held.md), or a
 * transform sets an index into a set: the next preview may find a mixture of program and state, and refuse.
 */
function notClaimedOf(program: Program): ClaimName[] {
  const resources = Object.values(program);
  const changed = new Set(resources.flatMap(({ remediate = {} }) => Object.keys(remediate)));
  if (changed.size === 0)
    return resources.some(({ ignoredByTransform = [] }) => ignoredByTransform.length > 0)
      ? ["second preview"]
      : [];
  const isReliedOn = ["groupIds", "exclusive", "name"].some((input) => changed.has(input));
  return [
    // The create of a replacement is not remediated, and the next preview does it.
    "second preview",
    // Nothing compares a create before it's made: the preview's lines are about what the program says, the
    // review is about what the pack makes of it, and the run refuses.
    "held",
    ...(isReliedOn ? (["lines"] as const) : []),
  ];
}

/** Events between a review and the run held to it, and the run itself if it's another change. */
export interface Between {
  happens: (story: Story) => Promise<void>;
  program?: Program;
  options?: Options;
  /** Swaps the tenants of the stack and of the explicit provider. */
  isSwapped?: boolean;
}

/** The message of a run held to a review that lacks something it does. */
const REFUSED = /doesn't allow that|Nothing is sent/;

let stories = 0;

/** The story of a world. */
export class Story {
  readonly #edges = new Set<string>();
  readonly #profiles = new Set<string>();
  readonly #leftOver: Violation[] = [];
  #folder: string | undefined;
  #days = 0;
  #files = 0;

  private constructor(
    readonly stage: Stage,
    private readonly simulators: Record<TenantName, Simulator>,
    private readonly settings: (name: TenantName) => Settings,
    private readonly behaviour: BehaviourInput,
    private readonly eu: TenantName,
    /** Claims to skip. */
    private readonly without: readonly ClaimName[],
  ) {}

  static async begin(
    { behaviour = {}, eu = "main", foreign = {}, listings = true }: Beginning,
    without: readonly ClaimName[] = [],
    stageOf: StageMaker = (main, eu) => new StandIn(main, eu),
  ): Promise<Story> {
    const secret = `secret-of-world-${process.pid}-${++stories}`;
    const start = (name: TenantName) =>
      startSimulator({
        rate: { burst: 100_000, perSecond: 100_000 },
        seed: seedOf(foreign[name] ?? [], behaviour, secret),
        background: true,
      });
    const main = await start("main");
    const simulators = { main, eu: eu === "main" ? main : await start("eu") };
    const settings = (name: TenantName) => ({
      "identity:domain": simulators[name].url,
      "identity:clientId": CLIENT_ID,
      "identity:clientSecret": secret,
      // The last look for a lost create's profile comes this late. A machine that others keep busy may take
      // seconds for an answer.
      "identity:requestTimeoutSeconds": "12",
    });
    const stage = await stageOf(settings("main"), settings("eu"));
    if (stage.standIn !== undefined) stage.standIn.listings = listings;
    return new Story(stage, simulators, settings, behaviour, eu, without);
  }

  async end(): Promise<void> {
    await this.stage.close();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true });
    for (const simulator of new Set(Object.values(this.simulators))) await simulator.close();
  }

  /** Sets the time of everything that follows: this many days from the judged run. */
  begin(days: number): void {
    this.#days = days;
    this.stage.begin?.(days);
  }

  /** Somebody else's action; the service may refuse it. */
  async outside({ tenant, method, path, body }: Outside): Promise<void> {
    const before = this.#states();
    const simulator = this.simulators[tenant];
    const answer = await fetch(`${simulator.url}/api/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OUTSIDER}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    this.#notice(before);
    this.#settle();
  }

  async refresh(): Promise<void> {
    await this.stage.refresh();
    this.#edges.clear();
    this.#profiles.clear();
  }

  /** Runs an earlier change, which may fail. */
  async up(
    program: Program,
    { fault, killAt, ...options }: Partial<Options> & Partial<Pick<Act, "fault" | "killAt">> = {},
  ): Promise<string[]> {
    const before = this.#states();
    const simulator = this.simulators.main;
    this.#settle();
    if (fault !== undefined) simulator.fail(fault);
    const kill =
      killAt === undefined || this.stage.standIn === undefined ? undefined : this.#killAt(simulator, killAt);
    const { errors } = await this.#upNamingAll(program, {
      ...(await this.#existing(program, options)),
      ...(kill !== undefined && { killed: kill.killed }),
    });
    kill?.end();
    if (kill?.wasKilled() === true) {
      // The killed process's last requests may still be on their way.
      await setTimeout(300);
      this.#notice(before);
    }
    // An exclusive assignment may have taken groups from one that isn't a target, or that a failed run did
    // not get to delete.
    const isPartial = options.target !== undefined || options.exclude !== undefined || errors.length > 0;
    if (isPartial) await this.#noticeMissing();
    this.#settle();
    return errors;
  }

  /** Lets time pass: faults are over, and reads show all writes. Empties the log of requests. */
  #settle(): void {
    for (const one of new Set(Object.values(this.simulators))) one.reset();
  }

  /** Runs an `up`, and checks that afterwards every group with a role is named somewhere. */
  async #upNamingAll(...[program, ...rest]: Parameters<Stage["up"]>): Promise<Outcome> {
    const before = this.#holdings(await this.stage.states(), program);
    const outcome = await this.stage.up(program, ...rest);
    const after = this.#holdings(await this.stage.states());
    const listed = Object.values(program).flatMap(({ kind, inputs, provider }) =>
      isAssignment(kind)
        ? holdingsOf(this.#tenantOf(provider), this.#asOfNow(plain(inputs) as Record<string, unknown>))
        : [],
    );
    const tenants = this.#states();
    const hasRole = ({ tenant, role, group }: Holding) => edgesIn(tenants[tenant]).has(`${role} ${group}`);
    this.#leftOver.push(...leftOverClaims({ before, after, listed, output: outcome.output, hasRole }));
    return outcome;
  }

  /**
   * Returns the grants for which assignments in state are responsible; without those that their options leave
   * behind when `program` lacks them.
   */
  #holdings(known: readonly Known[], program?: Program): Holding[] {
    return known
      .filter(({ key, state: { kind, external, retainOnDelete, deletedWith, outputs } }) => {
        if (!isAssignment(kind) || external) return false;
        const isLeft = retainOnDelete || deletedWith !== undefined || outputs["deleteOnDestroy"] === false;
        return program === undefined || !(isLeft || program[key]?.get !== undefined);
      })
      .flatMap(({ state: { provider, outputs } }) => holdingsOf(this.#tenantOf(provider), outputs));
  }

  async taint(...keys: string[]): Promise<void> {
    for (const key of keys) await this.stage.taint(key);
  }

  /** Previews, reviews and makes a change, and compares the claims with the requests. */
  async judge(
    program: Program,
    {
      read = false,
      rules,
      auth0: others = [],
      ...drawn
    }: Partial<Options> & Partial<Pick<Judged, "read" | "rules" | "auth0">> = {},
  ): Promise<Verdict> {
    const options = await this.#existing(program, drawn);
    // Whoever names targets names ours.
    const isPartial = options.target !== undefined || options.exclude !== undefined;
    const auth0 = isPartial ? [] : others;
    // Nobody looks at state and program that still list what such a run deletes.
    const isEnded = auth0.some((one) => isObject(one) && one.type !== "User");
    if (auth0.length > 0) this.#edit((records) => inState(records, auth0));
    // Ask before everything is made whole, to see other people's changes and the remains of failed runs.
    const found = await this.#access(rules);
    const json = this.#withAuth0(await this.stage.previewJson(program, options), auth0);
    const written = this.#review(json, read, rules);
    const review = inPlaces(written);
    // The real program refuses to adopt a profile that another of its resources manages; the stand-in has no
    // program.
    const known = await this.stage.states();
    if (review.failed || adoptsManaged(program, known))
      return { violations: found, outcome: "preview failed", review, json, sent: [] };
    const lines = ((JSON.parse(json) as Json).diagnostics ?? [])
      .filter(({ severity }) => severity === "info")
      .map(({ message }) => message.trim());
    const before = this.#states();
    const concerned = [...concernedBy(program, known, this.#tenantOf)];
    const losses = lossesIn(review);
    // A role revoked for a moment may count, and a replacement that only the engine knows is planned as an
    // update.
    const limits =
      leavesByOptions(review, program) || isEnded
        ? undefined
        : this.#limits([...losses, ...review.access.filter(isInterrupted)], review, program, known);
    const least = isEnded ? undefined : this.#limits(losses, review, program, known);
    const violations = [...found, ...(await this.#refusedBelow(least, program, options, before))];

    this.#settle();
    const held = { reviewFile: this.#write(written) };
    if (auth0.length > 0) this.#edit((records) => given(records, auth0));
    const { errors } = await this.#upNamingAll(program, options, limits, held);
    const sent = this.#sent();
    if (auth0.length > 0) this.#edit((records) => taken(records, auth0));
    // A secret kept by ignoreChanges is one for the engine, but not for the handlers, so its delete is
    // refused.
    const isKeptSecret = known.some(({ state }) => ignoresGroups(state.ignoreChanges));
    this.#settle();
    // Without a listing, an assignment may come before the one that a group moves to.
    const isUnlisted = this.stage.standIn?.listings === false;
    const refusal = errors.find(
      (error) =>
        REFUSED.test(error) &&
        !(isKeptSecret && error.includes("would lose it")) &&
        !(isUnlisted && error.includes("which this run hasn't checked yet")),
    );
    if (refusal !== undefined)
      violations.push({
        claim: "held",
        text: `nothing changed since the review, and it refuses: ${refusal}`,
      });
    violations.push(...this.#leftOver);
    const succeeded = errors.length === 0;
    const exceeded = errors.find((error) => /maxRevocations/.test(error));
    if (exceeded !== undefined)
      violations.push({
        claim: "limit",
        text: `the limit ${JSON.stringify(limits)}, which the review's losses have, was exceeded: ${exceeded}`,
      });
    const after = this.#states();
    const hosts = this.#hosts;
    const unseen = { edges: this.#edges, profiles: this.#profiles };
    violations.push(
      ...judge({
        review,
        lines,
        before,
        after,
        hosts,
        sent,
        read,
        succeeded,
        unseen,
        concerned,
        auth0,
      }),
    );
    if (!isEnded) violations.push(...(await this.#access(rules)));
    if (succeeded && rules !== undefined)
      violations.push(
        ...rulesClaims({
          review,
          text: rules,
          isPartial,
          isAsked: (host) => read && host === hosts.main,
          ...this.#standings(read, { known, tenants: before, auth0 }, await this.stage.states()),
          isOpen: openEdges(review, concerned, hosts, (tenant, edge) => {
            const isAsked = read && hosts[tenant] === hosts.main;
            return !isAsked && this.#edges.has(edgeKey(tenant, edge));
          }),
        }),
      );
    if (succeeded && !isEnded) violations.push(...(await this.#afterwards(program, options, review, known)));
    const without = [...this.without, ...notClaimedOf(program)];
    return {
      violations: violations.filter(({ claim }) => !without.includes(claim)),
      outcome: succeeded ? "judged" : `up failed: ${errors[0] ?? ""}`,
      review,
      json,
      sent: sent.map(sentText),
    };
  }

  /**
   * Previews and reviews a change, lets something happen, and makes the change or another one. It's held to
   * the review, so it must send nothing else.
   */
  async judgeChanged(judged: Judged, { happens, ...other }: Between): Promise<Verdict> {
    const options = await this.#existing(judged.program, judged.options);
    const isWhole = options.target === undefined && options.exclude === undefined;
    const auth0 = isWhole ? judged.auth0 : [];
    if (auth0.length > 0) this.#edit((records) => inState(records, auth0));
    const json = this.#withAuth0(await this.stage.previewJson(judged.program, options), auth0);
    const written = this.#review(json, judged.read);
    const review = inPlaces(written);
    if (review.failed) return { violations: [], outcome: "preview failed", review, json, sent: [] };
    const reviewFile = this.#write(written);
    await happens(this);
    const { program = judged.program, isSwapped = false } = other;
    const tenantOf = this.#tenantOf;
    const tenantInRun = (provider: string | undefined) =>
      isSwapped && this.eu === "eu" ? (tenantOf(provider) === "eu" ? "main" : "eu") : tenantOf(provider);
    const concerned = [
      ...concernedBy(judged.program, await this.stage.states(), tenantOf),
      ...concernedBy(program, [], tenantInRun),
    ];
    const before = this.#states();
    this.#settle();
    const applied = await this.#existing(program, other.options ?? judged.options);
    const isPartial = applied.target !== undefined || applied.exclude !== undefined;
    // Only what the held run leaves counts.
    this.#leftOver.length = 0;
    // No review is valid for a whole day.
    this.begin(0.7);
    const { errors } = await this.#upNamingAll(program, applied, undefined, { reviewFile, isSwapped });
    const sent = this.#sent();
    const hosts = this.#hosts;
    const isRefused = errors.some((error) => REFUSED.test(error));
    return {
      violations: [
        ...unreviewed({ review, sent, hosts, concerned, before }),
        // A group that moves to an assignment outside the target stays, and the host can't know it.
        ...(isPartial || isSwapped ? [] : this.#leftOver),
      ],
      outcome: isRefused ? "refused" : errors.length > 0 ? `up failed: ${errors[0]}` : "applied",
      review,
      json,
      sent: sent.map(sentText),
    };
  }

  /** Returns the claims of `access` about the tenants that aren't true. */
  async #access(rules?: string): Promise<Violation[]> {
    const known = await this.stage.states();
    const found = this.#names.map(async (name) => {
      const host = this.#hosts[name];
      const records = this.simulators[name].state();
      const answer = await answerOf(this.settings(name), known, rules);
      const own = known.filter(({ state }) => this.#tenantOf(state.provider) === name);
      const standing = standingOf(records, own);
      return [
        ...accessClaims(answer, known, { host, records }),
        ...(rules === undefined ? [] : accessRulesClaims(answer, rules, standing, Date.parse(answer.made))),
      ];
    });
    return (await Promise.all(found)).flat();
  }

  /** Returns what a review can know of the tenants, and what became of it. */
  #standings(
    read: boolean,
    {
      known,
      tenants,
      auth0,
    }: {
      known: readonly Known[];
      tenants: Record<TenantName, SimulatorState>;
      auth0: readonly Auth0Resource[];
    },
    knownAfter: readonly Known[],
  ): Record<"before" | "after", Record<string, Standing>> {
    const after = this.#states();
    const ofTenant = (name: TenantName, all: readonly Known[]) =>
      all.filter(({ state }) => this.#tenantOf(state.provider) === name);
    const visibleOn = (name: TenantName, all: readonly Known[]) =>
      new Set(
        listedIn(ofTenant(name, all))
          .filter(({ isSecret }) => !isSecret)
          .map((edge) => edgeKey(name, edge)),
      );
    const both = [...known, ...knownAfter];
    const grants = (side: "before" | "after") =>
      auth0.flatMap(({ [side]: values }) => (values === undefined ? [] : directGrants(values)));
    // A review judges the tenants on which its stack has grants.
    const concerned = this.#names.filter(
      (name) =>
        visibleOn(name, both).size > 0 ||
        (name === "main" && [...grants("before"), ...grants("after")].length > 0),
    );
    /** `told`: the states, and the direct grants of others, that the review knows by then. */
    const standings = (
      states: typeof after,
      own: readonly Known[],
      told: readonly Known[],
      direct: ReturnType<typeof directGrants>,
    ) =>
      Object.fromEntries(
        concerned.map((name) => {
          const visible = visibleOn(name, told);
          const isKnown = (edge: Edge) => (read && name === "main") || visible.has(edgeKey(name, edge));
          const isDirectKnown = (role: string, person: string) =>
            name === "main" &&
            (read ||
              direct.some((one) => roleIn(one.organization, one.role) === role && one.user === person));
          return [this.#hosts[name], standingOf(states[name], ofTenant(name, own), isKnown, isDirectKnown)];
        }),
      );
    return {
      before: standings(tenants, known, known, grants("before")),
      after: standings(after, knownAfter, both, [...grants("before"), ...grants("after")]),
    };
  }

  #seed(name: TenantName, records: ReturnType<typeof recordsOf>): void {
    this.simulators[name].seed({
      ...records,
      tokens: [{ access_token: OUTSIDER, scope: ALL_SCOPES }],
      behaviour: this.behaviour,
    });
  }

  /** What another provider of the run does to the stack's tenant. */
  #edit(change: (records: ReturnType<typeof recordsOf>) => ReturnType<typeof recordsOf>): void {
    this.#seed("main", change(recordsOf(this.simulators.main.state())));
  }

  /** Adds the steps of another provider to a preview. */
  #withAuth0(text: string, auth0: readonly Auth0Resource[]): string {
    if (auth0.length === 0) return text;
    const json = JSON.parse(text) as Json;
    return JSON.stringify({
      ...json,
      config: { ...json.config, "auth0:domain": this.simulators.main.url },
      steps: [...(json.steps ?? []), ...auth0Steps(auth0)],
    });
  }

  #write(review: ReviewJson): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), "pulumi-identity-truth-"));
    const file = join(this.#folder, `review-${++this.#files}.json`);
    writeFileSync(file, JSON.stringify(review));
    return file;
  }

  /** Checks state, a second preview and a refresh after a change. */
  async #afterwards(
    program: Program,
    options: Options,
    review: ReviewJson,
    knownBefore: readonly Known[],
  ): Promise<Violation[]> {
    const found: Violation[] = [];
    const unseen = { edges: this.#edges, profiles: this.#profiles };
    const known = (await this.stage.states()).filter(({ isPendingDelete }) => !isPendingDelete);
    const states = known.map(({ key, state }) => ({ key, state, tenant: this.#tenantOf(state.provider) }));
    // A resource outside the targets may lose groups to an exclusive one among them. Two hosts don't know
    // each other's deletes.
    const resources = [...knownBefore, ...known].map(({ state }) => state);
    if (this.eu === "main" && resources.some(({ provider }) => provider === EU)) return found;
    const isPart = ({ key }: { key: string }) =>
      options.target?.includes(key) !== false && options.exclude === undefined;
    found.push(...stateClaims(states.filter(isPart), this.#states(), withDoubts(unseen, review)));
    if (options.target !== undefined || options.exclude !== undefined) return found;
    const tenants = this.#states();
    found.push(
      ...endClaims({
        review,
        before: knownBefore,
        after: known,
        hosts: this.#hosts,
        tenantOf: this.#tenantOf,
        hasRole: (tenant, { role, group }) => edgesIn(tenants[tenant]).has(`${role} ${group}`),
      }),
    );
    const json = await this.stage.previewJson(settledProgram(program), {});
    const steps = ((JSON.parse(json) as Json).steps ?? []).filter(
      ({ op, urn }) => !["same", "read"].includes(op) && urn.includes("dynamic/identity:"),
    );
    const { failed, access, profiles, removals, unknown, errors } = this.#review(json, false);
    const left = {
      steps: steps.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`),
      access,
      profiles,
      removals,
      unknown,
      errors,
    };
    // A program may read what it has just deleted.
    if (errors.some(({ message }) => /Check the id given to \w+\.get/.test(message))) return found;
    if (failed || steps.length + access.length + profiles.length + removals.length + unknown.length > 0)
      found.push({
        claim: "second preview",
        text: `a second preview still has something: ${JSON.stringify(left)}`,
      });
    const isOpen = review.access.some(({ unless }) => unless !== undefined);
    const isTaken = (one: { edges: ReadonlySet<string> }) => one.edges.size > this.#edges.size;
    if (isOpen || isTaken(withDoubts(unseen, review)) || this.#edges.size + this.#profiles.size > 0)
      return found;
    const external = known.filter(({ state }) => state.external).map(({ key }) => key);
    const drift = (await this.stage.refresh()).filter(
      (step) => !external.includes(step.split(" ")[1]?.replace(/:$/, "") ?? ""),
    );
    if (drift.length > 0)
      found.push({ claim: "state", text: `a refresh afterwards finds ${drift.join("; ")}` });
    return found;
  }

  /** With a limit one below the review's losses, nothing may be revoked. */
  async #refusedBelow(
    limits: Limits | undefined,
    program: Program,
    options: Options,
    before: Record<TenantName, SimulatorState>,
  ): Promise<Violation[]> {
    const engine = this.stage.standIn;
    const less = limits && { main: lessThan(limits.main), eu: lessThan(limits.eu) };
    if (engine === undefined || less === undefined || (less.main ?? less.eu) === undefined) return [];
    const state = structuredClone([...engine.state]);
    const pending = structuredClone(engine.pendingDeletes);
    // Begins with a preview, like `pulumi up`: during a run, removals waiting for each other become known one
    // by one.
    const preview = JSON.parse(await this.stage.previewJson(program, options, less)) as Json;
    if (preview.diagnostics?.some(({ severity }) => severity === "error") === true) return [];
    this.#settle();
    const { errors } = await this.stage.up(program, options, less);
    const after = this.#states();
    this.#seed("main", recordsOf(before.main));
    if (this.eu === "eu") this.#seed("eu", recordsOf(before.eu));
    engine.state.clear();
    for (const [key, one] of state) engine.state.set(key, one);
    engine.pendingDeletes.splice(0, Infinity, ...pending);
    if (errors.length === 0)
      return [
        {
          claim: "limit",
          text: `the limit ${JSON.stringify(less)}, one less than the review's losses, refuses nothing`,
        },
      ];
    return (["main", "eu"] as const).flatMap((tenant): Violation[] => {
      const count = lossesBetween(before[tenant], after[tenant]);
      const limit = less[tenant];
      if (limit === undefined || count <= limit) return [];
      return [{ claim: "limit", text: `with the limit ${JSON.stringify(less)}, ${tenant} lost ${count}` }];
    });
  }

  /** Returns as many as these rows of a review; undefined if it leaves something open. */
  #limits(
    rows: readonly { tenant: string | null }[],
    review: ReviewJson,
    program: Program,
    known: readonly Known[],
  ): Limits | undefined {
    const resources = [...Object.values(program), ...known.map(({ state }) => state)];
    const isShared = this.eu === "main" && resources.some(({ provider }) => provider === EU);
    // A repeated removal, known only to the command, counts as one: the host doesn't learn of the first.
    const isAgain = review.notes.some(({ reason }) => reason.startsWith("asks again for the removal"));
    const isOpen =
      isAgain ||
      review.unknown.some(({ categories }) => categories.join() !== "rules") ||
      review.access.some(({ unless }) => unless !== undefined);
    if (isShared || isOpen || rows.some(({ tenant }) => tenant === null)) return undefined;
    const of = (name: TenantName) => {
      const count = rows.filter(({ tenant }) => tenant === this.#hosts[name]).length;
      return count === 0 ? undefined : count;
    };
    return { main: of("main"), eu: this.eu === "main" ? undefined : of("eu") };
  }

  #review(json: string, read: boolean, rules?: string): ReviewJson {
    const preview = readPreview(json);
    const answers = read ? this.#asked() : undefined;
    const making = { made: new Date(), unknownAccepted: true, environmentTenant: undefined, hasIds: true };
    const review = reviewOf(preview, false, answers);
    if (rules === undefined) return toJson(review, making);
    const file = readRules({ file: "rules.json", text: rules });
    const [judged = review] = withRules([{ review, preview, answers }], file, making.made);
    return toJson(judged, making);
  }

  /** Returns the answers of the stack's tenant to `--read`. */
  #asked(): TenantAnswers {
    const state = this.simulators.main.state();
    const { users } = state;
    const roles = rolesIn(state);
    const membersOf = (group: string) => ({
      people: users.filter((user) => user.groups?.includes(group)).map((user) => user.user_id),
      groups: 0,
      others: 0,
      isMore: false,
    });
    const groups = roles.map(
      ({ id, groups }) => [id, { value: groups.map((group) => ({ id: group, name: undefined })) }] as const,
    );
    return {
      ...noAnswers([this.#hosts.main]),
      groups: new Map(groups),
      direct: new Map(roles.map(({ id, people }) => [id, { value: { people, isMore: false } }] as const)),
      organizations: { value: ORGANIZATIONS.map(({ id }) => id) },
      members: new Map([...GROUPS, ...CROWD].map((group) => [group, { value: membersOf(group) }] as const)),
    };
  }

  /** Returns a program's inputs as a run takes them today: after an end, they list no groups. */
  #asOfNow(inputs: Record<string, unknown>): Record<string, unknown> {
    const { until } = inputs;
    const day = typeof until === "string" && until.length === 10 ? `${until}T23:59:59Z` : until;
    const isOver = typeof day === "string" && Date.parse(day) < momentIn(this.#days);
    return isOver ? { ...inputs, groupIds: [], exclusive: false } : inputs;
  }

  readonly #tenantOf = (provider: string | undefined): TenantName =>
    provider === undefined ? "main" : this.eu;

  get #hosts(): Record<TenantName, string> {
    const { main, eu } = this.simulators;
    return { main: new URL(main.url).host, eu: new URL(eu.url).host };
  }

  /** Each tenant once. */
  get #names(): TenantName[] {
    return this.eu === "main" ? ["main"] : ["main", "eu"];
  }

  #states(): Record<TenantName, SimulatorState> {
    const main = this.simulators.main.state();
    // On one tenant, nothing is reported twice.
    const eu =
      this.eu === "main"
        ? { ...main, roles: [], organizations: [], connection_profiles: [], device_credentials: [] }
        : this.simulators.eu.state();
    return { main, eu };
  }

  async #noticeMissing(): Promise<void> {
    const tenants = this.#states();
    for (const { state } of await this.stage.states()) {
      const { groupIds } = state.outputs;
      const tenant = this.#tenantOf(state.provider);
      const has = edgesIn(tenants[tenant]);
      const role = assignedRole(state.outputs) ?? "";
      for (const group of Array.isArray(groupIds) ? (groupIds as string[]) : [])
        if (!has.has(`${role} ${group}`)) this.#edges.add(edgeKey(tenant, { role, group }));
    }
  }

  /** Records changes since then that state doesn't know. */
  #notice(before: Record<TenantName, SimulatorState>): void {
    const after = this.#states();
    for (const tenant of ["main", "eu"] as const) {
      const [had, has] = [edgesIn(before[tenant]), edgesIn(after[tenant])];
      for (const edge of [...had, ...has])
        if (had.has(edge) !== has.has(edge)) this.#edges.add(`${tenant} ${edge}`);
      const profilesOf = ({ connection_profiles: profiles }: SimulatorState) =>
        new Map(profiles.map((profile) => [profile.id, JSON.stringify(profile)]));
      const [old, now] = [profilesOf(before[tenant]), profilesOf(after[tenant])];
      for (const id of [...old.keys(), ...now.keys()])
        if (old.get(id) !== now.get(id)) this.#profiles.add(id);
    }
  }

  #sent(): Sent[] {
    return this.#names.flatMap((tenant) =>
      this.simulators[tenant]
        .requests()
        .filter(({ method, path }) => method !== "GET" && path.startsWith("/api/v2"))
        .map((request) => ({ ...request, tenant })),
    );
  }

  /** The CLI refuses unknown targets, and `--replace` for resources that aren't in state. */
  async #existing(
    program: Program,
    { target, exclude, replace, parallel }: Partial<Options>,
  ): Promise<Options> {
    const known = replace === undefined ? [] : (await this.stage.states()).map(({ key }) => key);
    const some = (keys: string[] | undefined, isThere: (key: string) => boolean) =>
      keys?.some(isThere) ? keys.filter(isThere) : undefined;
    const isDeclared = (key: string) => key in program;
    const [targets, excluded] = [some(target, isDeclared), some(exclude, isDeclared)];
    const replaced = some(replace, (key) => isDeclared(key) && known.includes(key));
    return {
      ...(parallel === undefined ? { parallel: 1 } : { parallel }),
      ...(targets !== undefined && { target: targets }),
      ...(excluded !== undefined && { exclude: excluded }),
      ...(replaced !== undefined && { replace: replaced }),
    };
  }

  /** Lets a write hang, and kills the host once it has arrived. */
  #killAt(
    simulator: Simulator,
    write: number,
  ): { killed: Promise<void>; end: () => void; wasKilled: () => boolean } {
    let kill: () => void = () => {};
    let wasKilled = false;
    const killed = new Promise<void>((resolve) => (kill = resolve));
    for (const method of ["POST", "PATCH", "DELETE"])
      simulator.fail({
        method,
        path: "/api/v2/*",
        after: write,
        action: { hang: write % 2 === 0 ? "before" : "after" },
      });
    const timer = setInterval(() => {
      if (!simulator.requests().some(({ status, method }) => status === 0 && method !== "GET")) return;
      wasKilled = true;
      clearInterval(timer);
      kill();
    }, 5);
    return { killed, end: () => clearInterval(timer), wasKilled: () => wasKilled };
  }
}

/** Counts the roles that groups have lost, and the removed credentials. */
function lossesBetween(before: SimulatorState, after: SimulatorState): number {
  const has = edgesIn(after);
  const lost = [...edgesIn(before)].filter((edge) => !has.has(edge));
  const gone = before.device_credentials.filter(
    ({ id }) => !after.device_credentials.some((one) => one.id === id),
  );
  return lost.length + gone.length;
}

/** Returns a review's losses. */
function lossesIn({ access, removals }: ReviewJson): { tenant: string | null }[] {
  // Two resources may remove one credential.
  const credentials = removals.filter(
    ({ id, tenant }, place, all) => all.findIndex((one) => one.id === id && one.tenant === tenant) === place,
  );
  return [...access.filter(({ effect }) => effect === "loses"), ...credentials];
}

/** True if `replaceOnChanges` leaves groups behind, from which an update would take the role. */
function leavesByOptions({ notes }: ReviewJson, program: Program): boolean {
  const left = notes.filter(({ reason }) => reason.startsWith("nothing is sent: its groups keep"));
  return Object.entries(program).some(
    ([key, { name = key, replaceOnChanges = [] }]) =>
      replaceOnChanges.length > 0 && left.some((note) => note.name === name),
  );
}

/** Returns whether a run may leave an edge other than its review can know. */
function openEdges(
  { access, unknown }: ReviewJson,
  concerned: readonly Concerned[],
  hosts: Record<TenantName, string>,
  isUnseen: (tenant: TenantName, edge: Edge) => boolean,
): (host: string, edge: Edge) => boolean {
  const doubted = new Set(unknown.map(({ name }) => name));
  return (host, { role, group }) => {
    const tenant: TenantName = hosts.main === host ? "main" : "eu";
    const isDoubted = concerned.some(
      (one) => one.tenant === tenant && one.role === role && doubted.has(one.name),
    );
    const isOpen = access.some((row) => row.unless !== undefined && row.role === role && row.group === group);
    return isDoubted || isOpen || isUnseen(tenant, { role, group });
  };
}

function ignoresGroups(ignored: readonly string[]): boolean {
  return ignored.includes("groupIds") || ignored.includes("*");
}

function lessThan(limit: number | undefined): number | undefined {
  return limit === undefined || limit < 2 ? undefined : limit - 1;
}

function sentText({ tenant, method, path, status, body }: Sent): string {
  return `${tenant}: ${method} ${path.replace("/api/v2", "")} ${body === undefined ? "" : JSON.stringify(body)} ${status}`;
}

function* concernedBy(
  program: Program,
  known: readonly Known[],
  tenantOf: (provider: string | undefined) => TenantName,
): Generator<Concerned> {
  const of = (
    name: string,
    tenant: TenantName,
    inputs: Record<string, unknown>,
    id: string | undefined,
  ): Concerned => {
    const values = plain(inputs) as Record<string, unknown>;
    const { adopt, deviceCredentialId } = values;
    const role = assignedRole(values);
    const profile = typeof adopt === "string" ? adopt : id?.startsWith("cop_") ? id : undefined;
    return {
      name,
      tenant,
      ...(role !== undefined && { role }),
      ...(profile !== undefined && { profile }),
      ...(typeof deviceCredentialId === "string" && { credential: deviceCredentialId }),
    };
  };
  for (const [key, { name = key, provider, inputs }] of Object.entries(program)) {
    const state = known.find((one) => one.key === key && !one.isPendingDelete)?.state;
    yield of(name, tenantOf(provider), inputs, state?.id);
  }
  for (const { key, state } of known) {
    const namesNow = Object.entries(program).flatMap(([now, { name = now, aliases }]) =>
      now === key || aliases?.includes(key) === true ? [name] : [],
    );
    for (const name of [state.name, ...namesNow])
      yield of(name, tenantOf(state.provider), state.outputs, state.id);
  }
}

/** Values without their marks. */
function plain(value: unknown): unknown {
  if (value instanceof Secret || value instanceof Later) return plain(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child)]));
}

/** Returns the program with all its values known. */
function settledProgram(program: Program): Program {
  const settled = (value: unknown): unknown => {
    if (value instanceof Later) return settled(value.value);
    if (value instanceof Secret) return new Secret(settled(value.value));
    if (Array.isArray(value)) return value.map(settled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, settled(child)]));
  };
  return Object.fromEntries(
    Object.entries(program).map(([key, resource]): [string, Resource] => [
      key,
      { ...resource, inputs: settled(resource.inputs) as Resource["inputs"] },
    ]),
  );
}

/**
 * True if a resource adopts another one's profile, or a run with targets has let it: then two resources
 * manage one profile.
 */
function adoptsManaged(program: Program, known: readonly Known[]): boolean {
  const entries = Object.entries(program);
  const nameNow = (key: string) =>
    key in program ? key : entries.find(([, { aliases }]) => aliases?.includes(key))?.[0];
  const managed = known
    .filter(({ isPendingDelete, state }) => !isPendingDelete && !state.external)
    .flatMap(({ key, state }) => {
      const name = nameNow(key);
      return name === undefined
        ? []
        : [{ name, id: state.id, isProfile: state.kind === "ConnectionProfile" }];
    });
  const profiles = managed.filter(({ isProfile }) => isProfile).map(({ id }) => id);
  if (new Set(profiles).size < profiles.length) return true;
  return entries.some(([name, { inputs }]) =>
    managed.some((other) => other.name !== name && other.id === inputs["adopt"]),
  );
}

/** Adds the doubtful rows' possible causes, and the losses that the review announced. */
function withDoubts({ edges, profiles }: Unseen, { access }: ReviewJson): Unseen {
  const open = access.filter(({ unless, effect }) => unless !== undefined || effect === "loses");
  const keys = open.flatMap((row) => (["main", "eu"] as const).map((tenant) => edgeKey(tenant, row)));
  return { edges: new Set([...edges, ...keys]), profiles };
}

/** Returns an assignment's groups, from its inputs or its outputs. */
function holdingsOf(tenant: TenantName, outputs: Record<string, unknown>): Holding[] {
  const { groupIds } = outputs;
  const role = assignedRole(outputs);
  const groups = Array.isArray(groupIds) ? (groupIds as unknown[]) : [];
  return groups.flatMap((group) =>
    role !== undefined && typeof group === "string" ? [{ tenant, role, group }] : [],
  );
}
