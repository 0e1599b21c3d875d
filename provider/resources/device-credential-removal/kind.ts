import * as z from "../../zod";
import { type IdentityClient } from "../../http/client";
import { NotFoundError } from "../../http/errors";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { ifKnown, isKnown, seenText } from "../../seen";
import { type ResourceKind } from "../../pulumi/resource-kind";
import {
  deleteDeviceCredential,
  DEVICE_CREDENTIAL_TYPES,
  listCredentialIds,
} from "../../service/device-credentials";
import { DEVICE_CREDENTIAL_ID, doubtOfId, type OpenId } from "../../service/ids";
import { type RemovalInputs, schema } from "./schema";

const OPEN_ID: OpenId = {
  input: "deviceCredentialId",
  prefix: "dcr_",
  find: () => 'getDeviceCredentials({ userId: "…" })',
};

export const deviceCredentialRemovalKind: ResourceKind<RemovalInputs> = {
  name: "DeviceCredentialRemoval",
  fields: {
    schema,
    id: DEVICE_CREDENTIAL_ID,
    openId: () => OPEN_ID,
    state: { types: z.looseObject({ deviceCredentialId: z.string() }) },
    reliedOn: ["deviceCredentialId"],
    consequence: () => "replace",
  },

  check({ run, resource, inputs }) {
    const id = ifKnown(seenText(inputs["deviceCredentialId"]));
    if (id === undefined) return { inputs, problems: [] };
    const owners = run.ledger.wantAlone(resource, `device credential ${id}`);
    if (owners === undefined) return { inputs, problems: [] };
    const [one, two] = owners;
    return {
      inputs,
      problems: [
        `DeviceCredentialRemoval "${one}" and "${two}" both remove one credential: keep one of them.`,
      ],
    };
  },

  effects({ inputs, prior }) {
    const id = seenText(inputs["deviceCredentialId"]);
    if (prior !== undefined || id === undefined) return { lines: [], acts: [] };
    if (!isKnown(id))
      return { lines: ["permanently removes a device credential whose id is not known yet"], acts: [] };
    return {
      lines: [`permanently removes device credential ${id}`],
      acts: [{ act: "remove credential", id }],
    };
  },

  async create({ client, inputs, tell, requestRevocation, secretInputs }) {
    const id = inputs.deviceCredentialId;
    requestRevocation(`device credential ${id}`, [{ act: "remove credential", id }]);
    try {
      await deleteDeviceCredential(client, id);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      const doubt = doubtOfId(OPEN_ID, id, secretInputs.includes(OPEN_ID.input));
      tell(
        `Device credential ${id} is not on ${client.tenant}, so nothing was removed. Check the id: if it has a typo, ` +
          `the lost device still has access.${doubt === undefined ? "" : ` ${doubt}`}`,
      );
    }
    return { id, inputs };
  },

  // The service has no call that reads one credential, and a deleted one never comes back.
  async read({ client, id, needsProof }) {
    const inputs = { deviceCredentialId: id };
    if (!needsProof) return { inputs, isAssumed: true };
    return (await isListed(client, id)) ? undefined : { inputs };
  },

  update: ({ inputs }) => Promise.resolve({ inputs }),

  delete({ id, tell }) {
    tell(`Device credential ${id} stays deleted: a removal can't be undone, so nothing was sent.`);
    return Promise.resolve();
  },
};

export const deviceCredentialRemoval = handlersOf(deviceCredentialRemovalKind);

/** Only the lists of all users show one credential. */
async function isListed(client: IdentityClient, id: string): Promise<boolean> {
  for (const type of DEVICE_CREDENTIAL_TYPES)
    if ((await listCredentialIds(client, type)).includes(id)) return true;
  return false;
}
