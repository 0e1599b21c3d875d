import { type Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import {
  concernsOneQuestion,
  ConfigurationError,
  NotFoundError,
  shortReason,
} from "../../provider/http/errors";
import { makeBorder, makeClient } from "../../provider/pulumi/clients";
import { formerTenants, readSettings, tenantOf } from "../../provider/pulumi/settings";
import { listUserPermissions, type PermissionRecord, sourcesOf } from "../../provider/service/permissions";
import { readRoleGroups } from "../../provider/service/role-groups";
import { type Answer, type RoleOfTenant, type SamplePermission, type Tenant } from "./tenant";

/** A review must not hang: a tenant that gives no answer for so long is not asked any more. */
const LONGEST_SILENCE_MS = 30_000;

/**
 * Asks the tenant of the environment who has these roles today, each role once, and what sample users may do. Whatever
 * fails is a reason in the answer. The preview's own configuration is not used: who writes the program must not choose
 * where the client's credentials are sent.
 */
export async function askTenant(
  roles: readonly RoleOfTenant[],
  sampleUsers: readonly string[],
  environment: NodeJS.ProcessEnv,
  longestSilenceMs = LONGEST_SILENCE_MS,
): Promise<Tenant> {
  const settings = readSettings(() => undefined, environment);
  // The review itself may go to the standard output.
  const border = makeBorder(settings, (line) => process.stderr.write(`${line}\n`));
  const names = [tenantOf(settings), ...formerTenants(settings)].filter((name) => name !== undefined);
  const tenant: Tenant = { names, notConfigured: undefined, groups: new Map(), permissions: new Map() };
  if (roles.length === 0) return tenant;
  let client: IdentityClient;
  try {
    client = makeClient(settings, { kind: "environment" }, border);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...tenant, notConfigured: error.message.replace(/\.$/, "") };
  }
  const known = roles.filter((role) => role.tenant !== undefined && names.includes(role.tenant));
  const ids = [...new Set(known.map(({ role }) => role))];
  const questions = new Questions(longestSilenceMs);
  try {
    const [groups, permissions] = await Promise.all([
      questions.ask(ids, async (id, signal) =>
        (await readRoleGroups(client, id, signal)).map((group) => ({
          id: group.id,
          name: group.name && border.quote(group.name),
        })),
      ),
      questions.ask(ids.length === 0 ? [] : [...new Set(sampleUsers)], async (id, signal) =>
        (await listUserPermissions(client, id, signal)).map((record) => permissionOf(record, border)),
      ),
    ]);
    return { ...tenant, groups, permissions };
  } finally {
    questions.end();
    client.cancel("the review is done");
    await client.close();
  }
}

/** Asks until the tenant is silent: what is left then is not asked any more. */
class Questions {
  readonly #end = new AbortController();
  #ended: string | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(private readonly longestSilenceMs: number) {
    this.#answered();
  }

  async ask<Value>(
    ids: readonly string[],
    question: (id: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<Map<string, Answer<Value>>> {
    const answers = ids.map(async (id): Promise<[string, Answer<Value>]> => {
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
    if (error instanceof NotFoundError) return "404: not on the tenant";
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
