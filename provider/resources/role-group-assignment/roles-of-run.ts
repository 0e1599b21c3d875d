import { type RoleAt, roleKey } from "../../access/edge";
import { type IdentityClient } from "../../http/client";
import { type Run, RunMemory } from "../../pulumi/run";
import { listGroupsOf } from "../../service/role-groups";
import { ListedInRun } from "./listed-in-run";
import { groupKey } from "./assignment";
import { type Granted } from "./plan";

/** The handlers' shared knowledge of one role in a run. */
export class RoleOfRun {
  readonly elsewhere: ListedInRun;
  /** Groups named in a line because an exclusive assignment takes the role from them. */
  readonly named = new Set<string>();
  #groups: Promise<string[]> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly at: RoleAt,
    private readonly run: Run,
  ) {
    this.elsewhere = new ListedInRun(at, run);
  }

  /**
   * Counts groups as unconfirmed if this run has taken the role from them since: another assignment may have
   * given it to them, too.
   */
  withLosses(granted: Granted): Granted {
    const lost = granted.groups.filter((group) => this.run.ledger.hasRevoked(groupKey(this.at, group)));
    return { ...granted, unconfirmed: [...granted.unconfirmed, ...lost] };
  }

  /** Records that this run has revoked the role of groups, or granted it again. */
  note(what: "revoked" | "granted", groups: readonly string[]): void {
    for (const group of groups) this.run.ledger.note(what, groupKey(this.at, group));
  }

  /** Runs the requests of one role one after the other, so that each knows the results of those before it. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(change, change);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the role's groups for refresh, as they were at any time since this run last wrote them. */
  refresh(client: IdentityClient): Promise<string[]> {
    return (this.#groups ??= listGroupsOf(client, this.at));
  }

  forgetRead(): void {
    this.#groups = undefined;
  }
}

const ROLES = new RunMemory((run) => {
  const roles = new Map<string, RoleOfRun>();
  return (at: RoleAt) => {
    const key = roleKey(at);
    const role = roles.get(key) ?? new RoleOfRun(at, run);
    roles.set(key, role);
    return role;
  };
});

export function roleOf(run: Run, at: RoleAt): RoleOfRun {
  return run.recall(ROLES)(at);
}
