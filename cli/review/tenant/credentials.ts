import { groupedBy } from "../../../provider/access/grants";
import { type Border } from "../../../provider/border";
import { type Removal } from "../kinds/effects";
import { type DeviceCredentialRecord } from "../../../provider/service/device-credentials";
import { type Answer, reasonsIn, valuesIn } from "../../tenant/questions";
import { type TenantReader } from "../../tenant/reader";
import { isAsked, type TenantAnswers } from "./answers";

/** All of them, or why not all could be read. Undefined if none is removed. */
export async function readCredentials(
  removed: readonly string[],
  reader: TenantReader,
  border: Border,
): Promise<Answer<NonNullable<TenantAnswers["credentials"]>> | undefined> {
  if (removed.length === 0) return undefined;
  const answers = await reader.credentials();
  const [reason] = reasonsIn(answers.values());
  if (reason !== undefined) return { reason };
  const lists = [...valuesIn(answers)];
  const records = lists.flatMap(([type, all]) =>
    all.map((record) => ({ type, record, grant: grantOf(type, record) })),
  );
  const byGrant = groupedBy(records, ({ grant }) => grant);
  const quoted = (text: string | null | undefined) => (text ? border.quote(text) : undefined);
  const credentials = records.map(({ type, record, grant }) => ({
    id: record.id,
    type,
    device: quoted(record.device_name),
    user: quoted(record.user_id),
    tokens: grant === NO_GRANT ? 0 : (byGrant.get(grant)?.length ?? 0),
  }));
  const ids = new Set(removed);
  const isMore = credentials.some(({ id, tokens }) => tokens > 1 && ids.has(id));
  const endsAll = isMore ? ((await reader.deletesGrants()).value ?? null) : null;
  return { value: new Map(credentials.map(({ id, ...credential }) => [id, { ...credential, endsAll }])) };
}

const NO_GRANT = "";

/** Equal for refresh tokens of one user and application. */
function grantOf(type: string, { user_id: user, client_id: client }: DeviceCredentialRecord): string {
  const isKnown = type !== "public_key" && user != null && client != null;
  return isKnown ? JSON.stringify([user, client]) : NO_GRANT;
}

/** The removals, with what the tenant says of their credentials. */
export function withCredentials(
  removals: readonly Removal[],
  tenant: Pick<TenantAnswers, "hosts" | "credentials">,
): Removal[] {
  const { credentials } = tenant;
  if (credentials === undefined) return [...removals];
  return removals.map((removal) =>
    isAsked(tenant, removal.tenant)
      ? { ...removal, credential: credentials.get(removal.id) ?? null }
      : removal,
  );
}
