import { type Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import {
  concernsOneQuestion,
  ConfigurationError,
  NotFoundError,
  shortReason,
} from "../../provider/http/errors";
import { readablePart } from "../../provider/http/pages";
import { makeBorder, makeClient } from "../../provider/pulumi/clients";
import {
  credentialOf,
  formerTenants,
  type RawSettings,
  type SettingsSource,
  tenantOf,
} from "../../provider/pulumi/settings";
import { DEVICE_CREDENTIAL_TYPES, listCredentialIds } from "../../provider/service/device-credentials";
import { type Step } from "../../provider/review/step";
import { listUserPermissions, type PermissionRecord, sourcesOf } from "../../provider/service/users";
import { readGroupName } from "../../provider/service/groups";
import { GROUP_ID } from "../../provider/service/ids";
import { listRoles, readRoleGroups, titleOfRole } from "../../provider/service/roles";
import {
  type Answer,
  credentialsIn,
  type NotRead,
  type RoleOfTenant,
  rolesIn,
  type SamplePermission,
  type Tenant,
  valuesOf,
} from "./tenant";

/** A review must not hang: a tenant that gives no answer for so long is not asked any more. */
const LONGEST_TENANT_SILENCE_MS = 30_000;

/** A name is a request: a change of more groups than this is read by id. */
const MOST_GROUP_NAMES = 100;

/** Settings of the tenant to ask, and how messages name them. */
export interface AskedBy {
  settings: RawSettings;
  source: SettingsSource;
  /** Why those of the stack could not be read. */
  unread?: string;
}

/** Whether somebody has set up a client, rightly or not. */
export function hasClient({ settings }: AskedBy): boolean {
  return settings.clientId !== undefined || credentialOf(settings) !== undefined;
}

/** The roles and credentials that a review asks the tenant about. */
export interface Asked {
  roles: readonly RoleOfTenant[];
  /** Credentials that are removed. */
  credentials: readonly string[];
}

export function askedIn(steps: readonly Step[]): Asked {
  return { roles: rolesIn(steps), credentials: credentialsIn(steps) };
}

/**
 * Asks a tenant who has these roles today, each role once, what sample users may do, and which credentials
 * there are, where some are removed. Whatever fails is a reason in the answer.
 */
export async function askTenant(
  { roles, credentials }: Asked,
  sampleUsers: readonly string[],
  { settings, source }: AskedBy,
  longestSilenceMs = LONGEST_TENANT_SILENCE_MS,
): Promise<Tenant> {
  // The review itself may go to the standard output.
  const border = makeBorder(settings, (line) => process.stderr.write(`${line}\n`));
  const hosts = [tenantOf(settings), ...formerTenants(settings)].filter((name) => name !== undefined);
  const tenant: Tenant = {
    hosts,
    notConfigured: undefined,
    groups: new Map(),
    names: new Map(),
    unnamed: [],
    permissions: new Map(),
    credentials: undefined,
  };
  if (roles.length + credentials.length === 0) return tenant;
  let client: IdentityClient;
  try {
    client = makeClient(settings, source, border);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...tenant, notConfigured: error.message.replace(/\.$/, "") };
  }
  const known = roles.filter((role) => role.tenant !== undefined && hosts.includes(role.tenant));
  const ids = [...new Set(known.map(({ role }) => role))];
  const questions = new Questions(longestSilenceMs);
  // A name is missing, or not: a part of the list is worth showing.
  let rolesInPart: string | undefined;
  try {
    const asksCredentials = credentials.length > 0;
    const lists = questions.ask(asksCredentials ? DEVICE_CREDENTIAL_TYPES : [], (type, signal) =>
      listCredentialIds(client, type, signal),
    );
    const credentialsThere = async () => {
      const answers = [...(await lists).values()];
      const isWhole = asksCredentials && answers.every((answer) => "value" in answer);
      return isWhole ? new Set(valuesOf(await lists)) : undefined;
    };
    if (ids.length === 0) return { ...tenant, credentials: await credentialsThere() };
    const [groups, permissions, roleNames] = await Promise.all([
      questions.ask(ids, async (id, signal) =>
        (await readRoleGroups(client, id, signal)).map((group) => ({
          id: group.id,
          name: group.name && border.quote(group.name),
        })),
      ),
      questions.ask([...new Set(sampleUsers)], async (id, signal) =>
        (await listUserPermissions(client, id, signal)).map((record) => permissionOf(record, border)),
      ),
      questions.ask(["roles"], async (_, signal) => {
        const named = await readablePart(listRoles(client, signal));
        rolesInPart = named.incomplete && shortReason(named.incomplete);
        return named.items.map(
          (role) => [role.id, titleOfRole(role, (name) => border.quote(name)) ?? ""] as const,
        );
      }),
    ]);
    const others = unnamedGroups(known, groups);
    const groupNames = await questions.ask(others.slice(0, MOST_GROUP_NAMES), async (id, signal) => [
      [id, border.quote((await readGroupName(client, id, signal)) ?? "")] as const,
    ]);
    const left = others.length - MOST_GROUP_NAMES;
    return {
      ...tenant,
      credentials: await credentialsThere(),
      groups,
      permissions,
      names: new Map([...valuesOf(groupNames), ...valuesOf(roleNames)]),
      unnamed: [
        ...notRead("roles", roleNames),
        ...(rolesInPart === undefined ? [] : [{ what: "roles" as const, reason: rolesInPart }]),
        ...notRead("groups", groupNames),
        ...(left > 0 ? [{ what: "groups" as const, reason: `${left} more than ${MOST_GROUP_NAMES}` }] : []),
      ],
    };
  } finally {
    questions.end();
    client.cancel("the review is done");
    await client.close();
  }
}

function unnamedGroups(roles: readonly RoleOfTenant[], answers: Tenant["groups"]): string[] {
  const read = valuesOf(answers);
  const named = new Set(read.filter(({ name }) => name !== undefined).map(({ id }) => id));
  const told = new Set(roles.flatMap(({ groups }) => groups));
  return [...told].filter((id) => !named.has(id) && GROUP_ID.safeParse(id).success);
}

/** A group that is not there has no name. */
function notRead(what: NotRead["what"], answers: ReadonlyMap<string, Answer<unknown>>): NotRead[] {
  const reasons = [...answers.values()].flatMap((answer) => ("reason" in answer ? [answer.reason] : []));
  const told = new Set(reasons.filter((reason) => reason !== NOT_THERE));
  return [...told].map((reason) => ({ what, reason }));
}

const NOT_THERE = "404: not on the tenant";

/** Asks until the tenant is silent: what is left then is not asked any more. */
class Questions {
  readonly #end = new AbortController();
  #ended: string | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(private readonly longestSilenceMs: number) {
    this.#answered();
  }

  async ask<Id extends string, Value>(
    ids: readonly Id[],
    question: (id: Id, signal: AbortSignal) => Promise<Value>,
  ): Promise<Map<Id, Answer<Value>>> {
    const answers = ids.map(async (id): Promise<[Id, Answer<Value>]> => {
      try {
        return [id, { value: await question(id, this.#end.signal) }];
      } catch (error) {
        return [id, { reason: this.#reason(error) }];
      } finally {
        this.#answered();
      }
    });
    return new Map(await Promise.all(answers));
  }

  end(reason?: string): void {
    clearTimeout(this.#silence);
    this.#ended ??= reason;
    this.#end.abort();
  }

  #reason(error: unknown): string {
    if (this.#ended !== undefined) return this.#ended;
    if (error instanceof NotFoundError) return NOT_THERE;
    const reason = shortReason(error);
    if (!concernsOneQuestion(error)) this.end(reason);
    return reason;
  }

  #answered(): void {
    clearTimeout(this.#silence);
    if (this.#end.signal.aborted) return;
    const { longestSilenceMs } = this;
    const end = () => this.end(`no answer within ${longestSilenceMs / 1000} s`);
    this.#silence = setTimeout(end, longestSilenceMs);
  }
}

/** What a tenant says may repeat a secret. */
function permissionOf(record: PermissionRecord, border: Border): SamplePermission {
  return {
    resourceServer: border.quote(record.resource_server_identifier ?? ""),
    name: border.quote(record.permission_name ?? ""),
    sources: sourcesOf(record)?.map(({ id, name }) => ({ id, name: border.quote(name) })),
  };
}
