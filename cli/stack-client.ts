import { type IdentityClient } from "../provider/http/client";
import { ConfigurationError, IdentityError } from "../provider/http/errors";
import { makeBorder } from "../provider/pulumi/clients";
import { formerTenants, settingProblems } from "../provider/pulumi/settings";
import { CommandError } from "./errors";
import { Progress } from "./terminal";
import { type StackOfProgram } from "./pulumi-cli";
import { makeReadingClient } from "./tenant/client";
import { TenantReader } from "./tenant/reader";
import { adviceFor, type FoundSettings, readStackSettings, SOURCE } from "./stack-settings";

export interface StackTenant {
  client: IdentityClient;
  reader: TenantReader;
  /** Its names, present and former. */
  tenants: string[];
  progress: Progress;
}

/** Asks a stack's tenant, and closes the connections; an error of the tenant ends the command. */
export async function withTenant<Result>(
  program: StackOfProgram,
  ask: (tenant: StackTenant) => Promise<Result>,
): Promise<Result> {
  const found = await readStackSettings(program);
  const progress = new Progress(process.stderr);
  const client = makeStackClient(found, program.stack, progress);
  const reader = new TenantReader(client, progress);
  try {
    const tenants = [client.tenant, ...formerTenants(found.settings)];
    return await ask({ client, reader, tenants, progress });
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    throw new CommandError(client.border.clean(error.message));
  } finally {
    progress.clear();
    reader.end();
    client.cancel("the command is done");
    await client.close();
  }
}

/** `named`: the stack given by the user, whose configuration must be readable then. */
function makeStackClient(
  { settings, stack }: FoundSettings,
  named: string | undefined,
  progress: Progress,
): IdentityClient {
  // Standard output may be for the command's result.
  const border = makeBorder(settings, (line) => progress.notice(line));
  const unread = "unread" in stack ? `${stack.unread} ${stack.advice}` : undefined;
  if (named !== undefined && unread !== undefined)
    throw new CommandError(
      border.clean(`The configuration of the stack ${named} could not be read. ${unread}`),
    );
  try {
    return makeReadingClient(settings, SOURCE, border);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // Missing settings may be in the stack that couldn't be read.
    const { wrong } = settingProblems(settings, SOURCE);
    if (unread === undefined || wrong.length > 0)
      throw new CommandError(border.clean(adviceFor(named, error.message)));
    throw new CommandError(
      border.clean(`${unread} Or set IDENTITY_DOMAIN and the credentials in the environment.`),
    );
  }
}
