import * as z from "../zod";
import { connectionProfileRecord, type ConnectionProfileRecord } from "./connection-profiles";
import { PROFILE_FIELDS, type ProfileField } from "./profile-fields";

/** A record, of which each field that is used has the type that the document gives it. */
export const profileRecord: z.ZodType<ProfileRecord> = connectionProfileRecord.extend({
  ...typesOf(PROFILE_FIELDS, "wire"),
  name: connectionProfileRecord.shape.name,
});
export type ProfileRecord = ConnectionProfileRecord;

/** The settings as state has them. The service may hold what the rules for inputs refuse: only the types are fixed. */
export const settingTypes = typesOf(PROFILE_FIELDS, "ours");

function typesOf(fields: Record<string, ProfileField>, names: "ours" | "wire"): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      names === "wire" ? field.wire : name,
      typeOf(field, names),
    ]),
  );
}

function typeOf({ empty, entries }: ProfileField, names: "ours" | "wire"): z.ZodType {
  if (entries !== undefined) {
    return z.record(z.string(), z.looseObject(typesOf(entries, names)).nullish()).nullish();
  }
  if (empty === "") return z.string().nullish();
  return Array.isArray(empty) ? z.array(z.string()).nullish() : z.record(z.string(), z.unknown()).nullish();
}
