import * as z from "../../zod";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { type Prior, type Request, type ResourceKind } from "../../pulumi/resource-kind";
import { type SignOutAct } from "../../review/act";
import { isKnown, seenText } from "../../seen";
import { USER_ID } from "../../service/ids";
import { foreseenText, staysText } from "./lines";
import { idOf, signOut, signOutRest } from "./parts";
import { PARTS, schema, type SignOutInputs, type SignOutPart } from "./schema";

const OF_CLIENT: readonly SignOutPart[] = ["refreshTokens", "deviceCredentials"];

export const userSignOutKind: ResourceKind<SignOutInputs> = {
  name: "UserSignOut",
  fields: {
    schema,
    id: USER_ID,
    state: {
      types: z.looseObject({
        userId: z.string(),
        clientId: z.string().optional(),
        unfinished: z.array(z.string()).optional(),
      }),
    },
    reliedOn: ["userId", "clientId"],
    consequence: () => "replace",
  },

  check({ run, resource, inputs }) {
    const act = actOf(inputs);
    const owners =
      act && run.ledger.wantAlone(resource, `sign-out ${JSON.stringify([act.user, act.client])}`);
    if (owners === undefined) return { inputs, problems: [] };
    const [one, two] = owners;
    return {
      inputs,
      problems: [`UserSignOut "${one}" and "${two}" both sign out one user: keep one of them.`],
    };
  },

  effects({ inputs, prior, isDelete }) {
    if (isDelete || (prior !== undefined && unfinishedIn(prior).length === 0)) return { lines: [], acts: [] };
    const act = actOf(inputs);
    if (act === undefined)
      return { lines: ["signs out a user for good, but it is not known yet whom or where"], acts: [] };
    return { lines: [foreseenText(act, prior && unfinishedIn(prior))], acts: [act] };
  },

  async create(request) {
    const observed = await signOut(request, request.inputs.clientId === undefined ? PARTS : OF_CLIENT);
    return { ...observed, id: idOf(request.inputs) };
  },

  /** A sign-out is an act: a user who has signed in again since is no drift. */
  read({ id, prior }) {
    if (prior === undefined) return Promise.resolve({ inputs: { userId: id }, isAssumed: true });
    const unfinished = unfinishedIn(prior);
    return Promise.resolve({
      inputs: prior.inputs,
      outputs: unfinished.length === 0 ? {} : { unfinished: [...unfinished] },
      isAssumed: true,
    });
  },

  update: (request) => signOutRest(request, unfinishedIn(request.prior)),

  delete({ prior, tell }) {
    const { userId: user, clientId: client } = prior.inputs;
    tell(staysText({ act: "sign out", user, client }, unfinishedIn(prior)));
    return Promise.resolve();
  },
};

export const userSignOut = handlersOf(userSignOutKind);

/** Undefined if the user or the client isn't known yet. */
function actOf({ userId, clientId }: Request<SignOutInputs>["inputs"]): SignOutAct | undefined {
  const user = seenText(userId);
  const client = clientId === undefined ? undefined : seenText(clientId);
  if (user === undefined || !isKnown(user) || (client !== undefined && !isKnown(client))) return undefined;
  return { act: "sign out", user, client };
}

function unfinishedIn({ outputs }: Prior<SignOutInputs>): readonly SignOutPart[] {
  const { unfinished = [] } = outputs as { unfinished?: readonly string[] };
  return PARTS.filter((part) => unfinished.includes(part));
}
