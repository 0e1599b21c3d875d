import { Command } from "commander";
import { credentialNames } from "../provider/http/credentials";
import { CommandError } from "./errors";
import { tenantStack } from "./option-values";
import { withTenant } from "./stack-client";
import { helpText } from "./terminal";

export function tokenCommand(): Command {
  return new Command("token")
    .description("Prints an access token of the configured client, for all commands of a job.")
    .addOption(tenantStack())
    .addHelpText(
      "after",
      helpText(
        'Example:\n  export IDENTITY_ACCESS_TOKEN="$(npx --no pulumi-identity token --stack prod)"',
        "It sends the token request and nothing else. If an access token is configured, it prints that one and sends nothing. " +
          "Settings come from IDENTITY_… first, then from the stack's configuration.",
        "The token is a secret: until it expires, whoever has it can do what the client can.",
        "Exit codes: 0 ok, 1 the settings are wrong or the tenant gave no token, 2 wrong usage.",
      ),
    )
    .action(printToken);
}

async function printToken({ stack }: { stack?: string }): Promise<void> {
  const [folder, environment] = [process.cwd(), process.env];
  const token = await withTenant({ stack, folder, environment }, async ({ client }) => {
    const { asked, expiresAt } = await client.tokenFacts();
    if (asked === undefined && expiresAt !== undefined && expiresAt < Date.now()) {
      const [setting] = credentialNames(client.settings);
      throw new CommandError(
        `${setting} has expired. Unset it and run this again: the client's own credentials get a new token.`,
      );
    }
    return client.accessToken();
  });
  process.stdout.write(`${token}\n`);
  if (process.stdout.isTTY)
    process.stderr.write("This is a secret: until it expires, whoever has it can do what the client can.\n");
}
