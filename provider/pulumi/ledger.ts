import { type HostsFile } from "./hosts-file";

/** A resource that was passed to `check`: the same object in all its checks. */
export interface ResourceName {
  /** Tells the resources of a host apart; undefined if nobody has said who the resource is. */
  key: string | undefined;
  /** Undefined if nobody has said it. */
  name: string | undefined;
}

/** One thing that a resource wants for itself: `rol_… grp_…`, `connection profile cop_…`. */
interface Want {
  key: string;
  /** True if messages about other resources must not show the key. */
  isSecret?: boolean;
  /** True if its owner gets it now. An ended assignment keeps others away, but has no group. */
  isNow: boolean;
}

interface Owner {
  name: string;
  isSecret: boolean;
}

const UNNAMED = "another resource";

/**
 * Knows who wants what on the tenant, as approved by `check`, and what this run has revoked. Two resources
 * can't want the same thing, and nothing that a resource of the run wants is revoked.
 */
export class Ledger {
  readonly #wants = new Map<string, Map<ResourceName, Omit<Want, "key">>>();
  readonly #keys = new Map<ResourceName, readonly string[]>();
  readonly #revoked = new Set<string>();

  constructor(
    /** Host names of the tenant: its own first. */
    private readonly tenants: readonly string[],
    private readonly file: HostsFile | undefined,
  ) {}

  /** Records a resource's wants, replacing its earlier ones. */
  want(resource: ResourceName, wants: readonly Want[]): void {
    for (const key of this.#keys.get(resource) ?? []) this.#wants.get(key)?.delete(resource);
    for (const { key, ...want } of wants) {
      const owners = this.#wants.get(key) ?? new Map<ResourceName, Omit<Want, "key">>();
      this.#wants.set(key, owners.set(resource, want));
    }
    this.#keys.set(
      resource,
      wants.map(({ key }) => key),
    );
    const [tenant = ""] = this.tenants;
    this.file?.write({
      owner: resource.key ?? "",
      name: resource.name ?? "",
      keys: wants.filter(({ isNow }) => isNow).map(({ key }) => `${tenant} ${key}`),
    });
  }

  /** Records the one thing that a resource wants; returns both names, sorted, if another wants it too. */
  wantAlone(resource: ResourceName, key: string): readonly string[] | undefined {
    const other = this.otherOwner(resource, key);
    this.want(resource, [{ key, isNow: true }]);
    return other && [other.name, resource.name ?? ""].sort();
  }

  /** Returns another resource of the run that wants the same; undefined if none does. */
  otherOwner(self: ResourceName, key: string): Owner | undefined {
    // Resources without a key can't be distinguished.
    if (self.key === undefined) return undefined;
    for (const [one, { isSecret = false }] of this.#wants.get(key) ?? [])
      if (one !== self) return { name: one.name ?? UNNAMED, isSecret };
    const name = this.wantedElsewhere(key);
    // Another provider's secrets aren't known here, so treat the name as one.
    return name === undefined ? undefined : { name, isSecret: true };
  }

  /** Returns the name of a resource of the run that wants to have this; undefined if none does. */
  wanted(key: string): string | undefined {
    for (const [{ name = UNNAMED }, { isNow }] of this.#wants.get(key) ?? []) if (isNow) return name;
    return this.wantedElsewhere(key);
  }

  /** The same for other providers: their hosts may know the tenant by another of its names. */
  wantedElsewhere(key: string): string | undefined {
    return this.file?.wants(this.tenants.map((tenant) => `${tenant} ${key}`));
  }

  note(what: "revoked" | "granted", key: string): void {
    if (what === "revoked") this.#revoked.add(key);
    else this.#revoked.delete(key);
  }

  hasRevoked(key: string): boolean {
    return this.#revoked.has(key);
  }
}
