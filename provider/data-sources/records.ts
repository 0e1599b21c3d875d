import { IdentityError } from "../http/errors";
import { listText } from "../review/preview-lines";
import { nearest, onlyDifference } from "../near-names";
import { type Named } from "../service/record";

/* Turns the service's records into results of data sources. */

/** A zod object's shape without zod's types: the package's types must need no other package. */
type RawShape = Readonly<Record<string, { _zod: { output: unknown } }>>;
type KnownFields<Shape extends RawShape> = {
  [Name in keyof Shape & string as CamelCase<Name>]?: NonNullable<Shape[Name]["_zod"]["output"]>;
};

/** Returns a record's documented fields by our names, without unset ones, and all others by the service's. */
export function fromWire<Shape extends RawShape>(
  shape: Shape,
  record: object,
): { known: KnownFields<Shape>; additionalProperties: Record<string, unknown> } {
  const known: [string, unknown][] = [];
  const others: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record)) {
    if (!Object.hasOwn(shape, name)) others.push([name, value]);
    else if (value !== null && value !== undefined) known.push([camelCase(name), value]);
  }
  return {
    known: Object.fromEntries(known) as KnownFields<Shape>,
    additionalProperties: Object.fromEntries(others),
  };
}

/** `email_verified` → `emailVerified` */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export function camelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;
}

/** In the service's order, outputs could change without a change on the tenant. */
export function sortedById<Item extends { id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}

const MOST_SHOWN = 5;
const LONGEST_NAME = 80;

/** Returns the items with exactly this name, sorted by id. */
export function ofName<Item extends Named>(items: readonly Item[], name: string): Item[] {
  return sortedById(items.filter((item) => item.name === name));
}

/** The error if nothing has the name: it lists similar names, with their ids. */
export function noneOfName(noun: string, name: string, others: readonly Named[], among: string): Error {
  const known = others.flatMap((item) => item.name ?? []);
  const near = nearest(name, known, MOST_SHOWN);
  const [alike] = known.filter((one) => onlyDifference(name, one) !== undefined);
  const shown = (alike === undefined ? near : [alike]).map((one) => {
    const ids = ofName(others, one).map(({ id }) => id);
    return `${quoted(one)} (${listText(ids, MOST_SHOWN)})`;
  });
  const candidates =
    alike !== undefined
      ? ` ${shown.join()} differs only in ${onlyDifference(name, alike)}.`
      : shown.length === 0
        ? ""
        : ` Nearest ${among}: ${shown.join(", ")}.`;
  return new IdentityError(`No ${noun} has exactly this name.${candidates}`, "done");
}

/** The error if only something elsewhere has the name. */
export function foundElsewhere(noun: string, ids: readonly string[]): Error {
  return new IdentityError(
    `No ${noun} has exactly this name; elsewhere it is that of ${listText(ids, MOST_SHOWN)}.`,
    "done",
  );
}

/** The error if only roles of organizations have the name, none of them of the one that was asked for. */
export function onlyOrganizations(ids: readonly string[], asked: string | undefined): Error {
  const [whose, which] =
    asked === undefined
      ? ["of the tenant", "organizations"]
      : ["of the tenant or of it", "other organizations"];
  return new IdentityError(
    `No role ${whose} has exactly this name, only ${which} have one: ${listText(ids, MOST_SHOWN)}. ` +
      "If you mean such a role, give getRole its organization, too.",
    "done",
  );
}

export function severalOfName(noun: string, ids: readonly string[], advice: string): Error {
  return new IdentityError(
    `${ids.length} ${noun} have exactly this name: ${listText(ids, MOST_SHOWN)}. ${advice}`,
    "done",
  );
}

function quoted(name: string): string {
  return JSON.stringify(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
}
