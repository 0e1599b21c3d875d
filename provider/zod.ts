/*
 * What the package uses of zod. The build makes one file of it (scripts/compile.mjs): a provider host loads
 * that in a seventh of the time of the whole, most of which is other languages, JSON Schema and the looking
 * up of 120 files.
 */
export {
  array,
  boolean,
  enum,
  int,
  literal,
  looseObject,
  number,
  object,
  record,
  strictObject,
  string,
  union,
  unknown,
} from "zod";
export type { core, infer, ZodError, ZodNullable, ZodObject, ZodOptional, ZodType } from "zod";
