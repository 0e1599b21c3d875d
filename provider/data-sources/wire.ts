/** Of a zod object, without its types: those of the package must need no other package. */
type RawShape = Readonly<Record<string, { _zod: { output: unknown } }>>;
type Known<Shape extends RawShape> = {
  [Name in keyof Shape & string as CamelCase<Name>]?: NonNullable<Shape[Name]["_zod"]["output"]>;
};

/** The documented fields of a record that are set, under our names, and all others under the service's. */
export function fromWire<Shape extends RawShape>(
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

/** `email_verified` → `emailVerified` */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** `emailVerified` → `email_verified` */
export type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

export function camelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;
}

/** In an order that does not depend on the service: otherwise outputs would change without a change on the tenant. */
export function sortedById<Item extends { id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}
