/*
 * The parts of zod that the package uses. The build bundles them into one file (scripts/compile.mjs), which a
 * provider host loads in a seventh of the time of all of zod: most of that goes to other languages, JSON
 * Schema and finding 120 files.
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
