import { type JsonObject } from "../service/record";
import { deviation, type Write } from "../service/writes";
import { type Category } from "./effects";
import { type ReviewJson } from "./review-model";
import { hiddenIn } from "./step";

/** What a resource writes that its review may have left open. */
export interface Opening {
  write:
    /** `groups`: undefined for any. */
    | { kind: "grant" | "revoke"; role: string; groups?: readonly string[] }
    | { kind: "change profile" | "remove credential"; id: string };
  /** It may, if the review names the resource as unknown in one of these. */
  categories: readonly Category[];
}

/** A resource, as its handlers know it. */
export interface Actor {
  /** Undefined in a delete, which is told the id only. */
  name: string | undefined;
  /** Undefined for a create. */
  id: string | undefined;
}

type Profile = ReviewJson["profiles"][number];
type Sets = NonNullable<Profile["sets"]>;
type OpenProfile = Extract<ReviewJson["repeats"][number], { kind: "profile" }>;

/** Stands for the groups of a role that a review could not tell. */
const ANY = "*";

/** What a review lets a run write on one tenant. `isOpen` in questions: as if what is unknown had been accepted. */
export class Permits {
  readonly #held = new Set<string>();
  readonly #open = new Set<string>();
  readonly #creates: { sets: Sets; isTaken: boolean }[] = [];
  readonly #changes = new Map<string, Sets[]>();
  readonly #openChanges = new Map<string, Sets[]>();
  readonly #unknown: ReviewJson["unknown"];
  readonly #openProfiles: readonly OpenProfile[];
  readonly #isAccepted: boolean;

  /** `isHere`: whether a row is about this tenant. */
  constructor(review: ReviewJson, isHere: (row: { tenant?: string | null | undefined }) => boolean) {
    this.#isAccepted = review.unknownAccepted;
    this.#unknown = review.unknown.filter(isHere);
    for (const { role, group, effect } of review.access.filter(isHere))
      this.#held.add(accessKey(effect === "loses" ? "revoke" : "grant", role, group));
    for (const { id } of review.removals.filter(isHere)) this.#held.add(endKey("remove credential", id));
    for (const { op, id, sets } of review.profiles.filter(isHere)) {
      if (op === "delete" && id !== null) this.#held.add(endKey("delete profile", id));
      if (sets === undefined) continue;
      if (op === "create") this.#creates.push({ sets, isTaken: false });
      else if (id !== null) add(this.#changes, id, sets);
    }
    const openProfiles: OpenProfile[] = [];
    for (const repeat of review.repeats.filter(isHere)) {
      if (repeat.kind === "removal") this.#held.add(endKey("remove credential", repeat.id));
      else if (repeat.kind !== "profile") this.#held.add(accessKey(repeat.kind, repeat.role, repeat.group));
      else if (repeat.id !== null) add(this.#openChanges, repeat.id, repeat);
      else openProfiles.push(repeat);
    }
    this.#openProfiles = openProfiles;
  }

  /** Notes what a resource writes now of what the review left open. */
  open(actor: Actor, openings: readonly Opening[]): void {
    const categories = new Set(
      this.#unknown.filter((row) => isOf(row, actor)).flatMap((row) => row.categories),
    );
    for (const { write } of openings.filter((one) => one.categories.some((name) => categories.has(name)))) {
      if ("role" in write) {
        for (const group of write.groups ?? [ANY]) this.#open.add(accessKey(write.kind, write.role, group));
      } else if (write.kind === "remove credential") this.#open.add(endKey(write.kind, write.id));
      else
        for (const profile of this.#openProfiles)
          if (profile.name === actor.name) add(this.#openChanges, write.id, profile);
    }
  }

  mayChange(kind: "grant" | "revoke", role: string, group: string, isOpen = this.#isAccepted): boolean {
    if (this.#held.has(accessKey(kind, role, group))) return true;
    return (
      isOpen && (this.#open.has(accessKey(kind, role, group)) || this.#open.has(accessKey(kind, role, ANY)))
    );
  }

  mayEnd(kind: "delete profile" | "remove credential", id: string, isOpen = this.#isAccepted): boolean {
    const key = endKey(kind, id);
    return this.#held.has(key) || (isOpen && this.#open.has(key));
  }

  mayCreate(settings: JsonObject, isOpen = this.#isAccepted): boolean {
    return this.#findCreate(settings, isOpen) !== undefined;
  }

  /** A profile that was reviewed is made once. Answers how that is taken back, since a create may fail. */
  takeCreate(settings: JsonObject): () => void {
    const create = this.#findCreate(settings, this.#isAccepted);
    if (create !== undefined) create.isTaken = true;
    return () => {
      if (create !== undefined) create.isTaken = false;
    };
  }

  /**
   * The first path at which a change of a profile is not what was reviewed; empty where no change was, undefined where all of
   * it is. `before`: what is on the profile, as far as that is known.
   */
  deviationOf(
    { id, settings }: Write & { kind: "change profile" },
    before: JsonObject = {},
    isOpen = this.#isAccepted,
  ): string[] | undefined {
    const all = [...(this.#changes.get(id) ?? []), ...(isOpen ? (this.#openChanges.get(id) ?? []) : [])];
    const found = all.map(({ wanted, removes }) => {
      const mayGo = (path: readonly string[]) =>
        removes.some((removed) => removed.every((key, place) => place >= path.length || key === path[place]));
      return deviation(settings, before, { wanted, mayGo, mayBe: mayBe(isOpen) });
    });
    return found.includes(undefined) ? undefined : (found[0] ?? []);
  }

  #findCreate(settings: JsonObject, isOpen: boolean) {
    return this.#creates.find(
      ({ sets: { wanted }, isTaken }) =>
        !isTaken && deviation(settings, undefined, { wanted, mayBe: mayBe(isOpen) }) === undefined,
    );
  }
}

function isOf({ name, id }: ReviewJson["unknown"][number], actor: Actor): boolean {
  if (actor.name !== undefined) return name === actor.name;
  return id !== undefined && id !== null && id === actor.id;
}

/** A line tells of a long value how long it is. */
const LENGTH = /^\((\d+) characters\)$/;

function mayBe(isOpen: boolean): (wanted: unknown, now: unknown) => boolean {
  return (wanted, now) => {
    if (typeof wanted === "string" && LENGTH.test(wanted))
      return JSON.stringify(now ?? null).length === Number(LENGTH.exec(wanted)?.[1]);
    const isLeaf = typeof wanted !== "object" || Array.isArray(wanted);
    return isOpen && isLeaf && hiddenIn(wanted) !== undefined;
  };
}

function accessKey(kind: "grant" | "revoke", role: string, group: string): string {
  return `${kind} ${role} ${group}`;
}

function endKey(kind: "delete profile" | "remove credential", id: string): string {
  return `${kind} ${id}`;
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
