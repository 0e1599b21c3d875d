import { type JsonObject } from "../service/record";
import { deviation, type Write } from "../service/writes";
import { type Category, type WantedSettings } from "./effects";
import { pathText } from "./input-problems";
import { listText } from "./preview-lines";
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

export interface Actor {
  /** Undefined in a delete, which is told the id only. */
  name: string | undefined;
  id: string | undefined;
}

type ReviewedProfile = ReviewJson["profiles"][number];
type OpenProfile = Extract<ReviewJson["repeats"][number], { kind: "profile" }>;

/** Stands for the groups of a role that a review could not tell. */
const ANY = "*";

/** A profile that may be made, and what has been made as it. */
interface Create {
  sets: WantedSettings;
  taker: JsonObject | undefined;
}

/** What a review lets a run write on a tenant. `isOpen`: as if the unknown were accepted. */
export class Permits {
  readonly #held = new Set<string>();
  readonly #open = new Set<string>();
  readonly #ends = new Map<string, { until: string | undefined }>();
  readonly #creates: Create[] = [];
  readonly #changes = new Map<string, WantedSettings[]>();
  readonly #openChanges = new Map<string, WantedSettings[]>();
  readonly #unknown: ReviewJson["unknown"];
  readonly #openProfiles: OpenProfile[] = [];

  constructor(
    readonly review: ReviewJson,
    isHere: (row: { tenant?: string | null | undefined }) => boolean,
  ) {
    this.#unknown = review.unknown.filter(isHere);
    for (const row of review.access.filter(isHere))
      this.#holdAccess(row.effect === "loses" ? "revoke" : "grant", row);
    for (const { id } of review.removals.filter(isHere)) this.#held.add(writeKey("remove credential", id));
    for (const profile of review.profiles.filter(isHere)) this.#holdProfile(profile);
    for (const repeat of review.repeats.filter(isHere)) this.#holdRepeat(repeat);
  }

  #holdAccess(
    kind: "grant" | "revoke",
    { role, group, until }: { role: string; group: string; until?: string | undefined },
  ): void {
    const key = writeKey(kind, role, group);
    this.#held.add(key);
    if (!this.#ends.has(key)) this.#ends.set(key, { until });
  }

  #holdProfile({ op, id, sets }: ReviewedProfile): void {
    if (op === "delete" && id !== null) this.#held.add(writeKey("delete profile", id));
    if (sets === undefined) return;
    if (op === "create") this.#creates.push({ sets, taker: undefined });
    else if (id !== null) add(this.#changes, id, sets);
  }

  #holdRepeat(repeat: ReviewJson["repeats"][number]): void {
    if (repeat.kind === "removal") this.#held.add(writeKey("remove credential", repeat.id));
    else if (repeat.kind !== "profile") this.#holdAccess(repeat.kind, repeat);
    else if (repeat.id !== null) add(this.#openChanges, repeat.id, repeat);
    else this.#openProfiles.push(repeat);
  }

  /** Notes what a resource writes now of what the review left open. */
  open(actor: Actor, openings: readonly Opening[]): void {
    const categories = new Set(
      this.#unknown.filter((row) => isSaidOf(row, actor)).flatMap((row) => row.categories),
    );
    for (const { write } of openings.filter((one) => one.categories.some((name) => categories.has(name)))) {
      if ("role" in write) {
        for (const group of write.groups ?? [ANY]) this.#open.add(writeKey(write.kind, write.role, group));
      } else if (write.kind === "remove credential") this.#open.add(writeKey(write.kind, write.id));
      else
        for (const profile of this.#openProfiles)
          if (profile.name === actor.name) add(this.#openChanges, write.id, profile);
    }
  }

  /**
   * What of a write the review does not hold, as a sentence that ends before `does not hold`; undefined where
   * it holds all. `before`: what is on the profile that is changed, as far as that is known.
   */
  refused(write: Write, before?: JsonObject, isOpen = this.review.unknownAccepted): string | undefined {
    switch (write.kind) {
      case "grant":
      case "revoke": {
        const { kind, role } = write;
        const others = write.groups.filter((group) => !this.#mayChange(kind, role, group, isOpen));
        if (others.length === 0) return undefined;
        return `role ${role}: ${listText(others)} would ${kind === "grant" ? "gain" : "lose"} it, which`;
      }
      case "create profile": {
        if (this.#place(write.settings, isOpen) !== undefined) return undefined;
        const name = JSON.stringify(write.settings["name"]);
        return `a connection profile named ${name} would be made in a form that`;
      }
      case "change profile": {
        const path = this.#deviationOf(write, before, isOpen);
        if (path === undefined) return undefined;
        const what = path.length === 0 ? "it would change, which" : `${pathText(path)} would become what`;
        return `connection profile ${write.id}: ${what}`;
      }
      default: {
        const key = writeKey(write.kind, write.id);
        if (this.#held.has(key) || (isOpen && this.#open.has(key))) return undefined;
        return write.kind === "delete profile"
          ? `connection profile ${write.id} would be deleted, which`
          : `device credential ${write.id} would be removed, which`;
      }
    }
  }

  #mayChange(kind: "grant" | "revoke", role: string, group: string, isOpen: boolean): boolean {
    if (this.#held.has(writeKey(kind, role, group))) return true;
    return isOpen && [group, ANY].some((one) => this.#open.has(writeKey(kind, role, one)));
  }

  /** Until when a group gains or keeps a role, any end where unknown; undefined where no row tells of it. */
  endOf(role: string, group: string): { until: string | undefined } | undefined {
    const reviewed = this.#ends.get(writeKey("grant", role, group));
    return reviewed ?? (this.#mayChange("grant", role, group, true) ? { until: undefined } : undefined);
  }

  /** A profile that was reviewed is made once. Answers how that is taken back, since a create may fail. */
  takeCreate(settings: JsonObject): () => void {
    for (const [create, taker] of this.#place(settings, this.review.unknownAccepted) ?? [])
      create.taker = taker;
    return () => {
      for (const create of this.#creates) if (create.taker === settings) create.taker = undefined;
    };
  }

  /**
   * The first path at which a change of a profile is not what was reviewed; empty where no change was,
   * undefined where all of it is.
   */
  #deviationOf(
    { id, settings }: Write & { kind: "change profile" },
    before: JsonObject = {},
    isOpen: boolean,
  ): string[] | undefined {
    const all = [...(this.#changes.get(id) ?? []), ...(isOpen ? (this.#openChanges.get(id) ?? []) : [])];
    const found = all.map(({ wanted, removes }) => {
      const mayGo = (path: readonly string[]) =>
        removes.some((removed) => removed.every((key, place) => place >= path.length || key === path[place]));
      return deviation(settings, before, { wanted, mayGo, mayBe: mayTurnOut(isOpen) });
    });
    return found.includes(undefined) ? undefined : (found[0] ?? []);
  }

  /**
   * Which creates are taken by which settings, so that these have one too; undefined where that can't be.
   * What was taken may pass on: values that are not known fit many, which may have nothing else.
   */
  #place(
    settings: JsonObject,
    isOpen: boolean,
    tried = new Set<Create>(),
  ): [Create, JsonObject][] | undefined {
    for (const create of this.#creates) {
      if (tried.has(create) || !fits(create, settings, isOpen)) continue;
      tried.add(create);
      const others = create.taker === undefined ? [] : this.#place(create.taker, isOpen, tried);
      if (others !== undefined) return [...others, [create, settings]];
    }
    return undefined;
  }
}

function fits({ sets: { wanted } }: Create, settings: JsonObject, isOpen: boolean): boolean {
  return deviation(settings, undefined, { wanted, mayBe: mayTurnOut(isOpen) }) === undefined;
}

function isSaidOf({ name, id }: ReviewJson["unknown"][number], actor: Actor): boolean {
  if (actor.name !== undefined) return name === actor.name;
  return id !== undefined && id !== null && id === actor.id;
}

/** A line tells of a long value how long it is. */
const LENGTH = /^\((\d+) characters\)$/;

function mayTurnOut(isOpen: boolean): (wanted: unknown, now: unknown) => boolean {
  return (wanted, now) => {
    if (typeof wanted === "string" && LENGTH.test(wanted))
      return JSON.stringify(now ?? null).length === Number(LENGTH.exec(wanted)?.[1]);
    const isLeaf = typeof wanted !== "object" || Array.isArray(wanted);
    return isOpen && isLeaf && hiddenIn(wanted) !== undefined;
  };
}

function writeKey(...parts: [Write["kind"], ...string[]]): string {
  return parts.join(" ");
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
