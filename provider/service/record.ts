import * as z from "../zod";

/**
 * The shape of an object in an answer, from its table of fields: wire name and type. Every field may be
 * missing, null is taken for missing, and fields that the source document does not list may be there.
 */
export function recordOf<Fields extends Record<string, z.ZodType>>(fields: Fields) {
  const rows = Object.entries(fields).map(([name, type]) => [name, type.nullish()]);
  return z.looseObject(
    Object.fromEntries(rows) as { [Name in keyof Fields]: z.ZodOptional<z.ZodNullable<Fields[Name]>> },
  );
}

/** What messages and answers call by its name, where it has one. */
export interface Named {
  id: string;
  name?: string | null | undefined;
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The service fills in null, {} and [] where nothing was set. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}
