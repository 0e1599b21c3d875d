import * as z from "../zod";
import { isObject, type JsonObject } from "../http/shape";

/**
 * Builds the shape of an object in an answer from its table of fields: wire name and type. Every field may be
 * missing, null counts as missing, and fields that the source document doesn't list are allowed.
 */
export function recordOf<Fields extends Record<string, z.ZodType>>(fields: Fields) {
  const rows = Object.entries(fields).map(([name, type]) => [name, type.nullish()]);
  return z.looseObject(
    Object.fromEntries(rows) as { [Name in keyof Fields]: z.ZodOptional<z.ZodNullable<Fields[Name]>> },
  );
}

/** An object that messages and answers call by its name, if it has one. */
export interface Named {
  id: string;
  name?: string | null | undefined;
}

export { isObject, type JsonObject };

/** Undefined for what only the prototype has, such as `constructor`: keys are a stranger's. */
export function own<Value>(of: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

/** The service fills in null, {} and [] for values that aren't set. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}
