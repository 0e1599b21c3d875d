import { type IdentityClient } from "../provider/http/client";
import { ConfigurationError } from "../provider/http/errors";
import { makeBorder, makeClient } from "../provider/pulumi/clients";
import { problemsOf, type SettingsSource } from "../provider/pulumi/settings";
import { CommandError } from "./errors";
import { type FoundSettings } from "./stack-settings";

const SOURCE: SettingsSource = { kind: "stack" };

/** `named`: the stack that the person has named, whose configuration must be readable then. */
export function clientOf({ settings, stack }: FoundSettings, named: string | undefined): IdentityClient {
  // What the command makes may go to the standard output.
  const border = makeBorder(settings, (line) => process.stderr.write(`${line}\n`));
  const unread = "unread" in stack ? `${stack.unread} ${stack.advice}` : undefined;
  if (named !== undefined && unread !== undefined)
    throw new CommandError(
      border.clean(`The configuration of the stack ${named} could not be read. ${unread}`),
    );
  try {
    return makeClient(settings, SOURCE, border);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // Settings that are only missing may well be those of the stack.
    const { wrong } = problemsOf(settings, SOURCE);
    if (unread === undefined || wrong.length > 0) throw new CommandError(border.clean(error.message));
    throw new CommandError(
      border.clean(`${unread} Or set IDENTITY_DOMAIN and the credentials in the environment.`),
    );
  }
}
