import * as pulumi from "@pulumi/pulumi";
import { SECRET_NAMES } from "../settings-table";
import { ProgramMemory } from "./program-run";

const WARNED = new ProgramMemory("warned/1", () => new Set<string>());

/** Warns, once in a run of the program, of credentials that stack configuration holds in clear. */
export function warnOfPlainCredentials(): void {
  const warned = WARNED.recall();
  // Not part of the SDK's types. Without it nobody can tell, and nothing is said.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  if (warned === undefined || isConfigSecret === undefined) return;
  const config = new pulumi.Config("identity");
  for (const name of SECRET_NAMES) {
    const key = `identity:${name}`;
    if (warned.has(key) || !config.get(name)?.trim() || isConfigSecret(key)) continue;
    warned.add(key);
    void pulumi.log.warn(
      `${key} is in clear in stack configuration, and so in state. Make it a secret: pulumi config set --secret ${key}. ` +
        "Then rotate it, since the old value stays in the history of both.",
    );
  }
}
