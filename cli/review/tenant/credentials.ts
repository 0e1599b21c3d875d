import { type Border } from "../../../provider/border";
import { type Removal, type RemovedCredential } from "../../../provider/review/effects";
import { type DeviceCredentialRecord } from "../../../provider/service/device-credentials";
import { type TenantReader } from "../../tenant/reader";
import { type Credential, type Credentials, isAsked, type TenantAnswers } from "./answers";

/** Undefined if none is removed, or not all could be read. */
export async function readCredentials(
  removed: readonly string[],
  reader: TenantReader,
  border: Border,
): Promise<Credentials | undefined> {
  if (removed.length === 0) return undefined;
  const byId = new Map<string, Credential>();
  const tokens = new Map<string, number>();
  for (const [type, answer] of await reader.credentials()) {
    if (answer.value === undefined) return undefined;
    for (const record of answer.value) {
      const grant = grantOf(type, record);
      if (grant !== undefined) tokens.set(grant, (tokens.get(grant) ?? 0) + 1);
      byId.set(record.id, {
        type,
        device: record.device_name ? border.quote(record.device_name) : undefined,
        user: record.user_id ? border.quote(record.user_id) : undefined,
        grant,
      });
    }
  }
  const isMore = removed.some((id) => (tokens.get(byId.get(id)?.grant ?? "") ?? 0) > 1);
  const answer = isMore ? await reader.deletesGrants() : undefined;
  return { byId, tokens, deletesGrants: answer?.value };
}

function grantOf(
  type: string,
  { user_id: user, client_id: client }: DeviceCredentialRecord,
): string | undefined {
  return type === "public_key" || user == null || client == null ? undefined : JSON.stringify([user, client]);
}

/** The removals, with what the tenant says of their credentials. */
export function withCredentials(
  removals: readonly Removal[],
  tenant: Pick<TenantAnswers, "hosts" | "credentials">,
): Removal[] {
  const { credentials } = tenant;
  return removals.map((removal) =>
    credentials !== undefined && isAsked(tenant, removal.tenant)
      ? { ...removal, credential: credentialIn(credentials, removal.id) }
      : removal,
  );
}

function credentialIn({ byId, tokens, deletesGrants }: Credentials, id: string): RemovedCredential | null {
  const found = byId.get(id);
  if (found === undefined) return null;
  const { type, device, user, grant } = found;
  return {
    type,
    ...(device !== undefined && { device }),
    ...(user !== undefined && { user }),
    tokens: tokens.get(grant ?? "") ?? 0,
    endsAll: deletesGrants ?? null,
  };
}
