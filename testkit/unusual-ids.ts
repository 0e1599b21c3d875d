import { ROLE_ID } from "../provider/service/ids";
import fc from "./properties";

/**
 * Ids that no recorded tenant has, and that the source document allows: it has a pattern for ids of groups
 * alone.
 */
export const UNUSUAL_IDS = [
  "7",
  "role-7",
  "a:b",
  "a:",
  "550e8400-e29b-41d4-a716-446655440000",
  "auth0|abc",
  "||",
  "@team",
  "~~a~~",
  "-1",
  "role.name@example.com",
  "in",
  "constructor",
  "__proto__",
  "_".repeat(128),
] as const;

/** Any id of a role, a profile or a credential. */
export const openIds = fc
  .oneof(
    fc.constantFrom<string>(...UNUSUAL_IDS),
    fc.stringMatching(/^[\w.:~@|-]{1,128}$/),
    fc.stringMatching(/^rol_[1-9A-Za-z]{4,22}$/),
  )
  .filter((id) => ROLE_ID.safeParse(id).success);
