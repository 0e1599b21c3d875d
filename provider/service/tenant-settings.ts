import * as z from "../zod";
import { type IdentityClient } from "../http/client";

/** No other setting may fail the read. */
const settings = z.looseObject({
  flags: z
    .looseObject({ revoke_refresh_token_grant: z.boolean().nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

/**
 * The tenant's setting _Refresh Token Revocation Deletes Grant_: deleting one refresh token ends all of that
 * user and application. Undefined if the tenant doesn't say: then the default depends on its age.
 */
export async function revocationDeletesGrant(
  client: IdentityClient,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const { flags } = await client.send(
    {
      method: "GET",
      path: "/tenants/settings",
      query: { fields: "flags", include_fields: true },
      answer: settings,
      scopes: ["read:tenant_settings"],
    },
    { signal },
  );
  return flags?.revoke_refresh_token_grant ?? undefined;
}
