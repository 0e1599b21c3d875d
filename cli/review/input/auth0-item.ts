import { type Edge, type RoleAt } from "../../../provider/access/edge";
import { type PermissionEffect, type PermissionHolder } from "../kinds/effects";
import { type MadeObject } from "../kinds/step";
import { type Hidden } from "../../../provider/seen";
import { optional } from "../../lists";

/** Names of an item's parts, in the order in which its key has them. */
const PART_NAMES = ["organization", "user", "role", "api", "permission"] as const;
export type PartName = (typeof PART_NAMES)[number];

/** A part of an item: an id, an object that the same run creates, or why it doesn't show. */
export interface ItemPart {
  id?: string;
  made?: MadeObject;
  hidden?: Hidden;
}

export type ItemName = "role" | "permission" | "membership" | "scope" | "object";

export type PermissionEdge = Pick<PermissionEffect, "tenant" | "holder" | "resourceServer" | "permission">;

/** With these, roles end that no item names. */
const ENDS_ROLES: readonly ItemName[] = ["object", "membership"];

/** One thing that a resource of `@pulumi/auth0` gives, or the object that ends with it. */
export class Item {
  readonly #parts: readonly ItemPart[];
  #key: string | undefined;

  constructor(
    readonly what: ItemName,
    readonly tenant: string | undefined,
    readonly of: Readonly<Partial<Record<PartName, ItemPart>>>,
  ) {
    this.#parts = PART_NAMES.flatMap((name) => of[name] ?? []);
  }

  /** Equal for the same thing, whatever gives it. */
  get key(): string {
    const { what, tenant = null, of } = this;
    const parts = PART_NAMES.map((name) => of[name] ?? null);
    return (this.#key ??= JSON.stringify([what, tenant, ...parts], named));
  }

  /** True if all of it shows. */
  get isKnown(): boolean {
    return this.#parts.every(({ id }) => id !== undefined);
  }

  /** Why it doesn't show; undefined if it does, or if it is known what the run creates for it. */
  get hidden(): Hidden | undefined {
    return this.#parts.flatMap(({ hidden }) => hidden ?? [])[0];
  }

  /** True if an item of which not all shows may be this one. */
  isMaybe({ what, tenant, of }: Item): boolean {
    const mayBeSame = (one: ItemPart | undefined, other: ItemPart | undefined) =>
      one === undefined || other === undefined
        ? one === other
        : other.hidden !== undefined || one.id === other.id;
    return (
      what === this.what &&
      tenant === this.tenant &&
      PART_NAMES.every((name) => mayBeSame(this.of[name], of[name]))
    );
  }

  /** Its role, and where that counts; undefined without one, and if one of both doesn't show. */
  get at(): RoleAt | undefined {
    const { role, organization } = this.of;
    const isPlaceShown = organization === undefined || organization.id !== undefined;
    if (role?.id === undefined || !isPlaceShown) return undefined;
    return { organization: organization?.id, role: role.id };
  }

  /** Who has a role by it; undefined if it gives none, or if a part of it doesn't show. */
  get edge(): Edge | undefined {
    const { tenant, at } = this;
    const { user } = this.of;
    if (at === undefined || user?.id === undefined) return undefined;
    return { tenant, ...at, holder: { user: user.id } };
  }

  /** Who may do what by it; undefined if it allows nothing, or if a part of it doesn't show. */
  get permission(): PermissionEdge | undefined {
    const { role, user, api, permission } = this.of;
    const [holder] = [
      ...optional(role?.made).map(({ title }): PermissionHolder => ({ made: title })),
      ...optional(role?.id).map((id): PermissionHolder => ({ role: id })),
      ...optional(user?.id).map((id): PermissionHolder => ({ user: id })),
    ];
    if (holder === undefined || api?.id === undefined || permission?.id === undefined) return undefined;
    return { tenant: this.tenant, holder, resourceServer: api.id, permission: permission.id };
  }

  /** True if nobody has a role any more once this object or membership is gone. */
  ends({ organization, role, holder }: Edge): boolean {
    const own: Readonly<Record<string, string | undefined>> = { organization, role, ...holder };
    const isOfIt = Object.entries(this.of).every(([name, { id }]) => id === own[name]);
    return ENDS_ROLES.includes(this.what) && isOfIt;
  }
}

/** JSON has no symbols. */
function named(_key: string, value: unknown): unknown {
  return typeof value === "symbol" ? value.description : value;
}

export function keysOf(items: readonly Item[]): ReadonlySet<string> {
  return new Set(items.filter(({ isKnown }) => isKnown).map(({ key }) => key));
}
