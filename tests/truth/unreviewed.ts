import { type ReviewJson } from "../../provider/review/model";
import { type SimulatorState } from "../../simulator";
import { type Concerned, type Sent, type Violation } from "./claims";
import { edgesOfRequest } from "./places";
import { inCamelCase } from "./spelling";
import { type TenantName } from "../../testkit/worlds/universe";

/*
 * Requests that aren't in the review, according to the log and the review's JSON. Nothing here knows how the
 * provider checks itself.
 */

interface Deed {
  review: ReviewJson;
  sent: readonly Sent[];
  hosts: Record<TenantName, string>;
  /** Resources of the reviewed program, and of the program that ran. */
  concerned: readonly Concerned[];
  before: Record<TenantName, SimulatorState>;
}

type Category = ReviewJson["unknown"][number]["categories"][number];

export function unreviewed(deed: Deed): Violation[] {
  const made = new Map<string, number>();
  return deed.sent.flatMap((request) => {
    const problem = problemOf(request, deed, made);
    if (problem === undefined) return [];
    const { tenant, method, path, body } = request;
    const text = `${tenant}: ${method} ${path} ${JSON.stringify(body)}: ${problem}`;
    return [{ claim: "unreviewed", text: `was sent, and is not in the review: ${text}` }];
  });
}

function problemOf(request: Sent, deed: Deed, made: Map<string, number>): string | undefined {
  const { method, path, tenant, body } = request;
  const { review, hosts } = deed;
  const here = <Row extends { tenant?: string | null | undefined }>(rows: readonly Row[]) =>
    rows.filter((row) => row.tenant === hosts[tenant]);
  const isUnknown = (categories: readonly Category[], is: (resource: Concerned) => boolean) =>
    here(review.unknown).some(
      ({ name, categories: told }) =>
        told.some((category) => categories.includes(category)) &&
        deed.concerned.some((one) => one.name === name && one.tenant === tenant && is(one)),
    );
  const edges = edgesOfRequest(path, body);
  if (edges.length > 0) {
    const isGrant = method === "POST";
    const others = edges.filter(({ role, group }) => {
      const isSaid = isGrant
        ? here(review.after).some((row) => row.role === role && row.groups.some(({ id }) => id === group))
        : here(review.access).some(
            (row) => row.role === role && row.group === group && row.effect === "loses",
          );
      const categories: Category[] = isGrant ? ["grant"] : ["revoke", "exclusive"];
      return !isSaid && !isUnknown(categories, (one) => one.role === role || one.role === undefined);
    });
    return others.length === 0 ? undefined : others.map(({ group }) => group).join(", ");
  }
  const id = path.split("/").at(-1) ?? "";
  if (path.includes("/device-credentials/")) {
    const isSaid = here(review.removed).some((row) => row.id === id);
    return isSaid || isUnknown(["removal"], (one) => one.credential === id) ? undefined : "the credential";
  }
  if (method === "DELETE")
    return here(review.profiles).some((row) => row.op === "delete" && row.id === id)
      ? undefined
      : "the profile";
  const values = body as Record<string, unknown>;
  const rows = here(review.profiles).filter((row) => {
    if (method === "POST") return row.op === "create";
    return row.id === id || (row.id === null && isUnknown(["adopt"], (one) => one.profile === id));
  });
  const mine = rows.filter((one) => fits(values, one, deed.before[tenant], id));
  if (method !== "POST") return mine.length > 0 ? undefined : "the profile's values";
  const name = String(values["name"]);
  made.set(name, (made.get(name) ?? 0) + (request.status === 201 ? 1 : 0));
  return mine.length >= Math.max(1, made.get(name) ?? 0) ? undefined : `${made.get(name)} of this name`;
}

/** True if each leaf of a body was reviewed, may have been hidden, is to be removed, or is already there. */
function fits(
  body: Record<string, unknown>,
  { wanted = {}, had }: ReviewJson["profiles"][number],
  { connection_profiles: profiles }: SimulatorState,
  id: string,
): boolean {
  const before = (profiles.find((profile) => profile.id === id) ?? {}) as Record<string, unknown>;
  return Object.entries(body).every(([wire, value]) => {
    const name = inCamelCase(wire);
    return leaves(value, [wire]).every(([path, leaf]) => {
      const at = (tree: unknown, keys: readonly string[]) =>
        keys.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], tree);
      const reviewed = at(wanted, [name, ...path.slice(1).map(inCamelCase)]);
      const goes = reviewed === undefined && (had === undefined || had[name] !== undefined);
      const isHidden = JSON.stringify(wanted[name] ?? null).match(
        /\[secret\]|04da6b54-80e4-46f7-96ec-b56ff0331ba9/,
      );
      const isSame = (one: unknown) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(leaf));
      const was = at(before, path);
      // An empty setting isn't set.
      const isNone = path.length === 1 && [reviewed ?? null, was ?? null, leaf].every(isNothing);
      return isSame(reviewed) || isHidden !== null || isSame(was) || (isNothing(leaf) && goes) || isNone;
    });
  });
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...(value as unknown[])].sort() : (value ?? null);
}

function isNothing(value: unknown): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

function leaves(value: unknown, path: string[]): [string[], unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isNothing(value))
    return [[path, value]];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, [...path, key]));
}
