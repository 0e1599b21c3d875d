import * as z from "../../zod";
import { IdentityError, InsufficientScopeError, NotFoundError } from "../../http/errors";
import { type ProfileWrite } from "../../review/held";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { holdsUnknown, isUnknown, pathText } from "../../review/raw-inputs";
import {
  type Context,
  type LookAhead,
  type Observed,
  PartialFailure,
  type PlannedChange,
  type PriorState,
  type ResourceKind,
} from "../../pulumi/resource-kind";
import { type CheckedResource, type Run } from "../../pulumi/run";
import { connectionProfiles, settingTypes } from "../../service/connection-profiles";
import { CONNECTION_PROFILE_ID } from "../../service/ids";
import { settingsFromWire } from "../../service/profile-fields";
import { isEmpty, type JsonObject } from "../../service/record";
import { type Inputs, schema } from "./fields";
import { formatProfileLine, shownValue } from "./lines";
import {
  adoptionOf,
  heldIn,
  isAdopted,
  isDeletedOnDestroy,
  isUnconfirmed,
  plan,
  recorded,
  recordedAfter,
  settingsIn,
  type Situation,
} from "./plan";
import { PROFILES } from "./profiles-of-run";
import { normalize } from "./values";
import { type Changed, changeProfile, createOnce, readProfileSettings } from "./writes";

type Outputs = Readonly<Record<string, unknown>>;

const UNCONFIRMED =
  "whether its last change was done is not known; it is read, and what is missing is sent again";

export const connectionProfileKind: ResourceKind<Inputs> = {
  name: "ConnectionProfile",
  schema,
  id: CONNECTION_PROFILE_ID,
  state: {
    types: z.looseObject({
      ...settingTypes,
      // Of release 0.1.0.
      managedFields: z.array(z.string().startsWith("/")).optional(),
      adopted: z.boolean().optional(),
      adopt: z.string().optional(),
      deleteOnDestroy: z.boolean().optional(),
    }),
    inputsIn: (outputs) => ({ ...heldIn(outputs), ...handling(outputs) }) as Inputs,
  },
  consequence({ name, id, after: { adopt } }) {
    if (name !== "adopt") return "update";
    // After the adoption the argument may go, and the id that the resource has anyway says nothing new.
    return adopt === undefined || adopt === id ? "nothing" : "replace";
  },
  check(run, { resource, inputs: given }) {
    const inputs = normalize(given);
    const { adopt } = inputs;
    if (typeof adopt === "string" && !isUnknown(adopt))
      return { inputs, problems: own(run, resource, adopt) };
    // What is replaced manages another one from now on.
    run.ledger.want(resource, []);
    return { inputs, problems: [] };
  },

  effects(run, change) {
    const { id, prior, inputs, isReplaced } = change;
    const { adopt } = inputs;
    const kept = isReplaced ? undefined : prior;
    const problems = ownerProblems(run, change);
    if (problems.length > 0) return { lines: [], losses: [], problems };
    const isRepeated = id !== undefined && isUnconfirmed(kept?.outputs ?? {});
    const lines = isRepeated ? [`connection profile ${id}: ${UNCONFIRMED}`] : [];
    if (holdsUnknown(inputs)) return { lines, losses: [], writes: [] };
    if (kept === undefined && typeof adopt === "string")
      return { lines, losses: [], writes: [], lookAhead: whatChanges(adopt, inputs as Inputs) };
    return { lines, losses: [], writes: writesOf(id, kept, inputs as Inputs) };
  },

  async create(context, inputs) {
    const { client, run } = context;
    const { adopt } = inputs;
    const wanted = settingsIn(inputs);
    if (adopt !== undefined) {
      const situation = adoptionOf(await readProfileSettings(client, adopt), wanted);
      for (const write of adoptionWrites(adopt, situation)) run.held.approve(write);
      const changed = await changeProfile(context, adopt, situation);
      return { id: adopt, ...completed(adopt, { situation, inputs, adopted: true }, changed) };
    }
    const profiles = run.recall(PROFILES);
    run.held.approve({ kind: "create profile", wanted });
    const { record, wasFound } = await createOnce(client, wanted, profiles.known, profiles.open).catch(
      orAdopt,
    );
    profiles.forgetReads();
    if (wasFound) tellFound(context, record.id);
    const settings = recorded(Object.keys(wanted), settingsFromWire(record), wanted);
    return { id: record.id, ...observed(settings, { inputs, adopted: wasFound }) };
  },

  async read({ client, run }, id, prior) {
    if (prior === undefined) {
      const live = await readProfileSettings(client, id);
      return observed(recorded(Object.keys(live), live, {}), { inputs: {} as Inputs, adopted: false });
    }
    const live = settingsFromWire(await run.recall(PROFILES).refresh(client, id));
    const { inputs, outputs } = prior;
    const held = settingsIn(inputs);
    return observed(recorded(Object.keys(held), live, held), { inputs, adopted: isAdopted(outputs) });
  },

  async update(context, id, { inputs: before, outputs }, inputs) {
    const situation: Situation = {
      held: settingsIn(before),
      wanted: settingsIn(inputs),
      isStale: isUnconfirmed(outputs),
    };
    for (const write of changeWrites(id, situation)) context.run.held.approve(write);
    const changed = await changeProfile(context, id, situation).catch((error: unknown) =>
      orMakeAgain(error, id, inputs),
    );
    return completed(id, { situation, inputs, adopted: isAdopted(outputs) }, changed);
  },

  async delete({ client, run, tell }, id, { inputs, outputs }) {
    const profiles = run.recall(PROFILES);
    if (isDeletedOnDestroy({ ...outputs, ...inputs }) === false) {
      const why = isAdopted(outputs) ? "it was adopted" : "deleteOnDestroy is false";
      tell(`Connection profile ${id} stays on ${client.tenant} as it is, because ${why}.`);
    } else if (run.ledger.wanted(id) !== undefined) {
      tell(`Connection profile ${id} stays: "${run.ledger.wanted(id)}" adopts it.`);
    } else {
      await connectionProfiles(client).delete(id);
      profiles.forgetReads();
    }
  },
};

export const connectionProfile = handlersOf(connectionProfileKind);

/** `check` is not told which profile a resource manages. */
function ownerProblems(run: Run, { id, prior, isReplaced, resource }: PlannedChange<Inputs>): string[] {
  const isKept = prior !== undefined && !isReplaced;
  return isKept && id !== undefined && resource !== undefined ? own(run, resource, id) : [];
}

/** Two resources that manage one profile would undo each other's work for ever. */
function own(run: Run, resource: CheckedResource, profileId: string): string[] {
  const owners = run.ledger.wantAlone(resource, profileId);
  if (owners === undefined) return [];
  const [one, two] = owners;
  return [
    `ConnectionProfile "${one}" and "${two}" both manage ${profileId}: one of them adopts it. Let one of them manage it.`,
  ];
}

interface Handled {
  inputs: Inputs;
  adopted: boolean;
}

/** `settings`: those of the program, as the tenant has them. */
function observed(settings: JsonObject, { inputs, adopted }: Handled): Observed<Inputs> {
  return { inputs: { ...settings, ...handling(inputs) } as Inputs, outputs: { adopted } };
}

/** The same after a change; throws a partial failure when the change is not done. */
function completed(
  id: string,
  { situation, ...handled }: Handled & { situation: Situation },
  { live, failure, isUnconfirmed: isOpen = false }: Changed,
): Observed<Inputs> {
  const state = observed(recordedAfter(situation, live), handled);
  if (failure === undefined) return state;
  const outputs = { ...state.outputs, ...(isOpen && { unconfirmed: true }) };
  throw new PartialFailure<Inputs>(id, { inputs: state.inputs, outputs }, failure);
}

/** How the resource is handled; nothing of it is on the tenant. */
function handling({ adopt, deleteOnDestroy }: Outputs | Inputs) {
  return { adopt, deleteOnDestroy };
}

function whatChanges(adopt: string, inputs: Inputs): LookAhead {
  return {
    notAsked: (reason) => formatProfileLine({ kind: "not asked", profileId: adopt, reason }),
    async ask({ client }, signal) {
      const live = await readProfileSettings(client, adopt, signal);
      const situation = adoptionOf(live, settingsIn(inputs));
      const { settings, removes } = plan(situation);
      const changes = Object.entries(settings).map(([field, after]) => ({
        field,
        before: live[field],
        after,
      }));
      return {
        lines: [
          formatProfileLine({
            kind: "adoption",
            profileId: adopt,
            name: live["name"],
            changes,
            removes: removes
              .filter(({ length }) => length > 1)
              .map(pathText)
              .sort(),
          }),
        ],
        losses: [],
        writes: adoptionWrites(adopt, situation),
      };
    },
  };
}

function writesOf(
  id: string | undefined,
  prior: PriorState<Inputs> | undefined,
  inputs: Inputs,
): ProfileWrite[] {
  const wanted = settingsIn(inputs);
  if (id === undefined || prior === undefined) return [{ kind: "create profile", wanted }];
  return changeWrites(id, { held: settingsIn(prior.inputs), wanted });
}

function changeWrites(id: string, situation: Situation): ProfileWrite[] {
  const { held: had, wanted } = situation;
  return isEmpty(plan(situation).settings) ? [] : [{ kind: "change profile", id, wanted, had }];
}

/** What it has is compared as the line of the preview shows it. */
function adoptionWrites(id: string, situation: Situation): ProfileWrite[] {
  const { live = {}, wanted } = situation;
  const fields = Object.keys(plan(situation).settings);
  if (fields.length === 0) return [];
  const shown = Object.fromEntries(fields.map((field) => [field, shownValue(live[field])]));
  return [{ kind: "change profile", id, wanted, had: { ...wanted, ...shown } }];
}

function tellFound({ tell }: Context, id: string): void {
  tell(
    `Connection profile ${id}: the answer to its creation was lost, and the tenant holds it just as the program ` +
      "says. In case it was there before, it counts as adopted: destroying the resource leaves it in place, unless " +
      "deleteOnDestroy is true.",
  );
}

/** A profile that is there no more can't be adopted again. */
function orMakeAgain(error: unknown, id: string, { adopt }: Inputs): never {
  if (!(error instanceof NotFoundError)) throw error;
  const first = adopt === undefined ? "" : "take adopt out of the program; then ";
  throw new IdentityError(
    `${error.message} Connection profile ${id} was deleted outside Pulumi: ${first}\`pulumi up --refresh\` makes it again.`,
    error.outcome,
  );
}

/** Adopting does not need the right to create. */
function orAdopt(error: unknown): never {
  if (!(error instanceof InsufficientScopeError)) throw error;
  throw new IdentityError(
    `${error.message} Or make the profile by hand and take it over: adopt: "<id of the profile>".`,
  );
}
