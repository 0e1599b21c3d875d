import type * as z from "../zod";
import { camelCase, type CamelCase } from "./names";

type Known<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape & string as CamelCase<Name>]?: NonNullable<z.output<Shape[Name]>>;
};

/** The documented fields of a record that are set, under our names, and all others under the service's. */
export function fromWire<Shape extends z.ZodRawShape>(
  shape: Shape,
  record: object,
): { known: Known<Shape>; additionalProperties: Record<string, unknown> } {
  const known: [string, unknown][] = [];
  const others: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record)) {
    if (!Object.hasOwn(shape, name)) others.push([name, value]);
    else if (value !== null && value !== undefined) known.push([camelCase(name), value]);
  }
  return {
    known: Object.fromEntries(known) as Known<Shape>,
    additionalProperties: Object.fromEntries(others),
  };
}
