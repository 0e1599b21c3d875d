import { type IdentityClient } from "../../provider/http/client";
import { IncompleteListError, UnexpectedAnswerError } from "../../provider/http/errors";
import { type Named } from "../../provider/service/record";
import { type RoleRecord, titleOfRole } from "../../provider/service/roles";
import { compare, optional } from "../lists";
import { type Answer, isNotFound } from "../tenant/questions";
import { goingOn, partOf } from "../tenant/reader";

/** Collects the lists that the tenant returned only in part. */
export class Gaps {
  readonly #incomplete: string[] = [];
  readonly #inPart = new Set<string>();

  constructor(private readonly client: IdentityClient) {}

  get isEmpty(): boolean {
    return this.#incomplete.length === 0;
  }

  /** Returns as much of a list as the tenant returned. `of`: the role or group with this list. */
  readable<Item>(answer: Answer<Item[]>, of?: string): Item[] {
    const { items, incomplete } = partOf(answer);
    if (incomplete !== undefined) {
      this.#incomplete.push(this.client.border.clean(incomplete.message));
      if (of !== undefined) this.#inPart.add(of);
    }
    return items;
  }

  /** The same, but undefined if the object of the list was deleted meanwhile. */
  ifThere<Item>(answer: Answer<Item[]>, of: string): Item[] | undefined {
    if (isNotFound(answer)) return undefined;
    return this.readable(answer, of);
  }

  /** Adds the roles of an organization, unless the tenant listed them. */
  addUnread(of: string, answer: Answer<unknown>): void {
    const { reason, error } = answer;
    if (reason === undefined) return;
    if (!(error instanceof IncompleteListError)) goingOn(answer);
    this.#incomplete.push(this.client.border.clean(`The roles of ${of} could not be read (${reason}).`));
  }

  /** Sentences about these lists. */
  get incomplete(): string[] {
    return this.#incomplete.sort(compare);
  }

  /** The roles and groups of these lists. */
  get inPart(): ReadonlySet<string> {
    return this.#inPart;
  }
}

/** A tenant's text may repeat a secret. */
export function quoting({ border }: IdentityClient): (object: Named) => Named {
  return ({ id, name }) => ({ id, name: name ? border.quote(name) : undefined });
}

/** Returns the names by id, of those that have one. */
export function namesById(objects: readonly Named[], client: IdentityClient): Map<string, string> {
  const named = objects.map(quoting(client));
  return new Map(named.flatMap(({ id, name }) => optional(name).map((text) => [id, text] as const)));
}

export function quotingRole({ border }: IdentityClient): (role: RoleRecord) => Named {
  return (role) => ({ id: role.id, name: titleOfRole(role, (name) => border.quote(name)) });
}

/** The answer, or why there is none: not every tenant has the call, and not every client may use it. */
export function ifListed<Value>(answer: Answer<Value>): Answer<Value> {
  return answer.error instanceof UnexpectedAnswerError ? answer : goingOn(answer);
}
