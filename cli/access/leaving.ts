import { groupedBy } from "../../provider/access/grants";
import { isKnownWhole } from "../../provider/access/people";
import { IncompleteListError } from "../../provider/http/errors";
import { count, list, say, type Sentence, tail, word } from "../../provider/sentence";
import { anyOf, optional } from "../lists";
import { AFTER, BEFORE, NEVER_CUT, type Section } from "../output/document";
import { type StackTenant } from "../stack-client";
import { type Answer, isNotFound } from "../tenant/questions";
import { goingOn } from "../tenant/reader";
import { type AccessRole, type Claims } from "./claims";
import { Gaps, ifListed } from "./gaps";
import { type AccessJson } from "./model";
import { type LinesAbout, stepsFor, type Through } from "./leaving-steps";
import { isUnread, type Leaving, type LeavingStep, type UserAnswer } from "./user";

/*
 * A person leaves: all that the account still has, and how to take it. Nothing that was not read counts as
 * taken.
 */

type LeavingJson = NonNullable<NonNullable<AccessJson["user"]>["leaving"]>;

const SIGNED_IN = ["sessions", "refreshTokens", "deviceCredentials"] as const;
type SignIns = Pick<LeavingJson, (typeof SIGNED_IN)[number]>;

/** The account, and what it is signed in with. */
export type Leaver = SignIns &
  Pick<LeavingJson, "gone" | "blocked" | "connections" | "unread"> & {
    /** To ask for roles there: all of the user's, if they can be read. */
    organization: readonly string[];
    /** Lists that could not be read whole, with reasons. */
    incomplete: readonly string[];
  };

export async function readLeaver(
  tenant: StackTenant,
  id: string,
  organization: readonly string[],
): Promise<Leaver> {
  const { reader, progress } = tenant;
  progress.show("Reading what the user is signed in with …");
  const gaps = new Gaps(tenant.client);
  const unread = new Set<string>();
  const account = ifListed(await reader.account(id));
  const permissions = await reader.permissionsOfUsers([id]);
  // One of the two alone may lag behind.
  const isGone = isNotFound(account) && isNotFound(permissions.get(id));
  const { blocked, identities } = account.value ?? {};
  const connections = (identities ?? []).flatMap(({ connection }) => optional(connection));
  const memberships = isGone ? undefined : ifListed(await reader.organizationsOfUser(id));
  const signedIn = new SignedInReader(tenant, id, gaps, unread);
  return {
    gone: isGone,
    blocked: account.value === undefined ? null : blocked === true,
    connections: [...new Set(connections)].map((name) => tenant.client.border.quote(name)),
    // Nobody can ask for those of a user who isn't there; they have ended with it.
    sessions: isGone ? null : await signedIn.sessions(),
    refreshTokens: isGone ? null : await signedIn.refreshTokens(),
    deviceCredentials: await signedIn.deviceCredentials(),
    unread: [...unread],
    organization: memberships?.value === undefined ? organization : ["all"],
    incomplete: gaps.incomplete,
  };
}

interface Some<Item> {
  items: Item[];
  isMore: boolean;
}

class SignedInReader {
  constructor(
    private readonly tenant: StackTenant,
    private readonly user: string,
    private readonly gaps: Gaps,
    /** Why some of it is unknown. */
    private readonly unread: Set<string>,
  ) {}

  async sessions(): Promise<SignIns["sessions"]> {
    const found = this.#known("sessions were", await this.tenant.reader.sessionsOf(this.user));
    return (
      found && {
        more: found.isMore,
        items: found.items.map(({ id, last_interacted_at: used }) => ({
          id: this.#quoted(id),
          lastUsed: this.#textOf(used),
        })),
      }
    );
  }

  async refreshTokens(): Promise<SignIns["refreshTokens"]> {
    const found = this.#known("refresh tokens were", await this.tenant.reader.refreshTokensOf(this.user));
    return (
      found && {
        more: found.isMore,
        items: found.items.map(({ id, client_id: client, last_exchanged_at: exchanged }) => ({
          id: this.#quoted(id),
          client: this.#textOf(client),
          lastExchanged: this.#textOf(exchanged),
        })),
      }
    );
  }

  async deviceCredentials(): Promise<SignIns["deviceCredentials"]> {
    const answers = await this.tenant.reader.credentialsOf(this.user);
    const found = [...answers].map(([type, answer]) => {
      const whole = answer.reason === undefined ? { value: { items: answer.value, isMore: false } } : answer;
      const { items = [], isMore = true } = this.#known("device credentials were", whole) ?? {};
      return { type, items, isMore };
    });
    if ([...answers.values()].every(({ value }) => value === undefined) && !found.some(hasItems)) return null;
    return {
      more: found.some(({ isMore }) => isMore),
      items: found.flatMap(({ type, items }) =>
        items.map(({ id, device_name: device, client_id: client, last_used: used }) => ({
          id: this.#quoted(id),
          type,
          device: this.#textOf(device),
          client: this.#textOf(client),
          lastUsed: this.#textOf(used),
        })),
      ),
    };
  }

  /** Null if nothing is known. */
  #known<Item>(what: string, answer: Answer<Some<Item>>): Some<Item> | null {
    const { reason, error } = answer;
    if (reason === undefined) return answer.value;
    if (error instanceof IncompleteListError)
      return { items: this.gaps.readable<Item>({ reason, error }), isMore: true };
    ifListed(answer);
    this.unread.add(`${what} not read (${this.tenant.client.border.clean(reason)})`);
    return null;
  }

  #quoted(text: string): string {
    return this.tenant.client.border.quote(text);
  }

  #textOf(text: string | null | undefined): string | null {
    return text ? this.#quoted(text) : null;
  }
}

function hasItems({ items }: { items: readonly unknown[] }): boolean {
  return items.length > 0;
}

/** The user's access, with the assignments that claim it. */
interface Known {
  id: string;
  roles: readonly AccessRole[];
  user: Omit<UserAnswer, "leaving">;
  /** False if there may be roles that nobody asked for, or could read. */
  isWhole: boolean;
  claims: Claims;
  lines: LinesAbout;
}

export async function leavingOf(tenant: StackTenant, leaver: Leaver, known: Known): Promise<Leaving> {
  const { id, roles, user, lines } = known;
  const { organization: _, incomplete: __, ...fields } = leaver;
  const groups = await readThrough(tenant, known);
  const permissions = user.permissions.filter(isNotOfRoles);
  return {
    ...fields,
    left: leftOf(leaver, known, permissions.length),
    groups: groups.map(({ group, roles: its, others }) => ({
      id: group.id,
      name: group.name,
      roles: its.map((role) => role.id),
      others,
    })),
    steps: stepsFor({ ...leaver, id, roles, user, groups, permissions, ...lines }),
  };
}

function leftOf(leaver: Leaver, { roles, user, isWhole }: Known, permissions: number): boolean | null {
  const items = SIGNED_IN.flatMap((name) => (leaver[name]?.items as unknown[] | undefined) ?? []);
  if (roles.length + permissions + items.length > 0) return true;
  const { unreadOrganizations = [], allRoles } = user;
  const isKnown = isWhole && allRoles && unreadOrganizations.every((organization) => organization.allRoles);
  return isKnown && leaver.unread.length + leaver.incomplete.length === 0 ? false : null;
}

/** True for a permission that isn't from roles alone. */
export function isNotOfRoles({ sources }: UserAnswer["permissions"][number]): boolean {
  return sources === null || sources.some(({ kind }) => kind !== "role");
}

/** Those that are known to be the user's: where that can't be read, a role has all of its groups. */
function groupsBehind({ roles, user, claims }: Known): Pick<Through, "group" | "roles" | "claims">[] {
  const through = roles
    .filter((role) => !isUnread(role, user))
    .flatMap((role) => role.groups.map((group) => ({ role, group })));
  return [...groupedBy(through, ({ group }) => group.id).values()].flatMap((same) =>
    same.slice(0, 1).map(({ group }) => ({
      group,
      roles: same.map(({ role }) => role),
      claims: [...new Set(same.flatMap(({ role }) => claims.listing(role.id, group.id)))],
    })),
  );
}

/** With who else is in each. */
async function readThrough({ reader, client }: StackTenant, known: Known): Promise<Through[]> {
  const groups = groupsBehind(known);
  const answers = await reader.membersOfGroups(
    groups.map(({ group }) => group.id),
    (_, answer) => goingOn(answer),
  );
  return groups.map((through) => {
    const { value, reason } = answers.get(through.group.id) ?? {};
    const isListed = value?.people.includes(known.id) === true;
    const others = value && {
      count: value.people.length - (isListed ? 1 : 0),
      more: !isKnownWhole(value),
    };
    return {
      ...through,
      isMember: isListed || value?.isMore !== false,
      others: others ?? null,
      reason: reason && client.border.clean(reason),
    };
  });
}

/** Below the title. */
export function leavingRemarks({ roles, user, leaving }: Shown): Sentence[] {
  const { gone, left, blocked, connections } = leaving;
  const direct = user.permissions.filter(isNotOfRoles);
  const lists = [
    ...listText(leaving.sessions, "session"),
    ...listText(leaving.refreshTokens, "refresh token"),
    ...listText(leaving.deviceCredentials, "device credential"),
  ];
  const parts = [
    ...anyOf(
      [roles.length, count(roles.length, "role")],
      [direct.length, count(direct.length, "permission given directly", "permissions given directly")],
    ),
    ...lists,
  ];
  return [
    ...anyOf([gone, say`The tenant has no such user: deleted, or the id is mistyped`]),
    left === true ? word(`Left: ${parts.join(" · ")}`) : nothingText(leaving),
    ...anyOf(
      [blocked === true, say`The account is blocked`],
      [left === true && blocked === false, openText(connections)],
    ),
  ];
}

/** Whoever can sign in has a session again a moment later. */
function nothingText({ gone, left, blocked, connections }: Leaving): Sentence {
  const nothing = word(left === null ? "Nothing is left in what was read" : "Nothing is left");
  if (gone || blocked === true) return nothing;
  if (blocked === null) return say`${nothing}, but the command couldn't read whether the account is blocked`;
  const unless = tail` unless it's disabled in ${list(connections)},`;
  return say`${nothing}, but the account isn't blocked:${unless} it can still sign in`;
}

function openText(connections: Leaving["connections"]): Sentence {
  if (connections.length === 0) return say`The account isn't blocked`;
  return say`Signs in with ${list(connections)}; the account isn't blocked`;
}

interface Shown {
  roles: readonly AccessRole[];
  user: Pick<UserAnswer, "permissions">;
  leaving: Leaving;
}

function listText(found: { items: readonly unknown[]; more: boolean } | null, noun: string): string[] {
  const { length } = found?.items ?? [];
  const least = found?.more === true ? "at least " : "";
  return anyOf([length, `${least}${count(length, noun)}`]);
}

/** All but the roles and permissions, which each answer about a user has. */
export function leavingSections({ sessions, refreshTokens, deviceCredentials, steps }: Leaving): Section[] {
  const outside = steps.filter(({ where }) => where !== "program");
  const inProgram = steps.filter(({ where }) => where === "program");
  const title = outside.length === 0 ? say`In the program` : say`Then, in the program`;
  return [
    tableOf(
      { title: "Sessions", head: ["Session", "Use"] },
      rowsIn(sessions, ({ id, lastUsed }) => [say`${id}`, useText(lastUsed)]),
    ),
    tableOf(
      { title: "Refresh tokens", head: ["Refresh token", "Application", "Use"] },
      rowsIn(refreshTokens, ({ id, client, lastExchanged }) => [
        say`${id}`,
        textOf(client),
        exchangeText(lastExchanged),
      ]),
    ),
    tableOf(
      { title: "Device credentials", head: ["Credential", "Type", "Device", "Application", "Use"] },
      rowsIn(deviceCredentials, ({ id, type, device, client, lastUsed }) => [
        say`${id}`,
        word(type),
        textOf(device),
        textOf(client),
        useText(lastUsed),
      ]),
    ),
    stepSection("steps outside", say`First, outside of the program`, outside),
    stepSection("steps in the program", title, inProgram),
  ];
}

function rowsIn<Item>(
  found: { items: readonly Item[]; more: boolean } | null,
  cellsOf: (item: Item) => Sentence[],
): Sentence[][] {
  const rows = (found?.items ?? []).map(cellsOf);
  const [first = []] = rows;
  const rest = first.map((_, index) => (index === 0 ? say`and more` : say``));
  return [...rows, ...anyOf([found?.more === true && rows.length > 0, rest])];
}

function tableOf(
  { title, head }: { title: string; head: readonly string[] },
  rows: readonly Sentence[][],
): Section {
  return {
    id: title,
    title: word(title),
    ...AFTER,
    head,
    rows: rows.map((cells) => ({ cells, rank: NEVER_CUT })),
  };
}

function textOf(text: string | null): Sentence {
  return tail`${text}`.or(say`–`);
}

function useText(time: string | null): Sentence {
  return tail`last used ${time}`.or(say`last use unknown`);
}

function exchangeText(time: string | null): Sentence {
  return tail`last exchanged ${time}`.or(say`last use unknown`);
}

/** An answer about a leaver doesn't have these. */
export const LEAVING_NOTE = say`Groups that give the user no role aren't listed. An access token that is issued stays valid until it expires.`;

function stepSection(id: string, title: Sentence, steps: readonly LeavingStep[]): Section {
  const rows = steps.map(({ text, write }) => ({
    cells: [text],
    details: optional(write).flatMap(({ typescript, yaml }) => [
      say`TypeScript: ${typescript}`,
      say`YAML: ${yaml}`,
    ]),
    rank: NEVER_CUT,
  }));
  return { id, title, ...BEFORE, rows };
}
