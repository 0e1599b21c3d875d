import * as z from "../zod";

/** What is known of a token, for a person who wants to know whether the set-up is right. */
export interface TokenFacts {
  /** Where it was asked for, and for whom; undefined for one that was given. */
  asked: { path: string; audience: string } | undefined;
  /** Undefined: not known. */
  scopes: string[] | undefined;
  /** Of a JSON Web Token: when it ends, in epoch milliseconds. */
  expiresAt: number | undefined;
  /** Of a JSON Web Token: for whom it is. */
  audiences: string[];
}

const text = z.string().optional().catch(undefined);
const claims = z.object({
  scope: text,
  permissions: z.array(z.string()).optional().catch(undefined),
  exp: z.number().optional().catch(undefined),
  aud: z
    .union([z.string().transform((one) => [one]), z.array(z.string())])
    .optional()
    .catch(undefined),
});

/** `scope`: what the answer with the token said. */
export async function tokenFacts(
  token: string,
  asked: TokenFacts["asked"],
  scope: string | undefined,
): Promise<TokenFacts> {
  const { scope: claimed, permissions, exp, aud = [] } = await claimsOf(token);
  const granted = scope ?? claimed;
  const scopes = [...words(granted), ...(scope === undefined ? (permissions ?? []) : [])];
  return {
    asked,
    scopes: granted === undefined && permissions === undefined ? undefined : [...new Set(scopes)],
    expiresAt: exp === undefined ? undefined : exp * 1000,
    audiences: aud,
  };
}

/** Of a token that is none of the known kind, nothing. Who signed it is the tenant's business. */
async function claimsOf(token: string): Promise<z.infer<typeof claims>> {
  // Loaded on demand, as in token.ts.
  const { decodeJwt } = await import("jose");
  try {
    return claims.parse(decodeJwt(token));
  } catch {
    return {};
  }
}

function words(list = ""): string[] {
  return list.split(/\s+/).filter((word) => word !== "");
}
