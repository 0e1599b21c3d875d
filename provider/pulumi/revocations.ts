import { IdentityError } from "../http/errors";
import { type Act, keyOf } from "../review/act";
import { count } from "../sentence";

const MOST_CONTRIBUTORS = 3;

/**
 * Keeps a run from taking away more than `identity:maxRevocations` allows: roles of groups, device
 * credentials, and sign-ins of users. A sign-out counts once, whatever it ends.
 *
 * One counter covers what is planned and what is sent. A loss counts once, whoever plans or sends it. A
 * change that would exceed the limit is refused whole, and counts nothing.
 */
export class Revocations {
  /** Losses by their keys, with the resource that they count for. */
  readonly #counted = new Map<string, string>();
  /** Losses that a preview can't be sure of. */
  readonly #possible = new Set<string>();

  constructor(
    /** It can get lower during a run; undefined: no limit. */
    private readonly limit: () => number | undefined,
    /** The setting's name in messages, and how to raise it for one run. */
    private readonly setting: { name: string; raise: (count: number) => string },
  ) {}

  /**
   * Counts the losses among the acts of a change; returns the reason if they exceed the limit. `by`: the
   * resource's name in messages.
   */
  count(by: string, acts: readonly Act[]): string | undefined {
    const limit = this.limit();
    const losses = acts.filter(isCertain).map(keyOf);
    const added = new Map(losses.filter((loss) => !this.#counted.has(loss)).map((loss) => [loss, by]));
    const all = new Map([...this.#counted, ...added]);
    if (limit !== undefined && added.size > 0 && all.size > limit) return this.#refusal(all, limit);
    for (const [loss, of] of added) this.#counted.set(loss, of);
    return undefined;
  }

  /** Returns a warning if losses that the run may prevent would exceed the limit. Counts none. */
  warning(acts: readonly Act[]): string | undefined {
    const limit = this.limit();
    const losses = acts.filter((act) => act.act === "revoke" && act.when === "perhaps").map(keyOf);
    for (const loss of losses) this.#possible.add(loss);
    if (limit === undefined || losses.length === 0) return undefined;
    const all = new Set([...this.#counted.keys(), ...this.#possible]);
    if (all.size <= limit) return undefined;
    return (
      `this run may ${revoking([...all])}, and ${this.setting.name} allows ${limit}: ` +
      "pulumi up refuses each change that exceeds it"
    );
  }

  /** The same check before sending; throws if the limit is exceeded. */
  request(by: string, acts: readonly Act[]): void {
    const problem = this.count(by, acts);
    if (problem !== undefined) throw new IdentityError(`${by} was not changed: ${problem}`, "not sent");
  }

  #refusal(losses: ReadonlyMap<string, string>, limit: number): string {
    return (
      `this run would ${revoking([...losses.keys()], "at least ")}, and ${this.setting.name} allows ` +
      `${limit}. Most are revoked by ${largest([...losses.values()])}. Review the change; if you mean it, ` +
      `${this.setting.raise(losses.size)}.`
    );
  }
}

function isCertain(act: Act): boolean {
  if (act.act === "revoke") return act.when === undefined;
  return act.act === "remove credential" || act.act === "sign out";
}

/** `revoke at least 3 grants and device credentials`, or `sign out at least 1 user`. */
function revoking(losses: readonly string[], least = ""): string {
  const signOuts = losses.filter((loss) => loss.startsWith("sign out")).length;
  if (signOuts === losses.length) return `sign out ${least}${count(signOuts, "user")}`;
  const what =
    signOuts === 0
      ? count(losses.length, "grant or device credential", "grants and device credentials")
      : `${losses.length} grants, device credentials and sign-ins of users`;
  return `revoke ${least}${what}`;
}

/** `support (38), lost-phone (1), partners (1) and 2 more` */
function largest(resources: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const by of resources) counts.set(by, (counts.get(by) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const named = sorted.slice(0, MOST_CONTRIBUTORS).map(([by, number]) => `${by} (${number})`);
  const others = sorted.length - named.length;
  return named.join(", ") + (others > 0 ? ` and ${others} more` : "");
}
