import { idOrAdvice, ORGANIZATION_ID, ROLE_ID } from "../../service/ids";
import * as z from "../../zod";
import { fields, listsGroups } from "../role-group-assignment/schema";

export const schema = z
  .strictObject({ organizationId: idOrAdvice(ORGANIZATION_ID, "getOrganization"), ...fields })
  .superRefine(listsGroups);

const RULE = "must be the ids of an organization and of a role: org_…/rol_…";

export const ID = z.string().refine((id) => {
  const [organization, role, ...others] = id.split("/");
  const isPair = ORGANIZATION_ID.safeParse(organization).success && ROLE_ID.safeParse(role).success;
  return isPair && others.length === 0;
}, RULE);
