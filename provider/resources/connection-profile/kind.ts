import * as z from "../../zod";
import { type IdentityClient } from "../../http/client";
import { ApiError, IdentityError, InsufficientScopeError, NotFoundError, sentence } from "../../http/errors";
import { type Act } from "../../review/act";
import { listText } from "../../review/preview-lines";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { hiddenIn, ifKnown, seenText, UNKNOWN } from "../../seen";
import {
  type LookAhead,
  type Observed,
  PartialFailure,
  type Request,
  type ResourceKind,
  type UpdateRequest,
} from "../../pulumi/resource-kind";
import { type CheckedResource, type Run } from "../../pulumi/run";
import { connectionProfiles, settingTypes } from "../../service/connection-profiles";
import { CONNECTION_PROFILE_ID } from "../../service/ids";
import { PROFILE_SETS, settingsFromWire } from "../../service/profile-fields";
import { isEmpty, type JsonObject } from "../../service/record";
import { type ProfileInputs, schema } from "./schema";
import { adoptionLine, notAskedLine, shownLine, shownValue } from "./lines";
import {
  adoptionOf,
  hadIn,
  isAdopted,
  isDeletedOnDestroy,
  lackingIn,
  nameSeenIn,
  plan,
  recorded,
  settingsIn,
  shownIn,
  type Situation,
  updateOf,
  wasUnconfirmed,
} from "./plan";
import { PROFILES } from "./profiles-of-run";
import { type Changed, settle, type Settled, settleRead } from "./settle";
import { normalize } from "./values";
import { changeProfile, createOnce, readIfServed, readProfileSettings } from "./writes";

type Outputs = Readonly<Record<string, unknown>>;

const UNCONFIRMED =
  "whether its last change was done is not known; it is read, and what is missing is sent again";

export const connectionProfileKind: ResourceKind<ProfileInputs> = {
  name: "ConnectionProfile",
  fields: {
    schema,
    sets: PROFILE_SETS,
    reliedOn: ["name", "adopt"],
    consequence(name, { id, inputs: { adopt } }) {
      if (name !== "adopt") return "update";
      // After the adoption, the program may drop the argument or give the resource's own id.
      return adopt === undefined || adopt === id ? "nothing" : "replace";
    },
    id: CONNECTION_PROFILE_ID,
    openId: () => ({
      input: "adopt",
      prefix: "cop_",
      find: (name) => `getConnectionProfiles({ name: ${name} })`,
    }),
    state: {
      types: z.looseObject({
        ...settingTypes,
        adopted: z.boolean().optional(),
        adopt: z.string().optional(),
        deleteOnDestroy: z.boolean().optional(),
        shown: z.looseObject(settingTypes).optional(),
        lacking: z.array(z.string()).optional(),
        unconfirmed: z.boolean().optional(),
        ownsName: z.boolean().optional(),
      }),
      inputsIn: (outputs) => ({ ...hadIn(outputs), ...handling(outputs) }) as ProfileInputs,
    },
  },

  check({ run, resource, inputs: given }) {
    const inputs = normalize(given);
    const adopt = ifKnown(seenText(inputs["adopt"]));
    if (adopt !== undefined) return { inputs, problems: own(run, resource, adopt) };
    // The replaced profile is no longer this resource's.
    run.ledger.want(resource, []);
    return { inputs, problems: [] };
  },

  effects(request) {
    const { id, prior, inputs } = request;
    if (request.isDelete) return { lines: [], acts: actsOfDelete(request) };
    const { adopt } = inputs;
    const problems = ownerProblems(request);
    if (problems.length > 0) return { lines: [], acts: [], problems };
    const isRepeated = id !== undefined && wasUnconfirmed(prior?.outputs ?? {});
    const lines = isRepeated ? [`connection profile ${id}: ${UNCONFIRMED}`] : [];
    if (hiddenIn(inputs) === UNKNOWN) return { lines, acts: [] };
    if (prior === undefined && typeof adopt === "string")
      return { lines, acts: [], lookAhead: whatChanges(adopt, request) };
    return { lines, acts: actsOf(request) };
  },

  async create(request) {
    const { client, run, inputs } = request;
    const { adopt } = inputs;
    const wanted = settingsIn(inputs);
    if (adopt !== undefined) {
      const situation = await readAdoption(client, adopt, wanted);
      run.guard.allow(adoptionActs(adopt, situation));
      const changed = await changeProfile(request, adopt, situation);
      return { id: adopt, ...completed(request, adopt, { situation, inputs, adopted: true }, changed) };
    }
    const profiles = run.recall(PROFILES);
    const situation = { had: {}, wanted };
    const { record, wasFound } = await createOnce(client, wanted, profiles.known, profiles.open)
      .catch((error: unknown) => orTakeTurns(error, run, situation))
      .catch(orAdopt);
    profiles.forgetReads();
    if (wasFound) tellFound(request, record.id);
    const changed = { live: settingsFromWire(record) };
    return {
      id: record.id,
      ...completed(request, record.id, { situation, inputs, adopted: wasFound }, changed),
    };
  },

  async read({ client, run, id, prior, secretInputs }) {
    if (prior === undefined) {
      const live = await readProfileSettings(client, id);
      const settings = recorded(Object.keys(live), live, {});
      return observed({ settings, shown: {}, lacking: [] }, { inputs: {}, adopted: false });
    }
    const live = settingsFromWire(await run.recall(PROFILES).refresh(client, id));
    const { inputs, outputs } = prior;
    const before = { had: settingsIn(inputs), shown: shownIn(outputs), lacking: lackingIn(outputs) };
    const settled = settleRead(before, live, secretInputs);
    return observed(settled, { inputs, adopted: isAdopted(outputs), name: live["name"] });
  },

  async update(request) {
    const { run, id, inputs } = request;
    const { outputs } = request.prior;
    const situation = { ...updateOf(outputs, inputs), isUnconfirmed: wasUnconfirmed(outputs) };
    run.guard.allow(changeActs(id, situation));
    const changed = await changeProfile(request, id, situation)
      .catch((error: unknown) => orTakeTurns(error, run, situation))
      .catch((error: unknown) => orMakeAgain(error, request));
    const handled = { inputs, adopted: isAdopted(outputs), name: nameSeenIn(outputs) };
    return completed(request, id, { situation, ...handled }, changed);
  },

  async delete(request) {
    const { client, run, id, tell } = request;
    const why = whyItStays(request);
    if (why !== undefined) {
      tell(`Connection profile ${id} stays${why}.`);
      return;
    }
    await connectionProfiles(client).delete(id);
    run.recall(PROFILES).forgetReads();
  },
};

export const connectionProfile = handlersOf(connectionProfileKind);

/** `check` doesn't know which profile a resource manages, so this runs here. */
function ownerProblems({ run, id, prior, resource }: Request<ProfileInputs>): string[] {
  const isKnown = prior !== undefined && id !== undefined && resource !== undefined;
  return isKnown ? own(run, resource, id) : [];
}

/** Two resources that manage one profile would undo each other's work forever. */
function own(run: Run, resource: CheckedResource, profileId: string): string[] {
  const owners = run.ledger.wantAlone(resource, wantOf(profileId));
  if (owners === undefined) return [];
  const [one, two] = owners;
  return [
    `ConnectionProfile "${one}" and "${two}" both manage ${profileId}: one of them adopts or imports it. Let one of them manage it.`,
  ];
}

/** The key in the ledger: objects of another kind may have the same id. */
function wantOf(profileId: string): string {
  return `connection profile ${profileId}`;
}

interface Handled {
  inputs: ProfileInputs;
  adopted: boolean;
  /** The name that the tenant had when it was last seen. */
  name?: unknown;
}

function observed(
  { settings, shown, lacking }: Settled,
  { inputs, adopted, name }: Handled,
): Observed<ProfileInputs> {
  const isOthers = name !== undefined && !("name" in settings);
  return {
    inputs: { ...settings, ...handling(inputs) } as ProfileInputs,
    outputs: {
      adopted,
      ...(isOthers && { name, ownsName: false }),
      ...(!isEmpty(shown) && { shown }),
      ...(!isEmpty(lacking) && { lacking }),
    },
  };
}

/** The same after a change; throws a partial failure if the change isn't done. */
function completed(
  { tell, secretInputs }: Request<ProfileInputs>,
  id: string,
  { situation, ...handled }: Handled & { situation: Situation },
  answer: Changed,
): Observed<ProfileInputs> {
  const { news, ...settled } = settle(situation, answer, secretInputs);
  for (const { name, ...values } of news)
    tell(shownLine(id, name, secretInputs.includes(name) ? undefined : values));
  const state = observed(settled, { ...handled, name: answer.live["name"] ?? handled.name });
  if (answer.failure === undefined) return state;
  const outputs = { ...state.outputs, ...(answer.isUnconfirmed === true && { unconfirmed: true }) };
  throw new PartialFailure<ProfileInputs>(id, { inputs: state.inputs, outputs }, answer.failure);
}

/** The inputs that control how the resource is handled; they are never on the tenant. */
function handling({ adopt, deleteOnDestroy }: Outputs | ProfileInputs) {
  return { adopt, deleteOnDestroy };
}

/** Without the tenant's settings if it has no call to read a profile: nothing is known then. */
async function readAdoption(
  client: IdentityClient,
  id: string,
  wanted: JsonObject,
  signal?: AbortSignal,
): Promise<Situation> {
  const live = await readIfServed(client, id, Object.keys(wanted), signal);
  return live === undefined ? { had: {}, wanted } : adoptionOf(live, wanted);
}

function whatChanges(adopt: string, request: Request<ProfileInputs>): LookAhead {
  const notAsked = (reason: string) => notAskedLine(adopt, reason);
  return {
    notAsked,
    async ask(signal) {
      const situation = await readAdoption(request.client, adopt, settingsIn(request.inputs), signal);
      const { live } = situation;
      const planned = plan(situation);
      if (live === undefined)
        return { lines: [notAsked(noCallFor(Object.keys(planned.settings)))], acts: [] };
      return {
        lines: [adoptionLine(adopt, live, planned)],
        acts: adoptionActs(adopt, situation),
      };
    },
  };
}

/** Returns why an adoption can't be read, with the names of the settings that it sends all the same. */
function noCallFor(names: readonly string[]): string {
  const reason = "the tenant has no call for it";
  return names.length === 0 ? reason : `${reason}; sent unseen: ${listText(names)}`;
}

function actsOf({ id, prior, inputs }: Request<ProfileInputs>): Act[] {
  if (id === undefined || prior === undefined) return [{ act: "create profile", wanted: settingsIn(inputs) }];
  return changeActs(id, updateOf(prior.outputs, inputs));
}

function changeActs(id: string, situation: Situation): Act[] {
  const { had, wanted } = situation;
  return isEmpty(plan(situation).settings) ? [] : [{ act: "change profile", id, wanted, had }];
}

/** Compares the profile with the line of the preview, in the same form. */
function adoptionActs(id: string, situation: Situation): Act[] {
  const { live = {}, wanted } = situation;
  const fields = Object.keys(plan(situation).settings);
  if (fields.length === 0) return [];
  const shown = Object.fromEntries(fields.map((field) => [field, shownValue(live[field])]));
  return [{ act: "change profile", id, wanted, had: { ...wanted, ...shown } }];
}

function actsOfDelete(request: Request<ProfileInputs>): Act[] {
  const { id = "" } = request;
  return whyItStays(request) === undefined ? [{ act: "delete profile", id }] : [];
}

/** Returns the rest of a sentence; undefined if destroying the resource deletes the profile. */
function whyItStays({ client, run, id = "", prior }: Request<ProfileInputs>): string | undefined {
  const { inputs, outputs = {} } = prior ?? {};
  if (isDeletedOnDestroy({ ...outputs, ...inputs }) === false) {
    const why = isAdopted(outputs) ? "it was adopted" : "deleteOnDestroy is false";
    return ` on ${client.tenant} as it is, because ${why}`;
  }
  const adopter = run.ledger.wanted(wantOf(id));
  return adopter === undefined ? undefined : `: "${adopter}" adopts it`;
}

function tellFound({ tell }: Request<ProfileInputs>, id: string): void {
  tell(
    `Connection profile ${id}: the answer to its creation was lost, and the tenant holds it just as the program ` +
      "says. In case it was there before, it counts as adopted: destroying the resource leaves it in place, unless " +
      "deleteOnDestroy is true.",
  );
}

/** A name that another profile of the run has, and gives up, is free only after that. */
function orTakeTurns(error: unknown, run: Run, { had, wanted }: Situation): never {
  const isConflict = error instanceof ApiError && error.status === 409;
  const { name } = wanted;
  if (!isConflict || name === had["name"]) throw error;
  const steps = run.resources("ConnectionProfile").map(({ name: resource, before, inputs }) => ({
    resource,
    from: before?.["name"],
    to: inputs["name"],
  }));
  const leaverOf = (taken: unknown) =>
    steps.find(({ from, to }) => from === taken && to !== undefined && to !== taken);
  const other = leaverOf(name);
  if (other === undefined) throw error;
  // Follow who takes whose name, to see if it leads back here.
  let last = other;
  for (let left = steps.length; left > 0 && last.to !== had["name"]; left--) last = leaverOf(last.to) ?? last;
  const how =
    last.to === had["name"]
      ? "Profiles that swap names need two runs: give one of them a third name and run `pulumi up`, then its final name and run it again."
      : "It is free once that is done: run `pulumi up` again, or let this profile depend on the other by dependsOn.";
  throw new IdentityError(
    `${sentence(error.call, error.answer)} "${other.resource}" still had the name ${JSON.stringify(name)}. ${how}`,
    error.outcome,
  );
}

/** A profile that no longer exists can't be adopted again. */
function orMakeAgain(error: unknown, { id, inputs: { adopt }, prior }: UpdateRequest<ProfileInputs>): never {
  if (!(error instanceof NotFoundError)) throw error;
  const first = adopt === undefined ? "" : "take adopt out of the program; then ";
  const wait = prior.isJustWritten ? "wait a minute, because this stack has just written it, and " : "";
  throw new IdentityError(
    `${error.message} Connection profile ${id} was deleted outside Pulumi: ${wait}${first}\`pulumi up --refresh\` makes it again.`,
    error.outcome,
  );
}

/** Adopting doesn't need the scope to create. */
function orAdopt(error: unknown): never {
  if (!(error instanceof InsufficientScopeError)) throw error;
  throw new IdentityError(
    `${error.message} Or make the profile by hand and take it over: adopt: "<id of the profile>".`,
  );
}
